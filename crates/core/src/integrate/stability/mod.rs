//! Stability limit of explicit steps. It is that of the scene itself, not of a perfect lattice, and holds throughout the run.
//!
//! Velocity Verlet is stable for steps up to 2/omega, omega^2 = lambda_max(M^-1 K). K contains the bonds, and contacts that
//! open and close. The limit is that of an upper bound K': x^T K x <= x^T K' x for all possible contacts.
//!
//! # Bonds
//!
//! A broken bond may leave a contact in its place, with friction in the direction of shear. So each bond counts in each mode
//! with the larger stiffness of the two. A bond that keeps its contact counts with their sum:
//!
//! ```text
//! k_n' = max(k_n, k_c),  k_s' = max(k_s, 2/7 k_c l0^2)        k_c = 2 k_i k_j/(k_i + k_j)      [N/m, N m]
//! ```
//!
//! # Possible contacts
//!
//! The energy of a contact depends on the difference of two motions. For any motion of the other particle,
//!
//! ```text
//! k (a - b)^2 <= k (1 + t) a^2 + k (1 + 1/t) b^2,      t = (m_i/m_j)^(1/3)
//! ```
//!
//! That leaves a block D_i for each particle, independent of its actual neighbours. Equal particles have t = 1. The lighter one
//! of a pair receives nearly the contact's own stiffness. So does a particle in contact with a held one, whose mass is
//! infinite. D_i is that of a full shell of neighbours: see `shell`. Permanent neighbours, by bonds or in a rigid body, occupy
//! a part of the shell. D_i is that of the rest, from the moments of the missing directions n:
//!
//! ```text
//! D = k (1 + t) sum [ n n^T + 2/7 (1 - n n^T),  -2/7 [n]x ;  2/7 [n]x^T,  2/7 (1 - n n^T) ]       in (p, r theta)
//! ```
//!
//! with friction's 2/7 only for surfaces with friction and the rule of tangential springs, and k_t/k by Hertz's law. Inside a hexagonal solid nothing is
//! missing, and its limit is unchanged. Loose equal spheres without friction have sum n n^T = 4 in all directions. Hence
//! omega^2 = 8 k/m, the value of their hexagonal packing.
//!
//! With n particles and walls, a motion of one particle has at most n stiffnesses. So no eigenvalue of D_i exceeds n k (1 +
//! t)/m, plus k_w/m for each wall. By Hertz's law friction is stiffer than 2/7 of that: k_t/(2/7 m) takes the place of k/m. That makes the limit exact for two spheres, and for one on a wall. In a full shell walls
//! replace neighbours of twice their stiffness.
//!
//! Assumptions: an arrangement of unlike neighbours is no worse than a shell of the worst kind, and radii vary far less within
//! a kind than between kinds. Overlaps are small, except for Hertz's law, whose stiffness is that of `overlap`.
//!
//! # Damping of contacts
//!
//! The damping of a dashpot over the stiffness of its spring is a time, 2 zeta sqrt(m/k), with the reduced mass m of the pair.
//! A particle's block of C' is D times the maximum over its possible neighbours: a tangential dashpot counts by 2/7, and its rest is left to
//! the friction limit, which bounds its force. A bond's normal damping is at least that of
//! the contact in its place. Contacts of rigid bodies are damped by the masses of their particles.
//!
//! # Rigid bodies
//!
//! A rigid body without bonds has six motions, and the blocks of its particles act on these. Held particles do not count, and
//! walls may move: a prescribed motion is no unknown.
//!
//! # Charges
//!
//! Electric forces have no such bound: it grows without limit where charges approach each other. So [`limit`] is without them,
//! and explicit steps are halved where they are beyond a share of the charges' own limit: see [`FieldLimit`]. Squares of
//! frequencies add at most: shares a and b of the two limits are stable where a^2 + b^2 < 1.
//!
//! # What the limit is not
//!
//! It bounds stability, not accuracy. A contact of two loose spheres lasts three steps of the limit, and twelve of a quarter of
//! it, at which they bounce with their restitution: see [`normal_spring`](crate::model::NormalSpring).

mod field;
mod kinds;
mod matrix_free;
mod overlap;
mod possible_contacts;
mod rigid;
mod shell;

use crate::model::{State, World, lag_factor};

pub use field::FieldLimit;

use matrix_free::MatrixFree;
use possible_contacts::PossibleContacts;

/// Longest stable step of velocity Verlet (s) on `world` from `state` on: 2/omega with omega^2 = lambda_max(M^-1 K'). With
/// damping, whose forces lag by half a step, the positive root of dt^2 lambda_max(M^-1 K')/4 + dt lambda_max(M^-1 C')/2 = 1.
///
/// Infinite if there are no bonds and no possible contacts.
pub fn limit(world: &World, state: &State) -> f64 {
    let possible = PossibleContacts::new(world, state);
    let mut in_body = vec![false; state.len()];
    let mut bodies = [0.0_f64; 2];
    for body in rigid::unbonded(world) {
        in_body[body.particles.clone()].fill(true);
        let k = rigid::greatest(body, world, state, &possible);
        // dashpots have a body's mass at their contacts, at most twice that of one contact
        let c = 2.0 * world.contact_damping * (2.0 * k).sqrt();
        bodies = [bodies[0].max(k), bodies[1].max(c)];
    }
    let contacts = possible.blocks(|i| !in_body[i]);
    let kinds = possible.into_kinds();
    let mut bonds = MatrixFree::new(world, state, &kinds, contacts);
    let c = bonds.greatest_damping();
    longest(bonds.greatest_stiffness().max(bodies[0]), c.max(bodies[1]), kinds.fastest_contact())
}

/// Longest stable step, s, of these particles with a single contact each, by the linear law. A stiffer partner makes a pair at most
/// twice as stiff. A rigid body of N particles may touch with a face, of N^(2/3) of them.
pub(crate) fn of_bounces(world: &World, of: &[bool]) -> f64 {
    let stiffest = (0..of.len()).map(|i| world.contact_stiffness_of(i)).fold(0.0, f64::max);
    let mut mass = world.particles.mass.clone();
    for body in &world.rigid {
        let behind = libm::cbrt(body.particles.len() as f64);
        mass[body.particles.clone()].iter_mut().for_each(|mass| *mass *= behind);
    }
    let held = |i: usize| {
        let k = world.contact_stiffness_of(i);
        (4.0 * k * stiffest / (k + stiffest)).max(world.wall_normal_spring(i).k) / mass[i]
    };
    let greatest = (0..of.len()).filter(|&i| of[i]).map(held).fold(0.0, f64::max);
    longest(greatest, 2.0 * world.contact_damping * greatest.sqrt(), greatest.sqrt())
}

/// Root of dt^2 k/4 + dt c'/2 = 1 (s), with the damping c' that contacts of the frequency `omega` (1/s) have in explicit steps:
/// see [`limit`] and [`lag_factor`].
fn longest(k: f64, c: f64, omega: f64) -> f64 {
    if k <= 0.0 {
        return f64::INFINITY;
    }
    let root = |c: f64| 2.0 / (0.5 * c + (0.25 * c * c + k).sqrt());
    // bisection: c' grows with the step, and the root shrinks as c' grows
    let mut between = [root(c * lag_factor(f64::INFINITY)), root(c)];
    for _ in 0..60 {
        let middle = 0.5 * (between[0] + between[1]);
        let is_below = middle < root(c * lag_factor(middle * omega));
        between[usize::from(!is_below)] = middle;
    }
    between[0]
}
