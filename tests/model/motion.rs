use bdem::geometry::{Quat, Vec3, rotation};
use bdem::model::Motion;

use crate::differences::slope_at_zero;

const P: Vec3 = Vec3::new(0.3, -0.2, 0.5);

fn q() -> Quat {
    rotation::exp(&Vec3::new(0.2, 0.4, -0.1))
}

/// Turns about a line that is neither through the origin nor an axis.
fn rotation_motion() -> Motion {
    Motion::Rotation { point: Vec3::new(0.1, 0.2, 0.3), axis: Vec3::new(2.0, -1.0, 2.0) / 3.0, rate: 1.7 }
}

#[test]
fn fixed_particles_stay() {
    assert_eq!(Motion::Fixed.after(&P, &q(), 0.5), (P, q(), Vec3::zeros(), Vec3::zeros()));
}

#[test]
fn velocity_moves_without_turning() {
    let v = Vec3::new(1.0, -2.0, 0.5);
    let (p, turned, velocity, spin) = Motion::Velocity(v).after(&P, &q(), 0.25);
    assert!((p - (P + v * 0.25)).norm() < 1e-15);
    assert_eq!((turned, velocity, spin), (q(), v, Vec3::zeros()));
}

#[test]
fn rotation_comes_round_after_a_turn() {
    let whole = 2.0 * std::f64::consts::PI / 1.7;
    let (p, turned, ..) = rotation_motion().after(&P, &q(), whole);
    assert!((p - P).norm() < 1e-15 && rotation::rotation_between(&q(), &turned).norm() < 1e-14);
}

#[test]
fn many_short_rotations_are_one_long_one() {
    let (mut p, mut turned) = (P, q());
    for _ in 0..1000 {
        (p, turned, ..) = rotation_motion().after(&p, &turned, 1e-3);
    }
    let (want, wanted, ..) = rotation_motion().after(&P, &q(), 1.0);
    assert!((p - want).norm() < 1e-13 && rotation::rotation_between(&wanted, &turned).norm() < 1e-12);
}

#[test]
fn velocities_are_the_slopes_of_the_motion() {
    let dt = 0.4;
    for motion in [Motion::Fixed, Motion::Velocity(Vec3::y()), rotation_motion()] {
        let (_, turned, velocity, spin) = motion.after(&P, &q(), dt);
        let by_differences = slope_at_zero(|s| motion.after(&P, &q(), dt + s).0, 1e-3);
        assert!((velocity - by_differences).norm() < 1e-11, "{motion:?}: {velocity} {by_differences}");
        let angle = |s| rotation::rotation_between(&turned, &motion.after(&P, &q(), dt + s).1);
        assert!((spin - slope_at_zero(angle, 1e-3)).norm() < 1e-11, "{motion:?}");
    }
}
