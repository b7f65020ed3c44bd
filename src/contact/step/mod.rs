//! Contacts of an explicit step, evaluated once: forces at its end, tangential springs after it, and energy flows.
//!
//! ```text
//! list      pairs that may touch soon, in blocks of eight, with their tangential springs
//! pairs     one kernel over the blocks: a row of force and torque for each pair in contact
//! walls     the same for particles on walls
//! commit    tangential springs of the end are those of the next start, flows are added up
//! ```

mod pair_blocks;
mod pair_kernel;
mod pairs;
mod walls;

use std::ops::AddAssign;

use crate::model::{Gradient, State, World};

use super::{FrictionWork, Neighbours, WallTangentialSpring};

pub(super) use pairs::PairForces;
pub(super) use walls::WallForces;

/// Energy flows of contacts in an explicit step, J, and the power of their dashpots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFlows {
    /// Work of friction.
    pub friction: FrictionWork,
    /// Power dissipated by dashpots at the end of the step, W.
    pub dashpot_power: f64,
    /// Stored energy of springs beyond the trapezoidal rule: see
    /// [`ContactSpring::trapezoid_error`](crate::model::ContactSpring::trapezoid_error).
    pub trapezoid_error: f64,
}

impl AddAssign for StepFlows {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        self.dashpot_power += other.dashpot_power;
        self.trapezoid_error += other.trapezoid_error;
    }
}

/// Forces of all contacts at the end of an explicit step.
#[derive(Clone, Debug, Default)]
pub(super) struct StepForces {
    pub pairs: PairForces,
    pub walls: WallForces,
}

impl StepForces {
    /// Evaluates the contacts of a step between two states.
    pub(super) fn evaluate(&mut self, list: &Neighbours, world: &World, before: &State, after: &State) {
        self.pairs.evaluate(world, before, after);
        self.walls.evaluate(list, world, before, after);
    }

    /// See [`Neighbours::step_gradient`].
    pub(super) fn write(&self, before: &State, after: &State, out: &mut [Gradient]) -> bool {
        if self.pairs.is_empty() && self.walls.is_empty() {
            return false;
        }
        self.pairs.write(before, after, out);
        self.walls.add(out);
        true
    }

    /// Commits the evaluated step, with the springs on `walls`: see [`Neighbours::commit_step`].
    pub(super) fn commit(
        &mut self,
        world: &World,
        walls: &mut [Vec<WallTangentialSpring>],
        after: &State,
    ) -> StepFlows {
        let mut flows = self.pairs.commit(after);
        flows += self.walls.commit(world, walls, after);
        flows
    }
}
