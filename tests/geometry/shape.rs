use bdem::geometry::{Vec3, shape::Shape};
use proptest::prelude::*;

const SHAPES: [Shape; 3] = [
    Shape::Box { size: [2.0, 3.0, 0.5] },
    Shape::Sphere { radius: 1.25 },
    Shape::Cylinder { radius: 1.5, height: 0.75 },
];

#[test]
fn distances_at_known_places() {
    let [cuboid, sphere, cylinder] = SHAPES;
    assert_eq!(cuboid.distance(&Vec3::zeros()), -0.25);
    assert_eq!(cuboid.distance(&Vec3::new(4.0, 5.5, 0.0)), 5.0);
    assert_eq!(sphere.distance(&Vec3::new(0.0, -0.25, 0.0)), -1.0);
    assert_eq!(cylinder.distance(&Vec3::new(0.0, 1.25, 0.0)), -0.25);
    assert_eq!(cylinder.distance(&Vec3::new(0.0, 4.5, 4.375)), 5.0);
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
