//! Rebound of a sphere that strikes obliquely, without restitution's damping.
//!
//! The overlap o and the tangential spring xi obey, with the constant stiffness k_t = 2/7 k of `friction.rs` and a
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
//! By Hertz's law it slides at the start and at the end. psi' follows from the equations of motion by a quadrature.

use bdem_core::model::ContactLaw;

use super::law::{pair_factor, pair_stiffness, wall_factor, wall_stiffness};
use crate::cases::{RADIUS, mass};

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
/// Hertz's law P = K o^p, `factor` = K, a reduced mass `m` (kg) and a normal speed `v` (m/s).
fn stiffness_ratio(k: f64, factor: f64, m: f64, v: f64) -> f64 {
    let energy = m * v * v;
    k * libm::pow(energy / factor, 0.8) / energy
}

/// psi' after the impact of an elastic contact of this stiffness ratio, from `psi` >= 0 before it.
pub(super) fn rebound(law: ContactLaw, ratio: f64, psi: f64) -> f64 {
    match law {
        ContactLaw::Linear if psi <= STICKING => -psi,
        ContactLaw::Linear => psi - 2.0 * STICKING,
        ContactLaw::Hertz => quadrature(ratio, psi),
    }
}

/// psi' by Hertz's law. Units are those of m = K = v_n = 1, in which `k` is the stiffness, and tangential ones are over mu.
fn quadrature(k: f64, psi: f64) -> f64 {
    let dt = 1.0 / STEPS;
    let ([mut o, mut v], [mut xi, mut s]) = ([0.0_f64, 1.0], [0.0_f64, psi]);
    loop {
        // drift, kick, drift
        (o, xi) = (o + 0.5 * dt * v, xi + 0.5 * dt * s);
        if o <= 0.0 {
            return s;
        }
        let push = o * o.sqrt();
        let limit = push / (2.0 / 7.0 * k);
        xi = xi.clamp(-limit, limit);
        (v, s) = (v - dt * push, s - dt * k * xi);
        (o, xi) = (o + 0.5 * dt * v, xi + 0.5 * dt * s);
    }
}
