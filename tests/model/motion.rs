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

/// Every kind.
fn motions() -> Vec<Motion> {
    vec![Motion::Fixed, Motion::Velocity(Vec3::new(1.0, -2.0, 0.5)), rotation_motion()]
}

#[test]
fn fixed_particles_stay() {
    let (p, turned, velocity, spin) = Motion::Fixed.between(0.25, 0.5).take(&P, &q());
    assert_eq!((p, velocity, spin), (P, Vec3::zeros(), Vec3::zeros()));
    assert!((turned - q()).norm() < 1e-15);
}

#[test]
fn velocity_moves_without_turning() {
    let v = Vec3::new(1.0, -2.0, 0.5);
    let (p, turned, velocity, spin) = Motion::Velocity(v).between(1.0, 1.25).take(&P, &q());
    assert!((p - (P + v * 0.25)).norm() < 1e-15 && (turned - q()).norm() < 1e-15);
    assert_eq!((velocity, spin), (v, Vec3::zeros()));
}

#[test]
fn rotation_comes_round_after_a_turn() {
    let whole = 2.0 * std::f64::consts::PI / 1.7;
    let (p, turned, ..) = rotation_motion().between(0.3, 0.3 + whole).take(&P, &q());
    assert!((p - P).norm() < 1e-15 && rotation::rotation_between(&q(), &turned).norm() < 1e-14);
}

#[test]
fn many_short_steps_are_one_long_one() {
    for motion in motions() {
        let (mut p, mut turned) = (P, q());
        for step in 0..1000 {
            let [from, to] = [step, step + 1].map(|k| f64::from(k) * 1e-3);
            (p, turned, ..) = motion.between(from, to).take(&p, &turned);
        }
        let (want, wanted, ..) = motion.between(0.0, 1.0).take(&P, &q());
        assert!((p - want).norm() < 1e-13 && rotation::rotation_between(&wanted, &turned).norm() < 1e-13);
        assert!((motion.pose(1.0).apply(&P) - want).norm() < 1e-15);
    }
}

#[test]
fn velocities_are_the_slopes_of_the_motion() {
    let (from, to) = (0.1, 0.5);
    for motion in motions() {
        let (_, turned, velocity, spin) = motion.between(from, to).take(&P, &q());
        let by_differences = slope_at_zero(|s| motion.between(from, to + s).take(&P, &q()).0, 1e-3);
        assert!((velocity - by_differences).norm() < 1e-11, "{motion:?}: {velocity} {by_differences}");
        let angle = |s| rotation::rotation_between(&turned, &motion.between(from, to + s).take(&P, &q()).1);
        assert!((spin - slope_at_zero(angle, 1e-3)).norm() < 1e-11, "{motion:?}");
    }
}
