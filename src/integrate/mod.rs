//! Time integrators behind one trait: a state and a step in, a state out.
//!
//! A new one is a file here, whose type is an [`Integrator`], and a line in the list that scenes choose from,
//! [`scene::Integrator`](crate::scene::Integrator); what it remembers between steps beyond the others', a line in
//! [`Memory`]. An explicit one may be no more than a [`Rule`].

mod explicit;
mod implicit;
mod limits;
mod midpoint;

pub mod stability;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::contact::Neighbours;
use crate::fracture::BrokenBond;
use crate::model::{State, World, Wrench};
use crate::optimize;

pub use explicit::{Explicit, Geodesic, Map23, Map25, Map27, Rodrigues, RodriguesMap, Rule, Verlet};
pub use implicit::{Implicit, Past, TimeRule, Weights};
pub use midpoint::{ImplicitMidpoint, Midpoint, Projection};

/// Advances a world in time.
pub trait Integrator: Send {
    /// Advances `state` by `dt` seconds, and keeps `contacts` up with it.
    ///
    /// # Errors
    /// When no acceptable state is found at this step; a shorter one may do. `state` is of no use then.
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError>;

    /// Takes note that the last step stands, and ended at `state`: friction's springs are drawn, or slip.
    fn settle(&mut self, _world: &World, _contacts: &mut Neighbours, _state: &State) {}

    /// Takes note that the last step does not stand: the next one begins at the same state as it did.
    fn undo(&mut self) {}

    /// Takes note that bonds have left the world, at `state`, to be pairs of `contacts`.
    fn bonds_broken(&mut self, contacts: &Neighbours, state: &State, broken: &[BrokenBond]);

    /// Whether each particle was held in the last step.
    fn held(&self) -> &[bool];

    /// Indices (ascending) of the bonds that may bear more than they can after the last step, where the integrator has
    /// met them on its way: no other does.
    fn overloaded(&self) -> Option<&[usize]> {
        None
    }

    /// What the next step goes by besides the state.
    fn memory(&self) -> Memory<'_>;

    /// Goes on from a memory of `particles` that an integrator of this kind had. `None` if it makes no sense.
    fn recall(&mut self, memory: Memory, particles: usize) -> Option<()>;
}

/// What an integrator remembers between two steps.
#[derive(Debug, Serialize, Deserialize)]
pub enum Memory<'a> {
    Implicit {
        past: Option<Cow<'a, Past>>,
        /// Whether the last step did not stand.
        undone: bool,
        newton: Box<optimize::Memory<'a>>,
    },
    /// dV/dx at the current state, nothing before the first step: forces of damping are those of half a step ago.
    Explicit { gradient: Cow<'a, [Wrench]> },
    Midpoint {
        /// The momentum of each particle's quaternion along it, J s, where the next step goes by it.
        radial: Option<Cow<'a, Vec<f64>>>,
        newton: Box<optimize::Memory<'a>>,
    },
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    pub newton_iterations: u32,
    /// Those of the minimisation that took most of them; a step may take several.
    pub hardest: u32,
    pub cg_iterations: u32,
    /// How far particles ended from where they would have flown freely: root mean square, in radii.
    pub deviation: f64,
    /// Seconds on the wall that the search for near pairs took.
    pub contact_seconds: f64,
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// A position or velocity is infinite or not a number.
    NotFinite,
    /// Something moves so far in one step that nothing but an instability can have brought it there.
    Unstable,
    /// Something spins so fast that the integrator has no rotation for it.
    SpinsTooFast,
    /// The step is beyond the longest stable one, s.
    BeyondLimit(f64),
    /// Newton's iterations did not converge: the last decrement as a strain.
    NotConverged { iterations: u32, decrement: f64 },
    /// No step along the search direction lowered the objective.
    LineSearch { decrement: f64 },
    /// Bonded particles turned too far against each other.
    TurnedTooFar,
    /// Something moved so far that it may have passed through something else.
    MayPass,
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite => write!(f, "positions or velocities are no longer finite"),
            Self::Unstable => write!(f, "something moves by a hundred radii in one step"),
            Self::SpinsTooFast => write!(f, "something turns by more than a right angle in one step"),
            Self::BeyondLimit(limit) => write!(f, "the explicit step is beyond the stable limit {limit:.3e} s"),
            Self::NotConverged { iterations, decrement } => {
                write!(f, "Newton did not converge in {iterations} iterations (a strain of {decrement:.1e} is left)")
            }
            Self::LineSearch { decrement } => {
                write!(f, "no step along Newton's direction lowers the energy (a strain of {decrement:.1e} is left)")
            }
            Self::MayPass => write!(f, "something moves so far in one step that it may pass through something else"),
            Self::TurnedTooFar => write!(f, "bonded particles turn too far against each other in one step"),
        }
    }
}

impl std::error::Error for StepError {}
