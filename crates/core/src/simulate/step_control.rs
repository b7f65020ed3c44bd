use serde::{Deserialize, Serialize};

use crate::integrate::{Step, StepReport};

use super::{ControlSettings, StepPlan};

/// Progress within a nominal step, and the length of steps. The next state is a function of this one and of the outcome of a
/// step: see [`Self::after`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepControl {
    plan: StepPlan,
    /// Limit on the deviation of a step, in radii.
    deviation: f64,
    /// Limits on the bonds that break in a step: longer than the shortest, and any.
    break_limits: [usize; 2],
    halvings: u32,
    /// Completed ticks of the nominal step.
    done: u64,
    /// Whether a step from here was dropped.
    is_retry: bool,
    /// Whether the next step ignores the previous one.
    drop_history: bool,
}

/// Number of Newton iterations of a minimisation above which steps are halved.
const MANY_ITERATIONS: u32 = 6;

/// Number of Newton iterations of a minimisation up to which steps may double.
const FEW_ITERATIONS: u32 = 3;

/// Limit on the spurious energy of a step over contacts, as a share of the energy that it exchanges. A bounce exchanges its
/// energy twice.
pub(super) const SPURIOUS_ENERGY_LIMIT: f64 = 2.5e-3;

/// Limit on the change of electric forces in a step over their size: the angle that an orbit turns by. BDF2 with extrapolated forces
/// gains or loses as much energy a step as the fourth power of it.
const FORCE_CHANGE: f64 = 0.02;

/// Limit on the energy error of a step of the midpoint rule without contacts, as a share of the energy at play. It alternates.
const ENERGY_ERROR: f64 = 1e-4;

/// Limit on the excess of a load over the strength of bonds between held particles, which rises with the step.
const OVERLOAD: f64 = 0.005;

/// Number of broken bonds up to which breakage is no runaway, even in a small body.
const MIN_RUNAWAY: usize = 32;

/// Outcome of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// No acceptable state was found.
    Failed,
    /// A state was found.
    Solved {
        /// Cost and quality of the step.
        report: StepReport,
        /// Number of bonds to break.
        broken: usize,
    },
}

/// Decision about a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Commit it.
    Commit,
    /// Drop it, and try a shorter one.
    Retry,
    /// Drop it. There is no shorter one.
    GiveUp,
}

impl StepControl {
    /// Control that starts with the shortest step of its own choice, because nothing is known yet.
    pub fn new(plan: StepPlan, settings: &ControlSettings, bonds: usize) -> Self {
        let of = |share: f64| (share * bonds as f64) as usize;
        let break_limits = [of(settings.broken_share), of(settings.runaway_share).max(MIN_RUNAWAY)];
        Self {
            plan,
            deviation: settings.deviation,
            break_limits,
            halvings: plan.finest,
            done: 0,
            is_retry: false,
            drop_history: false,
        }
    }

    /// Whether it has the plan of `other`, and a valid state.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { halvings, done, is_retry, drop_history, .. } = *other;
        let start = Self { halvings, done, is_retry, drop_history, ..*self };
        start == *other && self.halvings <= self.plan.deepest && self.done < self.ticks(0)
    }

    /// Next step.
    pub fn step(&self) -> Step {
        let Self { is_retry, drop_history, .. } = *self;
        Step { is_retry, drop_history, ..Step::new(self.length(self.halvings)) }
    }

    /// Length of a step at `halvings`, s.
    pub(super) fn length(&self, halvings: u32) -> f64 {
        self.plan.length(halvings)
    }

    /// Number of halvings of the next step.
    pub(super) fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Error of a step over its limit. It grows with the square of the step.
    pub(super) fn excess(&self, report: &StepReport) -> f64 {
        let by_path = (report.force_change / FORCE_CHANGE).powi(2);
        let by_energy = (report.energy_error / ENERGY_ERROR).sqrt();
        (report.deviation / self.deviation).max(by_path).max(by_energy)
    }

    /// Halves the next step until its length (s) is allowed. Returns whether it is.
    pub fn shorten(&mut self, mut allows: impl FnMut(f64) -> bool) -> bool {
        while !allows(self.length(self.halvings)) {
            if self.halvings == self.plan.deepest {
                return false;
            }
            self.halvings += 1;
        }
        true
    }

    /// Whether a nominal step is complete.
    pub fn is_at_nominal(&self) -> bool {
        self.done == 0
    }

    /// Updates the state after a step. Returns the decision about the step.
    pub fn update(&mut self, outcome: &Outcome) -> Verdict {
        let (verdict, next) = self.after(outcome);
        *self = next;
        verdict
    }

    /// Minimum `halvings` from this one on whose steps fit at the current tick.
    pub(super) fn fitting(&self, halvings: u32) -> u32 {
        (halvings..self.plan.deepest)
            .find(|halvings| self.done.is_multiple_of(self.ticks(*halvings)))
            .unwrap_or(self.plan.deepest)
    }

    /// Decision about a step, and the next state of the control.
    pub fn after(mut self, outcome: &Outcome) -> (Verdict, Self) {
        let verdict = self.decide(outcome);
        (verdict, self)
    }

    fn decide(&mut self, outcome: &Outcome) -> Verdict {
        let Outcome::Solved { report, broken } = outcome else {
            return self.retry((self.halvings + 1).min(self.plan.deepest));
        };
        let halvings = libm::log2(self.excess(report)).ceil();
        let [few, most] = self.break_limits;
        if self.halvings < self.plan.finest && (halvings >= 2.0 || *broken > few.min(most)) {
            return self.retry((self.halvings + (halvings as u32).max(1)).min(self.plan.finest));
        }
        if self.halvings < self.plan.runaway && *broken > most {
            return self.retry(self.halvings + 1);
        }
        if report.overload > OVERLOAD && self.halvings < self.plan.deepest {
            return self.retry(self.halvings + 1);
        }
        if report.spurious_energy > SPURIOUS_ENERGY_LIMIT && report.uses_history && !self.drop_history {
            (self.is_retry, self.drop_history) = (true, true);
            return Verdict::Retry;
        }
        if report.spurious_energy > SPURIOUS_ENERGY_LIMIT && self.halvings < self.plan.deepest {
            return self.retry(self.halvings + 1);
        }
        self.advance(report, *broken > 0);
        Verdict::Commit
    }

    /// Drops a step. The next one has this finer `halvings`, if there is one.
    pub(super) fn retry(&mut self, halvings: u32) -> Verdict {
        let verdict = if halvings > self.halvings { Verdict::Retry } else { Verdict::GiveUp };
        (self.halvings, self.is_retry) = (halvings, true);
        verdict
    }

    /// Drops a step, for one of another kind.
    pub(super) fn repeat(&mut self) {
        self.is_retry = true;
    }

    /// Continues from a committed step of another kind, within a run of substeps.
    pub(super) fn go_on(&mut self) {
        (self.is_retry, self.drop_history) = (false, false);
    }

    /// Advances by a step of another kind, as long as one at `halvings`.
    pub(super) fn pass(&mut self, halvings: u32) {
        self.go_on();
        self.done = (self.done + self.ticks(halvings)) % self.ticks(0);
        self.halvings = self.fitting(self.halvings);
    }

    /// The next step of its own is the shortest, and ignores the previous one no more.
    pub(super) fn restart(&mut self) {
        (self.halvings, self.drop_history) = (self.plan.finest, false);
    }

    /// Advances by a committed step, and selects the length of the next one.
    fn advance(&mut self, report: &StepReport, broke: bool) {
        self.go_on();
        self.done = (self.done + self.ticks(self.halvings)) % self.ticks(0);
        let is_slow = report.max_newton_iterations > MANY_ITERATIONS;
        let excess = self.excess(report);
        if self.halvings < self.plan.finest && (excess > 1.0 || is_slow) {
            self.halvings += 1;
        } else if self.halvings > 0 && self.done.is_multiple_of(self.ticks(self.halvings - 1)) {
            // forced cuts are undone at once; other steps grow if twice the length is acceptable
            let forced = self.halvings > self.plan.finest;
            let easy = 4.0 * excess < 1.0 && !broke && report.max_newton_iterations <= FEW_ITERATIONS;
            self.halvings -= u32::from(forced || easy);
        }
    }

    /// Number of ticks of a step at `halvings`.
    fn ticks(&self, halvings: u32) -> u64 {
        1 << (self.plan.deepest - halvings)
    }
}
