//! The pendulum of [RODR] section 3: a body that turns about a fixed point, J = m g = 1, its weight along R e3. Euler's top
//! about a pivot is no particle, and so in no scene.

use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::integrate::Rule;

/// s.
pub(crate) const END: f64 = 20.0;

/// Where it starts, alpha = (0, 2 tan(3 pi/8), 0), and how fast.
pub(crate) fn start() -> (Quat, Vec3) {
    let half = (3.0 * std::f64::consts::PI / 8.0).tan();
    (Quat::new(1.0, 0.0, half, 0.0).normalize(), Vec3::new(1.0, 0.0, 1.0) * 0.2)
}

/// A step of h, in which the torque is (R e3) x e3.
pub(crate) fn swing<R: Rule>(q: &mut Quat, spin: &mut Vec3, h: f64) {
    let torque = |q: &Quat| rotation::rotate(q, &Vec3::z()).cross(&Vec3::z());
    *spin += torque(q) * (R::KICKS[0] * h);
    assert!(R::is_within_reach(&(*spin * h)));
    *q = rotation::turn_by(q, &R::turn(&(*spin * h)));
    *spin += torque(q) * (R::KICKS[1] * h);
}

/// J.
pub(crate) fn energy(q: &Quat, spin: &Vec3) -> f64 {
    0.5 * spin.norm_squared() - rotation::rotate(q, &Vec3::z()).z
}

/// By how much its energy is off at most, J, in steps of h up to [`END`]; and where it is then.
pub(crate) fn run<R: Rule>(h: f64) -> (f64, Quat) {
    let (mut q, mut spin) = start();
    let before = energy(&q, &spin);
    let mut off = 0.0f64;
    for _ in 0..(END / h).round() as usize {
        swing::<R>(&mut q, &mut spin, h);
        off = off.max((energy(&q, &spin) - before).abs());
    }
    (off, q)
}
