use std::sync::Arc;

use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Vec3, rotation};
use proptest::prelude::*;

use crate::common::solids::sphere;

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
    let (low, high) = shape.bounds();
    let axis = || (0..CELLS).map(|k| (k as f64 + 0.5) / CELLS as f64);
    let points = axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x, y, z))));
    let cell = (high - low).product() / (CELLS as f64).powi(3);
    (points.map(|p| low + p.component_mul(&(high - low))).collect(), cell)
}

/// Boxes, balls and what is made of them.
fn combinations() -> Vec<Shape> {
    let cube = Shape::Box { size: [1.0; 3] };
    let ball = Shape::Sphere { radius: 0.6 };
    let beside = moved(cube.clone(), Vec3::new(1.0, 0.25, 0.0), 0.0);
    vec![
        moved(Shape::Cone { radius: 1.0, top_radius: 0.0, height: 2.0 }, Vec3::new(3.0, 0.0, 0.5), 120.0),
        Shape::Union(vec![cube.clone(), beside.clone()]),
        Shape::Union(vec![moved(ball.clone(), Vec3::new(0.5, 0.0, 0.0), 0.0), beside]),
        Shape::Intersection(vec![cube.clone(), ball.clone(), above(0.25)]),
        Shape::difference(cube, [ball, Shape::Cylinder { radius: 0.1, height: 2.0 }]),
    ]
}

/// Turned about (1, 1, 1), then moved.
fn moved(shape: Shape, position: Vec3, degrees: f64) -> Shape {
    let rotation = rotation::exp(&(Vec3::repeat(1.0).normalize() * (0.5 * f64::to_radians(degrees))));
    Shape::Placed { shape: Box::new(shape), position, rotation }
}

/// What has z at most `top`.
fn above(top: f64) -> Shape {
    Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: top })
}

#[test]
fn bounds_volume_and_thickness_are_those_of_the_points_inside() {
    for shape in SHAPES.into_iter().chain(combinations()) {
        let (points, cell) = grid(&shape);
        let inside: Vec<(Vec3, f64)> =
            points.iter().map(|p| (*p, shape.distance(p))).filter(|(_, distance)| *distance < 0.0).collect();
        let volume = cell * inside.len() as f64;
        assert!((volume / shape.volume() - 1.0).abs() < 0.02, "{shape:?}: {volume}, {}", shape.volume());
        let deepest = -inside.iter().fold(0.0f64, |deepest, (_, distance)| deepest.min(*distance));
        let step = cell.cbrt();
        assert!(2.0 * deepest <= shape.thickness() + 1e-9, "{shape:?}: {deepest}, {}", shape.thickness());
        if !matches!(shape, Shape::Union(_) | Shape::Intersection(_)) {
            assert!(2.0 * (deepest + step) > shape.thickness(), "{shape:?}: {deepest}, {}", shape.thickness());
        }
        let (low, high) = shape.bounds();
        let (lowest, highest) = inside.iter().fold((high, low), |(l, h), (p, _)| (l.inf(p), h.sup(p)));
        let near = (high - low) * 0.05;
        assert!(lowest - low <= near && high - highest <= near, "{shape:?}: {low} {lowest}, {high} {highest}");
    }
}

#[test]
fn what_is_inside_has_a_negative_distance() {
    let ball = Arc::new(Mesh::new(&sphere(0.9, 12).0, &sphere(0.9, 12).1).unwrap());
    let meshes = [Shape::Mesh(ball.clone()), moved(Shape::Mesh(ball), Vec3::x(), 40.0)];
    for shape in SHAPES.into_iter().chain(combinations()).chain(meshes) {
        let (points, _) = grid(&shape);
        for p in points.iter().step_by(7) {
            assert_eq!(shape.contains(p), shape.distance(p) < 0.0, "{shape:?} {p}");
        }
    }
}

#[test]
fn combinations_hold_what_their_members_hold_together() {
    let cube = Shape::Box { size: [1.0; 3] };
    let pair = Shape::Union(vec![cube.clone(), moved(cube.clone(), Vec3::x(), 0.0)]);
    // across the seam, and out of it
    assert!(pair.holds(&Vec3::new(0.5, 0.2, 0.0), 0.3));
    assert!(pair.holds(&Vec3::new(0.45, 0.0, 0.0), 0.5));
    assert!(!pair.holds(&Vec3::new(0.5, 0.2, 0.0), 0.32));
    assert!(!pair.holds(&Vec3::new(0.5, 0.6, 0.0), 0.1));
    let apart = Shape::Union(vec![cube.clone(), moved(cube.clone(), Vec3::x() * 1.1, 0.0)]);
    assert!(!apart.holds(&Vec3::new(0.5, 0.0, 0.0), 0.3));
    // a ball in a bore that is itself two boxes, and in the box's corner
    let bored = Shape::difference(Shape::Box { size: [5.0; 3] }, [pair]);
    assert!(bored.holds(&Vec3::new(0.5, 1.0, 0.0), 0.5));
    assert!(!bored.holds(&Vec3::new(0.5, 1.0, 0.0), 0.51));
    assert!(bored.holds(&Vec3::repeat(2.0), 0.5));
    assert!(!bored.holds(&Vec3::new(2.0, 2.0, 2.01), 0.5));
    // what is cut off is what is in both: the seam of what is left is at x = 0, above z = 0
    let [right, low] =
        [Vec3::x(), Vec3::z()].map(|normal| Shape::HalfSpace(HalfSpace { normal: -normal, offset: 0.0 }));
    let notched = Shape::difference(Shape::Box { size: [4.0; 3] }, [Shape::Intersection(vec![right, low])]);
    assert!(notched.holds(&Vec3::new(-0.25, 0.0, -0.25), 0.3));
    assert!(!notched.holds(&Vec3::new(-0.25, 0.0, -0.25), 0.4));
}

#[test]
fn normals_point_where_the_distance_grows() {
    for shape in SHAPES.into_iter().chain(combinations()) {
        let (points, _) = grid(&shape);
        let mut rough = 0;
        for p in points.iter().step_by(97) {
            let (normal, step) = (shape.normal(p), 1e-5);
            assert!((normal.norm() - 1.0).abs() < 1e-9, "{shape:?} {p}");
            let rise = shape.distance(&(p + normal * step)) - shape.distance(&(p - normal * step));
            rough += i32::from((rise / step - 2.0).abs() > 1e-3);
        }
        // where two sides are equally near
        assert!(rough < 30, "{shape:?}: {rough} of {}", points.len() / 97);
    }
}

#[test]
fn half_spaces_and_what_is_left_of_them_have_no_end() {
    let endless = Shape::Union(vec![above(0.0), Shape::Sphere { radius: 1.0 }]);
    let (low, high) = endless.bounds();
    assert_eq!((low.z, high.x, high.z), (f64::NEG_INFINITY, f64::INFINITY, 1.0));
    assert_eq!((endless.volume(), above(0.0).thickness()), (f64::INFINITY, f64::INFINITY));
    let apart = moved(Shape::Sphere { radius: 1.0 }, Vec3::x() * 3.0, 0.0);
    assert_eq!(Shape::Intersection(vec![Shape::Sphere { radius: 1.0 }, apart]).volume(), 0.0);
}

#[test]
fn a_sphere_fits_up_to_rounding_only() {
    let shape = Shape::Sphere { radius: 1.0 };
    assert!(shape.holds(&Vec3::new(0.75 + 1e-11, 0.0, 0.0), 0.25));
    assert!(!shape.holds(&Vec3::new(0.75 + 1e-8, 0.0, 0.0), 0.25));
}

/// Points off the surface along its normal have that distance, up to the radius of curvature.
#[test]
fn distances_to_thin_and_long_ellipsoids_are_exact() {
    for radii in [[3.0, 2.0, 0.1], [0.1, 0.1, 5.0], [1.0, 1.0, 1.0], [1.0, 1e-3, 0.5]] {
        let (shape, e) = (Shape::Ellipsoid { radii }, Vec3::from(radii));
        let curvature = e.min().powi(2) / e.max();
        for n in 0..500 {
            let direction =
                Vec3::new(libm::sin(f64::from(n)), libm::sin(2.3 * f64::from(n)), libm::cos(1.7 * f64::from(n)));
            let x = e.component_mul(&direction.normalize());
            let normal = x.component_div(&e.component_mul(&e)).normalize();
            for off in [-0.9 * curvature, 1e-3 * curvature, e.min(), 7.0] {
                let p = x + normal * off;
                assert!((shape.distance(&p) - off).abs() < 1e-12 * (off.abs() + e.max()), "{radii:?} {p} {off}");
                assert!((shape.normal(&p) - normal).norm() < 1e-6, "{radii:?} {p} {off}");
            }
        }
    }
}

#[test]
fn a_distance_is_between_its_bounds_and_no_others() {
    for shape in SHAPES.into_iter().chain(combinations()) {
        let (points, _) = grid(&shape);
        for (n, p) in points.iter().step_by(31).enumerate() {
            let distance = shape.distance(p);
            let [low, high] = [distance - 0.01 * n as f64 - 1e-9, distance + 0.5 / (1.0 + n as f64)];
            assert!(shape.is_between(p, low, high), "{shape:?} {p}");
            assert!(!shape.is_between(p, high, high + 1.0), "{shape:?} {p}");
            assert!(!shape.is_between(p, low - 1.0, low), "{shape:?} {p}");
        }
    }
}

proptest! {
    /// The gradient of a distance has length one: walking by the distance can reach the surface, but never cross it.
    #[test]
    fn distance_grows_no_faster_than_the_way(
        p in prop::array::uniform3(-3.0..3.0),
        d in prop::array::uniform3(-3.0..3.0),
    ) {
        let (p, d) = (Vec3::from(p), Vec3::from(d));
        for shape in SHAPES.into_iter().chain(combinations()) {
            prop_assert!((shape.distance(&(p + d)) - shape.distance(&p)).abs() <= d.norm() + 1e-12);
        }
    }
}
