//! Contacts of an explicit step, evaluated once: forces at its end, tangential springs after it, and energy flows.
//!
//! ```text
//! motions   translation and rotation of each near particle in the step, two rows each
//! pairs     one kernel over the pairs in contact, several a register: a row of force and torque each
//! walls     the same for particles on walls
//! commit    tangential springs are replaced, flows are added up
//! ```

mod pair_kernel;
mod pairs;
mod walls;

use std::ops::AddAssign;

use crate::model::{State, World, Wrench};

use super::{FrictionWork, Neighbours};

pub(super) use pair_kernel::{MOST, PairLanes, SpringLanes, pick};
pub(super) use pairs::PairForces;
pub(super) use walls::WallForces;

/// Energy flows of contacts in an explicit step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFlows {
    pub friction: FrictionWork,
    /// Dissipation of dashpots by the forces at the end of the step. Half of them act in this step and half in the
    /// next, with the mean of both velocities.
    pub damping: f64,
    /// Stored energy of springs beyond the trapezoidal rule: see
    /// [`ContactSpring::trapezoid_error`](crate::model::ContactSpring::trapezoid_error).
    pub trapezoid_error: f64,
}

impl AddAssign for StepFlows {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        self.damping += other.damping;
        self.trapezoid_error += other.trapezoid_error;
    }
}

/// Forces of all contacts at the end of an explicit step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepForces {
    pub pairs: PairForces,
    pub walls: WallForces,
}

impl Neighbours {
    /// Evaluates the contacts of a step between two states. The list must be [up to date](Self::update_after) with the end.
    pub fn evaluate_step(&mut self, world: &World, before: &State, after: &State) {
        let mut step = std::mem::take(&mut self.step);
        step.pairs.evaluate(self, world, before, after);
        step.walls.evaluate(self, world, before, after);
        self.step = step;
    }

    /// Writes dV/dx (N, N m) of the contacts of the evaluated step to `out`. Returns false, and writes nothing, if there are
    /// none.
    pub fn step_gradient(&self, out: &mut [Wrench]) -> bool {
        let StepForces { pairs, walls } = &self.step;
        if pairs.is_empty() && walls.is_empty() {
            return false;
        }
        pairs.write(self.pairs(), out);
        walls.add(out);
        true
    }

    /// Commits the evaluated step: tangential springs stretch or slide. `after` has the velocities of the step's end.
    pub fn commit_step(&mut self, world: &World, after: &State, dt: f64) -> StepFlows {
        let mut step = std::mem::take(&mut self.step);
        let mut flows = step.pairs.commit(&self.pairs, &mut self.tangential.pairs, after, dt);
        flows += step.walls.commit(world, &mut self.tangential.walls, after, dt);
        self.step = step;
        flows
    }
}
