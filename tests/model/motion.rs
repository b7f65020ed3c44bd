use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::model::{Ease, Key, Keyframes, Motion};

use crate::common::differences::slope_at_zero;

const P: Vec3 = Vec3::new(0.3, -0.2, 0.5);

fn q() -> Quat {
    rotation::exp(&Vec3::new(0.2, 0.4, -0.1))
}

/// Turns about a line that is neither through the origin nor an axis, and advances along it.
fn turning(velocity: f64) -> Motion {
    Motion::Screw { point: Vec3::new(0.1, 0.2, 0.3), axis: Vec3::new(2.0, -1.0, 2.0) / 3.0, rate: 1.7, velocity }
}

fn rotation_motion() -> Motion {
    turning(0.0)
}

/// Shifts, turns about one axis by more than a turn, and then about another.
fn keyframes() -> Keyframes {
    let key = |time, position: [f64; 3], turn: [f64; 3]| Key {
        time,
        position: position.into(),
        turn: turn.into(),
        ease: None,
    };
    let keys = vec![
        key(0.0, [0.0; 3], [0.0; 3]),
        key(0.7, [0.1, -0.2, 0.3], [0.0, 0.0, 7.0]),
        key(1.5, [0.1, 0.2, 0.3], [0.5, 0.2, 0.1]),
    ];
    Keyframes { pivot: Vec3::new(0.2, 0.1, -0.4), keys }
}

/// Every kind.
fn motions() -> Vec<Motion> {
    let keyframes = Motion::Keyframes(keyframes());
    vec![Motion::Fixed, Motion::Velocity(Vec3::new(1.0, -2.0, 0.5)), rotation_motion(), turning(-0.4), keyframes]
}

#[test]
fn fixed_particles_stay() {
    let (p, turned, velocity, spin) = Motion::Fixed.between(0.25, 0.5).apply(&P, &q());
    assert_eq!((p, velocity, spin), (P, Vec3::zeros(), Vec3::zeros()));
    assert!((turned - q()).norm() < 1e-15);
}

#[test]
fn velocity_moves_without_turning() {
    let v = Vec3::new(1.0, -2.0, 0.5);
    let (p, turned, velocity, spin) = Motion::Velocity(v).between(1.0, 1.25).apply(&P, &q());
    assert!((p - (P + v * 0.25)).norm() < 1e-15 && (turned - q()).norm() < 1e-15);
    assert_eq!((velocity, spin), (v, Vec3::zeros()));
}

#[test]
fn rotation_comes_round_after_a_turn() {
    let whole = 2.0 * std::f64::consts::PI / 1.7;
    let (p, turned, ..) = rotation_motion().between(0.3, 0.3 + whole).apply(&P, &q());
    assert!((p - P).norm() < 1e-15 && rotation::rotation_between(&q(), &turned).norm() < 1e-14);
}

#[test]
fn many_short_steps_are_one_long_one() {
    for motion in motions() {
        let (mut p, mut turned) = (P, q());
        for step in 0..1000 {
            let [from, to] = [step, step + 1].map(|k| f64::from(k) * 1e-3);
            (p, turned, ..) = motion.between(from, to).apply(&p, &turned);
        }
        let (want, wanted, ..) = motion.between(0.0, 1.0).apply(&P, &q());
        assert!((p - want).norm() < 1e-13 && rotation::rotation_between(&wanted, &turned).norm() < 1e-13);
        assert!((motion.pose(1.0).apply(&P) - want).norm() < 1e-15);
    }
}

#[test]
fn velocities_are_the_slopes_of_the_motion() {
    let (from, to) = (0.1, 0.5);
    for motion in motions() {
        let (_, turned, velocity, spin) = motion.between(from, to).apply(&P, &q());
        let by_differences = slope_at_zero(|s| motion.between(from, to + s).apply(&P, &q()).0, 1e-4);
        assert!((velocity - by_differences).norm() < 1e-11, "{motion:?}: {velocity} {by_differences}");
        let angle = |s| rotation::rotation_between(&turned, &motion.between(from, to + s).apply(&P, &q()).1);
        assert!((spin - slope_at_zero(angle, 1e-4)).norm() < 1e-11, "{motion:?}");
    }
}

#[test]
fn a_screw_advances_along_its_axis() {
    let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    let [still, advancing] = [0.0, -0.4].map(|velocity| turning(velocity).pose(0.6));
    assert!((advancing.apply(&P) - still.apply(&P) + axis * 0.24).norm() < 1e-15);
    assert_eq!(advancing.turn, still.turn);
}

#[test]
fn keyframes_are_where_their_keys_say() {
    let keyframes = keyframes();
    for key in &keyframes.keys {
        let pose = Motion::Keyframes(keyframes.clone()).pose(key.time);
        let moved = pose.apply(&keyframes.pivot) - keyframes.pivot;
        assert!((moved - key.position).norm() < 1e-15, "{moved}");
        let turn = rotation::exp(&(key.turn * 0.5));
        assert!(rotation::rotation_between(&turn, &pose.turn).norm() < 1e-14);
        let arm = rotation::rotate(&turn, &(P - keyframes.pivot));
        assert!((pose.apply(&P) - (keyframes.pivot + key.position + arm)).norm() < 1e-14);
    }
}

/// Half of 7 rad, which is more than half a turn.
#[test]
fn keys_about_one_axis_turn_all_the_way() {
    let turn = keyframes().pose(0.35).turn;
    assert!(rotation::rotation_between(&rotation::exp(&(Vec3::z() * 1.75)), &turn).norm() < 1e-14);
    assert!((keyframes().twist(0.35).spin - Vec3::z() * 10.0).norm() < 1e-13);
}

#[test]
fn keyframes_rest_before_the_first_key_and_after_the_last() {
    let keyframes = keyframes();
    assert_eq!(keyframes.pose(-1.0), keyframes.pose(0.0));
    assert_eq!(keyframes.pose(9.0), keyframes.pose(1.5));
    assert_eq!((keyframes.twist(-1.0), keyframes.twist(1.5)), Default::default());
}

#[test]
fn only_what_keys_differ_by_counts() {
    let mut shifted = keyframes();
    shifted.keys.iter_mut().for_each(|key| key.position += Vec3::new(3.0, -1.0, 2.0));
    let [a, b] = [keyframes(), shifted].map(|keyframes| Motion::Keyframes(keyframes).pose(1.1).apply(&P));
    assert!((a - b).norm() < 1e-14);
}

/// Curves of CSS, and the most that a velocity is over the mean.
#[test]
fn eased_keys_have_the_slopes_of_their_motion() {
    let curves = [[0.42, 0.0, 0.58, 1.0], [0.42, 0.0, 1.0, 1.0], [0.0, 0.0, 0.58, 1.0], [0.3, -0.5, 0.6, 1.7]];
    for points in curves {
        let mut keyframes = keyframes();
        keyframes.keys.iter_mut().for_each(|key| key.ease = Some(Ease { points }));
        let motion = Motion::Keyframes(keyframes.clone());
        for to in [0.05, 0.3, 0.69, 0.71, 1.0, 1.4] {
            let (_, _, velocity, _) = motion.between(0.0, to).apply(&P, &q());
            let by_differences = slope_at_zero(|s| motion.between(0.0, to + s).apply(&P, &q()).0, 1e-5);
            assert!((velocity - by_differences).norm() < 1e-8, "{points:?} {to}: {velocity} {by_differences}");
        }
        for key in &keyframes.keys {
            let moved = motion.pose(key.time).apply(&keyframes.pivot) - keyframes.pivot;
            assert!((moved - key.position).norm() < 1e-14, "{moved}");
        }
    }
}

#[test]
fn an_ease_is_a_bezier_curve() {
    let ease = Ease { points: [0.42, 0.0, 0.58, 1.0] };
    assert!((ease.progress(0.5) - 0.5).abs() < 1e-15 && ease.progress(0.0) == 0.0 && ease.progress(1.0) == 1.0);
    // CSS ease-in-out at a quarter, from rest to rest
    assert!((ease.progress(0.25) - 0.12916).abs() < 1e-4, "{}", ease.progress(0.25));
    assert!(ease.rate(0.0).abs() < 1e-4 && ease.rate(1.0).abs() < 1e-4);
    assert!((ease.max_rate() - ease.rate(0.5)).abs() < 1e-6, "{}", ease.max_rate());
    let linear = Ease { points: [0.0, 0.0, 1.0, 1.0] };
    assert!((linear.progress(0.3) - 0.3).abs() < 1e-14 && (linear.rate(0.0) - 1.0).abs() < 1e-5);
    assert!(Ease { points: [0.0, 1.0, 1.0, 1.0] }.max_rate() > 1e5);
}
