//! Contacts of an explicit step, evaluated once: forces at its end, tangential springs after it, and energy flows.
//!
//! ```text
//! list      pairs that may touch soon: those in contact in blocks of eight, with their tangential springs; others watched
//! motions   displacement and rotation of each particle in the step, a row each
//! pairs     one kernel over the blocks: forces and torques, added to rows of the chunk's particles
//! walls     the same for particles near walls
//! forces    the law of one contact, with a particle or a wall
//! commit    tangential springs of the end are those of the next start, flows are added up
//! ```

mod drifts;
mod forces;
mod motions;
mod pair_blocks;
mod pair_chunk;
mod pair_kernel;
mod pair_list;
mod pairs;
mod wall_kernel;
mod wall_list;
mod walls;

use std::ops::AddAssign;

use crate::model::{Gradient, HeldFace, State, World};
use crate::simd::Row8;

use drifts::{Drifts, added};

use super::{FrictionWork, Neighbours, WallTangentialSpring};

pub(crate) use motions::pack_motion;
pub(super) use pairs::PairForces;
pub(super) use walls::WallForces;

/// Energy flows of contacts in an explicit step, J, and the power of their dashpots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFlows {
    /// Work of friction.
    pub friction: FrictionWork,
    /// Power dissipated by dashpots at the end of the step, in the drifts before and after it, W.
    pub dashpots: [f64; 2],
    /// Power of moving walls against dashpots, likewise, W.
    pub walls: [f64; 2],
    /// Power taken by what undoes the trapezoidal rule's error where contacts open and close, likewise, W.
    pub corrections: [f64; 2],
    /// Stored energy of springs beyond the trapezoidal rule: see
    /// [`ContactSpring::trapezoid_error`](crate::model::ContactSpring::trapezoid_error).
    pub trapezoid_error: f64,
}

impl AddAssign for StepFlows {
    fn add_assign(&mut self, other: Self) {
        self.friction += other.friction;
        self.dashpots = added(self.dashpots, other.dashpots);
        self.walls = added(self.walls, other.walls);
        self.corrections = added(self.corrections, other.corrections);
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
    /// Evaluates the contacts of a step between two states. `motions` has the row of [`pack_motion`] of each particle. An
    /// empty one is filled where it is needed.
    pub(super) fn evaluate(
        &mut self,
        list: &Neighbours,
        world: &World,
        [before, after]: [&State; 2],
        motions: &mut Vec<Row8>,
    ) {
        self.pairs.evaluate(world, &list.pairs, [before, after], motions);
        self.walls.evaluate(list, world, before, after);
    }

    /// See [`Neighbours::step_gradient`].
    pub(super) fn write(&self, out: &mut [Gradient]) -> bool {
        if self.pairs.is_empty() && self.walls.is_empty() {
            return false;
        }
        self.pairs.write(out);
        self.walls.add(out);
        true
    }

    /// Faces of walls that centres are behind at the end.
    pub(super) fn held_faces(&self) -> impl Iterator<Item = HeldFace> {
        self.walls.held_faces()
    }

    /// Commits the evaluated step, with the springs on `walls`: see [`Neighbours::commit_step`].
    pub(super) fn commit(
        &mut self,
        walls: &mut [Vec<WallTangentialSpring>],
        [before, after]: [&State; 2],
    ) -> StepFlows {
        let drifts = &Drifts { before, after };
        let mut flows = self.pairs.commit(drifts);
        flows += self.walls.commit(walls, drifts);
        flows
    }
}

/// Places of the bits of `word` that are set, ascending.
#[inline(always)]
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        (word != 0).then(|| word &= word - 1)?;
        Some(place)
    })
}
