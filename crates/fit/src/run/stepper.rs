use std::borrow::Cow;

use bdem_core::fracture;
use bdem_core::integrate::{History, Implicit, Integrator, Step, StepError, StepHistory, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};

use crate::error::FitError;

use super::{Record, Run};

/// Steps of a run by core's integrators.
pub(crate) struct Stepper<'a> {
    run: &'a Run,
    contacts: Contacts,
    integrator: Integration,
    state: State,
    step: u32,
    /// See [`Record`].
    continues: bool,
}

enum Integration {
    Implicit(Box<Implicit>),
    Explicit(Box<Verlet>),
}

impl<'a> Stepper<'a> {
    /// Steps from a record that is the start, or that needs no step before it.
    pub(crate) fn new(run: &'a Run, from: Record) -> Self {
        Self::after(run, None, from)
    }

    /// Steps from a record after the one `before` it.
    pub(crate) fn after(run: &'a Run, before: Option<&Record>, from: Record) -> Self {
        let mut integrator = match run.rule {
            None => Integration::Explicit(Box::new(Verlet::new(&run.world))),
            Some(rule) => Integration::Implicit(Box::new(Implicit::new(rule, &run.world, &run.solver))),
        };
        let Record { step, state, continues, gradient, contacts: contact_state } = from;
        match &mut integrator {
            Integration::Explicit(verlet) => {
                let history = History::Explicit { gradient: Cow::Owned(gradient), powers: None };
                verlet.restore(history, state.len()).expect("a gradient of each particle, or none");
            }
            Integration::Implicit(implicit) => implicit.begin(before.map(|before| {
                let mut history = StepHistory::default();
                (history.dt, history.start) = (run.dt, before.state.clone());
                (history.v, history.w) = (state.v.clone(), state.w.clone());
                history
            })),
        }
        let mut contacts = Contacts::new(&run.world, &state);
        contacts.set_contact_state(&contact_state);
        Self { run, contacts, integrator, state, step, continues }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn record(&self) -> Record {
        let gradient = match &self.integrator {
            Integration::Explicit(verlet) => match verlet.history() {
                History::Explicit { gradient, .. } => gradient.into_owned(),
                _ => Vec::new(),
            },
            Integration::Implicit(_) => Vec::new(),
        };
        let contacts = self.contacts.contact_state();
        Record { step: self.step, state: self.state.clone(), continues: self.continues, gradient, contacts }
    }

    /// Makes a step.
    pub(crate) fn step(&mut self) -> Result<(), FitError> {
        let Self { run, contacts, state, .. } = self;
        let world = &run.world;
        let integrator: &mut dyn Integrator = match &mut self.integrator {
            Integration::Implicit(implicit) => &mut **implicit,
            Integration::Explicit(verlet) => &mut **verlet,
        };
        let time = state.time;
        let failed = |why| match why {
            StepError::Interrupted => FitError::Interrupted,
            why => FitError::Failed { time, why },
        };
        if world.interrupt.is_requested() {
            return Err(FitError::Interrupted);
        }
        let outcome = attempt(integrator, world, contacts, state, run.dt);
        self.continues = match (outcome, &mut self.integrator) {
            (Ok(continues), _) => continues?,
            (Err(StepError::LineSearch { .. } | StepError::NotConverged { .. }), Integration::Implicit(implicit)) => {
                let mut looser = Implicit::new(run.rule.expect("implicit steps have one"), world, &run.looser());
                looser.begin(implicit.previous().cloned());
                let continues = attempt(&mut looser, world, contacts, state, run.dt).map_err(failed)??;
                implicit.begin(looser.previous().cloned());
                continues
            }
            (Err(why), _) => return Err(failed(why)),
        };
        self.step += 1;
        Ok(())
    }
}

/// Makes a step. Returns whether it continued the history of BDF2.
fn attempt(
    integrator: &mut dyn Integrator,
    world: &World,
    contacts: &mut Contacts,
    state: &mut State,
    dt: f64,
) -> Result<Result<bool, FitError>, StepError> {
    let trial = integrator.trial(world, contacts, state, Step::new(dt))?;
    if !trial.overloaded.is_empty()
        && let Err(error) = check_whole(world, trial.end)
    {
        return Ok(Err(error));
    }
    let continues = trial.report.uses_history;
    integrator.commit(world, contacts, state);
    Ok(Ok(continues))
}

/// Whether no bond breaks at `state`.
fn check_whole(world: &World, state: &State) -> Result<(), FitError> {
    let Some(&index) = fracture::overloaded(world, state).first() else { return Ok(()) };
    let bond = &world.bonds()[index];
    Err(FitError::Breaks { bond: bond.id, ends: [bond.i, bond.j], time: state.time })
}
