use bdem::geometry::packing::{Packed, estimate_shell, shell};
use bdem::geometry::shape::Shape;

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
            let packed = Packed::equal(shell(&shape, layers, RADIUS, 7), RADIUS, 0.35);
            assert!(deepest_overlap(&packed) < 1e-9, "{shape:?}: {}", deepest_overlap(&packed));
            for centre in &packed.centres {
                let layer = 0.5 * (-shape.distance(centre) / RADIUS - 1.0);
                assert!(shape.holds(centre, RADIUS * (1.0 - 1e-6)), "{shape:?}: {layer}");
                assert!((layer - layer.round()).abs() < 0.02 && layer < f64::from(layers) - 0.9, "{shape:?}: {layer}");
            }
            let filled = packed.centres.len() as f64 / estimate_shell(&shape, layers, RADIUS);
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
        pool.install(|| shell(&SHAPES[0], 2, 0.006, 1))
    });
    assert_eq!(a, b);
}
