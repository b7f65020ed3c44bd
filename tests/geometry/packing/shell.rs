use bdem_core::geometry::packing::{Packed, Shell};
use bdem_core::geometry::shape::Shape;

use super::deepest_overlap;

const SHAPES: [Shape; 3] = [
    Shape::Sphere { radius: 0.1 },
    Shape::Cylinder { radius: 0.06, height: 0.2 },
    Shape::Ellipsoid { radii: [0.06, 0.06, 0.09] },
];

#[test]
fn spheres_lie_in_layers_under_the_surface() {
    const RADIUS: f64 = 0.006;
    for shape in SHAPES {
        for layers in [1, 3] {
            let shell = Shell { radius: RADIUS, layers, fill: false };
            let packed = Packed::equal(shell.pack(&shape, 7, &mut |_| {}), RADIUS, 0.35);
            assert!(deepest_overlap(&packed) < 1e-9, "{shape:?}: {}", deepest_overlap(&packed));
            for centre in &packed.centres {
                let layer = 0.5 * (-shape.distance(centre) / RADIUS - 1.0);
                assert!(shape.holds(centre, RADIUS * (1.0 - 1e-6)), "{shape:?}: {layer}");
                assert!((layer - layer.round()).abs() < 0.02 && layer < f64::from(layers) - 0.9, "{shape:?}: {layer}");
            }
            let filled = packed.centres.len() as f64 / shell.estimate(&shape, shape.volume());
            assert!((0.8..1.0).contains(&filled), "{shape:?}, {layers}: {filled}");
            let coordination = 2.0 * packed.bonds.len() as f64 / packed.centres.len() as f64;
            assert!(coordination > 5.0, "{shape:?}, {layers}: {coordination}");
        }
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let [a, b] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let shells = [false, true].map(|fill| Shell { radius: 0.006, layers: 2, fill });
        pool.install(|| shells.map(|shell| shell.pack(&SHAPES[0], 1, &mut |_| {})))
    });
    assert_eq!(a, b);
}
