//! Rebound of a sphere that strikes obliquely, without restitution's damping.
//!
//! The overlap o and the tangential spring xi obey, with the stiffness k_t of `friction.rs`, by \[BDEM21\] and \[RODR\] 2/7 k, and a
//! tangential mass of 2/7 m,
//!
//! ```text
//! m o'' = -P(o),    2/7 m xi'' = -min(k_t xi, mu P)
//! ```
//!
//! psi = s/(mu v_n) is the tangential speed of the contact point over mu times the normal speed (Maw, Barber and Fawcett,
//! "The oblique impact of elastic spheres", 1976). For the linear law both swing at the same frequency, so that a contact
//! either sticks or slides from its first to its last moment:
//!
//! ```text
//! psi' = -psi       psi <= 7/2
//! psi' = psi - 7    otherwise
//! ```
//!
//! By \[RODR\]'s law it slides at the start and at the end. psi' follows from the equations of motion by a quadrature. By Hertz's
//! law k_t = 4 G*/E* P'(o), and xi shrinks while k_t grows, so that the force stays: see `friction.rs`.

use bdem_core::model::ContactLaw;

use super::law::{pair_factor, pair_stiffness, wall_factor, wall_stiffness};
use crate::cases::{POISSON, RADIUS, mass};

/// Greatest psi of the linear law that sticks: the tangential mass's inverse over that of the normal one.
const STICKING: f64 = 3.5;
/// Steps of the quadrature over a unit of time. Half as many change psi' by less than 1e-3.
const STEPS: f64 = 1e4;

/// Stiffness ratio of a contact of a grain of the usual radius with a wall, at a normal speed `v` (m/s).
pub(super) fn wall_ratio(law: ContactLaw, v: f64) -> f64 {
    stiffness_ratio(wall_stiffness(), wall_factor(law), mass(RADIUS), v)
}

/// Stiffness ratio of a contact of two grains of these radii (m).
pub(super) fn pair_ratio(law: ContactLaw, radii: [f64; 2], v: f64) -> f64 {
    let [a, b] = radii.map(mass);
    stiffness_ratio(pair_stiffness(radii), pair_factor(law, radii), a * b / (a + b), v)
}

/// Normal stiffness `k` (N/m), of which the tangential one is a share, over m v^2/L^2, with the length L = (m v^2/K)^(2/5) of
/// the law P = K o^p, `factor` = K, a reduced mass `m` (kg) and a normal speed `v` (m/s).
fn stiffness_ratio(k: f64, factor: f64, m: f64, v: f64) -> f64 {
    let energy = m * v * v;
    k * libm::pow(energy / factor, 0.8) / energy
}

/// psi' after the impact of an elastic contact of this stiffness ratio, from `psi` >= 0 before it.
pub(super) fn rebound(law: ContactLaw, ratio: f64, psi: f64) -> f64 {
    match law {
        ContactLaw::Linear if psi <= STICKING => -psi,
        ContactLaw::Linear => psi - 2.0 * STICKING,
        ContactLaw::Hertz => quadrature(|o| 1.5 * STICKING * mindlin_ratio() * o.sqrt(), psi),
        ContactLaw::RodriguesHertz => quadrature(|_| ratio, psi),
    }
}

/// k_t/P' = 4 G*/E* of two equal surfaces, or of one on a rigid wall: 2 (1 - nu)/(2 - nu) (Mindlin 1949).
fn mindlin_ratio() -> f64 {
    2.0 * (1.0 - POISSON) / (2.0 - POISSON)
}

/// psi' of the law P = o^(3/2), with the tangential stiffness over the tangential mass `k` of the overlap. Units are those of
/// m = K = v_n = 1, and tangential lengths are over mu.
fn quadrature(k: impl Fn(f64) -> f64, psi: f64) -> f64 {
    let dt = 1.0 / STEPS;
    let mut before = k(0.0);
    let ([mut o, mut v], [mut xi, mut s]) = ([0.0_f64, 1.0], [0.0_f64, psi]);
    loop {
        // drift, kick, drift
        (o, xi) = (o + 0.5 * dt * v, xi + 0.5 * dt * s);
        if o <= 0.0 {
            return s;
        }
        let push = o * o.sqrt();
        let k = k(o);
        let limit = push * STICKING / k;
        xi = (xi * (before / k).min(1.0)).clamp(-limit, limit);
        before = k;
        (v, s) = (v - dt * push, s - dt * k * xi);
        (o, xi) = (o + 0.5 * dt * v, xi + 0.5 * dt * s);
    }
}
