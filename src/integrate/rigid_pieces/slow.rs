//! Friction that is a matter of velocities, between bodies: rolling, and sliding where the world's rule says so. \[IBDEM\] eqs 34, 35 as
//! [`correct_velocities`](crate::contact::correct_velocities) has them of single particles.
//!
//! Where the rule is a spring, that has no dashpot: bonds inside the pieces calm what swings on it. What is rigid has none, and would
//! swing for ever; so where a contact sticks, and swings by little of what friction holds, what damps it along its normal damps it along
//! its surface as well.

use crate::contact::{Rub, TANGENTIAL};
use crate::geometry::Vec3;
use crate::model::{Pair, State};

use super::body::Body;
use super::touch::{PairLink, WallLink};

impl PairLink {
    /// Slows rolling over `dt` seconds, and sliding if it `slides`, or what swings on a spring that sticks. Returns what that takes, J.
    pub fn slow(&self, bodies: &mut [Body], now: &State, slides: bool, dt: f64) -> f64 {
        let Ok([a, b]) = bodies.get_disjoint_mut(self.bodies) else { return 0.0 };
        let [p, q] = self.pair.ends().map(|i| &now.p[i]);
        let impulse = self.touch.push * dt;
        let across = self.touch.across(a.velocity_at(p) - b.velocity_at(q));
        let limit = |speed, give| match &self.rub {
            _ if slides => self.mu.sliding * impulse,
            Some(rub) => calm(rub, self.pair.spring.k, self.pair.spring.damping * dt, speed, give),
            None => 0.0,
        };
        let mut taken = slow(across, limit, |way| {
            (a.give(p, way) + b.give(q, way), |by: Vec3| {
                a.strike(p, &-by);
                b.strike(q, &by);
            })
        });
        taken += slow(
            a.spin - b.spin,
            |_, _| self.rolling * impulse,
            |axis| {
                (a.give_spin(axis) + b.give_spin(axis), |by: Vec3| {
                    a.twist(&-by);
                    b.twist(&by);
                })
            },
        );
        taken
    }
}

impl WallLink {
    /// As [`PairLink::slow`].
    pub fn slow(&self, body: &mut Body, now: &State, slides: bool, dt: f64) -> f64 {
        let (p, impulse) = (&now.p[self.particle], self.touch.push * dt);
        let across = self.touch.across(body.velocity_at(p));
        let limit = |speed, give| match &self.rub {
            _ if slides => self.mu.sliding * impulse,
            Some(on) => calm(&on.rub, self.k, self.spring.damping * dt, speed, give),
            None => 0.0,
        };
        let mut taken = slow(across, limit, |way| (body.give(p, way), |by: Vec3| body.strike(p, &-by)));
        taken +=
            slow(body.spin, |_, _| self.rolling * impulse, |axis| (body.give_spin(axis), |by: Vec3| body.twist(&-by)));
        taken
    }
}

/// Slows what two have `apart` (m/s, or rad/s) by an impulse along it; `along` says of a unit vector how they give way to an impulse of 1,
/// and lets one act, and `limit` how large it is at most, by the speed and by that. Returns what that takes, J.
fn slow<A: FnOnce(Vec3)>(
    apart: Vec3,
    limit: impl FnOnce(f64, f64) -> f64,
    along: impl FnOnce(&Vec3) -> (f64, A),
) -> f64 {
    let speed = apart.norm();
    if speed == 0.0 {
        return 0.0;
    }
    let way = apart / speed;
    let (give, act) = along(&way);
    let impulse = limit(speed, give).min(speed / give);
    if impulse == 0.0 {
        return 0.0;
    }
    act(way * impulse);
    impulse * (speed - 0.5 * impulse * give)
}

/// The impulse, N s, of a dashpot of so many N s/m times a step's length on what sticks, by friction at a contact of stiffness `k` (N/m),
/// and swings there at a `speed` (m/s): nothing where that draws friction's spring by more than little.
fn calm(rub: &Rub, k: f64, dashpot: f64, speed: f64, give: f64) -> f64 {
    /// Share of what friction holds.
    const LITTLE: f64 = 0.03;
    let swings_by = speed * (TANGENTIAL * k / give).sqrt();
    if rub.sticks() && swings_by < LITTLE * rub.limit { dashpot * speed } else { 0.0 }
}
