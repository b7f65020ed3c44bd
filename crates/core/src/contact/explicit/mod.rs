//! Contacts of an explicit step, evaluated once: forces at its end, tangential springs after it, and energy flows.
//!
//! ```text
//! list      pairs that may touch soon: those in contact in blocks of eight, with their tangential springs; others watched
//! motions   displacement and rotation of each particle in the step, a row each
//! pairs     one kernel over the blocks: forces and torques, added to rows of the chunk's particles
//! walls     the same for particles near walls
//! drifts    powers of dashpots in the drifts before and after the step's end
//! ```

mod drifts;
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

use super::FrictionWork;

use drifts::added;

pub(super) use drifts::Drifts;
pub(crate) use motions::pack_motion;
pub(super) use pairs::{PairForces, PairsInStep};
pub(super) use walls::{WallForces, WallsInStep};

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

/// Places of the bits of `word` that are set, ascending.
#[inline(always)]
fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        (word != 0).then(|| word &= word - 1)?;
        Some(place)
    })
}
