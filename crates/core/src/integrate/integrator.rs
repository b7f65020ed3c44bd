use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::contact::Contacts;
use crate::energy::StepForces;
use crate::energy::account::Flows;
use crate::fracture::OverloadedBond;
use crate::model::{Gradient, State, World};
use crate::optimize;

use super::sleep::{Body, Sleep};
use super::{DashpotPowers, ResidualWork, StepError, StepHistory};

/// Time integrator. Each step is tried before it is committed.
pub trait Integrator: Send {
    /// Starts a block of steps, with a decay of vibrations, that the next [`Self::trial`] ends with the same arguments. A device may take
    /// it meanwhile. Only integrators that [take blocks](Self::takes_blocks) get one.
    fn begin(&mut self, _world: &World, _contacts: &Contacts, _state: &State, _step: Step, _decay: &BlockDecay) {}

    /// Trial of a step from `state`. A dropped or failed trial leaves `state`, the tangential springs and the history
    /// unchanged, so that the next trial starts at the same place. The list of near pairs and a preconditioner may change; they
    /// affect later steps by rounding only.
    ///
    /// # Errors
    /// When no acceptable state is found at this step. A shorter one may succeed.
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError>;

    /// Commits the last trial, which must have succeeded. `state` changes from the start to the end of the step. Tangential
    /// springs stretch or slide, and the history advances. Returns the energy flows of the step.
    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows;

    /// Accounts for bonds that left the world after a committed step, and are pairs of `contacts`.
    fn after_breakage(&mut self, world: &World, contacts: &Contacts, state: &State, broken: &[OverloadedBond]);

    /// Energy (J) at the end of the last committed step above that which the rule conserves: see
    /// [`EnergySnapshot::above_shadow`](crate::energy::account::EnergySnapshot::above_shadow).
    fn above_shadow(&self) -> f64 {
        0.0
    }

    /// Forces that the last committed step applied. `None` if they are not known.
    fn forces(&self) -> Option<StepForces<'_>> {
        None
    }

    /// Whether a trial takes all steps of [`Step::count`] at once, with their breakage and the decay of vibrations, and corrects velocities
    /// for friction after each. The same particles are held in all of them.
    fn takes_blocks(&self) -> bool {
        false
    }

    /// Whether each particle was held in the last trial.
    fn held(&self) -> &[bool];

    /// Data besides the state that the next step depends on.
    fn history(&self) -> History<'_>;

    /// Resumes from the history of an integrator of this kind with `particles` particles. `None` if the two do not fit.
    fn restore(&mut self, history: History, particles: usize) -> Option<()>;

    /// Step of `dt` (s) that is always committed. No bond breaks.
    ///
    /// # Errors
    /// As [`Self::trial`].
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let report = self.trial(world, contacts, state, Step::new(dt))?.report;
        self.commit(world, contacts, state);
        Ok(report)
    }
}

/// Request for a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Length, s.
    pub dt: f64,
    /// Whether a trial from the same state was dropped. A retry is solved in full.
    pub is_retry: bool,
    /// Whether to ignore the previous step, because a step that used it had spurious energy.
    pub drop_history: bool,
    /// Kind, for [`Auto`](super::Auto). Other integrators have one.
    pub kind: StepKind,
    /// Stable length of an explicit step for all possible contacts, s.
    pub explicit_dt: f64,
    /// Number of equal steps: one, but for integrators that [take blocks](Integrator::takes_blocks).
    pub count: u32,
}

/// Decay of the vibrations inside pieces in a block of steps: the velocities of each about its rigid motion get the factor
/// exp(-rate dt).
#[derive(Clone, Debug, Default)]
pub struct BlockDecay {
    /// Changes: number of steps before each, and the time since the one before, s.
    pub changes: Vec<(u32, f64)>,
    /// Pieces that decay, unless a bond of theirs breaks in the block.
    pub pieces: Vec<DecayingPiece>,
    /// Time of the last change at the end of the block, s.
    pub applied: f64,
}

/// Piece whose vibrations decay.
#[derive(Clone, Debug)]
pub struct DecayingPiece {
    /// Its particles, ascending.
    pub members: Vec<u32>,
    /// Its rigid motion.
    pub body: Body,
    /// Rate, 1/s.
    pub rate: f64,
    /// Time from which it decays, s.
    pub from: f64,
}

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// A minimisation.
    Implicit,
    /// Explicit, with lightly loaded pieces asleep as rigid bodies.
    Asleep,
    /// Explicit step of a block. The last one reports the deviation of the block.
    Explicit {
        /// Whether it is the first of its block.
        first: bool,
        /// Whether it is the last of its block.
        last: bool,
    },
}

impl StepKind {
    /// Whether it is in a block of explicit steps.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::Explicit { .. })
    }
}

impl Step {
    /// First trial from its state.
    pub fn new(dt: f64) -> Self {
        Self { dt, is_retry: false, drop_history: false, kind: StepKind::Implicit, explicit_dt: dt, count: 1 }
    }
}

/// Result of a step that is not committed yet.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// State at the end.
    pub end: &'a State,
    /// Cost and quality.
    pub report: StepReport,
    /// Indices (ascending) of bonds that may exceed their strength at the end; no other bond does.
    pub overloaded: &'a [usize],
    /// Bonds that broke within it, which no other step has.
    pub broken: &'a [BreakInStep],
}

/// Bond that broke within a step.
#[derive(Clone, Debug)]
pub struct BreakInStep {
    /// Index in the world.
    pub index: usize,
    /// Time of the break, s.
    pub time: f64,
    /// The bond.
    pub broken: OverloadedBond,
}

/// Data of an integrator besides the state that the next step depends on.
#[derive(Debug, Serialize, Deserialize)]
pub enum History<'a> {
    /// Of implicit Euler and BDF2.
    Implicit {
        /// Previous step, if there was one.
        previous: Option<Cow<'a, StepHistory>>,
        /// V at the current state, J, after the first step.
        potential: Option<f64>,
        /// Work of the solver's residual forces so far.
        residual_work: ResidualWork,
        /// Preconditioner of Newton's method.
        newton: Box<optimize::SavedPreconditioner<'a>>,
    },
    /// dV/dx at the current state, empty before the first step. Damping forces lag by half a step.
    Explicit {
        /// dV/dx of each particle.
        gradient: Cow<'a, [Gradient]>,
        /// Powers of dashpots at the current state, after a step.
        powers: Option<DashpotPowers>,
    },
    /// Of the midpoint rule.
    Midpoint {
        /// Radial momentum of each particle's quaternion, J s, where the next step depends on it.
        radial: Option<Cow<'a, Vec<f64>>>,
        /// V at the current state, J, after the first step.
        potential: Option<f64>,
        /// Preconditioner of Newton's method.
        newton: Box<optimize::SavedPreconditioner<'a>>,
    },
    /// Of `integrator = "auto"`.
    Auto {
        /// Of its explicit steps.
        explicit: Box<History<'a>>,
        /// Of its implicit steps.
        implicit: Box<History<'a>>,
        /// Kind of the last committed step.
        committed: StepKind,
        /// Start of the last block of explicit steps or of the last step with sleeping pieces.
        entry: Option<Cow<'a, State>>,
        /// Whether a bond broke in it.
        breaks: bool,
        /// Sleeping pieces, after a step with them.
        sleep: Option<Box<Cow<'a, Sleep>>>,
    },
}

/// Cost and quality of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Iterations of Newton's method.
    pub newton_iterations: u32,
    /// Maximum over the minimisations of the step.
    pub max_newton_iterations: u32,
    /// Iterations of conjugate gradients.
    pub cg_iterations: u32,
    /// Root-mean-square distance of the particles from free flight at the end, in radii.
    pub deviation: f64,
    /// Change of electric forces in an implicit step over their size, root mean squares over the free charges. Zero where they
    /// hardly move these.
    pub force_change: f64,
    /// Energy error of a step of the midpoint rule without contacts, as a share of the energy at play. The rule evaluates bonds at
    /// the middle of chords, where a rotating body looks compressed.
    pub energy_error: f64,
    /// Excess of the load over the strength of bonds between held particles, as a share of the strength.
    pub overload: f64,
    /// Spurious energy of an implicit step over contacts, as a share of the energy exchanged between kinetic and potential.
    pub spurious_energy: f64,
    /// Whether it depended on the previous step.
    pub uses_history: bool,
    /// Wall-clock time of contact search, s.
    pub contact_seconds: f64,
    /// Sleeping pieces, of a step of [`Auto`](super::Auto).
    pub sleep: SleepReport,
}

/// Report of a step on sleeping pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SleepReport {
    /// Work of steps with sleeping pieces over explicit steps of the whole world: of the step itself, or an estimate for the
    /// steps that may follow. None if unknown or not possible.
    pub work: Option<f64>,
    /// Whether contacts woke a piece.
    pub woken: bool,
    /// Time after the step in which all pieces sleep and none may touch anything, s; zero if unknown.
    pub free: f64,
}
