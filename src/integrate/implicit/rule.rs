//! Two time rules in one form.
//!
//! Backward differentiation of second order on steps that change (h now, h_0 before, c = h/h_0) reads, for y' = f,
//!
//! ```text
//! y_(n+1) = y_n + a (y_n - y_(n-1)) + b f_(n+1),    a = c^2/(1 + 2c),  b = h (1 + c)/(1 + 2c);
//! ```
//!
//! a = 1/3 and b = 2h/3 at constant steps. With a = 0 and b = h it is implicit Euler, which it tends to after a cut (c
//! -> 0). It is zero-stable for c < 1 + sqrt 2, and steps grow by 2.
//!
//! **Places.** p' = v and m v' = F: eliminating v_(n+1) leaves m (p_(n+1) - p^)/b^2 = F(p_(n+1)), the stationary point of
//! implicit Euler's own objective with b for dt and
//!
//! ```text
//! v^ = v_n + a (v_n - v_(n-1)),    p^ = p_n + a (p_n - p_(n-1)) + b v^,    v_(n+1) = v^ + (p_(n+1) - p^)/b.
//! ```
//!
//! **Orientations**, q(t) = exp(theta(t)/2) q_n in exponential coordinates about q_n (theta a world rotation vector). A
//! sphere turns by J w' = torque, in a vector space, so the rule serves w as it serves v. theta' = w - theta x w/2 +
//! ..., and as theta = h w + O(h^2), theta x w is O(h^2): taking theta' = w errs by O(h^3) a step, no more than the
//! rule does. Hence
//!
//! ```text
//! w^ = w_n + a (w_n - w_(n-1)),    q^ = exp((a theta_0 + b w^)/2) q_n,    theta_0 from q_(n-1) to q_n,
//! w_(n+1) = w^ + 2 Im(q_(n+1) conj(q^))/b.
//! ```
//!
//! The last line is what the objective's gradient holds, 2J Im(q conj(q^))/b^2 = torque: what a sphere gains in spin is the
//! torque's impulse exactly, and a free spin stays as it is. With w = theta/h instead the torque would be turned by half of
//! what the particle turns in a step, which is an error of first order. Implicit Euler, being of first order, has
//! w = theta_(n+1)/h as \[IBDEM\] Algorithm 3 prints it.

use rayon::prelude::*;

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{Displacement, State, World};
use crate::optimize::{Predictor, Target};

use super::{CHUNK, StepHistory};

/// How velocities follow from places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRule {
    /// \[IBDEM\] Algorithm 3, of first order.
    Euler,
    /// Backward differentiation over two steps, of second order; implicit Euler's where there is no smooth past.
    Bdf2,
}

/// A step's rule in numbers: `y_(n+1) = y_n + past (y_n - y_(n-1)) + dt y'_(n+1)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    pub previous: f64,
    /// s.
    pub dt: f64,
}

impl TimeRule {
    /// For a step of `dt` seconds after a smooth `past`.
    pub fn weights(self, dt: f64, previous: Option<&StepHistory>) -> Weights {
        match (self, previous) {
            (Self::Bdf2, Some(previous)) => {
                let c = dt / previous.dt;
                Weights { previous: c * c / (1.0 + 2.0 * c), dt: dt * (1.0 + c) / (1.0 + 2.0 * c) }
            }
            _ => Weights { previous: 0.0, dt },
        }
    }
}

/// Where inertia takes the particles in a step, and the velocities that belong to it.
#[derive(Clone, Debug, Default)]
pub struct Inertia {
    pub weights: Weights,
    /// p^ and q^.
    pub target: Target,
    /// v^ (m/s) and w^ (rad/s).
    pub v: Vec<Vec3>,
    pub w: Vec<Vec3>,
}

impl Inertia {
    /// Sets all for a step from `state`.
    pub fn set(&mut self, weights: Weights, predictor: Predictor, state: &State, previous: Option<&StepHistory>) {
        let (a, b) = (weights.previous, weights.dt);
        self.resize(state.len());
        self.weights = weights;
        let Self { target, v, w, .. } = self;
        let particles = (&mut target.p, &mut target.q, v, w).into_par_iter().enumerate().with_min_len(CHUNK);
        particles.for_each(|(i, (target_p, target_q, target_v, target_w))| {
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

    /// Adds what `world` loads single particles with in a step from one time (s) to another. A force or a torque that
    /// stays as it is through a step adds to v^ and w^ what it would give a particle that is free, b F/m and b
    /// torque/J, and to p^ and q^ what follows: for the objective, -F.p and torque's work for small turns; for what
    /// turns freely, its impulse exactly.
    pub fn load(&mut self, world: &World, [from, to]: [f64; 2]) {
        let (b, particles) = (self.weights.dt, &world.particles);
        for (i, load) in world.loads(from, to) {
            let [sped, spun] = [load.force * (b / particles.mass[i]), load.torque * (b / particles.inertia[i])];
            self.v[i] += sped;
            self.w[i] += spun;
            self.target.p[i] += sped * b;
            self.target.q[i] = rotation::exp(&(spun * (0.5 * b))) * self.target.q[i];
        }
    }

    /// The velocities of particle `i` at the end of a step by `rule` that took it from the orientation `from` to `p`
    /// and `q`: m/s, rad/s.
    pub fn velocities(&self, rule: TimeRule, i: usize, from: &Quat, p: &Vec3, q: &Quat) -> [Vec3; 2] {
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

    /// How far particle `i` is in `x` from where inertia and loads would have taken it: m, rad.
    pub fn off(&self, x: &State, i: usize) -> Displacement {
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

/// q^ without a past, `theta` (rad) being the spin over the step.
fn start(predictor: Predictor, q: &Quat, theta: &Vec3) -> Quat {
    match predictor {
        Predictor::Geodesic => rotation::turn(q, theta),
        Predictor::Paper => q * 2.0 - rotation::turn(q, &-theta),
        Predictor::Rod => q + Quat::from_parts(0.0, theta * 0.5) * q,
    }
}

/// The imaginary part of the one of `q` and `-q` that turns less.
pub fn shortest(q: &Quat) -> Vec3 {
    if q.w < 0.0 { -q.imag() } else { q.imag() }
}
