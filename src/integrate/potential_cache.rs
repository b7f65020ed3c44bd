use serde::{Deserialize, Serialize};

use crate::contact::Neighbours;
use crate::energy::{Potential, account};
use crate::model::{State, World};
use crate::optimize::WorkBound;

/// What an implicit integrator keeps for the [account](crate::energy::account) of energy.
#[derive(Debug, Default)]
pub struct PotentialCache {
    /// V at the state that a step begins with, J.
    potential: Option<f64>,
}

impl PotentialCache {
    /// Those of a run that went on to where V is `potential`, J.
    pub fn of(potential: Option<f64>) -> Self {
        Self { potential }
    }

    /// V at the current state, J, once there was a step.
    pub fn potential(&self) -> Option<f64> {
        self.potential
    }

    /// Makes ready for a step from `state`.
    pub fn prepare(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        if self.potential.is_none() {
            self.reset(world, contacts, state);
        }
    }

    /// Goes on from V at `state` as it is now.
    pub fn reset(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.potential = Some(Potential::new(world, contacts).value(state));
    }

    /// Goes on to where V is `potential`; returns by how much it grew, J.
    pub fn advance(&mut self, potential: f64) -> f64 {
        potential - self.potential.replace(potential).unwrap_or(potential)
    }
}

/// Work of the forces that Newton left unbalanced in the implicit steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResidualWork {
    /// Sum, J.
    done: f64,
    /// The greatest energy at play so far that an implicit step began with, J.
    scale: f64,
    /// The same of the step that was tried last.
    #[serde(skip)]
    tried: f64,
}

impl ResidualWork {
    /// The sum's bound, as a share of the energy at play: a quarter of the gain that every run is to stay below.
    const BUDGET: f64 = 2.5e-3;
    /// Work of a single step that is small, likewise: five hundred steps that all err to one side make as much again.
    const SMALL: f64 = 5e-6;

    /// The bound of a step from `state`, where V is `potential` (J).
    pub fn bound(&mut self, world: &World, state: &State, potential: f64) -> WorkBound {
        self.tried = account::reference_energy(world, state, potential);
        let scale = self.scale.max(self.tried);
        WorkBound { done: self.done, budget: Self::BUDGET * scale, small: Self::SMALL * self.tried }
    }

    /// Whether steps may still leave forces unbalanced as Newton's own tolerance lets them.
    pub fn is_within_budget(&self) -> bool {
        self.done.abs() <= Self::BUDGET * self.scale
    }

    /// Adds the step that was tried last: it is taken.
    pub fn add(&mut self, work: f64) {
        self.done += work;
        self.scale = self.scale.max(self.tried);
    }
}
