use serde::{Deserialize, Serialize};

use crate::energy::account;
use crate::model::{State, World};
use crate::optimize::WorkBound;

/// Work of the unbalanced forces of Newton's method over the implicit steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResidualWork {
    /// Sum over the committed steps, J.
    done: f64,
    /// Maximum energy at play at the start of a committed step, J.
    scale: f64,
    /// Energy at play of the last trial, J.
    #[serde(skip)]
    tried: f64,
}

impl ResidualWork {
    /// Bound on the sum, as a share of the energy at play: a quarter of the bound on a run's gain.
    const BUDGET: f64 = 2.5e-3;
    /// Bound on the work of a step that is always accepted, likewise. Five hundred such steps of one sign reach
    /// [`Self::BUDGET`].
    const SMALL: f64 = 5e-6;

    /// Bound of a step from `state`, where V is `potential` (J).
    pub(crate) fn bound(&mut self, world: &World, state: &State, potential: f64) -> WorkBound {
        self.tried = account::reference_energy(world, state, potential);
        let scale = self.scale.max(self.tried);
        WorkBound { done: self.done, budget: Self::BUDGET * scale, small: Self::SMALL * self.tried }
    }

    /// Whether Newton's own tolerance is still sufficient.
    pub(crate) fn is_within_budget(&self) -> bool {
        self.done.abs() <= Self::BUDGET * self.scale
    }

    /// Adds the work of the last trial (J), which is committed.
    pub(crate) fn add(&mut self, work: f64) {
        self.done += work;
        self.scale = self.scale.max(self.tried);
    }
}
