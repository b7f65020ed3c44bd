//! `integrator = "auto"`: explicit steps while waves and cracks decide, BDF2 steps elsewhere, and pieces that sleep. Each kind
//! continues from the last. The simulation's state machine decides which follows.

mod bounces;

use std::borrow::Cow;

use crate::contact::Contacts;
use crate::energy::StepForces;
use crate::energy::account::Flows;
use crate::fracture::OverloadedBond;
use crate::model::{Gradient, State, World};
use crate::optimize::SolverSettings;

use super::sleep::{self, Sleep, SleepTrial};
use super::{
    History, Implicit, Integrator, Step, StepError, StepHistory, StepKind, TimeRule, Trial, Verlet, deviation, touches,
};

use bounces::bounces;
pub(crate) use bounces::loose;

/// Limit on the Newton iterations of a minimisation. A step that needs more is shortened or replaced by explicit steps.
pub(crate) const NEWTON_ITERATIONS: u32 = 12;

/// Verlet and BDF2 in turns, and steps with sleeping pieces. Each continues from the state alone. BDF2 also takes a previous step,
/// which is the last run of substeps as one step.
#[derive(Debug)]
pub struct Auto {
    explicit: Verlet,
    implicit: Implicit,
    /// Share of the spare strength up to which pieces sleep, and the time from which they may, s.
    sleep_below: f64,
    sleeps_from: f64,
    /// Change of speed that shows in a frame, radii/s.
    visible_speed: f64,
    /// Sleeping pieces after a step with sleeping pieces.
    sleep: Option<Sleep>,
    sleep_trial: Option<SleepTrial>,
    /// Kind of the last trial, and of the last committed step.
    tried: StepKind,
    committed: StepKind,
    /// Start of the last run of substeps or of the last step with sleeping pieces, and whether a bond broke in it.
    entry: Option<State>,
    breaks: bool,
}

impl Auto {
    /// Steps of `world`. Pieces sleep where their bonds are loaded by less than the share `sleep_below` of their spare strength.
    /// `visible_speed` (radii/s) is the change of speed that shows in a frame.
    pub fn new(world: &World, solver: &SolverSettings, sleep_below: f64, visible_speed: f64) -> Self {
        let settings =
            SolverSettings { newton_iterations: solver.newton_iterations.min(NEWTON_ITERATIONS), ..solver.clone() };
        Self {
            explicit: Verlet::new(world),
            implicit: Implicit::new(TimeRule::Bdf2, world, &settings),
            sleep_below,
            sleeps_from: sleep::possible_from(world).unwrap_or(f64::INFINITY),
            visible_speed,
            sleep: None,
            sleep_trial: None,
            tried: StepKind::Implicit,
            committed: StepKind::Implicit,
            entry: None,
            breaks: false,
        }
    }

    /// Run of substeps that ends at `state`, as the step before an implicit one.
    fn previous(&self, world: &World, contacts: &Contacts, state: &State) -> Option<StepHistory> {
        let start = self.entry.clone()?;
        let (v, w, touching) = (state.v.clone(), state.w.clone(), touches(world, contacts));
        Some(StepHistory { dt: state.time - start.time, start, v, w, force_jump: self.breaks, touching })
    }

    /// Sleeping pieces of a step from `state`.
    fn asleep(&self, world: &World, contacts: &Contacts, state: &State) -> Sleep {
        let gradient = Some(self.explicit.gradient()).filter(|_| matches!(self.committed, StepKind::Explicit { .. }));
        Sleep::new(world, contacts, state, gradient, self.sleep_below)
    }

    /// Work of steps with sleeping pieces from `end`: see [`SleepReport::work`](super::SleepReport::work). `gradient` is dV/dx there, if known.
    fn asleep_work(
        &self,
        world: &World,
        contacts: &Contacts,
        end: &State,
        gradient: Option<&[Gradient]>,
    ) -> Option<f64> {
        let is_possible = self.sleep_below > 0.0 && self.sleeps_from <= end.time;
        let may_pay = is_possible && Sleep::may_pay(world, end, self.sleep_below);
        let sleep = may_pay.then(|| Sleep::new(world, contacts, end, gradient, self.sleep_below))?;
        Some(sleep.predicted_work(world, contacts, end))
    }

    fn try_implicit(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        if self.committed != StepKind::Implicit {
            self.implicit.begin(self.previous(world, contacts, state));
        }
        let mut report = self.implicit.trial(world, contacts, state, step)?.report;
        if bounces(world, contacts, [state, self.implicit.end()], self.visible_speed) {
            report.deviation = f64::INFINITY;
        }
        report.sleep.work = self.asleep_work(world, contacts, self.implicit.end(), None);
        Ok(self.implicit.tried(report))
    }

    /// Trial of one substep. The last reports the deviation of all substeps from free flight.
    fn try_explicit(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
        [first, last]: [bool; 2],
    ) -> Result<Trial<'_>, StepError> {
        if first && !matches!(self.committed, StepKind::Explicit { .. }) {
            // steps of other kinds do not report the distance that particles moved
            contacts.invalidate(state);
            match self.sleep.as_ref().filter(|_| self.committed == StepKind::Asleep) {
                Some(sleep) => self.explicit.set_gradient(sleep.full_gradient(world, contacts, state), sleep.powers()),
                None => self.explicit.drop_gradient(),
            }
        }
        let mut report = self.explicit.trial(world, contacts, state, step)?.report;
        if last {
            let entry = if first { Some(state) } else { self.entry.as_ref() };
            let end = self.explicit.end();
            if let Some(entry) = entry {
                let dt = end.time - entry.time;
                let fall = world.gravity * (0.5 * dt * dt);
                let free = |i: usize| entry.p[i] + entry.v[i] * dt + fall;
                report.deviation = deviation(world, self.explicit.held(), end, free);
            }
            report.sleep.work = self.asleep_work(world, contacts, end, Some(self.explicit.end_gradient()));
        }
        Ok(self.explicit.tried(report))
    }

    /// Trial of a step with sleeping pieces.
    fn try_asleep(
        &mut self,
        world: &World,
        contacts: &Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        let sleep_trial = match self.sleep.as_ref().filter(|_| self.committed == StepKind::Asleep) {
            Some(sleep) => sleep.trial(world, contacts, state, step)?,
            None => self.asleep(world, contacts, state).trial(world, contacts, state, step)?,
        };
        Ok(self.sleep_trial.insert(sleep_trial).tried())
    }
}

impl Integrator for Auto {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        self.tried = step.kind;
        match step.kind {
            StepKind::Implicit => self.try_implicit(world, contacts, state, step),
            StepKind::Explicit { first, last } => self.try_explicit(world, contacts, state, step, [first, last]),
            StepKind::Asleep => self.try_asleep(world, contacts, state, step),
        }
    }

    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows {
        self.committed = self.tried;
        match self.committed {
            StepKind::Explicit { first, .. } => {
                if first {
                    self.entry.get_or_insert_default().clone_from(state);
                    self.breaks = false;
                }
                self.explicit.commit(world, contacts, state)
            }
            StepKind::Implicit => self.implicit.commit(world, contacts, state),
            StepKind::Asleep => {
                let sleep_trial = self.sleep_trial.take().expect("a step was tried");
                self.entry.get_or_insert_default().clone_from(state);
                let (sleep, flows, breaks) = sleep_trial.commit(contacts, state);
                (self.sleep, self.breaks) = (Some(sleep), breaks);
                flows
            }
        }
    }

    fn after_breakage(&mut self, world: &World, contacts: &Contacts, state: &State, broken: &[OverloadedBond]) {
        match self.committed {
            StepKind::Explicit { .. } => {
                self.breaks = true;
                self.explicit.after_breakage(world, contacts, state, broken);
            }
            StepKind::Implicit => self.implicit.after_breakage(world, contacts, state, broken),
            // bonds break within such a step
            StepKind::Asleep => {}
        }
    }

    fn above_shadow(&self) -> f64 {
        if matches!(self.committed, StepKind::Explicit { .. }) { self.explicit.above_shadow() } else { 0.0 }
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        match self.committed {
            StepKind::Explicit { .. } => self.explicit.forces(),
            StepKind::Implicit => self.implicit.forces(),
            StepKind::Asleep => None,
        }
    }

    fn held(&self) -> &[bool] {
        match self.tried {
            StepKind::Explicit { .. } => self.explicit.held(),
            StepKind::Implicit => self.implicit.held(),
            // pieces sleep when nothing is held any more
            StepKind::Asleep => &[],
        }
    }

    fn history(&self) -> History<'_> {
        // an integrator that did not make the last step restarts
        let (mut explicit, mut implicit) = (self.explicit.history(), self.implicit.history());
        if let (StepKind::Implicit | StepKind::Asleep, History::Explicit { gradient, powers }) =
            (self.committed, &mut explicit)
        {
            *gradient = Cow::Borrowed(&[]);
            *powers = None;
        }
        if let (StepKind::Explicit { .. } | StepKind::Asleep, History::Implicit { previous, potential, .. }) =
            (self.committed, &mut implicit)
        {
            (*previous, *potential) = (None, None);
        }
        History::Auto {
            explicit: Box::new(explicit),
            implicit: Box::new(implicit),
            committed: self.committed,
            entry: self.entry.as_ref().map(Cow::Borrowed),
            breaks: self.breaks,
            sleep: self
                .sleep
                .as_ref()
                .filter(|_| self.committed == StepKind::Asleep)
                .map(|sleep| Box::new(Cow::Borrowed(sleep))),
        }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Auto { explicit, implicit, committed, entry, breaks, sleep } = history else { return None };
        if entry.as_ref().is_some_and(|entry| !entry.is_of(particles))
            || sleep.as_ref().is_some_and(|sleep| !sleep.is_sound(particles))
            || (committed == StepKind::Asleep) != sleep.is_some()
        {
            return None;
        }
        self.explicit.restore(*explicit, particles)?;
        self.implicit.restore(*implicit, particles)?;
        (self.committed, self.entry, self.breaks) = (committed, entry.map(Cow::into_owned), breaks);
        self.sleep = sleep.map(|sleep| sleep.into_owned());
        Some(())
    }
}
