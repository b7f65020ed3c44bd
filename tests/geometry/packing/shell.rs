use bdem_core::geometry::packing::{Packed, Shell};
use bdem_core::geometry::shape::Shape;

use super::deepest_overlap;
use bdem_core::geometry::Vec3;

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
            let packed = Packed::equal(shell.pack(&shape, 7, &mut |_| {}), RADIUS, 0.6);
            assert!(deepest_overlap(&packed) < 1e-9, "{shape:?}: {}", deepest_overlap(&packed));
            for centre in &packed.centres {
                let layer = 0.5 * (-shape.distance(centre) / RADIUS - 1.0);
                assert!(shape.holds(centre, RADIUS * (1.0 - 1e-6)), "{shape:?}: {layer}");
                assert!((layer - layer.round()).abs() < 0.02 && layer < f64::from(layers) - 0.9, "{shape:?}: {layer}");
            }
            let filled = packed.centres.len() as f64 / shell.estimate(&shape, shape.volume());
            assert!((0.85..1.15).contains(&filled), "{shape:?}, {layers}: {filled}");
            let coordination = 2.0 * packed.bonds.len() as f64 / packed.centres.len() as f64;
            assert!(coordination > 4.5, "{shape:?}, {layers}: {coordination}");
        }
    }
}

/// A layer is blue noise: neither rows nor holes. The phase of its hexagonal order is forgotten over four diameters, and
/// wherever a sphere is, others surround it.
#[test]
fn layers_have_neither_rows_nor_holes() {
    const RADIUS: f64 = 0.002;
    let plate = Shape::Box { size: [0.15, 0.15, 0.0043] };
    let centres = Shell { radius: RADIUS, layers: 1, fill: true }.pack(&plate, 5, &mut |_| {});
    let near = |p: &Vec3, from: f64, to: f64| {
        let is_at = move |d: Vec3| (from * RADIUS..to * RADIUS).contains(&d.norm());
        let p = *p;
        centres.iter().filter(move |q| is_at(*q - p)).copied().collect::<Vec<_>>()
    };
    let order = |p: &Vec3| {
        let sixfold = |q: &Vec3| libm::atan2(q.y - p.y, q.x - p.x) * 6.0;
        let around = near(p, 1.0, 3.2);
        let sum = |part: fn(f64) -> f64| around.iter().map(|q| part(sixfold(q))).sum::<f64>() / around.len() as f64;
        [sum(libm::cos), sum(libm::sin)]
    };
    let inner: Vec<&Vec3> = centres.iter().filter(|p| p.x.abs() < 0.06 && p.y.abs() < 0.06).collect();
    let (mut own, mut far) = (Vec::new(), Vec::new());
    for p in &inner {
        let here = order(p);
        own.push(here[0] * here[0] + here[1] * here[1]);
        let there = near(p, 7.8, 8.2);
        far.extend(there.iter().map(order).map(|there| here[0] * there[0] + here[1] * there[1]));
        let bonded = near(p, 1.0, 2.6);
        assert!(bonded.len() >= 3, "{p:?} has {} neighbours", bonded.len());
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    assert!(mean(&far) < 0.2 * mean(&own), "{} of {}", mean(&far), mean(&own));
    let covered = inner.len() as f64 * std::f64::consts::PI * RADIUS * RADIUS / (0.12 * 0.12);
    assert!((0.75..0.8).contains(&covered), "{covered}");
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
