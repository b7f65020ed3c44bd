use serde::{Deserialize, Serialize};

use crate::integrate::{StepReport, Way};

/// Whose turn it is with `integrator = "auto"`, by what has been: no clock is asked.
///
/// A stretch of explicit steps is as long as the shortest implicit step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turns {
    /// How often a nominal step is halved to be as long as a stretch.
    level: u32,
    /// Explicit steps in a stretch, and whether that is more than an estimate.
    steps: u32,
    is_exact: bool,
    /// Explicit steps that are left in the stretch at hand; none in an implicit turn.
    left: u32,
    /// Bonds that broke in it.
    broken: usize,
    /// Stretches since a crack ran in one: a few bonds of a slack world are none.
    calm: u32,
    /// Calm stretches before implicit steps are tried.
    wait: u32,
    /// Implicit steps that were taken in this turn, and how many of the last took more work than explicit ones would have.
    taken: u32,
    dear: u32,
    /// Whose pieces sleep, where they may.
    asleep: Option<AsleepTurn>,
}

/// Explicit steps with pieces asleep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct AsleepTurn {
    /// Whether they have their turn.
    is_on: bool,
    /// How often a nominal step is halved for the next.
    level: u32,
    /// Steps before a longer one is tried, in which all fly, and how many are waited for the next time if it fails too.
    near: u32,
    patience: u32,
    /// Work of the last implicit steps, and of the last steps with pieces asleep, over that of explicit ones.
    implicit: f64,
    work: f64,
    /// Steps before implicit ones are tried again, and how many are waited for the next time if these fail at once.
    after: u32,
    wait: u32,
}

/// Work of steps with pieces asleep, over that of explicit steps, from which on these take no more.
const WIDE_AWAKE: f64 = 0.8;

/// Work of steps with pieces asleep, over that of explicit steps, below which these let them: what is awake soon is not known.
const SLEEPY: f64 = 0.5;

/// Work of implicit steps over that of steps with pieces asleep, or the other way round, below which they take their turn.
const PAYS: f64 = 0.8;

/// Work of implicit steps, over that of explicit ones, where it is not known: low, so that they are tried once.
const UNTRIED: f64 = 0.05;

/// Factor on the work of what does not have its turn, each step: what it took is known ever less.
const AGES: f64 = 0.95;

/// Steps with pieces asleep after a blow that woke one, before implicit ones are tried: these take the energy of a bounce.
const AFTER_BLOW: u32 = 8;

/// Steps at most before another far flight is tried.
const MOST_PATIENCE: u32 = 16;

/// Steps with pieces asleep before implicit ones are tried again, and at most where these fail at once.
const AFTER_SLEEP: [u32; 2] = [4, 256];

/// Calm stretches before implicit steps are tried: a wave has crossed a hundred particles. Where they did not go on for
/// [`LASTING`] steps twice as many are waited for, and so on.
const WAITS: [u32; 2] = [4, 64];
const LASTING: u32 = 4;

/// So many implicit steps in a row that take more work than explicit ones end the turn.
const DEAR: u32 = 3;

/// Work of an implicit step, of a Newton iteration, and of one of conjugate gradients, over that of an explicit step: what
/// they took on scenes of 5000 to 50 000 particles.
const WORK: [f64; 3] = [5.0, 5.0, 0.3];

impl Turns {
    /// Begins with pieces asleep where they may be, or else with an implicit step; about so many `steps` make a stretch.
    pub fn new(level: u32, steps: u32, sleeps: bool) -> Self {
        let asleep = sleeps.then_some(AsleepTurn {
            is_on: true,
            level,
            near: 0,
            patience: 1,
            implicit: UNTRIED,
            work: 0.0,
            after: 0,
            wait: AFTER_SLEEP[0],
        });
        let (left, broken, calm, taken, dear) = (0, 0, 0, 0, 0);
        Self { level, steps, is_exact: false, left, broken, calm, wait: WAITS[0], taken, dear, asleep }
    }

    /// Whether it makes sense.
    pub fn is_sound(&self) -> bool {
        let is_sound = |asleep: AsleepTurn| asleep.level <= self.level && asleep.wait <= AFTER_SLEEP[1];
        self.asleep.is_none_or(is_sound)
            && (1..=WAITS[1]).contains(&self.wait)
            && self.left <= self.steps
            && self.steps > 0
    }

    /// How the next step goes.
    pub fn way(&self) -> Way {
        match self.left {
            0 if self.asleep.is_some_and(|asleep| asleep.is_on) => {
                Way::Asleep { far: self.asleep_level() < self.level }
            }
            0 => Way::Implicit,
            left => Way::Explicit { first: left == self.steps, last: left == 1 },
        }
    }

    /// How often a nominal step is halved to be as long as a stretch.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Explicit steps in a stretch.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// How often a nominal step is halved for the next step with pieces asleep.
    pub fn asleep_level(&self) -> u32 {
        self.asleep.map_or(self.level, |asleep| asleep.level)
    }

    /// A step with pieces asleep failed: a shorter one follows, or explicit steps of all.
    pub fn after_failed_sleep(&mut self) {
        match &mut self.asleep {
            Some(asleep) if asleep.level < self.level => {
                asleep.level = self.level;
                (asleep.near, asleep.patience) = (asleep.patience, (2 * asleep.patience).min(MOST_PATIENCE));
            }
            _ => self.begin_explicit(),
        }
    }

    /// A step with pieces asleep was taken in which so many bonds broke. Explicit steps of all follow where it took nearly as much work,
    /// implicit ones where these take less.
    pub fn after_asleep(&mut self, report: &StepReport, broken: usize) {
        let Some(asleep) = &mut self.asleep else { return };
        let work = report.asleep_work.unwrap_or(1.0);
        (asleep.work, asleep.implicit) = (work, AGES * asleep.implicit);
        if asleep.level < self.level {
            asleep.patience = 1;
        }
        // where all fly the next step may be twice as long
        asleep.near = asleep.near.saturating_sub(1);
        let is_longer = work == 0.0 && asleep.near == 0;
        asleep.level = if is_longer { asleep.level.saturating_sub(1) } else { self.level };
        asleep.after = if report.woken { asleep.after.max(AFTER_BLOW) } else { asleep.after.saturating_sub(1) };
        if broken == 0 && asleep.after == 0 && asleep.implicit < PAYS * work {
            asleep.is_on = false;
            self.taken = 0;
        } else if work > WIDE_AWAKE {
            self.begin_explicit();
        }
    }

    /// Whether explicit steps begin and how many make a stretch is an estimate.
    pub fn asks_for_limit(&self) -> bool {
        self.way() != Way::Implicit && !self.is_exact
    }

    /// Answers [`Self::asks_for_limit`].
    pub fn set_steps(&mut self, steps: u32) {
        self.left = if self.left > 0 { steps } else { 0 };
        (self.steps, self.is_exact) = (steps, true);
    }

    /// Explicit steps have their turn now.
    pub fn begin_explicit(&mut self) {
        self.wait = if self.taken < LASTING { (2 * self.wait).min(WAITS[1]) } else { WAITS[0] };
        if let Some(asleep) = &mut self.asleep {
            let is_short = self.taken < LASTING;
            asleep.wait = if is_short { (2 * asleep.wait).min(AFTER_SLEEP[1]) } else { AFTER_SLEEP[0] };
            (asleep.is_on, asleep.after) = (false, asleep.wait);
        }
        (self.left, self.broken, self.calm, self.taken, self.dear) = (self.steps, 0, 0, 0, 0);
    }

    /// An explicit step was taken that broke so many bonds. Says whether that completes a stretch; implicit steps have their turn
    /// after it if no crack ran for long (`runs` says so of what broke), and the stretch deviates so little that one of them would
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
        self.calm = if runs(std::mem::take(&mut self.broken)) { 0 } else { self.calm + 1 };
        match &mut self.asleep {
            Some(asleep) if report.asleep_work.is_some_and(|work| work < SLEEPY) => {
                (asleep.is_on, asleep.level) = (true, self.level);
            }
            _ if self.calm < self.wait || report.deviation > deviation => self.left = self.steps,
            _ => {}
        }
        true
    }

    /// Bonds that will have broken in the stretch that a step completes, an implicit one by itself, if so many break in it; none
    /// where it completes none.
    pub fn broken_with(&self, broken: usize) -> usize {
        match self.left {
            0 => broken,
            1 => self.broken + broken,
            _ => 0,
        }
    }

    /// An implicit step at a `level` was taken; explicit ones have their turn if they would take less work.
    pub fn after_implicit(&mut self, report: &StepReport, level: u32) {
        let [step, newton, cg] = WORK;
        let work = step + newton * f64::from(report.newton_iterations) + cg * f64::from(report.cg_iterations);
        let explicit = f64::from(self.steps) * libm::exp2(f64::from(self.level - level));
        self.taken += 1;
        if let Some(asleep) = &mut self.asleep {
            (asleep.implicit, asleep.work) = (work / explicit, AGES * asleep.work);
            if report.asleep_work.is_some_and(|work| work.max(asleep.work) < PAYS * asleep.implicit) {
                (asleep.is_on, asleep.level) = (true, self.level);
            }
        }
        self.dear = if work > explicit { self.dear + 1 } else { 0 };
    }

    /// Whether implicit steps take more work than explicit ones would.
    pub fn are_dear(&self) -> bool {
        self.dear >= DEAR
    }
}
