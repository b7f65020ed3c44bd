//! Spurious energy of an implicit step over contacts.
//!
//! Contacts open and close within a step, but rules of second order assume smooth forces. Backward differentiation extrapolates
//! the change of velocity, v^ = v_n + a (v_n - v_(n-1)). A particle that left a contact is accelerated further, by up to a
//! third of the contact's impulse. The midpoint rule applies a contact's force over the whole step, even if the contact lasted
//! for a part of it.

use crate::contact::Contacts;
use crate::energy::account::{self, StepWork};
use crate::model::{State, World};
use crate::parallel::{SERIAL_BELOW, sum_chunks};

/// Tolerated energy of Newton's unbalanced forces, as a share of the kinetic energy and of the potential. The latter matters
/// at rest.
const NEWTON_REMAINDER: [f64; 2] = [1e-4, 1e-9];

/// Whether a contact is possible.
pub(crate) fn touches(world: &World, contacts: &Contacts) -> bool {
    !contacts.pairs().is_empty() || !world.walls.is_empty()
}

/// Energies gained in a step, J.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    kinetic: f64,
    /// V at both ends.
    potential: [f64; 2],
    /// Without a cause:
    ///
    /// ```text
    /// dK + dV + dissipated - work
    /// ```
    ///
    /// The dissipated energy counts, for otherwise it would hide a gain.
    spurious: f64,
}

impl Gain {
    /// Gains of a step between two states. `potential` is V at both, `dissipated` the loss to damping and friction, and `work` that on
    /// the world, all in J.
    pub(super) fn new(
        world: &World,
        [before, after]: [&State; 2],
        potential: [f64; 2],
        dissipated: f64,
        work: &StepWork,
    ) -> Self {
        let gained = |i: usize| account::kinetic_gain(world, before, after, i);
        let kinetic: f64 = sum_chunks(after.len(), SERIAL_BELOW, |particles| particles.map(gained).sum());
        Self { kinetic, potential, spurious: kinetic + potential[1] - potential[0] + dissipated - work.sum() }
    }

    /// Spurious gain over the energy exchanged between kinetic and potential, 1/2 (|dK| + |dV|), in a step that ends at `after`. Zero
    /// up to the tolerance of Newton's residual.
    pub(super) fn over_exchanged(&self, world: &World, after: &State) -> f64 {
        let [before, potential] = self.potential;
        let (linear, spin) = after.kinetic_energy(&world.particles);
        let remainder = NEWTON_REMAINDER[0] * (linear + spin) + NEWTON_REMAINDER[1] * potential.abs();
        let exchanged = 0.5 * (self.kinetic.abs() + (potential - before).abs());
        if self.spurious <= remainder { 0.0 } else { self.spurious / exchanged }
    }

    /// Spurious gain or loss over the energy at play in a step that ends at `after`.
    pub(super) fn over_scale(&self, world: &World, after: &State) -> f64 {
        let scale = account::reference_energy(world, after, self.potential[1]) + account::least_scale(world);
        if scale > 0.0 { self.spurious.abs() / scale } else { 0.0 }
    }
}
