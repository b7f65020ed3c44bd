use std::f64::consts::PI;

use bdem_core::geometry::packing::{Packed, estimate_random, random};
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Quat, Vec3};

use super::deepest_overlap;

const CUBE: Shape = Shape::Box { size: [1.0; 3] };

fn packed(shape: &Shape, range: [f64; 2], seed: u64) -> Packed {
    let (centres, radii) = random(shape, range, seed);
    Packed::bonded(centres, radii, 0.05)
}

/// Share of the points of a fine grid inside of the cube's walls that lie in spheres.
fn solid_fraction_within(packed: &Packed, from_wall: f64) -> f64 {
    const CELLS: usize = 60;
    let at = |k: usize| (0.5 - from_wall) * (2.0 * (k as f64 + 0.5) / CELLS as f64 - 1.0);
    let axis = || (0..CELLS).map(at);
    let points: Vec<Vec3> =
        axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x, y, z)))).collect();
    let spheres = packed.centres.iter().zip(&packed.radii);
    let grid = bdem_core::geometry::grid::CellGrid::new(&packed.centres, spheres.map(|(_, r)| *r).fold(0.0, f64::max));
    let covers = |p: &Vec3, i: usize| (packed.centres[i] - p).norm() < packed.radii[i];
    let solid = points.iter().filter(|p| grid.near(p).any(|i| covers(p, i as usize))).count();
    solid as f64 / points.len() as f64
}

#[test]
fn equal_spheres_are_as_dense_as_random_close_packings() {
    let packed = packed(&CUBE, [0.03; 2], 1);
    assert!(deepest_overlap(&packed) <= 1e-12, "{}", deepest_overlap(&packed));
    assert!(packed.centres.iter().all(|p| CUBE.holds(p, 0.03 * (1.0 - 1e-6))));
    let solid = solid_fraction_within(&packed, 0.12);
    assert!((0.60..0.65).contains(&solid), "{solid}");
    let coordination = 2.0 * packed.bonds.len() as f64 / packed.centres.len() as f64;
    assert!((5.5..8.0).contains(&coordination), "{coordination}");
    let estimate = estimate_random(CUBE.volume(), [0.03; 2]);
    assert!((1.0..1.4).contains(&(estimate / packed.centres.len() as f64)), "{estimate}");
}

#[test]
fn radii_are_spread_over_their_range() {
    let packed = packed(&CUBE, [0.02, 0.06], 3);
    let radii = &packed.radii;
    assert!(deepest_overlap(&packed) <= 1e-12);
    assert!(radii.iter().all(|r| (0.02 * (1.0 - 1e-12)..=0.06 * (1.0 + 1e-12)).contains(r)));
    let below = radii.iter().filter(|r| **r < 0.04).count() as f64 / radii.len() as f64;
    assert!((0.45..0.6).contains(&below), "{below}");
    let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * PI * r.powi(3)).sum();
    assert!(volume > 0.52, "{volume}");
}

#[test]
fn any_shape_is_filled_and_none_is_left() {
    let shapes = [
        Shape::Torus { radius: 0.1, tube_radius: 0.03 },
        Shape::Cone { radius: 0.08, top_radius: 0.0, height: 0.12 },
        Shape::Tube { radius: 0.1, inner_radius: 0.07, height: 0.1 },
        // one layer, that just fits
        Shape::Box { size: [0.2, 0.1, 0.02] },
    ];
    for shape in shapes {
        let packed = packed(&shape, [0.01; 2], 5);
        assert!(packed.centres.iter().all(|p| shape.holds(p, 0.01 * (1.0 - 1e-6))), "{shape:?}");
        let filled = packed.centres.len() as f64 / estimate_random(shape.volume(), [0.01; 2]);
        assert!((0.5..1.0).contains(&filled), "{shape:?}: {filled}");
        assert!(deepest_overlap(&packed) <= 1e-12, "{shape:?}");
    }
}

#[test]
fn a_packing_depends_on_its_seed_alone() {
    let [a, b] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| packed(&CUBE, [0.04, 0.06], 9))
    });
    assert_eq!(a, b);
    let egg = || Box::new(Shape::Ellipsoid { radii: [0.5, 0.4, 0.3] });
    let moved = |x| Shape::Placed { shape: egg(), position: Vec3::x() * x, rotation: Quat::identity() };
    for shape in [Shape::Union(vec![moved(0.2), moved(-0.2)]), Shape::difference(moved(0.0), [moved(0.5)])] {
        let [a, b] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| packed(&shape, [0.03; 2], 9))
        });
        assert_eq!(a, b);
        assert!(a.centres.iter().all(|p| shape.holds(p, 0.03 * (1.0 - 1e-6))));
    }
    assert_ne!(a.centres, packed(&CUBE, [0.04, 0.06], 10).centres);
}
