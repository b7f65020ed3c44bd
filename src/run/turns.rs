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
    /// Of rigid bodies, where pieces may move as such.
    rigid: Option<RigidTurn>,
}

/// When pieces move as rigid bodies: always where nothing strains them, which a step finds out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct RigidTurn {
    /// How often a nominal step is halved for the next such step.
    level: u32,
    /// The tick of the nominal step at which something will strike what they move, if it is near.
    strike: Option<u64>,
    /// Ticks that they went since something struck them.
    flown: u64,
    /// Implicit steps before the next, and before the one after that if it fails too.
    after: u32,
    wait: u32,
    /// Whether they have their turn amid explicit steps; how many stretches of these went by since, and how many are waited for.
    amid: bool,
    stretches: u32,
    patience: u32,
}

/// Stretches of explicit steps amid which rigid bodies are tried: twice as many where they do not get far, and so on.
const PATIENCE: [u32; 2] = [8, 64];

impl RigidTurn {
    /// A stretch of explicit steps is over, and another would follow; says whether rigid bodies are tried before.
    fn tries_amid(&mut self) -> bool {
        self.stretches += 1;
        self.amid = self.stretches >= self.patience;
        if self.amid {
            (self.stretches, self.flown) = (0, 0);
        }
        self.amid
    }
}

/// Implicit steps after which rigid bodies are tried again, at most.
const LONGEST_WAIT: u32 = 16;

/// Ticks between two strikes that rigid bodies must go for to be worth the explicit steps through them.
const LONG_FLIGHT: u64 = 8;

/// Share of the particles that are followed bond by bond while pieces move as rigid bodies, from which on implicit steps take less work.
const MUCH_AWAKE: f64 = 0.15;

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
    /// Begins with an implicit step; about so many `steps` make a stretch.
    pub fn new(level: u32, steps: u32, has_rigid: bool) -> Self {
        let rigid = has_rigid.then_some(RigidTurn {
            level: 0,
            strike: None,
            flown: 0,
            after: 0,
            wait: 1,
            amid: false,
            stretches: 0,
            patience: PATIENCE[0],
        });
        let (left, broken, calm, taken, dear) = (0, 0, 0, 0, 0);
        Self { level, steps, is_exact: false, left, broken, calm, wait: WAITS[0], taken, dear, rigid }
    }

    /// Whether it makes sense.
    pub fn is_sound(&self) -> bool {
        let is_sound = |rigid: RigidTurn| {
            rigid.level <= self.level
                && (1..=LONGEST_WAIT).contains(&rigid.wait)
                && (PATIENCE[0]..=PATIENCE[1]).contains(&rigid.patience)
        };
        self.rigid.is_none_or(is_sound)
            && (1..=WAITS[1]).contains(&self.wait)
            && self.left <= self.steps
            && self.steps > 0
    }

    /// How the next step goes.
    pub fn way(&self) -> Way {
        match self.left {
            0 if self.rigid.is_some_and(|rigid| rigid.amid || rigid.after == 0) => Way::Rigid,
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

    /// How often a nominal step is halved for the next step of rigid bodies; and the tick of the nominal step that it must not go
    /// beyond.
    pub fn rigid_step(&self) -> (u32, u64) {
        self.rigid.map_or((0, u64::MAX), |rigid| (rigid.level, rigid.strike.unwrap_or(u64::MAX)))
    }

    /// A step of rigid bodies at a `level` was taken over some ticks up to one `done`; the next may be twice as long, or go after implicit
    /// ones where much was awake.
    pub fn after_rigid(&mut self, report: &StepReport, level: u32, ticks: u64, done: u64) {
        let Some(rigid) = &mut self.rigid else { return };
        rigid.level = level.saturating_sub(1);
        rigid.flown += ticks;
        if rigid.flown >= LONG_FLIGHT && report.awake <= MUCH_AWAKE {
            rigid.wait = 1;
        }
        if rigid.strike.is_some_and(|strike| done >= strike || done == 0) {
            self.meet_strike();
        } else if report.awake > MUCH_AWAKE {
            self.strain_rigid();
        }
    }

    /// Something will strike rigid bodies at a `tick` of the nominal step.
    pub fn expect_strike(&mut self, tick: u64) {
        self.rigid.iter_mut().for_each(|rigid| rigid.strike = Some(tick));
    }

    /// Something strikes rigid bodies: explicit steps follow it, until a stretch of them is calm; implicit ones where that comes too
    /// often.
    pub fn meet_strike(&mut self) {
        let Some(rigid) = &mut self.rigid else { return };
        rigid.strike = None;
        if rigid.amid || std::mem::take(&mut rigid.flown) < LONG_FLIGHT {
            return self.strain_rigid();
        }
        self.begin_explicit();
        self.wait = 1;
    }

    /// Something strains what is to move as a rigid body: some implicit steps go before the next try, more of them each time.
    pub fn strain_rigid(&mut self) {
        let Some(rigid) = &mut self.rigid else { return };
        rigid.strike = None;
        if std::mem::take(&mut rigid.amid) {
            let is_far = std::mem::take(&mut rigid.flown) >= LONG_FLIGHT;
            rigid.patience = if is_far { PATIENCE[0] } else { (2 * rigid.patience).min(PATIENCE[1]) };
            self.left = self.steps;
        } else {
            (rigid.after, rigid.wait) = (rigid.wait, (2 * rigid.wait).min(LONGEST_WAIT));
        }
    }

    /// Whether a stretch begins and how many steps it has is an estimate.
    pub fn asks_for_limit(&self) -> bool {
        self.left > 0 && !self.is_exact
    }

    /// Answers [`Self::asks_for_limit`].
    pub fn set_steps(&mut self, steps: u32) {
        (self.steps, self.left, self.is_exact) = (steps, steps, true);
    }

    /// Explicit steps have their turn now.
    pub fn begin_explicit(&mut self) {
        self.wait = if self.taken < LASTING { (2 * self.wait).min(WAITS[1]) } else { WAITS[0] };
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
        if self.calm < self.wait || report.deviation > deviation {
            let tries = self.rigid.as_mut().is_some_and(RigidTurn::tries_amid);
            self.left = if tries { 0 } else { self.steps };
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
        if let Some(rigid) = &mut self.rigid {
            rigid.after = rigid.after.saturating_sub(1);
        }
        self.dear = if work > explicit { self.dear + 1 } else { 0 };
    }

    /// Whether implicit steps take more work than explicit ones would.
    pub fn are_dear(&self) -> bool {
        self.dear >= DEAR
    }
}
