//! Steps of a world at a constant length, and their storage.
//!
//! ```text
//! stepper   steps by core's integrators, from any stored step
//! record    a stored step: all that the next step depends on
//! storage   records in memory or in a file, each of them or one of many
//! loss, state_gradient   loss of a run, and its derivatives by a state
//! ```

mod loss;
mod record;
mod state_gradient;
mod stepper;
mod storage;

use bdem_core::integrate::TimeRule;
use bdem_core::model::{Action, BondModel, Constraint, State, World};
use bdem_core::simulate::{
    IntegratorKind, LinearlyImplicit, Predictor, SimulationSettings, SolverSettings, StepPlan, StepSize,
};

use crate::error::FitError;

pub use loss::Loss;
pub(crate) use record::Record;
pub use state_gradient::StateGradient;
pub(crate) use stepper::Stepper;
pub use storage::Storage;
pub(crate) use storage::{Records, segment};

/// A world, its start, and its steps.
#[derive(Clone, Debug)]
pub struct Run {
    /// The world. No bond of it breaks.
    pub world: World,
    /// State at the start.
    pub start: State,
    /// Rule of implicit steps; `None` for velocity Verlet.
    pub rule: Option<TimeRule>,
    /// Length of a step, s.
    pub dt: f64,
    /// Steps of a frame.
    pub per_frame: u32,
    /// Number of frames after the start.
    pub frames: u32,
    /// Settings of implicit steps.
    pub solver: SolverSettings,
}

/// Tolerance of Newton's method in runs with a gradient: the implicit function theorem holds at the minimum, and a loss whose
/// noise exceeds its changes has no line search. A strain, as [`SolverSettings::newton_tolerance`].
const NEWTON_TOLERANCE: f64 = 1e-11;

/// Factor on both for a step whose minimum rounding hides: that of an objective of many particles is above the tolerance.
const LOOSER: f64 = 1e3;

/// The same relative to a step's first decrement.
const NEWTON_RELATIVE_TOLERANCE: f64 = 1e-7;

/// Tolerance of friction's limits, as [`SolverSettings::friction_tolerance`]: friction is that of the step's end.
const FRICTION_TOLERANCE: f64 = 1e-9;

impl Run {
    /// Run of a world from a state over `frames` frames. Implicit steps are solved to smaller tolerances than those of
    /// `settings`.
    ///
    /// # Errors
    /// When the run has no gradient: its integrator, the length or number of its steps, a bond law, or a rigid body.
    pub fn new((world, start): (World, State), settings: &SimulationSettings, frames: u32) -> Result<Self, FitError> {
        let rule = match settings.integrator {
            IntegratorKind::ImplicitEuler => Some(TimeRule::Euler),
            IntegratorKind::ImplicitBdf2 => Some(TimeRule::Bdf2),
            IntegratorKind::ExplicitVerlet => None,
            other => return Err(FitError::Integrator { name: other.to_string() }),
        };
        let plan = StepPlan::new(settings, &world, &start);
        if !matches!(settings.step, Some(StepSize::Seconds(_))) {
            return Err(FitError::Step { suggested: plan.step });
        }
        if frames.checked_mul(plan.per_frame).is_none() {
            return Err(FitError::TooManySteps { frames, per_frame: plan.per_frame });
        }
        check(&world)?;
        if settings.solver.predictor != Predictor::Geodesic {
            let remedy = "leave solver.predictor out, or choose a method without gradients";
            return Err(FitError::Unfollowed { what: "the papers' predictors of orientations", remedy });
        }
        let solver = SolverSettings {
            newton_tolerance: NEWTON_TOLERANCE.min(settings.solver.newton_tolerance),
            newton_relative_tolerance: NEWTON_RELATIVE_TOLERANCE.min(settings.solver.newton_relative_tolerance),
            linearly_implicit: LinearlyImplicit::Never,
            newton_iterations: settings.solver.newton_iterations.max(100),
            friction_tolerance: FRICTION_TOLERANCE.min(settings.solver.friction_tolerance),
            friction_rounds: settings.solver.friction_rounds.max(100),
            ..settings.solver.clone()
        };
        Ok(Self { world, start, rule, dt: plan.step, per_frame: plan.per_frame, frames, solver })
    }

    /// Settings of a step that did not reach the tolerances.
    fn looser(&self) -> SolverSettings {
        SolverSettings {
            newton_tolerance: LOOSER * self.solver.newton_tolerance,
            newton_relative_tolerance: LOOSER * self.solver.newton_relative_tolerance,
            friction_tolerance: LOOSER * self.solver.friction_tolerance,
            ..self.solver.clone()
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> u32 {
        self.frames * self.per_frame
    }

    /// Frame at the start of step `step`, if one is there.
    pub(crate) fn frame_at(&self, step: u32) -> Option<u32> {
        step.is_multiple_of(self.per_frame).then_some(step / self.per_frame)
    }

    /// Loss without its gradient.
    ///
    /// # Errors
    /// When a step fails, a bond breaks, or a stop is requested.
    pub fn loss(&self, loss: &dyn Loss) -> Result<f64, FitError> {
        let mut stepper = Stepper::new(self, Record::first(self));
        let mut sum = loss.at(0, &self.world, &self.start, None);
        for step in 1..=self.steps() {
            stepper.step()?;
            if let Some(frame) = self.frame_at(step) {
                sum += loss.at(frame, &self.world, stepper.state(), None);
            }
        }
        Ok(sum)
    }
}

/// Whether the sweep follows all that moves `world`.
fn check(world: &World) -> Result<(), FitError> {
    let has_energy = |model| [BondModel::QUATERNION, BondModel::COSSERAT, BondModel::AXIAL].contains(&model);
    if let Some(bond) = world.bonds().iter().find(|bond| !has_energy(bond.model)) {
        return Err(FitError::Model { model: bond.model.name });
    }
    let motions =
        world.constraints.iter().filter_map(Constraint::motion).chain(world.walls.iter().map(|wall| &wall.motion));
    if motions.into_iter().any(|motion| motion.driven().is_some()) {
        let remedy = "prescribe their motions, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "colliders and constraints that a load moves", remedy });
    }
    if world.walls.iter().any(|wall| wall.deforming_mesh().is_some()) {
        let remedy = "take rigid ones, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "colliders that deform", remedy });
    }
    if world.constraints.iter().any(|constraint| matches!(constraint.action, Action::Loads(_))) {
        let remedy = "take them out, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "pressures, which turn with the body", remedy });
    }
    if !world.winds.is_empty() {
        let remedy = "leave them out, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "winds", remedy });
    }
    if world.rigid.iter().any(|body| body.is_free) {
        let remedy = "hold the rigid bodies, bond them, or choose a method without gradients";
        return Err(FitError::Unfollowed { what: "free rigid bodies", remedy });
    }
    Ok(())
}
