use crate::contact::Neighbours;
use crate::energy::Potential;
use crate::model::{State, World};

/// What an implicit integrator keeps for the [account](crate::energy::account) of energy.
#[derive(Debug, Default)]
pub struct Books {
    /// V at the state that a step begins with, J.
    potential: Option<f64>,
}

impl Books {
    /// Those of a run that went on to where V is `potential`, J.
    pub fn of(potential: Option<f64>) -> Self {
        Self { potential }
    }

    /// V at the current state, J, once there was a step.
    pub fn potential(&self) -> Option<f64> {
        self.potential
    }

    /// Makes ready for a step from `state`.
    pub fn open(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        if self.potential.is_none() {
            self.reopen(world, contacts, state);
        }
    }

    /// Goes on from V at `state` as it is now.
    pub fn reopen(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.potential = Some(Potential::new(world, contacts).value(state));
    }

    /// Goes on to where V is `potential`; returns by how much it grew, J.
    pub fn advance(&mut self, potential: f64) -> f64 {
        potential - self.potential.replace(potential).unwrap_or(potential)
    }
}
