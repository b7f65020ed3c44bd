//! Friction that is a matter of velocities, between bodies: rolling, and sliding where the world's rule says so. \[IBDEM\] eqs 34, 35 as
//! [`correct_velocities`](crate::contact::correct_velocities) has them of single particles.

use crate::geometry::Vec3;
use crate::model::{Pair, State};

use super::body::Body;
use super::touch::{PairLink, WallLink};

impl PairLink {
    /// Slows rolling over `dt` seconds, and sliding if it `slides`. Returns what that takes, J.
    pub fn slow(&self, bodies: &mut [Body], now: &State, slides: bool, dt: f64) -> f64 {
        let Ok([a, b]) = bodies.get_disjoint_mut(self.bodies) else { return 0.0 };
        let [p, q] = self.pair.ends().map(|i| &now.p[i]);
        let impulse = self.touch.push * dt;
        let mut taken = 0.0;
        if slides {
            let across = self.touch.across(a.velocity_at(p) - b.velocity_at(q));
            taken += slow(across, self.mu.sliding * impulse, |way| {
                (a.give(p, way) + b.give(q, way), |by: Vec3| {
                    a.strike(p, &-by);
                    b.strike(q, &by);
                })
            });
        }
        taken += slow(a.spin - b.spin, self.rolling * impulse, |axis| {
            (a.give_spin(axis) + b.give_spin(axis), |by: Vec3| {
                a.twist(&-by);
                b.twist(&by);
            })
        });
        taken
    }
}

impl WallLink {
    /// As [`PairLink::slow`].
    pub fn slow(&self, body: &mut Body, now: &State, slides: bool, dt: f64) -> f64 {
        let (p, impulse) = (&now.p[self.particle], self.touch.push * dt);
        let mut taken = 0.0;
        if slides {
            let across = self.touch.across(body.velocity_at(p));
            taken +=
                slow(across, self.mu.sliding * impulse, |way| (body.give(p, way), |by: Vec3| body.strike(p, &-by)));
        }
        taken += slow(body.spin, self.rolling * impulse, |axis| (body.give_spin(axis), |by: Vec3| body.twist(&-by)));
        taken
    }
}

/// Slows what two have `apart` (m/s, or rad/s) by an impulse of at most `limit` along it; `along` says of a unit vector how they give way
/// to an impulse of 1, and lets one act. Returns what that takes, J.
fn slow<A: FnOnce(Vec3)>(apart: Vec3, limit: f64, along: impl FnOnce(&Vec3) -> (f64, A)) -> f64 {
    let speed = apart.norm();
    if speed == 0.0 || limit == 0.0 {
        return 0.0;
    }
    let way = apart / speed;
    let (give, act) = along(&way);
    let impulse = limit.min(speed / give);
    act(way * impulse);
    impulse * (speed - 0.5 * impulse * give)
}
