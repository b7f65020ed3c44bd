//! What every implicit step does about contacts: the list of near pairs, and what friction may bear, are those of where a
//! minimisation ended; so it is minimised again until they stay as they are.

use std::time::Instant;

use crate::contact::{Neighbours, Slip};
use crate::interrupt;
use crate::model::{State, World};
use crate::optimize::{NewtonReport, SolverSettings};

use super::{StepError, StepReport};

/// The rounds of a step's minimisations.
#[derive(Clone, Copy, Debug)]
pub struct ContactRounds {
    /// See [`SolverSettings::friction_tolerance`].
    tolerance: f64,
    /// See [`SolverSettings::friction_rounds`].
    friction: u32,
}

/// Minimisations that a step may take where near pairs come up that were not in the list.
const MAX_ROUNDS: u32 = 8;

impl ContactRounds {
    pub fn new(settings: &SolverSettings) -> Self {
        Self { tolerance: settings.friction_tolerance, friction: settings.friction_rounds }
    }

    /// Those of a linearly implicit step, or of friction by what contacts bore before: friction's limits lag.
    pub fn lagged(self) -> Self {
        Self { friction: 0, ..self }
    }

    /// Brings `contacts` up to where `x` is and lets `minimise` move it, until what has come near is in the list and presses
    /// as hard as friction went by.
    ///
    /// # Errors
    /// When a minimisation fails, contacts do not settle, or a stop is requested: then `contacts` are as they were.
    pub fn settle(
        &self,
        world: &World,
        contacts: &mut Neighbours,
        slip: Slip,
        x: &mut State,
        minimise: impl FnMut(&Neighbours, &mut State) -> Result<NewtonReport, StepError>,
    ) -> Result<StepReport, StepError> {
        contacts.mark();
        let settled = self.rounds(world, contacts, slip, x, minimise);
        if settled == Err(StepError::Interrupted) {
            contacts.go_back(world);
        }
        settled
    }

    fn rounds(
        &self,
        world: &World,
        contacts: &mut Neighbours,
        slip: Slip,
        x: &mut State,
        mut minimise: impl FnMut(&Neighbours, &mut State) -> Result<NewtonReport, StepError>,
    ) -> Result<StepReport, StepError> {
        let (mut report, mut rounds, max_rounds) = (StepReport::default(), 0, MAX_ROUNDS.max(1 + self.friction));
        loop {
            let start = Instant::now();
            let is_new = contacts.update(world, x);
            let change = contacts.load_rubs(world, x, slip);
            report.contact_seconds += start.elapsed().as_secs_f64();
            // a limit or a hierarchy may be half computed
            if interrupt::is_requested() {
                return Err(StepError::Interrupted);
            }
            let holds = !is_new && (change <= self.tolerance || self.friction == 0);
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
