//! Implicit steps as minimisations.

mod first_guess;
mod flows;
mod momenta;
mod piece_guess;
mod rigid;
mod rule;
mod step_history;

use std::borrow::Cow;

use crate::contact::{Contacts, FrictionForce, SurfaceMotion};
use crate::energy::account::Flows;
use crate::energy::{BondSum, Damping, Potential, StepForces, StepWalls, Strains, Sums};
use crate::fracture::OverloadedBond;
use crate::model::{Gradient, HeldParticles, Pair, State, World};
use crate::optimize::{Goal, LinearlyImplicit, Newton, Objective, Predictor, SolverSettings};
use crate::parallel::{self, CHUNK};

use super::contact_rounds::ContactRounds;
use super::deviation::deviation;
use super::electric::{LaggedForces, loads};
use super::residual_work::ResidualWork;
use super::spurious_energy::touches;
use super::step_limits::{check_paths, check_rotations, check_torques};
use super::{History, Integrator, Step, StepError, StepReport, Trial, removed_gradients};

pub use rule::TimeRule;
pub use step_history::StepHistory;

use first_guess::{Guesses, StepStart};
use momenta::FreeGroups;
use rule::Inertia;

/// Implicit Euler or BDF2 as a minimisation (\[IBDEM\] eqs 5, 6 and Algorithm 3).
#[derive(Debug)]
pub struct Implicit {
    rule: TimeRule,
    predictor: Predictor,
    period: f64,
    linear: LinearlyImplicit,
    /// Limit on the length of a linearly implicit step, s.
    longest_linear: f64,
    rounds: ContactRounds,
    newton: Newton,
    holding: HeldParticles,
    /// Previous step.
    previous: Option<StepHistory>,
    /// See [`World::kinks`].
    kinks: Vec<f64>,
    /// Whether forces jumped before the step or jump in it: see [`StepHistory::force_jump`].
    force_jumps: bool,
    guesses: Guesses,
    groups: FreeGroups,
    inertia: Inertia,
    electric: LaggedForces,
    /// Strains of damped bonds at the start, and at the start of the previous step.
    strains: Strains,
    previous_strains: Strains,
    /// V at the current state, J, after the first step.
    potential: Option<f64>,
    residual_work: ResidualWork,
    /// Gradient at the end of the last trial of all terms of the objective except inertia.
    gradient: Vec<Gradient>,
    /// Damping sums at the end of the last trial, if `gradient` is known there.
    damping_sums: Option<Sums>,
    /// Length of the step, s, and its end.
    dt: f64,
    next: State,
    /// Bonds that may exceed their strength there.
    overloaded: Vec<usize>,
}

/// Limit on the length of a step whose history spans the break of a bond, in periods T. Shorter steps resolve the bond's load
/// before the break. Longer ones break too much, 22 % more than Verlet at 2 T in the plate of `scenes/`.
const RESOLVED: f64 = 1.5;

impl Implicit {
    /// Integrator with these settings.
    pub fn new(rule: TimeRule, world: &World, settings: &SolverSettings) -> Self {
        Self {
            rule,
            predictor: settings.predictor,
            period: world.period(),
            linear: settings.linearly_implicit,
            longest_linear: settings.linear_longest_step * world.period(),
            rounds: ContactRounds::new(settings, FrictionForce::Mean),
            newton: Newton::new(settings.clone()),
            holding: HeldParticles::new(world),
            previous: None,
            kinks: world.kinks(),
            force_jumps: false,
            guesses: Guesses::default(),
            groups: FreeGroups::default(),
            inertia: Inertia::default(),
            electric: LaggedForces::default(),
            strains: Strains::default(),
            previous_strains: Strains::default(),
            potential: None,
            residual_work: ResidualWork::default(),
            gradient: Vec::new(),
            damping_sums: None,
            dt: 0.0,
            next: State::default(),
            overloaded: Vec::new(),
        }
    }

    /// Step that led to the current state.
    pub fn previous(&self) -> Option<&StepHistory> {
        self.previous.as_ref()
    }

    /// State at the end of the last trial.
    pub(crate) fn end(&self) -> &State {
        &self.next
    }

    /// Last trial.
    pub(crate) fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: &self.overloaded, broken: &[] }
    }

    /// Continues after another integrator, whose last step was `previous`.
    pub fn begin(&mut self, previous: Option<StepHistory>) {
        self.previous = previous;
        self.potential = None;
    }

    /// Sets p^ and q^, and places held particles.
    fn predict(&mut self, world: &World, state: &State, Step { dt, drop_history, .. }: Step) -> Result<(), StepError> {
        let times = [state.time, state.time + dt];
        self.holding.set(world, times[0], times[1]);
        let previous = self.previous.as_ref();
        let jumps =
            |previous: &StepHistory| previous.force_jump || has_kink(&self.kinks, previous.start.time, state.time, dt);
        self.force_jumps = drop_history || previous.is_some_and(jumps);
        let previous = previous.filter(|_| !self.force_jumps);
        let weights = self.rule.weights(dt, previous);
        self.inertia.set(weights, self.predictor, state, previous);
        let before = previous.map(|step| (step, weights.previous != 0.0));
        self.electric.set(world, state, dt, before)?;
        self.inertia.load(&world.particles, loads((world, state, 1.0), &self.electric, times));
        rigid::predict(world, state, previous, || loads((world, state, 1.0), &self.electric, times), &mut self.inertia);
        self.next.clone_from(state);
        self.next.time = times[1];
        for i in 0..state.len() {
            if let Some(transfer) = self.holding.transfer(i) {
                let (p, q, v, w) = transfer.apply(&state.p[i], &state.q[i]);
                (self.next.p[i], self.next.q[i], self.next.v[i], self.next.w[i]) = (p, q, v, w);
                (self.inertia.target.p[i], self.inertia.target.q[i]) = (p, q);
            }
        }
        Ok(())
    }

    /// Sets the strains at the start for damping, which acts on the rule's rate of strain,
    /// (s_(n+1) - s_n - a (s_n - s_(n-1)))/b.
    fn set_strains(&mut self, world: &World, state: &State) {
        let weights = self.inertia.weights;
        let work = self.newton.workspace();
        self.strains.set(world, state, work);
        if let Some(previous) = self.previous.as_ref().filter(|_| weights.previous != 0.0) {
            self.previous_strains.set(world, &previous.start, work);
            self.strains.extrapolate(&self.previous_strains, weights.previous);
        }
    }

    /// Whether a `step` is linearly implicit.
    fn is_linear(&self, step: Step) -> bool {
        let wanted = match self.linear {
            LinearlyImplicit::Never => false,
            LinearlyImplicit::Breaking => self.force_jumps,
            LinearlyImplicit::Always => true,
        };
        let trusted = !step.is_retry && step.dt <= self.longest_linear && self.residual_work.is_within_budget();
        wanted && trusted
    }

    /// Minimises the objective from the likeliest guess.
    fn minimise(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<StepReport, StepError> {
        if world.is_damped() {
            self.set_strains(world, state);
        }
        let is_linear = self.is_linear(step);
        // the first guess of a single iteration should overlap where contacts will form, so that the matrix has them
        let previous = self.previous.as_ref().filter(|_| !is_linear);
        let Self {
            guesses,
            groups,
            next,
            inertia,
            electric,
            holding,
            strains,
            newton,
            potential: known,
            residual_work,
            ..
        } = self;
        // without contacts and breakage forces are smooth, and the likeliest guess need not be compared
        let is_nonsmooth =
            previous.is_none_or(|previous| self.force_jumps || previous.dt != step.dt) || touches(world, contacts);
        let held = holding.held();
        let start = StepStart { world, state, placed: next, held, inertia, electric, previous, dt: step.dt };
        guesses.set(&start, !is_nonsmooth);
        guesses.take_first(next);
        let motion = SurfaceMotion::Since(state);
        let weights = inertia.weights;
        let rounds = if is_linear { self.rounds.lagged() } else { self.rounds };
        let work = residual_work.bound(world, state, known.unwrap_or_default());
        let mut goal = Goal { is_linear, begun: 0.0, work };
        let report = rounds.settle(world, contacts, motion, next, |contacts, x| {
            let potential = potential(world, contacts, strains, weights.dt, state);
            let target = &inertia.target;
            let objective = Objective { potential, target, dt: weights.dt, period: self.period, held: holding.held() };
            if is_nonsmooth {
                guesses.lower(&objective, x, newton.workspace());
            }
            let report = newton.minimise(&objective, x, goal).map_err(|why| StepError::of_newton(newton, why))?;
            goal.begun = report.first;
            Ok(report)
        })?;
        groups.restore(world, contacts, holding.held(), inertia, next);
        Ok(report)
    }

    /// Sets the gradient at the end of the last trial, from `state`, and returns the damping sums there.
    fn evaluate(&mut self, world: &World, contacts: &Contacts, state: &State) -> Sums {
        let Self { next, gradient, strains, newton, .. } = self;
        gradient.resize(next.len(), Gradient::default());
        let b = self.inertia.weights.dt;
        let damping_sums =
            potential(world, contacts, strains, b, state).gradient_with(next, newton.workspace(), gradient);
        self.damping_sums = Some(damping_sums);
        damping_sums
    }

    fn set_velocities(&mut self, state: &State) {
        let State { p, q, v, w, .. } = &mut self.next;
        let held = self.holding.held();
        parallel::for_each_item((parallel::each_mut(v), parallel::each_mut(w)), CHUNK, |i, (v, w)| {
            if !held[i] {
                [*v, *w] = self.inertia.velocities(self.rule, i, &state.q[i], &p[i], &q[i]);
            }
        });
    }

    /// Root-mean-square distance of the particles from free flight over `dt` (s), in radii.
    fn deviation(&self, world: &World, dt: f64) -> f64 {
        let weights = self.inertia.weights;
        let fall = world.gravity * (weights.dt * weights.dt);
        let free = |i: usize| self.inertia.target.p[i] + fall;
        // the deviation of a constant acceleration grows with the square of the time
        deviation(world, self.holding.held(), &self.next, free) * (dt / weights.dt).powi(2)
    }
}

/// Potential of a step from `before` that weighs its length by `b` (s), with these strains at the start.
fn potential<'a>(
    world: &'a World,
    contacts: &'a Contacts,
    strains: &'a Strains,
    b: f64,
    before: &'a State,
) -> Potential<'a> {
    let damping = if world.is_damped() { Damping::Step { before: strains, dt: b } } else { Damping::None };
    Potential { damping, motion: SurfaceMotion::Since(before), ..Potential::new(world, contacts) }
}

/// Whether one of the `kinks` (s) is in the previous step, from `start` to `now` (s), or before the middle of the next, of `dt` (s):
/// constraints act in steps whose middle is in their times. One at `start` is that of the previous step.
fn has_kink(kinks: &[f64], start: f64, now: f64, dt: f64) -> bool {
    /// Rounding of times, over the length of a step.
    const ROUNDING: f64 = 1e-6;
    let before = |time: f64| kinks.partition_point(|kink| *kink <= time);
    before(start + ROUNDING * (now - start)) < before(now + 0.5 * dt)
}

impl Integrator for Implicit {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        (self.dt, self.damping_sums) = (step.dt, None);
        let potential = self.potential;
        let work = self.newton.workspace();
        self.potential.get_or_insert_with(|| Potential::new(world, contacts).value_with(state, work));
        self.predict(world, state, step)?;
        let times = [state.time, state.time + step.dt];
        check_torques(world, state, self.inertia.weights.dt, times)?;
        check_paths(world, [&state.p, &self.inertia.target.p], times)?;
        self.newton.begin_trial();
        let minimised = self.minimise(world, contacts, state, step);
        if minimised == Err(StepError::Interrupted) {
            self.newton.abandon_trial();
            self.potential = potential;
        }
        let mut report = minimised?;
        self.set_velocities(state);
        rigid::set_velocities(world, &self.inertia, &mut self.next);
        StepError::of_infinite(&self.next)?;
        check_rotations(world, [&state.q, &self.next.q])?;
        check_paths(world, [&state.p, &self.next.p], times)?;
        report.uses_history = self.inertia.weights.previous != 0.0;
        let touched = self.previous.as_ref().is_some_and(|previous| previous.touching);
        if report.uses_history && (touched || touches(world, contacts)) {
            report.spurious_energy = self.spurious_energy(world, contacts, state);
        }
        let (held, b) = (self.holding.held(), self.inertia.weights.dt);
        let errors = self.electric.errors(world, held, [state, &self.next], b)?;
        report.force_change = errors.change;
        report.deviation = self.deviation(world, step.dt).max(errors.lag);
        BondSum::find_overloaded(world, &self.next, self.newton.workspace(), &mut self.overloaded);
        Ok(self.tried(report))
    }

    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows {
        if self.damping_sums.is_none() {
            self.evaluate(world, contacts, state);
        }
        std::mem::swap(state, &mut self.next);
        let flows = self.flows(world, contacts, state);
        let previous = self.previous.get_or_insert_default();
        previous.dt = self.dt;
        std::mem::swap(&mut previous.start, &mut self.next);
        previous.v.clone_from(&state.v);
        previous.w.clone_from(&state.w);
        previous.force_jump = false;
        previous.touching = touches(world, contacts);
        flows
    }

    fn after_breakage(&mut self, world: &World, contacts: &Contacts, state: &State, broken: &[OverloadedBond]) {
        self.potential = Some(Potential::new(world, contacts).value_with(state, self.newton.workspace()));
        let Some(previous) = &mut self.previous else { return };
        // bonds that soften do so in proportion to the step
        if previous.dt > RESOLVED * self.period && broken.iter().any(OverloadedBond::breaks) {
            previous.force_jump = true;
            return;
        }
        for of in broken {
            let removed = removed_gradients(of, contacts.after(&of.bond), state);
            for (i, gradient) in of.bond.ends().into_iter().zip(removed) {
                previous.remove_force(&world.particles, i, &gradient);
            }
        }
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        let start = &self.previous.as_ref().filter(|step| step.start.len() == self.gradient.len())?.start;
        let mut gradient = self.gradient.clone();
        self.electric.loads().for_each(|(i, load)| gradient[i] += load.gradient());
        Some(StepForces { gradient: Cow::Owned(gradient), walls: StepWalls::Implicit { start, at: None } })
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        let previous = self.previous.as_ref().map(Cow::Borrowed);
        History::Implicit {
            previous,
            potential: self.potential,
            residual_work: self.residual_work,
            newton: Box::new(self.newton.save()),
        }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Implicit { previous, potential, residual_work, newton } = history else { return None };
        if previous.as_ref().is_some_and(|previous| !previous.is_of(particles)) {
            return None;
        }
        self.previous = previous.map(Cow::into_owned);
        self.potential = potential;
        self.residual_work = residual_work;
        self.newton.restore(*newton, particles)
    }
}
