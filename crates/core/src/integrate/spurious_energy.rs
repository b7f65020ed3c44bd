//! Spurious energy of an implicit step over contacts.
//!
//! Contacts open and close within a step, but rules of second order assume smooth forces. Backward differentiation extrapolates
//! the change of velocity, v^ = v_n + a (v_n - v_(n-1)). A particle that left a contact is accelerated further, by up to a
//! third of the contact's impulse. The midpoint rule applies a contact's force over the whole step, even if the contact lasted
//! for a part of it.

use crate::contact::Neighbours;
use crate::energy::account;
use crate::model::{State, World};
use crate::parallel::{SERIAL_BELOW, sum_chunks};

/// Tolerated energy of Newton's unbalanced forces, as a share of the kinetic energy and of the potential. The latter matters
/// at rest.
const NEWTON_REMAINDER: [f64; 2] = [1e-4, 1e-9];

/// Whether a contact is possible.
pub(crate) fn touches(world: &World, contacts: &Neighbours) -> bool {
    !contacts.pairs().is_empty() || !world.colliders.is_empty()
}

/// Spurious gain of energy in a step, over the energy exchanged between kinetic and potential. `potential` is V at both ends,
/// `dissipated` the loss to damping and friction, `work` that of moving walls, loads and held particles, all in J.
///
/// ```text
/// (dK + dV + dissipated - work)/(1/2 (|dK| + |dV|))
/// ```
///
/// Zero up to the tolerance of Newton's residual. The dissipated energy counts, for otherwise it would hide a gain.
pub(super) fn spurious_energy(
    world: &World,
    [before, after]: [&State; 2],
    potential: [f64; 2],
    [dissipated, work]: [f64; 2],
) -> f64 {
    let gained = |i: usize| account::kinetic_gain(world, before, after, i);
    let gained: f64 = sum_chunks(after.len(), SERIAL_BELOW, |particles| particles.map(gained).sum());
    let grown = potential[1] - potential[0];
    let (linear, spin) = after.kinetic_energy(&world.particles);
    let remainder = NEWTON_REMAINDER[0] * (linear + spin) + NEWTON_REMAINDER[1] * potential[1].abs();
    let spurious_energy = gained + grown + dissipated - work;
    if spurious_energy <= remainder { 0.0 } else { spurious_energy / (0.5 * (gained.abs() + grown.abs())) }
}
