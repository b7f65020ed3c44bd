use serde::{Deserialize, Serialize};

use crate::integrate::sleep::SUBSTEPS;
use crate::integrate::{NEWTON_ITERATIONS, Step, StepKind, StepReport};

use super::step_control::{Outcome, SPURIOUS_ENERGY_LIMIT, StepControl, Verdict};
use super::{ControlSettings, ExplicitSubsteps, StepPlan};

/// Limit on the length of a run of substeps, in periods T, and so on the shortest implicit step; the minimum is half of
/// it. Shorter implicit steps take more work than the explicit ones that they replace (`bdem compare`, `accuracy.md`).
pub(super) const RUN_PERIODS: f64 = 20.0;

/// Number of runs of substeps without a crack or a wake before implicit steps are tried, which would dissipate the waves of either. A
/// wave crosses a hundred particles in four runs.
const QUIET_RUNS: u32 = 4;

/// Ratio of work below which a kind of step replaces another. The gap to 1 prevents alternation, for both works are estimates.
const TAKES_OVER_BELOW: f64 = 0.6;

/// Limit on the excess work of implicit steps that did not pay, as a share of the work of the steps after them.
const TRIAL_SHARE: f64 = 0.05;

/// Limit on the excess work of implicit steps over the explicit ones that they replace, in runs of substeps.
const EXCESS_RUNS: f64 = 2.0;

/// Factor on measured work, for each step of another kind: what was measured grows old.
const KEPT: f64 = 0.95;

/// Work of an implicit step and of each of its Newton iterations, in explicit steps; then of an iteration of conjugate
/// gradients. A Newton iteration with its 10 to 18 of conjugate gradients takes the time of 20 to 25 explicit steps: BDF2 at
/// 20 T beside Verlet, one thread, `scenes/slab.toml` and the template `mesh` at 3000 particles.
const NEWTON_WORK: f64 = 10.0;
const CG_WORK: f64 = 0.7;

/// State machine of a simulation: kind and length of the next step, from the outcomes of earlier ones. Integrators other than
/// `auto` have one kind. Work is counted, so that no decision depends on the clock. The book's page on integrators draws it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    phase: Phase,
    /// Lengths of steps of one kind or of implicit ones, and the position within a nominal step.
    lengths: StepControl,
    substeps: Substeps,
    /// Whether pieces may sleep at some time.
    sleeps: bool,
    /// Number of runs of substeps since the last crack or wake.
    quiet: u32,
    /// Work before implicit steps are tried again, in runs of substeps.
    wait: f64,
    /// Last measured work of implicit steps, and of steps with sleeping pieces, over that of explicit steps. Zero before the
    /// first: each kind is tried once.
    implicit: f64,
    asleep: f64,
}

/// Kind of the current steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Phase {
    /// Steps of one kind, under step control.
    Only {
        /// Whether they are explicit.
        explicit: bool,
    },
    /// Explicit steps of active pieces, the others asleep.
    Asleep {
        /// Number of halvings of the next step: that of substeps of the subsystem, or of a longer flight of all pieces.
        halvings: u32,
    },
    /// Explicit steps of everything.
    Explicit {
        /// Number of steps left in the run.
        left: u32,
        /// Whether a bond broke in it.
        breaks: bool,
    },
    /// BDF2 of `auto`, under step control.
    Implicit {
        /// Excess work over the replaced explicit steps, at least zero: earlier savings do not count.
        excess: f64,
        /// Work of dropped steps since the last committed one.
        dropped: f64,
    },
}

/// Explicit substeps, as long as the shortest implicit one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Substeps {
    /// Number of halvings of a step of the same length.
    halvings: u32,
    /// Number of steps in the current run, and in one that nothing divides.
    steps: u32,
    least_steps: u32,
}

impl Machine {
    /// Machine for the steps of `plan` in a world with this number of `bonds`. If the plan has no run of substeps, its
    /// steps are of one kind. Otherwise it begins with sleeping pieces if possible, or else with explicit steps: what begins
    /// may be a wave, which a long step would damp.
    pub fn new(plan: StepPlan, is_explicit: bool, settings: &ControlSettings, bonds: usize) -> Self {
        let ExplicitSubsteps { halvings, sleeps, steps } =
            plan.explicit_substeps.unwrap_or(ExplicitSubsteps { halvings: 0, sleeps: None, steps: 1 });
        let substeps = Substeps { halvings, steps, least_steps: steps };
        let phase = match plan.explicit_substeps {
            None => Phase::Only { explicit: is_explicit },
            Some(_) if sleeps.is_some_and(|from| from <= 0.0) => Phase::Asleep { halvings },
            Some(_) => Phase::Explicit { left: steps, breaks: false },
        };
        let (lengths, sleeps) = (StepControl::new(plan, settings, bonds), sleeps.is_some());
        Self { phase, lengths, substeps, sleeps, quiet: 0, wait: 0.0, implicit: 0.0, asleep: 0.0 }
    }

    /// Whether it has the plan of `other`, and a valid state.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Substeps { halvings, steps, least_steps, .. } = self.substeps;
        let is_sound = match self.phase {
            Phase::Asleep { halvings: at } => self.sleeps && at <= halvings,
            Phase::Explicit { left, .. } => (1..=steps).contains(&left),
            Phase::Implicit { .. } => true,
            Phase::Only { .. } => self.phase == other.phase,
        };
        let is_like = self.lengths.is_like(&other.lengths)
            && self.is_only() == other.is_only()
            && (halvings, self.sleeps) == (other.substeps.halvings, other.sleeps);
        is_like && is_sound && (1..=steps).contains(&least_steps)
    }

    fn is_only(&self) -> bool {
        matches!(self.phase, Phase::Only { .. })
    }

    /// Next step.
    pub fn next(&self) -> Step {
        let (lengths, step) = (&self.lengths, self.lengths.step());
        let explicit_dt = lengths.length(self.substeps.halvings) / f64::from(self.substeps.steps);
        let step = Step { explicit_dt, ..step };
        match self.phase {
            Phase::Only { explicit: true } => Step { kind: StepKind::Explicit { first: true, last: true }, ..step },
            Phase::Asleep { halvings } => {
                Step { kind: StepKind::Asleep, dt: lengths.length(lengths.fitting(halvings)), ..step }
            }
            Phase::Explicit { left, .. } => {
                let kind = StepKind::Explicit { first: left == self.substeps.steps, last: left == 1 };
                Step { kind, dt: explicit_dt, ..step }
            }
            Phase::Only { .. } | Phase::Implicit { .. } => step,
        }
    }

    /// Whether a nominal step is complete.
    pub fn is_at_nominal(&self) -> bool {
        self.lengths.is_at_nominal() && !matches!(self.next().kind, StepKind::Explicit { first: false, .. })
    }

    /// Halves the next step, if it is explicit or of `auto`, until `allows(its length (s), whether it is explicit)`. Explicit steps
    /// replace the shortest implicit one. The next run has its usual steps again.
    pub fn shorten(&mut self, mut allows: impl FnMut(f64, bool) -> bool) {
        /// Limit on the number of substeps in a run.
        const MOST: u32 = 1 << 24;
        match self.phase {
            Phase::Only { explicit: true } => drop(self.lengths.shorten(|dt| allows(dt, true))),
            Phase::Implicit { .. } if !self.lengths.shorten(|dt| allows(dt, false)) => self.begin_explicit(),
            _ => {}
        }
        let length = self.lengths.length(self.substeps.halvings);
        if let Phase::Explicit { left, .. } = &mut self.phase {
            while self.substeps.steps < MOST && !allows(length / f64::from(self.substeps.steps), true) {
                (self.substeps.steps, *left) = (2 * self.substeps.steps, 2 * *left);
            }
        }
    }

    /// Ends the next implicit step, or that with sleeping pieces, at the first of the `kinks` (s) after `time` (s), within half of
    /// the shortest length that `plan` leaves to step control. Explicit steps of `auto` begin at one, for they resolve the waves
    /// that it sends out.
    pub fn meet_kinks(&mut self, kinks: &[f64], time: f64, plan: &StepPlan) {
        let half = 0.5 * plan.length(plan.finest);
        let before = |time: f64| kinks.partition_point(|kink| *kink <= time);
        let fits = |dt: f64| before(time + half) >= before(time + dt - half);
        let is_now = before(time - half) < before(time + half);
        match &mut self.phase {
            Phase::Implicit { .. } if is_now => self.begin_explicit(),
            Phase::Implicit { .. } | Phase::Only { explicit: false } => drop(self.lengths.shorten(fits)),
            Phase::Asleep { halvings } => {
                while *halvings < self.substeps.halvings && !fits(self.lengths.length(self.lengths.fitting(*halvings)))
                {
                    *halvings += 1;
                }
            }
            Phase::Explicit { .. } | Phase::Only { .. } => {}
        }
    }

    /// Updates the state after a step. Returns the decision about it.
    pub fn update(&mut self, outcome: &Outcome) -> Verdict {
        let (verdict, next) = self.after(outcome);
        *self = next;
        verdict
    }

    /// Decision about a step, and the next state.
    pub fn after(mut self, outcome: &Outcome) -> (Verdict, Self) {
        match self.phase {
            Phase::Only { .. } => (self.lengths.update(outcome), self),
            Phase::Asleep { halvings } => self.after_asleep(halvings, outcome),
            Phase::Explicit { left, breaks } => self.after_explicit(left, breaks, outcome),
            Phase::Implicit { .. } => self.after_implicit(outcome),
        }
    }

    /// A step is always committed unless its state is not finite; explicit steps then find the cause. Explicit steps follow one
    /// that took more work than they do, implicit ones if these take less.
    fn after_asleep(mut self, halvings: u32, outcome: &Outcome) -> (Verdict, Self) {
        let Outcome::Solved { report: StepReport { sleep, .. }, broken } = outcome else {
            self.begin_explicit();
            self.lengths.repeat();
            return (Verdict::Retry, self);
        };
        let work = sleep.work.unwrap_or(1.0);
        let taken = self.lengths.fitting(halvings);
        self.lengths.pass(taken);
        (self.asleep, self.implicit) = (work, KEPT * self.implicit);
        self.pass(work * libm::exp2(f64::from(self.substeps.halvings) - f64::from(taken)), *broken > 0 || sleep.woken);
        self.phase = if self.may_try_implicit() && self.implicit < TAKES_OVER_BELOW * work {
            Phase::Implicit { excess: 0.0, dropped: 0.0 }
        } else {
            Phase::Asleep { halvings: self.flight_halvings(sleep.free) }
        };
        if work > 1.0 && matches!(self.phase, Phase::Asleep { .. }) {
            self.begin_explicit();
        }
        (Verdict::Commit, self)
    }

    /// Number of halvings of the longest step in which all pieces fly freely for a time `free` (s), or of one with contacts if that is longer.
    fn flight_halvings(&self, free: f64) -> u32 {
        let at_contact = self.sleep_halvings();
        (0..at_contact).find(|halvings| self.lengths.length(*halvings) <= free).unwrap_or(at_contact)
    }

    /// Number of halvings of a step with sleeping pieces: the longest within a run of substeps of the subsystem.
    fn sleep_halvings(&self) -> u32 {
        let runs = libm::log2(SUBSTEPS / f64::from(self.substeps.steps)).max(0.0);
        self.substeps.halvings.saturating_sub(runs as u32)
    }

    /// Phase after an explicit step. A failed one is halved with the rest of its run; after a run another kind may follow.
    fn after_explicit(mut self, left: u32, breaks: bool, outcome: &Outcome) -> (Verdict, Self) {
        /// Limit on the number of substeps in a run over the least number.
        const MOST: u32 = 64;
        let Outcome::Solved { report, broken } = outcome else {
            self.lengths.repeat();
            if self.substeps.steps >= self.substeps.least_steps.saturating_mul(MOST) {
                return (Verdict::GiveUp, self);
            }
            self.substeps.steps *= 2;
            self.phase = Phase::Explicit { left: 2 * left, breaks };
            return (Verdict::Retry, self);
        };
        let (left, breaks) = (left - 1, breaks || *broken > 0);
        self.phase = Phase::Explicit { left, breaks };
        self.lengths.go_on();
        if left > 0 {
            return (Verdict::Commit, self);
        }
        self.lengths.pass(self.substeps.halvings);
        self.substeps.steps = self.substeps.least_steps;
        self.pass(1.0, breaks);
        self.phase = if self.sleeps && report.sleep.work.is_some_and(|work| work < TAKES_OVER_BELOW) {
            Phase::Asleep { halvings: self.sleep_halvings() }
        } else if self.may_try_implicit() && self.lengths.excess(report) <= 1.0 {
            Phase::Implicit { excess: 0.0, dropped: 0.0 }
        } else {
            Phase::Explicit { left: self.substeps.steps, breaks: false }
        };
        (Verdict::Commit, self)
    }

    /// Explicit steps replace the shortest one if it breaks bonds, fails, deviates too far, or has spurious energy. They replace
    /// any if implicit steps take more work. Steps with sleeping pieces follow if these take less.
    fn after_implicit(mut self, outcome: &Outcome) -> (Verdict, Self) {
        let halvings = self.lengths.halvings();
        let (report, breaks, goes_far, goes_off) = match outcome {
            Outcome::Solved { report, broken } => {
                let is_spurious = report.spurious_energy > SPURIOUS_ENERGY_LIMIT && !report.uses_history;
                let [off, far] = [1.0, 2.0].map(|times| self.lengths.excess(report) > times);
                (Some(report), *broken > 0, far || is_spurious, off)
            }
            Outcome::Failed => (None, false, true, true),
        };
        let is_shortest = halvings == self.substeps.halvings;
        let verdict = if is_shortest && (breaks || goes_far) {
            self.lengths.repeat();
            Verdict::Retry
        } else if breaks {
            self.lengths.retry(halvings + 1)
        } else {
            self.lengths.update(outcome)
        };
        let taken = (verdict == Verdict::Commit).then_some(halvings);
        let is_too_expensive = self.count_implicit(report, taken);
        let is_replaced = is_shortest && (breaks || goes_far || goes_off && taken.is_some());
        if is_too_expensive || is_replaced {
            self.begin_explicit();
        }
        (verdict, self)
    }

    /// Counts the work of a trial of an implicit step, with its `report` unless it failed. `taken` is its halvings if it was
    /// committed. Returns whether implicit steps took too much work.
    fn count_implicit(&mut self, report: Option<&StepReport>, taken: Option<u32>) -> bool {
        let Phase::Implicit { excess, dropped } = self.phase else { return false };
        let work = work_of_implicit(report);
        let steps = f64::from(self.substeps.steps);
        let replaced = taken.map_or(0.0, |halvings| steps * libm::exp2(f64::from(self.substeps.halvings - halvings)));
        let (excess, dropped) = ((excess + work - replaced).max(0.0), dropped + work);
        self.phase = Phase::Implicit { excess, dropped };
        if taken.is_some() {
            (self.implicit, self.asleep) = (dropped / replaced, KEPT * self.asleep);
            self.phase = Phase::Implicit { excess, dropped: 0.0 };
            let asleep =
                report.and_then(|report| report.sleep.work).filter(|_| self.sleeps).map(|work| work.max(self.asleep));
            if let Some(work) = asleep.filter(|work| *work < TAKES_OVER_BELOW * self.implicit) {
                self.wait = (self.implicit - work) * replaced / (TRIAL_SHARE * steps);
                self.phase = Phase::Asleep { halvings: self.sleep_halvings() };
                return false;
            }
        }
        excess > EXCESS_RUNS * steps
    }

    /// Begins explicit steps, after steps of another kind.
    fn begin_explicit(&mut self) {
        if let Phase::Implicit { excess, .. } = self.phase {
            self.wait = excess / (TRIAL_SHARE * f64::from(self.substeps.steps));
        }
        self.phase = Phase::Explicit { left: self.substeps.steps, breaks: false };
        self.quiet = 0;
        self.lengths.restart();
    }

    /// Counts a step or run of this `work`, in runs of substeps, in which a bond broke or a piece woke if it `breaks_or_wakes`.
    fn pass(&mut self, work: f64, breaks_or_wakes: bool) {
        self.quiet = if breaks_or_wakes { 0 } else { self.quiet.saturating_add(1) };
        self.wait = (self.wait - work).max(0.0);
    }

    fn may_try_implicit(&self) -> bool {
        self.quiet >= QUIET_RUNS && self.wait == 0.0
    }
}

/// Work of an implicit step in explicit ones. A failed one counts with the maximum number of Newton iterations.
fn work_of_implicit(report: Option<&StepReport>) -> f64 {
    let of = |report: &StepReport| [report.newton_iterations, report.cg_iterations];
    let [newtons, cgs] = report.map_or([NEWTON_ITERATIONS, 0], of).map(f64::from);
    NEWTON_WORK * (1.0 + newtons) + CG_WORK * cgs
}
