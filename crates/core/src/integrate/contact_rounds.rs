//! Repeated minimisation of an implicit step. Near pairs and friction limits are those of the state where a minimisation ended.
//! The minimisation is repeated until neither changes.

use std::time::Instant;

use crate::contact::{Contacts, FrictionForce, SurfaceMotion};
use crate::model::{State, World};
use crate::optimize::{NewtonReport, SolverSettings};

use super::{StepError, StepReport};

/// Limits on the minimisations of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactRounds {
    /// See [`SolverSettings::friction_tolerance`].
    tolerance: f64,
    /// See [`SolverSettings::friction_rounds`].
    friction: u32,
    rule: FrictionForce,
}

/// Limit on the minimisations of a step that finds new near pairs.
const MAX_ROUNDS: u32 = 8;

impl ContactRounds {
    pub(super) fn new(settings: &SolverSettings, rule: FrictionForce) -> Self {
        Self { tolerance: settings.friction_tolerance, friction: settings.friction_rounds, rule }
    }

    /// The same without friction rounds: friction limits lag. For linearly implicit steps.
    pub(super) fn lagged(self) -> Self {
        Self { friction: 0, ..self }
    }

    /// Minimises with up-to-date contacts: updates `contacts` at `x` and lets `minimise` move `x`. Repeats until no near pair
    /// is new and the friction limits match the normal forces.
    ///
    /// # Errors
    /// When a minimisation fails, contacts do not settle, or a stop is requested. In the last case `contacts` are unchanged.
    pub(super) fn settle(
        &self,
        world: &World,
        contacts: &mut Contacts,
        motion: SurfaceMotion,
        x: &mut State,
        minimise: impl FnMut(&Contacts, &mut State) -> Result<NewtonReport, StepError>,
    ) -> Result<StepReport, StepError> {
        contacts.mark();
        let settled = self.rounds(world, contacts, motion, x, minimise);
        if settled == Err(StepError::Interrupted) {
            contacts.go_back(world);
        }
        settled
    }

    fn rounds(
        &self,
        world: &World,
        contacts: &mut Contacts,
        motion: SurfaceMotion,
        x: &mut State,
        mut minimise: impl FnMut(&Contacts, &mut State) -> Result<NewtonReport, StepError>,
    ) -> Result<StepReport, StepError> {
        let (mut report, mut rounds, max_rounds) = (StepReport::default(), 0, MAX_ROUNDS.max(1 + self.friction));
        loop {
            let start = Instant::now();
            let is_new = contacts.update(world, x);
            let change = contacts.update_friction_limits(world, x, motion, self.rule);
            report.contact_seconds += start.elapsed().as_secs_f64();
            // a friction limit or the broad phase may be half computed
            if world.interrupt.is_requested() {
                return Err(StepError::Interrupted);
            }
            let holds = !is_new && (change.share() <= self.tolerance || self.friction == 0);
            if rounds > 0 && holds {
                return Ok(report);
            }
            if rounds == max_rounds {
                return Err(StepError::ContactsUnsettled { rounds, change });
            }
            let round = minimise(contacts, x)?;
            report.newton_iterations += round.iterations;
            report.max_newton_iterations = report.max_newton_iterations.max(round.hard);
            report.cg_iterations += round.cg_iterations;
            rounds += 1;
        }
    }
}
