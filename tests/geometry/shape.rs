use bdem::geometry::{Vec3, shape::Shape};
use proptest::prelude::*;

const SHAPES: [Shape; 10] = [
    Shape::Box { size: [2.0, 3.0, 0.5] },
    Shape::Sphere { radius: 1.25 },
    Shape::Cylinder { radius: 1.5, height: 0.75 },
    Shape::Ellipsoid { radii: [2.0, 0.75, 1.25] },
    Shape::Ellipsoid { radii: [1.0, 1.0, 1.75] },
    Shape::Tube { radius: 1.5, inner_radius: 1.0, height: 2.0 },
    Shape::Cone { radius: 1.5, top_radius: 0.0, height: 2.0 },
    Shape::Cone { radius: 0.5, top_radius: 1.25, height: 1.0 },
    Shape::Capsule { radius: 0.5, height: 2.5 },
    Shape::Torus { radius: 1.5, tube_radius: 0.5 },
];

#[test]
fn distances_at_known_places() {
    let [cuboid, sphere, cylinder, ellipsoid, _, tube, cone, funnel, capsule, torus] = SHAPES;
    assert_eq!(cuboid.distance(&Vec3::zeros()), -0.25);
    assert_eq!(cuboid.distance(&Vec3::new(4.0, 5.5, 0.0)), 5.0);
    assert_eq!(sphere.distance(&Vec3::new(0.0, -0.25, 0.0)), -1.0);
    assert_eq!(cylinder.distance(&Vec3::new(0.0, 1.25, 0.0)), -0.25);
    assert_eq!(cylinder.distance(&Vec3::new(0.0, 4.5, 4.375)), 5.0);
    assert_near(ellipsoid.distance(&Vec3::zeros()), -0.75);
    assert_near(ellipsoid.distance(&Vec3::new(-3.0, 0.0, 0.0)), 1.0);
    assert_near(ellipsoid.distance(&Vec3::new(0.0, 0.0, 1.25)), 0.0);
    assert_near(tube.distance(&Vec3::zeros()), 1.0);
    assert_near(tube.distance(&Vec3::new(0.0, -1.25, 0.25)), -0.25);
    assert_near(tube.distance(&Vec3::new(4.5, 0.0, 5.0)), 5.0);
    assert_near(cone.distance(&Vec3::new(0.0, 0.0, 1.5)), 0.5);
    assert_near(cone.distance(&Vec3::zeros()), -0.6);
    assert_near(cone.distance(&Vec3::new(0.0, 0.0, -0.75)), -0.25);
    assert_near(funnel.distance(&Vec3::new(0.0, 1.25, 1.0)), 0.5);
    assert_near(funnel.distance(&Vec3::new(0.875, 0.0, 0.0)), 0.0);
    assert_near(capsule.distance(&Vec3::new(0.0, 3.0, 4.75)), 4.5);
    assert_near(torus.distance(&Vec3::new(0.0, 1.5, 0.0)), -0.5);
    assert_near(torus.distance(&Vec3::zeros()), 1.0);
}

fn assert_near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got}, not {want}");
}

/// Points of a fine grid in the box around a shape.
fn grid(shape: &Shape) -> (Vec<Vec3>, f64) {
    const CELLS: usize = 60;
    let half = shape.half_extents();
    let at = |k: usize| (k as f64 + 0.5) / CELLS as f64 * 2.0 - 1.0;
    let axis = || (0..CELLS).map(at);
    let points = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x, y, z))));
    let cell = 8.0 * half.product() / (CELLS as f64).powi(3);
    (points.map(|p| p.component_mul(&half)).collect(), cell)
}

#[test]
fn volume_and_thickness_are_those_of_the_points_inside() {
    for shape in SHAPES {
        let (points, cell) = grid(&shape);
        let inside: Vec<f64> = points.iter().map(|p| shape.distance(p)).filter(|d| *d < 0.0).collect();
        let volume = cell * inside.len() as f64;
        assert!((volume / shape.volume() - 1.0).abs() < 0.02, "{shape:?}: {volume}, {}", shape.volume());
        let deepest = -inside.iter().copied().fold(0.0, f64::min);
        let step = cell.cbrt();
        assert!((2.0 * deepest - shape.thickness()).abs() < 2.0 * step, "{shape:?}: {deepest}, {}", shape.thickness());
        assert!(shape.half_extents().iter().enumerate().all(|(axis, half)| {
            let out = |p: &&Vec3| p[axis].abs() > 0.93 * half && shape.distance(p) < 0.0;
            points.iter().any(|p| out(&p))
        }));
    }
}

#[test]
fn a_sphere_fits_up_to_rounding_only() {
    let shape = Shape::Sphere { radius: 1.0 };
    assert!(shape.holds(&Vec3::new(0.75 + 1e-11, 0.0, 0.0), 0.25));
    assert!(!shape.holds(&Vec3::new(0.75 + 1e-8, 0.0, 0.0), 0.25));
}

proptest! {
    /// The gradient of a distance has length one: walking by the distance can reach the surface, but never cross it.
    #[test]
    fn distance_grows_no_faster_than_the_way(
        p in prop::array::uniform3(-3.0..3.0),
        d in prop::array::uniform3(-3.0..3.0),
    ) {
        let (p, d) = (Vec3::from(p), Vec3::from(d));
        for shape in SHAPES {
            prop_assert!((shape.distance(&(p + d)) - shape.distance(&p)).abs() <= d.norm() + 1e-12);
        }
    }
}
