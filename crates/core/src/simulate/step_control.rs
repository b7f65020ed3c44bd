use serde::{Deserialize, Serialize};

use crate::integrate::{Step, StepKind, StepReport};

use super::turns::Turns;
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
    level: u32,
    /// Completed ticks of the nominal step.
    done: u64,
    /// Whether a step from here was dropped.
    is_retry: bool,
    /// Whether the next step ignores the previous one.
    drop_history: bool,
    /// For `integrator = "auto"`.
    turns: Option<Turns>,
}

/// Number of Newton iterations of a minimisation above which steps are halved.
const MANY_ITERATIONS: u32 = 6;

/// Number of Newton iterations of a minimisation up to which steps may double.
const FEW_ITERATIONS: u32 = 3;

/// Limit on the spurious energy of a step over contacts, as a share of the energy that it exchanges. A bounce exchanges its
/// energy twice.
const SPURIOUS_ENERGY_LIMIT: f64 = 2.5e-3;

/// Ratio of two limits on breaks: of a step longer than the shortest, and of a block in which only isolated bonds break.
const ISOLATED_BREAKS: usize = 8;

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
        /// Whether all bonds are lightly loaded. Needed only on request: see [`StepControl::asks_for_load`].
        lightly_loaded: bool,
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
            level: plan.finest,
            done: 0,
            is_retry: false,
            drop_history: false,
            turns: plan.explicit_block.map(|block| Turns::new(block.level, block.estimate, block.sleeps)),
        }
    }

    /// Whether it has the plan of `other`, and a valid state.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { level, done, is_retry, drop_history, turns, .. } = *other;
        let start = Self { level, done, is_retry, drop_history, turns, ..*self };
        start == *other
            && turns.map(|turns| turns.level()) == self.turns.map(|turns| turns.level())
            && self.turns.is_none_or(|turns| turns.is_sound())
            && self.level <= self.plan.deepest
            && self.done < self.ticks(0)
    }

    /// Next step.
    pub fn step(&self) -> Step {
        let kind = self.turns.map_or(StepKind::Implicit, |turns| turns.kind());
        let explicit_dt = self.turns.map_or(0.0, |turns| self.plan.length(turns.level()) / f64::from(turns.steps()));
        let dt = match (self.turns, kind) {
            (Some(turns), StepKind::Asleep { .. }) => self.plan.length(self.fitting(turns.asleep_level())),
            (_, StepKind::Explicit { .. }) => explicit_dt,
            _ => self.plan.length(self.level),
        };
        Step { dt, is_retry: self.is_retry, drop_history: self.drop_history, kind, explicit_dt }
    }

    /// Whether it needs the longest stable step (s) for explicit steps.
    pub fn asks_for_limit(&self) -> bool {
        self.turns.is_some_and(|turns| turns.asks_for_limit())
    }

    /// Answers [`Self::asks_for_limit`].
    pub fn set_limit(&mut self, limit: f64) {
        if let (Some(turns), Some(block)) = (&mut self.turns, &self.plan.explicit_block) {
            turns.set_steps(block.steps(&self.plan, limit));
        }
    }

    /// Whether the next step is an implicit one of `integrator = "auto"`.
    pub(crate) fn is_implicit_turn(&self) -> bool {
        self.turns.is_some_and(|turns| turns.kind() == StepKind::Implicit)
    }

    /// Halves such a step until its length (s) is allowed. Explicit steps replace the shortest one if it is not.
    pub(crate) fn shorten_implicit(&mut self, mut allows: impl FnMut(f64) -> bool) {
        while !allows(self.plan.length(self.level)) {
            if self.level == self.plan.deepest {
                self.turns.as_mut().into_iter().for_each(Turns::begin_explicit);
                self.drop_history = false;
                return;
            }
            self.level += 1;
        }
    }

    /// Halves the next step, if it is explicit, until its length (s) is allowed. Steps of `integrator = "auto"` grow again with
    /// the next block.
    pub fn shorten(&mut self, mut allows: impl FnMut(f64) -> bool) {
        match &mut self.turns {
            None => {
                while self.level < self.plan.deepest && !allows(self.plan.length(self.level)) {
                    self.level += 1;
                }
            }
            Some(turns) if turns.kind().is_explicit() => {
                let block = self.plan.length(turns.level());
                turns.divide(|steps| allows(block / f64::from(steps)));
            }
            Some(_) => {}
        }
    }

    /// Whether a nominal step is complete.
    pub fn is_at_nominal(&self) -> bool {
        self.done == 0 && !self.is_within_block()
    }

    /// Updates the state after a step. Returns the decision about the step.
    pub fn update(&mut self, outcome: &Outcome) -> Verdict {
        let (verdict, next) = self.after(outcome);
        *self = next;
        verdict
    }

    /// Whether a block of explicit steps is in progress.
    fn is_within_block(&self) -> bool {
        matches!(self.step().kind, StepKind::Explicit { first: false, .. })
    }

    /// Decision about a step, and the next state of the control.
    pub fn after(self, outcome: &Outcome) -> (Verdict, Self) {
        match self.turns {
            None => self.after_step(outcome),
            Some(turns) => match turns.kind() {
                StepKind::Implicit => self.after_implicit(turns, outcome),
                StepKind::Asleep { .. } => self.after_asleep(turns, outcome),
                StepKind::Explicit { .. } => self.after_explicit(turns, outcome),
            },
        }
    }

    /// Minimum `level` from this one on whose steps fit at the current tick.
    fn fitting(&self, level: u32) -> u32 {
        (level..self.plan.deepest)
            .find(|level| self.done.is_multiple_of(self.ticks(*level)))
            .unwrap_or(self.plan.deepest)
    }

    /// After a step of `integrator = "auto"` with sleeping pieces. A far flight that fails is cut to the shortest. The shortest
    /// is always committed unless its state is not finite; explicit steps then find the cause.
    fn after_asleep(mut self, mut turns: Turns, outcome: &Outcome) -> (Verdict, Self) {
        let Outcome::Solved { report, broken, .. } = outcome else {
            turns.after_failed_sleep();
            return (Verdict::Retry, Self { is_retry: true, drop_history: false, turns: Some(turns), ..self });
        };
        self.done = (self.done + self.ticks(self.fitting(turns.asleep_level()))) % self.ticks(0);
        (self.is_retry, self.drop_history) = (false, false);
        turns.after_asleep(report, *broken);
        self.level = self.fitting(self.level);
        (Verdict::Commit, Self { turns: Some(turns), ..self })
    }

    /// After an explicit step of `integrator = "auto"`. One that fails is halved.
    fn after_explicit(mut self, mut turns: Turns, outcome: &Outcome) -> (Verdict, Self) {
        let Outcome::Solved { report, broken, lightly_loaded } = outcome else {
            let verdict = if turns.after_failed_explicit() { Verdict::Retry } else { Verdict::GiveUp };
            return (verdict, Self { is_retry: true, turns: Some(turns), ..self });
        };
        if turns.after_explicit(report, *broken, |broken| self.crack_runs(broken, *lightly_loaded), self.deviation) {
            self.level = turns.level();
            self.complete();
        }
        self.is_retry = false;
        self.turns = Some(turns);
        (Verdict::Commit, self)
    }

    /// After an implicit step of `integrator = "auto"`. Explicit steps replace the shortest one if it breaks bonds, fails,
    /// deviates too far, or has spurious energy. They replace any if implicit steps take more work.
    fn after_implicit(self, mut turns: Turns, outcome: &Outcome) -> (Verdict, Self) {
        let (report, breaks, goes_far) = match outcome {
            Outcome::Solved { report, broken, lightly_loaded } => (
                Some(report),
                self.crack_runs(*broken, *lightly_loaded),
                report.deviation > 2.0 * self.deviation
                    || report.spurious_energy > SPURIOUS_ENERGY_LIMIT && !report.uses_history,
            ),
            _ => (None, false, true),
        };
        let is_shortest = self.level == turns.level();
        if is_shortest && (breaks || goes_far) {
            turns.after_implicit(report, None);
            turns.begin_explicit();
            return (Verdict::Retry, Self { is_retry: true, drop_history: false, turns: Some(turns), ..self });
        }
        let (verdict, mut next) = if breaks { self.retry(self.level + 1) } else { self.after_step(outcome) };
        let is_committed = verdict == Verdict::Commit;
        turns.after_implicit(report, is_committed.then_some(self.level));
        let goes_off = is_committed && is_shortest && report.is_some_and(|report| report.deviation > self.deviation);
        if turns.are_too_expensive() || goes_off {
            turns.begin_explicit();
            next.drop_history = false;
        }
        (verdict, Self { turns: Some(turns), ..next })
    }

    /// Whether the decision depends on `lightly_loaded`, for a step with this number of `broken` bonds.
    pub fn asks_for_load(&self, broken: usize) -> bool {
        self.turns.is_some_and(|turns| (1..=self.isolated_breaks()).contains(&turns.broken_with(broken)))
    }

    /// Limit on the isolated breaks in a block of a lightly loaded world.
    fn isolated_breaks(&self) -> usize {
        self.break_limits[0] / ISOLATED_BREAKS
    }

    /// Whether this number of broken bonds indicates a running crack. In a loaded world a single one does.
    fn crack_runs(&self, broken: usize, lightly_loaded: bool) -> bool {
        broken > if lightly_loaded { self.isolated_breaks() } else { 0 }
    }

    fn after_step(self, outcome: &Outcome) -> (Verdict, Self) {
        let Outcome::Solved { report, broken, .. } = outcome else {
            return self.retry((self.level + 1).min(self.plan.deepest));
        };
        let halvings = libm::log2(report.deviation / self.deviation).ceil();
        let [few, most] = self.break_limits;
        if self.level < self.plan.finest && (halvings >= 2.0 || *broken > few.min(most)) {
            return self.retry((self.level + (halvings as u32).max(1)).min(self.plan.finest));
        }
        if self.level < self.plan.runaway && *broken > most {
            return self.retry(self.level + 1);
        }
        if report.spurious_energy > SPURIOUS_ENERGY_LIMIT && report.uses_history && !self.drop_history {
            return (Verdict::Retry, Self { is_retry: true, drop_history: true, ..self });
        }
        if report.spurious_energy > SPURIOUS_ENERGY_LIMIT && self.level < self.plan.deepest {
            return self.retry(self.level + 1);
        }
        (Verdict::Commit, self.advanced(report, *broken > 0))
    }

    /// Drops a step. The next one has this finer `level`, if there is one.
    fn retry(self, level: u32) -> (Verdict, Self) {
        let verdict = if level > self.level { Verdict::Retry } else { Verdict::GiveUp };
        (verdict, Self { level, is_retry: true, ..self })
    }

    /// Advances by a committed step, and selects the length of the next one.
    fn advanced(mut self, report: &StepReport, broke: bool) -> Self {
        (self.is_retry, self.drop_history) = (false, false);
        self.complete();
        let is_slow = report.max_newton_iterations > MANY_ITERATIONS;
        if self.level < self.plan.finest && (report.deviation > self.deviation || is_slow) {
            self.level += 1;
        } else if self.level > 0 && self.done.is_multiple_of(self.ticks(self.level - 1)) {
            // forced cuts are undone at once; other steps grow if twice the length is acceptable
            let forced = self.level > self.plan.finest;
            let easy =
                4.0 * report.deviation < self.deviation && !broke && report.max_newton_iterations <= FEW_ITERATIONS;
            self.level -= u32::from(forced || easy);
        }
        self
    }

    /// Completes a step of the current level.
    fn complete(&mut self) {
        self.done = (self.done + self.ticks(self.level)) % self.ticks(0);
    }

    /// Number of ticks of a step at `level`.
    fn ticks(&self, level: u32) -> u64 {
        1 << (self.plan.deepest - level)
    }
}
