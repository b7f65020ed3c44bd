//! What an implicit step over contacts makes of energy from nothing.
//!
//! Contacts open and close within a step, and rules of second order count on forces that do not. Backward differentiation goes on
//! as the velocity changed before, v^ = v_n + a (v_n - v_(n-1)): what a contact has thrown off goes on to be sped up, by up to
//! a third of what the contact gave it. The midpoint rule has a contact push through a whole step that it was there for a part of.

use crate::contact::Neighbours;
use crate::energy::{Potential, account};
use crate::model::{State, World};
use crate::parallel::sum_chunks;

use super::potential_cache::PotentialCache;

/// Energy that Newton's method may leave, as a share of the kinetic energy, and of the potential: things at rest have none of the
/// former.
const NEWTON_REMAINDER: [f64; 2] = [1e-4, 1e-9];

/// Particles that are worth a second thread.
const SERIAL_BELOW: usize = 1024;

/// Whether anything may touch anything.
pub fn touches(world: &World, contacts: &Neighbours) -> bool {
    !contacts.pairs().is_empty() || !world.colliders.is_empty()
}

/// What came and went in a step besides kinetic energy and potentials, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    /// Losses by damping and by friction.
    pub dissipated: f64,
    /// Work of moving walls, of loads, and of what holds particles.
    pub work: f64,
}

/// By what share of the energy that a step moved between kinetic energy and potentials it ends with more than the
/// `exchange` with the rest of the world and with heat accounts for. What damping and friction take is counted: a step that
/// loses more to them than it makes would pass otherwise.
pub fn spurious_energy(
    world: &World,
    contacts: &Neighbours,
    potential_cache: &PotentialCache,
    [before, after]: [&State; 2],
    exchange: Exchange,
) -> f64 {
    let gained = |i: usize| account::kinetic_gain(world, before, after, i);
    let gained: f64 = sum_chunks(after.len(), SERIAL_BELOW, |particles| particles.map(gained).sum());
    let potential = Potential::new(world, contacts).value(after);
    let grown = potential - potential_cache.potential().unwrap_or(f64::INFINITY);
    let (linear, spin) = after.kinetic_energy(&world.particles);
    let remainder = NEWTON_REMAINDER[0] * (linear + spin) + NEWTON_REMAINDER[1] * potential.abs();
    let spurious_energy = gained + grown + exchange.dissipated - exchange.work;
    if spurious_energy <= remainder { 0.0 } else { spurious_energy / (0.5 * (gained.abs() + grown.abs())) }
}
