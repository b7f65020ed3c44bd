//! Time integrators behind one trait: a state and a step in, a trial out, which is taken or dropped.
//!
//! A new one is a file here, whose type is an [`Integrator`], and a line in the list that scenes choose from,
//! [`SceneIntegrator`](crate::scene::SceneIntegrator); what it goes by beyond the others, a line in [`History`]. An explicit one
//! may be no more than a [`Rule`].

mod auto;
mod contact_rounds;
mod deviation;
mod explicit;
mod hybrid;
mod implicit;
mod midpoint;
mod potential_cache;
pub mod sleep;
mod spurious_energy;
pub mod stability;
mod step_error;
mod step_limits;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::contact::{ContactPair, Neighbours};
use crate::energy::account::{self, Flows};
use crate::energy::{bond, contact, gap_between};
use crate::fracture::{self, BrokenBond};
use crate::model::{Bond, State, World, Wrench};
use crate::optimize;

pub use auto::{AUTO, AutoSettings};
pub use explicit::{Explicit, Geodesic, Map23, Map25, Map27, Rodrigues, RodriguesMap, Rule, Verlet};
pub use hybrid::Hybrid;
pub use implicit::{Implicit, StepHistory, TimeRule, Weights};
pub use midpoint::{ImplicitMidpoint, Midpoint, Projection};
pub use potential_cache::ResidualWork;
pub use step_error::StepError;

use sleep::Sleep;

/// Advances a world in time, by steps that are tried before they are taken.
pub trait Integrator: Send {
    /// Tries a step from `state`. Only [`Self::commit`] takes it: a trial that is dropped, or fails, leaves `state`,
    /// friction's springs and the history as they were, so that the next trial begins at the same place. What it leaves
    /// behind makes later steps no other but in rounding: the list of near pairs, which may be newer, and a preconditioner.
    ///
    /// # Errors
    /// When no acceptable state is found at this step; a shorter one may do.
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError>;

    /// Takes the step that was tried last, without an error: `state`, where it began, becomes its end; friction's springs
    /// are drawn, or slip; the history goes on. Returns the energy that came and went in it.
    fn commit(&mut self, world: &World, contacts: &mut Neighbours, state: &mut State) -> Flows;

    /// After a step that was taken, these bonds have left the world, and are pairs of `contacts`.
    fn after_breakage(&mut self, world: &World, contacts: &Neighbours, state: &State, broken: &[BrokenBond]);

    /// Whether each particle was held in the step that was tried last.
    fn held(&self) -> &[bool];

    /// What the next step goes by besides the state.
    fn history(&self) -> History<'_>;

    /// Goes on from a history of `particles` that an integrator of this kind had. `None` if it makes no sense.
    fn restore(&mut self, history: History, particles: usize) -> Option<()>;

    /// Takes a step of `dt` (s) in which nothing breaks, whatever it brings.
    ///
    /// # Errors
    /// As [`Self::trial`].
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let report = self.trial(world, contacts, state, Step::new(dt))?.report;
        self.commit(world, contacts, state);
        Ok(report)
    }
}

/// A step to be tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// s.
    pub dt: f64,
    /// Whether a trial from the same state was dropped: this one is solved in full.
    pub is_retry: bool,
    /// Whether it goes by no step before it: one that did has made energy.
    pub drop_history: bool,
    /// For integrators that know several.
    pub kind: StepKind,
    /// An explicit step that is stable whatever touches, s; zero where none is known.
    pub explicit_dt: f64,
}

/// How a step goes, by an integrator that knows several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    Implicit,
    /// Explicit, with the pieces that nothing strains asleep as rigid bodies; `far`: all fly, and nothing may meet.
    Asleep {
        far: bool,
    },
    /// One of a stretch of explicit steps, which reports the stretch's deviation in its last.
    Explicit {
        first: bool,
        last: bool,
    },
}

impl Step {
    /// The first from its state.
    pub fn new(dt: f64) -> Self {
        Self { dt, is_retry: false, drop_history: false, kind: StepKind::Implicit, explicit_dt: 0.0 }
    }
}

/// What the slopes of energy by the two particles of a broken `bond` lose at `state`: what the bond did, less what the contact
/// does that it `becomes`, if it does.
fn removed_gradients(bond: &Bond, contact: Option<&ContactPair>, state: &State) -> [Wrench; 2] {
    let mut removed = bond::gradient(bond, &bond::pose(bond, state)).wrenches();
    if let Some(pair) = contact {
        let force = contact::gradient(&pair.spring, &gap_between(pair, state));
        removed[0].force += force;
        removed[1].force -= force;
    }
    removed
}

/// Breaks the bonds at these indices (ascending) in a world that an integrator has stepped to `state`, and lets their ends
/// touch. Adds what that takes to `flows`.
pub fn break_bonds(
    world: &mut World,
    contacts: &mut Neighbours,
    integrator: &mut dyn Integrator,
    state: &State,
    overloaded: &[usize],
    flows: &mut Flows,
) -> Vec<BrokenBond> {
    let broken = fracture::break_bonds(world, state, overloaded);
    contacts.add_pairs(world, broken.iter().map(BrokenBond::ends));
    for BrokenBond { bond, .. } in &broken {
        flows.fracture += account::by_fracture(bond, contacts.after(bond), state);
    }
    integrator.after_breakage(world, contacts, state, &broken);
    broken
}

/// A step that was tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// Where it ends.
    pub end: &'a State,
    pub report: StepReport,
    /// Indices (ascending) of the bonds that may bear more than they can at the end, where the integrator has met them on
    /// its way: no other does.
    pub overloaded: Option<&'a [usize]>,
    /// Bonds that have broken on the way already.
    pub broken: &'a [BrokenOnTheWay],
}

/// A bond that broke within a step.
#[derive(Clone, Debug)]
pub struct BrokenOnTheWay {
    /// Where the world has it.
    pub index: usize,
    /// When, s.
    pub time: f64,
    pub broken: BrokenBond,
}

/// What an integrator goes by from one step to the next.
#[derive(Debug, Serialize, Deserialize)]
pub enum History<'a> {
    Implicit {
        previous: Option<Cow<'a, StepHistory>>,
        /// V at the current state, J, once there was a step.
        potential: Option<f64>,
        residual_work: ResidualWork,
        newton: Box<optimize::SavedPreconditioner<'a>>,
    },
    /// dV/dx at the current state, nothing before the first step: forces of damping are those of half a step ago.
    Explicit { gradient: Cow<'a, [Wrench]> },
    Hybrid {
        explicit: Box<History<'a>>,
        implicit: Box<History<'a>>,
        kind: StepKind,
        /// Where the last stretch of explicit steps began, or the last step with pieces asleep; and whether a bond has broken in it.
        entry: Option<Cow<'a, State>>,
        breaks: bool,
        /// Which pieces sleep, where the last step was such.
        sleep: Option<Box<Cow<'a, Sleep>>>,
    },
    Midpoint {
        /// The momentum of each particle's quaternion along it, J s, where the next step goes by it.
        radial: Option<Cow<'a, Vec<f64>>>,
        /// V at the current state, J, once there was a step.
        potential: Option<f64>,
        newton: Box<optimize::SavedPreconditioner<'a>>,
    },
}

/// What a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    pub newton_iterations: u32,
    /// Those of the minimisation that took most of them; a step may take several.
    pub max_newton_iterations: u32,
    pub cg_iterations: u32,
    /// How far particles ended from where they would have flown freely: root mean square, in radii.
    pub deviation: f64,
    /// Energy that an implicit step over contacts has made, as a share of what it moved between kinetic energy and potentials.
    pub spurious_energy: f64,
    /// Whether it went on as the step before it had gone.
    pub uses_history: bool,
    /// Work of steps with pieces asleep, over that of explicit steps of the whole world: of the step itself, or an estimate for those
    /// that may follow. None where none may, or it is not known.
    pub asleep_work: Option<f64>,
    /// Whether contacts have woken a piece in it.
    pub woken: bool,
    /// Seconds on the wall that the search for near pairs took.
    pub contact_seconds: f64,
}
