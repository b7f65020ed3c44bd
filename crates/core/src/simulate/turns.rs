use serde::{Deserialize, Serialize};

use crate::integrate::{AUTO, StepKind, StepReport};

/// Selection of the kind of step with `integrator = "auto"`, by counted work. It does not depend on the clock.
///
/// A block of explicit steps is as long as the shortest implicit step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Turns {
    /// Level of a step as long as a block.
    level: u32,
    /// Number of explicit steps in a block, and whether it is exact.
    steps: u32,
    is_exact: bool,
    /// The same where nothing divides it.
    least_steps: u32,
    /// Explicit steps left in the current block; zero outside blocks.
    left: u32,
    /// Bonds that broke in the block.
    broken: usize,
    /// Number of blocks since the last running crack. Isolated breaks in a lightly loaded world do not count.
    quiet_blocks: u32,
    /// Number of such blocks before implicit steps are tried.
    implicit_pause: u32,
    implicit: ImplicitTurn,
    /// Turns with sleeping pieces, where possible.
    asleep: Option<AsleepTurn>,
}

/// Work of a turn of implicit steps, in explicit steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ImplicitTurn {
    /// Saved explicit steps.
    gain: f64,
    /// Excess work over the replaced explicit steps, at least zero: earlier savings do not count.
    excess: f64,
    /// Work of dropped steps since the last committed one.
    dropped: f64,
}

/// Turn of explicit steps with sleeping pieces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct AsleepTurn {
    /// Whether it is active.
    is_on: bool,
    /// Level of the next step.
    level: u32,
    /// Steps before a longer one is tried, in which all pieces fly, and the value after the next failure.
    steps_to_flight: u32,
    flight_pause: u32,
    /// Work of the last implicit steps, and of the last steps with sleeping pieces, over that of explicit steps.
    implicit: f64,
    work: f64,
    /// Steps before implicit ones are tried again, and the value after the next turn that does not pay.
    steps_to_implicit: u32,
    implicit_pause: u32,
}

impl Turns {
    /// Turns that begin with sleeping pieces if possible, or else with explicit steps: what begins may be a wave, which a long
    /// step would damp. A block has about this number of `steps`.
    pub(super) fn new(level: u32, steps: u32, sleeps: bool) -> Self {
        let asleep = sleeps.then_some(AsleepTurn {
            is_on: true,
            level,
            steps_to_flight: 0,
            flight_pause: 1,
            implicit: AUTO.initial_implicit_work,
            work: 0.0,
            steps_to_implicit: 0,
            implicit_pause: AUTO.steps_before_implicit[0],
        });
        let left = if sleeps { 0 } else { steps };
        let (broken, quiet_blocks, implicit_pause) = (0, 0, AUTO.blocks_before_implicit[0]);
        Self {
            level,
            steps,
            is_exact: false,
            least_steps: steps,
            left,
            broken,
            quiet_blocks,
            implicit_pause,
            implicit: ImplicitTurn::default(),
            asleep,
        }
    }

    /// Whether the values are valid.
    pub(super) fn is_sound(&self) -> bool {
        let is_sound =
            |asleep: AsleepTurn| asleep.level <= self.level && asleep.implicit_pause <= AUTO.steps_before_implicit[1];
        self.asleep.is_none_or(is_sound)
            && (1..=AUTO.blocks_before_implicit[1]).contains(&self.implicit_pause)
            && self.left <= self.steps
            && (1..=self.steps).contains(&self.least_steps)
    }

    /// Kind of the next step.
    pub(super) fn kind(&self) -> StepKind {
        match self.left {
            0 if self.asleep.is_some_and(|asleep| asleep.is_on) => {
                StepKind::Asleep { far: self.asleep_level() < self.level }
            }
            0 => StepKind::Implicit,
            left => StepKind::Explicit { first: left == self.steps, last: left == 1 },
        }
    }

    /// Level of a step as long as a block.
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Number of explicit steps in a block.
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }

    /// Level of the next step with sleeping pieces.
    pub(super) fn asleep_level(&self) -> u32 {
        self.asleep.map_or(self.level, |asleep| asleep.level)
    }

    /// Update after a failed step with sleeping pieces. A shorter one follows, or explicit steps.
    pub(super) fn after_failed_sleep(&mut self) {
        match &mut self.asleep {
            Some(asleep) if asleep.level < self.level => {
                asleep.level = self.level;
                (asleep.steps_to_flight, asleep.flight_pause) =
                    (asleep.flight_pause, (2 * asleep.flight_pause).min(AUTO.steps_before_flight));
            }
            _ => self.begin_explicit(),
        }
    }

    /// Update after a committed step with sleeping pieces in which this number of bonds broke. Explicit steps follow if it took
    /// nearly their work, implicit ones if these take less.
    pub(super) fn after_asleep(&mut self, report: &StepReport, broken: usize) {
        let Some(asleep) = &mut self.asleep else { return };
        let work = report.asleep_work.unwrap_or(1.0);
        (asleep.work, asleep.implicit) = (work, AUTO.work_decay * asleep.implicit);
        if asleep.level < self.level {
            asleep.flight_pause = 1;
        }
        // if all pieces fly, the next step may be twice as long
        asleep.steps_to_flight = asleep.steps_to_flight.saturating_sub(1);
        let is_longer = work == 0.0 && asleep.steps_to_flight == 0;
        asleep.level = if is_longer { asleep.level.saturating_sub(1) } else { self.level };
        asleep.steps_to_implicit = if report.woken {
            asleep.steps_to_implicit.max(AUTO.steps_after_wake)
        } else {
            asleep.steps_to_implicit.saturating_sub(1)
        };
        if broken == 0 && asleep.steps_to_implicit == 0 && asleep.implicit < AUTO.takes_over_below * work {
            asleep.is_on = false;
            self.implicit = ImplicitTurn::default();
        } else if work > AUTO.sleep_ends_above {
            self.begin_explicit();
        }
    }

    /// Whether an exact number of explicit steps is needed.
    pub(super) fn asks_for_limit(&self) -> bool {
        self.kind() != StepKind::Implicit && !self.is_exact
    }

    /// Answers [`Self::asks_for_limit`].
    pub(super) fn set_steps(&mut self, steps: u32) {
        self.left = if self.left > 0 { steps } else { 0 };
        (self.steps, self.least_steps, self.is_exact) = (steps, steps, true);
    }

    /// Doubles the number of steps in what is left of a block until it is allowed.
    pub(super) fn divide(&mut self, mut allows: impl FnMut(u32) -> bool) {
        /// Limit on the number of steps in a block.
        const MOST: u32 = 1 << 24;
        while self.steps < MOST && !allows(self.steps) {
            (self.steps, self.left) = (2 * self.steps, 2 * self.left);
        }
    }

    /// Doubles the number of steps in what is left of a block, after one that failed. Returns false if there are too many.
    pub(super) fn after_failed_explicit(&mut self) -> bool {
        /// Limit on the number of steps over the least number.
        const MOST: u32 = 64;
        if self.steps >= self.least_steps.saturating_mul(MOST) {
            return false;
        }
        (self.steps, self.left) = (2 * self.steps, 2 * self.left);
        true
    }

    /// Starts a turn of explicit steps.
    pub(super) fn begin_explicit(&mut self) {
        let pays = self.implicit.gain > AUTO.excess_of_implicit * f64::from(self.steps);
        let next = |pause: u32, [least, most]: [u32; 2]| if pays { least } else { (2 * pause).min(most) };
        self.implicit_pause = next(self.implicit_pause, AUTO.blocks_before_implicit);
        if let Some(asleep) = &mut self.asleep {
            asleep.implicit_pause = next(asleep.implicit_pause, AUTO.steps_before_implicit);
            (asleep.is_on, asleep.steps_to_implicit) = (false, asleep.implicit_pause);
        }
        (self.left, self.broken, self.quiet_blocks, self.implicit) = (self.steps, 0, 0, ImplicitTurn::default());
    }

    /// Update after an explicit step that broke this number of bonds. Returns whether the block is complete. Implicit steps
    /// follow if there was no running crack for long enough, and the block's deviation is at most `deviation`. `runs` decides
    /// whether breaks are a running crack.
    pub(super) fn after_explicit(
        &mut self,
        report: &StepReport,
        broken: usize,
        runs: impl FnOnce(usize) -> bool,
        deviation: f64,
    ) -> bool {
        self.left -= 1;
        self.broken += broken;
        if self.left > 0 {
            return false;
        }
        self.steps = self.least_steps;
        self.quiet_blocks = if runs(std::mem::take(&mut self.broken)) { 0 } else { self.quiet_blocks + 1 };
        match &mut self.asleep {
            Some(asleep) if report.asleep_work.is_some_and(|work| work < AUTO.sleep_begins_below) => {
                (asleep.is_on, asleep.level) = (true, self.level);
            }
            _ if self.quiet_blocks < self.implicit_pause || report.deviation > deviation => self.left = self.steps,
            _ => {}
        }
        true
    }

    /// Number of breaks in the block that a step with `broken` breaks completes. An implicit step is a block. Zero if the step
    /// completes none.
    pub(super) fn broken_with(&self, broken: usize) -> usize {
        match self.left {
            0 => broken,
            1 => self.broken + broken,
            _ => 0,
        }
    }

    /// Update after a trial of an implicit step, with its `report` unless it failed. `taken` is its level if it was committed.
    pub(super) fn after_implicit(&mut self, report: Option<&StepReport>, taken: Option<u32>) {
        let work = work_of_implicit(report);
        let replaced = |level: u32| f64::from(self.steps) * libm::exp2(f64::from(self.level - level));
        let replaced = taken.map_or(0.0, replaced);
        let turn = &mut self.implicit;
        turn.gain += replaced - work;
        turn.excess = (turn.excess + work - replaced).max(0.0);
        turn.dropped += work;
        if taken.is_none() {
            return;
        }
        let work = std::mem::take(&mut turn.dropped);
        if let Some(asleep) = &mut self.asleep {
            (asleep.implicit, asleep.work) = (work / replaced, AUTO.work_decay * asleep.work);
            let of_sleep = report.and_then(|report| report.asleep_work);
            if of_sleep.is_some_and(|work| work.max(asleep.work) < AUTO.takes_over_below * asleep.implicit) {
                (asleep.is_on, asleep.level) = (true, self.level);
            }
        }
    }

    /// Whether implicit steps take more work than explicit ones.
    pub(super) fn are_too_expensive(&self) -> bool {
        self.implicit.excess > AUTO.excess_of_implicit * f64::from(self.steps)
    }
}

/// Work of an implicit step in explicit ones. A failed one counts with the maximum number of Newton iterations.
fn work_of_implicit(report: Option<&StepReport>) -> f64 {
    let [step, newton, cg] = AUTO.implicit_work;
    let of = |report: &StepReport| [report.newton_iterations, report.cg_iterations].map(f64::from);
    let [newtons, cgs] = report.map_or([f64::from(AUTO.newton_iterations), 0.0], of);
    step + newton * newtons + cg * cgs
}
