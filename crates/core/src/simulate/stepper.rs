use serde::{Deserialize, Serialize};

use crate::contact::Neighbours;
use crate::energy::StepForces;
use crate::energy::account::Flows;
use crate::fracture::BrokenBond;
use crate::integrate::{History, Integrator, StepError, Trial};
use crate::model::{State, World};

use super::auto::{Machine, NextStep, SavedSteps, StepKind, Steps};
use super::sleep::BrokenOnTheWay;
use super::step_control::{Outcome, StepControl, Verdict};
use super::{IntegratorKind, SimulationSettings, StepPlan};

/// Integrator of a simulation, and the control of its steps.
pub(super) enum Stepper {
    /// Steps of one kind.
    One {
        /// Their integrator.
        integrator: Box<dyn Integrator>,
        /// Their lengths.
        control: StepControl,
        /// Whether they are explicit.
        explicit: bool,
    },
    /// `integrator = "auto"`.
    Auto {
        /// Steps of every kind.
        steps: Box<Steps>,
        /// Kind and length of the next one.
        machine: Machine,
    },
}

/// Data of a [`Stepper`] besides the state that the next step depends on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SavedStepper<'a> {
    One(History<'a>, StepControl),
    Auto(Box<SavedSteps<'a>>, Machine),
}

impl Stepper {
    /// Stepper of the settings, or with another `integrator` of the same kind.
    pub(super) fn new(
        world: &World,
        settings: &SimulationSettings,
        plan: StepPlan,
        integrator: Option<Box<dyn Integrator>>,
    ) -> Self {
        let (kind, bonds) = (settings.integrator, world.bonds().len());
        match (kind, plan.explicit_block, integrator) {
            (IntegratorKind::Auto, Some(block), None) => Self::Auto {
                steps: Box::new(Steps::new(world, settings)),
                machine: Machine::new(plan, block, &settings.control, bonds),
            },
            (_, _, integrator) => Self::One {
                integrator: integrator.unwrap_or_else(|| kind.build(world, &settings.solver)),
                control: StepControl::new(plan, &settings.control, bonds),
                explicit: kind.is_explicit(),
            },
        }
    }

    /// Next step. That of an explicit integrator is a block.
    pub(super) fn next(&self) -> NextStep {
        match self {
            Self::One { control, explicit, .. } => {
                let step = control.step();
                let block = StepKind::Explicit { first: true, last: true };
                NextStep { kind: if *explicit { block } else { StepKind::Implicit }, step, explicit_dt: step.dt }
            }
            Self::Auto { machine, .. } => machine.next(),
        }
    }

    /// Whether a nominal step is complete.
    pub(super) fn is_at_nominal(&self) -> bool {
        match self {
            Self::One { control, .. } => control.is_at_nominal(),
            Self::Auto { machine, .. } => machine.is_at_nominal(),
        }
    }

    /// Halves the next step, if it is explicit or of `integrator = "auto"`, until `allows(its length (s), whether it is
    /// explicit)`.
    pub(super) fn shorten(&mut self, mut allows: impl FnMut(f64, bool) -> bool) {
        match self {
            Self::One { control, explicit: true, .. } => drop(control.shorten(|dt| allows(dt, true))),
            Self::One { .. } => {}
            Self::Auto { machine, .. } => machine.shorten(allows),
        }
    }

    /// Ends the next implicit step, or that with sleeping pieces, at the first of the `kinks` (s) after `time` (s), within half of the
    /// shortest length that `plan` leaves to step control.
    pub(super) fn meet_kinks(&mut self, kinks: &[f64], time: f64, plan: &StepPlan) {
        let half = 0.5 * plan.length(plan.finest);
        let before = |time: f64| kinks.partition_point(|kink| *kink <= time);
        let fits = |dt: f64| before(time + half) >= before(time + dt - half);
        match self {
            Self::One { control, explicit: false, .. } => drop(control.shorten(fits)),
            Self::One { .. } => {}
            Self::Auto { machine, .. } => machine.meet_kinks(before(time - half) < before(time + half), fits),
        }
    }

    /// Trial of the `next` step from `state`: see [`Integrator::trial`].
    pub(super) fn trial(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        next: &NextStep,
    ) -> Result<Trial<'_>, StepError> {
        match self {
            Self::One { integrator, .. } => integrator.trial(world, contacts, state, next.step),
            Self::Auto { steps, .. } => steps.trial(world, contacts, state, next),
        }
    }

    /// Bonds that broke within the last trial.
    pub(super) fn on_the_way(&self) -> &[BrokenOnTheWay] {
        match self {
            Self::One { .. } => &[],
            Self::Auto { steps, .. } => steps.on_the_way(),
        }
    }

    /// Decides about the last trial by its `outcome`.
    pub(super) fn update(&mut self, outcome: &Outcome) -> Verdict {
        match self {
            Self::One { control, .. } => control.update(outcome),
            Self::Auto { machine, steps } => machine.update(outcome, steps.report()),
        }
    }

    /// See [`Integrator::commit`].
    pub(super) fn commit(&mut self, world: &World, contacts: &mut Neighbours, state: &mut State) -> Flows {
        match self {
            Self::One { integrator, .. } => integrator.commit(world, contacts, state),
            Self::Auto { steps, .. } => steps.commit(world, contacts, state),
        }
    }

    /// See [`Integrator::after_breakage`].
    pub(super) fn after_breakage(
        &mut self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        broken: &[BrokenBond],
    ) {
        match self {
            Self::One { integrator, .. } => integrator.after_breakage(world, contacts, state, broken),
            Self::Auto { steps, .. } => steps.after_breakage(world, contacts, state, broken),
        }
    }

    /// See [`Integrator::above_shadow`].
    pub(super) fn above_shadow(&self) -> f64 {
        match self {
            Self::One { integrator, .. } => integrator.above_shadow(),
            Self::Auto { steps, .. } => steps.above_shadow(),
        }
    }

    /// See [`Integrator::forces`].
    pub(super) fn forces(&self) -> Option<StepForces<'_>> {
        match self {
            Self::One { integrator, .. } => integrator.forces(),
            Self::Auto { steps, .. } => steps.forces(),
        }
    }

    /// See [`Integrator::held`].
    pub(super) fn held(&self) -> &[bool] {
        match self {
            Self::One { integrator, .. } => integrator.held(),
            Self::Auto { steps, .. } => steps.held(),
        }
    }

    /// Data to resume from.
    pub(super) fn save(&self) -> SavedStepper<'_> {
        match self {
            Self::One { integrator, control, .. } => SavedStepper::One(integrator.history(), *control),
            Self::Auto { steps, machine } => SavedStepper::Auto(Box::new(steps.save()), *machine),
        }
    }

    /// Resumes with `particles` particles. `None` if the two do not fit.
    pub(super) fn restore(&mut self, saved: SavedStepper, particles: usize) -> Option<()> {
        match (self, saved) {
            (Self::One { integrator, control, .. }, SavedStepper::One(history, lengths))
                if lengths.is_like(control) =>
            {
                integrator.restore(history, particles)?;
                *control = lengths;
            }
            (Self::Auto { steps, machine }, SavedStepper::Auto(saved, next)) if next.is_like(machine) => {
                steps.restore(*saved, particles)?;
                *machine = next;
            }
            _ => return None,
        }
        Some(())
    }
}
