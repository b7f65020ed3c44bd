use serde::{Deserialize, Serialize};

use crate::integrate::{AUTO, StepKind, StepReport};

/// Whose turn it is with `integrator = "auto"`, by counted work: no clock is asked.
///
/// A block of explicit steps is as long as the shortest implicit step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turns {
    /// How often a nominal step is halved to be as long as a block.
    level: u32,
    /// Explicit steps in a block, and whether that is more than an estimate.
    steps: u32,
    is_exact: bool,
    /// Explicit steps that are left in the current block; none in an implicit turn.
    left: u32,
    /// Bonds that broke in it.
    broken: usize,
    /// Blocks since a crack ran in one: a few bonds of a lightly loaded world are none.
    quiet_blocks: u32,
    /// Calm blocks before implicit steps are tried.
    implicit_pause: u32,
    implicit: ImplicitTurn,
    /// With sleeping pieces, where they may sleep.
    asleep: Option<AsleepTurn>,
}

/// Work of a turn of implicit steps, in explicit steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct ImplicitTurn {
    /// Explicit steps that it has saved.
    gain: f64,
    /// Work beyond that of the explicit steps which it replaced, never below zero: what was saved earlier does not count.
    excess: f64,
    /// Work of steps that were dropped since the last that was taken.
    dropped: f64,
}

/// Explicit steps with sleeping pieces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct AsleepTurn {
    /// Whether they have their turn.
    is_on: bool,
    /// How often a nominal step is halved for the next.
    level: u32,
    /// Steps before a longer one is tried, in which all fly, and how many are waited for the next time if it fails too.
    steps_to_flight: u32,
    flight_pause: u32,
    /// Work of the last implicit steps, and of the last steps with sleeping pieces, over that of explicit ones.
    implicit: f64,
    work: f64,
    /// Steps before implicit ones are tried again, and how many are waited for the next time if these do not pay.
    steps_to_implicit: u32,
    implicit_pause: u32,
}

impl Turns {
    /// Begins with sleeping pieces where they may sleep, or else with an implicit step; about so many `steps` make a block.
    pub fn new(level: u32, steps: u32, sleeps: bool) -> Self {
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
        let (left, broken, quiet_blocks, implicit_pause) = (0, 0, 0, AUTO.blocks_before_implicit[0]);
        Self {
            level,
            steps,
            is_exact: false,
            left,
            broken,
            quiet_blocks,
            implicit_pause,
            implicit: ImplicitTurn::default(),
            asleep,
        }
    }

    /// Whether it makes sense.
    pub fn is_sound(&self) -> bool {
        let is_sound =
            |asleep: AsleepTurn| asleep.level <= self.level && asleep.implicit_pause <= AUTO.steps_before_implicit[1];
        self.asleep.is_none_or(is_sound)
            && (1..=AUTO.blocks_before_implicit[1]).contains(&self.implicit_pause)
            && self.left <= self.steps
            && self.steps > 0
    }

    /// How the next step goes.
    pub fn kind(&self) -> StepKind {
        match self.left {
            0 if self.asleep.is_some_and(|asleep| asleep.is_on) => {
                StepKind::Asleep { far: self.asleep_level() < self.level }
            }
            0 => StepKind::Implicit,
            left => StepKind::Explicit { first: left == self.steps, last: left == 1 },
        }
    }

    /// How often a nominal step is halved to be as long as a block.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Explicit steps in a block.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// How often a nominal step is halved for the next step with sleeping pieces.
    pub fn asleep_level(&self) -> u32 {
        self.asleep.map_or(self.level, |asleep| asleep.level)
    }

    /// A step with sleeping pieces failed: a shorter one follows, or explicit steps of all.
    pub fn after_failed_sleep(&mut self) {
        match &mut self.asleep {
            Some(asleep) if asleep.level < self.level => {
                asleep.level = self.level;
                (asleep.steps_to_flight, asleep.flight_pause) =
                    (asleep.flight_pause, (2 * asleep.flight_pause).min(AUTO.steps_before_flight));
            }
            _ => self.begin_explicit(),
        }
    }

    /// A step with sleeping pieces was taken in which so many bonds broke. Explicit steps of all follow where it took nearly as much work,
    /// implicit ones where these take less.
    pub fn after_asleep(&mut self, report: &StepReport, broken: usize) {
        let Some(asleep) = &mut self.asleep else { return };
        let work = report.asleep_work.unwrap_or(1.0);
        (asleep.work, asleep.implicit) = (work, AUTO.work_decay * asleep.implicit);
        if asleep.level < self.level {
            asleep.flight_pause = 1;
        }
        // where all fly the next step may be twice as long
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

    /// Whether explicit steps begin and how many make a block is an estimate.
    pub fn asks_for_limit(&self) -> bool {
        self.kind() != StepKind::Implicit && !self.is_exact
    }

    /// Answers [`Self::asks_for_limit`].
    pub fn set_steps(&mut self, steps: u32) {
        self.left = if self.left > 0 { steps } else { 0 };
        (self.steps, self.is_exact) = (steps, true);
    }

    /// Explicit steps have their turn now.
    pub fn begin_explicit(&mut self) {
        let pays = self.implicit.gain > AUTO.excess_of_implicit * f64::from(self.steps);
        let next = |pause: u32, [least, most]: [u32; 2]| if pays { least } else { (2 * pause).min(most) };
        self.implicit_pause = next(self.implicit_pause, AUTO.blocks_before_implicit);
        if let Some(asleep) = &mut self.asleep {
            asleep.implicit_pause = next(asleep.implicit_pause, AUTO.steps_before_implicit);
            (asleep.is_on, asleep.steps_to_implicit) = (false, asleep.implicit_pause);
        }
        (self.left, self.broken, self.quiet_blocks, self.implicit) = (self.steps, 0, 0, ImplicitTurn::default());
    }

    /// An explicit step was taken that broke so many bonds. Says whether that completes a block; implicit steps have their turn
    /// after it if no crack ran for long (`runs` says so of what broke), and the block deviates so little that one of them would
    /// have done.
    pub fn after_explicit(
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

    /// Bonds that will have broken in the block that a step completes, an implicit one by itself, if so many break in it; none
    /// where it completes none.
    pub fn broken_with(&self, broken: usize) -> usize {
        match self.left {
            0 => broken,
            1 => self.broken + broken,
            _ => 0,
        }
    }

    /// An implicit step was tried, of which a `report` is known if it did not fail; one at a level was `taken`, or it was dropped.
    pub fn after_implicit(&mut self, report: Option<&StepReport>, taken: Option<u32>) {
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

    /// Whether implicit steps take more work than explicit ones would.
    pub fn are_too_expensive(&self) -> bool {
        self.implicit.excess > AUTO.excess_of_implicit * f64::from(self.steps)
    }
}

/// Work of an implicit step in explicit ones: of one that failed, as much as Newton's iterations may take.
fn work_of_implicit(report: Option<&StepReport>) -> f64 {
    let [step, newton, cg] = AUTO.implicit_work;
    let of = |report: &StepReport| [report.newton_iterations, report.cg_iterations].map(f64::from);
    let [newtons, cgs] = report.map_or([f64::from(AUTO.newton_iterations), 0.0], of);
    step + newton * newtons + cg * cgs
}
