//! What an implicit step over contacts makes of energy from nothing.
//!
//! Contacts open and close within a step, and rules of second order count on forces that do not. Backward differentiation goes on
//! as the velocity changed before, v^ = v_n + a (v_n - v_(n-1)): what a contact has thrown off goes on to be sped up, by up to
//! a third of what the contact gave it. The midpoint rule has a contact push through a whole step that it was there for a part of.

use crate::contact::Neighbours;
use crate::energy::{Potential, account};
use crate::model::{State, World};
use crate::parallel::sum_chunks;

use super::books::Books;

/// Energy that Newton's method may leave, as a share of the kinetic energy, and of the potential: things at rest have none of the
/// former.
const LEFT: [f64; 2] = [1e-4, 1e-9];

/// Particles that are worth a second thread.
const SERIAL_BELOW: usize = 1024;

/// Whether anything may touch anything.
pub fn touches(world: &World, contacts: &Neighbours) -> bool {
    !contacts.pairs().is_empty() || !world.colliders.is_empty()
}

/// By what share of the energy that a step moved between kinetic energy and potentials it ends with more than what was there
/// and came from outside. `work` is what came from outside, J, which is looked at only where it could be the reason.
pub fn made(
    world: &World,
    contacts: &Neighbours,
    books: &Books,
    [before, after]: [&State; 2],
    work: impl FnOnce() -> f64,
) -> f64 {
    let gained = |i: usize| account::kinetic_gain(world, before, after, i);
    let gained: f64 = sum_chunks(after.len(), SERIAL_BELOW, |particles| particles.map(gained).sum());
    let potential = Potential::new(world, contacts).value(after);
    let grown = potential - books.potential().unwrap_or(f64::INFINITY);
    let (linear, spin) = after.kinetic_energy(&world.particles);
    let left = LEFT[0] * (linear + spin) + LEFT[1] * potential.abs();
    if gained + grown <= left {
        return 0.0;
    }
    let made = gained + grown - work();
    if made <= left { 0.0 } else { made / (0.5 * (gained.abs() + grown.abs())) }
}
