//! Implicit Euler and BDF2 in one form.
//!
//! BDF2 with variable steps (h now, h_0 before, c = h/h_0) reads, for y' = f,
//!
//! ```text
//! y_(n+1) = y_n + a (y_n - y_(n-1)) + b f_(n+1),    a = c^2/(1 + 2c),  b = h (1 + c)/(1 + 2c);
//! ```
//!
//! a = 1/3 and b = 2h/3 at constant steps. a = 0 and b = h is implicit Euler, the limit after a cut (c -> 0). The rule is
//! zero-stable for c < 1 + sqrt 2; steps grow by 2.
//!
//! **Positions.** p' = v and m v' = F. Eliminating v_(n+1) leaves m (p_(n+1) - p^)/b^2 = F(p_(n+1)). This is the stationary
//! point of implicit Euler's objective with b for dt and
//!
//! ```text
//! v^ = v_n + a (v_n - v_(n-1)),    p^ = p_n + a (p_n - p_(n-1)) + b v^,    v_(n+1) = v^ + (p_(n+1) - p^)/b.
//! ```
//!
//! **Orientations**, q(t) = exp(theta(t)/2) q_n in exponential coordinates about q_n (theta a world rotation vector). A sphere
//! obeys J w' = torque in a vector space, so the rule applies to w as to v. theta' = w - theta x w/2 + ..., and
//! theta x w is O(h^2) because theta = h w + O(h^2). The error of theta' = w is O(h^3) a step, the order of the rule. Hence
//!
//! ```text
//! w^ = w_n + a (w_n - w_(n-1)),    q^ = exp((a theta_0 + b w^)/2) q_n,    theta_0 from q_(n-1) to q_n,
//! w_(n+1) = w^ + 2 Im(q_(n+1) conj(q^))/b.
//! ```
//!
//! The last line matches the objective's gradient, 2J Im(q conj(q^))/b^2 = torque. So the change of spin is exactly the
//! torque's impulse, and a free spin is conserved. w = theta/h would rotate the torque by half of the particle's rotation, an
//! error of first order. Implicit Euler is of first order and uses w = theta_(n+1)/h as in \[IBDEM\] Algorithm 3.

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{Displacement, Particles, State, Wrench};
use crate::optimize::{Predictor, Target};
use crate::parallel;

use super::{CHUNK, StepHistory};

/// Time rule of implicit steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRule {
    /// \[IBDEM\] Algorithm 3, first order.
    Euler,
    /// Backward differentiation over two steps, second order. Implicit Euler if the previous step is unknown or forces jumped.
    Bdf2,
}

/// Coefficients of a step: `y_(n+1) = y_n + previous (y_n - y_(n-1)) + dt y'_(n+1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    /// Factor on the previous step's change.
    pub previous: f64,
    /// s.
    pub dt: f64,
}

impl TimeRule {
    /// Coefficients of a step of `dt` (s) after the `previous` step, if motion is smooth.
    pub(crate) fn weights(self, dt: f64, previous: Option<&StepHistory>) -> Weights {
        match (self, previous) {
            (Self::Bdf2, Some(previous)) => {
                let c = dt / previous.dt;
                Weights { previous: c * c / (1.0 + 2.0 * c), dt: dt * (1.0 + c) / (1.0 + 2.0 * c) }
            }
            _ => Weights { previous: 0.0, dt },
        }
    }
}

/// Targets of inertia in a step, and the velocities there.
#[derive(Clone, Debug, Default)]
pub(super) struct Inertia {
    pub weights: Weights,
    /// p^ and q^.
    pub target: Target,
    /// v^ (m/s) and w^ (rad/s).
    pub v: Vec<Vec3>,
    pub w: Vec<Vec3>,
}

impl Inertia {
    /// Sets the targets of a step from `state`.
    pub(super) fn set(
        &mut self,
        weights: Weights,
        predictor: Predictor,
        state: &State,
        previous: Option<&StepHistory>,
    ) {
        let (a, b) = (weights.previous, weights.dt);
        self.resize(state.len());
        self.weights = weights;
        let Self { target, v, w, .. } = self;
        let [target_p, v, w] = [&mut target.p, v, w].map(|vectors| parallel::each_mut(vectors));
        let particles = (target_p, parallel::each_mut(&mut target.q), v, w);
        parallel::for_each_item(particles, CHUNK, |i, (target_p, target_q, target_v, target_w)| {
            let (p, q, v, w) = (&state.p[i], &state.q[i], &state.v[i], &state.w[i]);
            (*target_p, *target_q, *target_v, *target_w) = match previous.filter(|_| a != 0.0) {
                Some(previous) => {
                    let (v, w) = (v + previous.velocity_change(i) * a, w + previous.spin_change(i) * a);
                    let (moved, turned) =
                        (previous.displacement(state, i) * a + v * b, previous.rotation(state, i) * a + w * b);
                    (p + moved, rotation::turn(q, &turned), v, w)
                }
                None => (p + v * b, start(predictor, q, &(w * b)), *v, *w),
            };
        });
    }

    /// Adds the `loads` of the step on single particles. A constant force F adds b F/m to
    /// v^, a constant torque adds b torque/J to w^, and p^ and q^ follow. The objective then contains -F.p, and the torque's
    /// work for small rotations. The impulse on a freely rotating particle is exact.
    pub(super) fn load(&mut self, particles: &Particles, loads: impl Iterator<Item = (usize, Wrench)>) {
        let b = self.weights.dt;
        for (i, load) in loads {
            let [sped, spun] = [load.force * (b / particles.mass[i]), load.torque * (b / particles.inertia[i])];
            self.v[i] += sped;
            self.w[i] += spun;
            self.target.p[i] += sped * b;
            self.target.q[i] = rotation::exp(&(spun * (0.5 * b))) * self.target.q[i];
        }
    }

    /// Velocities of particle `i` at the end of a step by `rule` from orientation `from` to `p` and `q`: m/s, rad/s.
    pub(super) fn velocities(&self, rule: TimeRule, i: usize, from: &Quat, p: &Vec3, q: &Quat) -> [Vec3; 2] {
        let weights = &self.weights;
        let v = self.v[i] + (p - self.target.p[i]) / weights.dt;
        let w = match rule {
            TimeRule::Euler => {
                let expected = self.w[i] * weights.dt;
                rotation::with_whole_turns(rotation::rotation_between(from, q), &expected) / weights.dt
            }
            TimeRule::Bdf2 => self.w[i] + shortest(&(q * self.target.q[i].conjugate())) * (2.0 / weights.dt),
        };
        [v, w]
    }

    /// Displacement of particle `i` in `x` from its target: m, rad.
    pub(super) fn off(&self, x: &State, i: usize) -> Displacement {
        let turned = shortest(&(x.q[i] * self.target.q[i].conjugate()));
        Displacement { translation: x.p[i] - self.target.p[i], rotation: turned * 2.0 }
    }

    fn resize(&mut self, particles: usize) {
        self.target.p.resize(particles, Vec3::zeros());
        self.target.q.resize(particles, Quat::identity());
        self.v.resize(particles, Vec3::zeros());
        self.w.resize(particles, Vec3::zeros());
    }
}

/// q^ without a previous step; `theta` (rad) is the angular velocity times the step.
fn start(predictor: Predictor, q: &Quat, theta: &Vec3) -> Quat {
    match predictor {
        Predictor::Geodesic => rotation::turn(q, theta),
        Predictor::Paper => q * 2.0 - rotation::turn(q, &-theta),
        Predictor::Rod => q + Quat::from_parts(0.0, theta * 0.5) * q,
    }
}

/// Imaginary part of `q` or `-q`, whichever rotates less.
pub(super) fn shortest(q: &Quat) -> Vec3 {
    if q.w < 0.0 { -q.imag() } else { q.imag() }
}
