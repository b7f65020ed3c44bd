use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Motion, Wall};

use crate::common::differences::slope_at_zero;
use crate::common::system::noise;

const RADIUS: f64 = 0.02;

/// Solids of a size of about 1, and a container.
fn shapes() -> Vec<Shape> {
    let capsule = Shape::Capsule { radius: 0.2, height: 1.0 };
    let lying = Shape::Placed {
        shape: Box::new(capsule.clone()),
        position: Vec3::new(0.1, 0.2, -0.3),
        rotation: rotation::exp(&Vec3::new(0.3, 0.1, -0.2)),
    };
    vec![
        Shape::HalfSpace(HalfSpace { normal: Vec3::new(0.6, 0.0, 0.8), offset: 0.1 }),
        Shape::Box { size: [0.8, 0.6, 1.0] },
        Shape::Sphere { radius: 0.6 },
        Shape::Cylinder { radius: 0.5, height: 0.8 },
        Shape::Torus { radius: 0.5, tube_radius: 0.2 },
        lying,
        Shape::Complement(Box::new(Shape::Sphere { radius: 0.7 })),
    ]
}

fn turning() -> Motion {
    let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    Motion::Screw { point: Vec3::new(0.1, 0.2, 0.3), axis, rate: 1.7, velocity: 0.4 }
}

/// Each of the shapes, at rest and moving.
fn colliders() -> impl Iterator<Item = (Shape, Wall)> {
    let moving = |(shape, motion): (Shape, Motion)| {
        let mut collider = Wall::new(shape.clone());
        collider.motion = motion;
        (shape, collider)
    };
    shapes().into_iter().flat_map(|shape| [(shape.clone(), Motion::Fixed), (shape, turning())]).map(moving)
}

#[test]
fn a_wall_moves_as_a_rigid_body() {
    for (shape, collider) in colliders() {
        for (k, time) in (0..50).zip([0.0, 0.3, 2.0].into_iter().cycle()) {
            let p = noise(1, k) * 1.2;
            let there = collider.motion.pose(time).apply(&p);
            assert!((collider.at(time).distance(&there) - shape.distance(&p)).abs() < 1e-14, "{shape:?}");
        }
    }
}

/// No sphere that overlaps is missed, however the search is cut short.
#[test]
fn what_overlaps_touches_and_nothing_else_does() {
    for (shape, collider) in colliders() {
        let mut touching = 0;
        for k in 0..2000 {
            let (p, time) = (noise(2, k) * 1.2, 0.7);
            let gap = collider.at(time).distance(&p) - RADIUS;
            let touch = collider.at(time).touch(&p, RADIUS);
            assert_eq!(touch.is_some(), gap < 0.0, "{shape:?} {p}");
            touching += usize::from(touch.is_some());
            assert!(touch.is_none_or(|(found, _)| (found - gap).abs() < 1e-15));
            assert_eq!(collider.at(time).gap(&p, RADIUS), touch.map(|(gap, _)| gap));
        }
        assert!((10..1990).contains(&touching), "{shape:?} {touching}");
    }
}

#[test]
fn normals_are_the_slopes_of_the_distance() {
    for (shape, collider) in colliders() {
        for k in 0..200 {
            let (p, time) = (noise(3, k) * 1.2, 0.7);
            // near the surface, where nothing has an edge but a box
            let near = collider.at(time).distance(&p).abs() < RADIUS;
            let Some((_, n)) = collider.at(time).touch(&p, RADIUS).filter(|_| near) else { continue };
            let slope = |axis: Vec3| slope_at_zero(|s| collider.at(time).distance(&(p + axis * s)), 1e-5);
            let slopes = Vec3::new(slope(Vec3::x()), slope(Vec3::y()), slope(Vec3::z()));
            assert!((n - slopes).norm() < 1e-6 || (slopes.norm() - 1.0).abs() > 1e-6, "{shape:?} {n} {slopes}");
        }
    }
}

#[test]
fn a_walls_velocity_is_the_slope_of_how_far_it_has_moved() {
    let mut collider = Wall::new(Shape::Sphere { radius: 1.0 });
    collider.motion = turning();
    let (p, time) = (Vec3::new(0.4, -0.3, 0.2), 0.8);
    let slope = slope_at_zero(|s| collider.during([time - s, time]).moved(&p), 1e-3);
    assert!((collider.at(time).velocity(&p) - slope).norm() < 1e-11);
    let before = p - collider.during([0.1, time]).moved(&p);
    let came = turning().pose(time).after(&turning().pose(0.1)).apply(&before);
    assert!((came - p).norm() < 1e-15);
}
