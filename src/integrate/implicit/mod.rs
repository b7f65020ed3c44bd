//! Implicit steps as minimisations.

mod centre;
mod first_guess;
mod flows;
mod past;
mod piece_guess;
mod rigid;
mod rule;

use std::borrow::Cow;

use rayon::prelude::*;

use crate::contact::{FrictionForce, Neighbours, Slip};
use crate::energy::account::{self, Flows};
use crate::energy::{Damping, Potential, Strains, Sums};
use crate::fracture::BrokenBond;
use crate::model::{HeldParticles, Pair, State, World, Wrench};
use crate::optimize::{Extent, Goal, LinearlyImplicit, Newton, Objective, Predictor, SolverSettings};

use super::books::{Books, ResidualWork};
use super::contact_rounds::ContactRounds;
use super::deviation::deviation;
use super::limits::{check_turns, check_ways};
use super::made::{Exchange, made, touches};
use super::{History, Integrator, Step, StepError, StepReport, Trial, lost_slopes};

pub use past::Past;
pub use rule::{TimeRule, Weights};

use first_guess::{Guesses, Start};
use rule::Inertia;

/// Implicit Euler or BDF2 as a minimisation (\[IBDEM\] eqs 5, 6 and Algorithm 3).
#[derive(Debug)]
pub struct Implicit {
    rule: TimeRule,
    predictor: Predictor,
    period: f64,
    linear: LinearlyImplicit,
    /// The longest step that may be linearly implicit, s.
    longest_linear: f64,
    rounds: ContactRounds,
    newton: Newton,
    holding: HeldParticles,
    /// The step before the one at hand.
    past: Option<Past>,
    /// Whether forces jumped before the step at hand, or do in it: see [`Past::jumped`].
    jumps: bool,
    guesses: Guesses,
    inertia: Inertia,
    /// The bonds' strains that damping begins at, where there is damping; and those a step earlier.
    strains: Strains,
    former: Strains,
    books: Books,
    residual_work: ResidualWork,
    /// Slopes at the end of the step at hand of all that its objective has but inertia.
    slopes: Vec<Wrench>,
    /// What damping takes there, where the slopes are those of the step that was tried last.
    taken: Option<Sums>,
    /// The step at hand, s, and where it ends.
    dt: f64,
    next: State,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Steps of so many periods see what a bond did before it broke, and BDF2 goes on across the break. Longer ones do not: what
/// they would go on with breaks too much, 22 % more than Verlet at 2 T in the plate of `scenes/`.
const RESOLVED: f64 = 1.5;

impl Implicit {
    pub fn new(rule: TimeRule, world: &World, settings: &SolverSettings) -> Self {
        Self {
            rule,
            predictor: settings.predictor,
            period: world.period(),
            linear: settings.linearly_implicit,
            longest_linear: settings.linear_longest_step * world.period(),
            rounds: ContactRounds::new(settings),
            newton: Newton::new(settings.clone()),
            holding: HeldParticles::new(world),
            past: None,
            jumps: false,
            guesses: Guesses::default(),
            inertia: Inertia::default(),
            strains: Strains::default(),
            former: Strains::default(),
            books: Books::default(),
            residual_work: ResidualWork::default(),
            slopes: Vec::new(),
            taken: None,
            dt: 0.0,
            next: State::default(),
        }
    }

    /// The step that led to the current state.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Where the step ends that was tried last.
    pub fn end(&self) -> &State {
        &self.next
    }

    /// The step that was tried last.
    pub fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: None, broken: &[] }
    }

    /// Goes on from where another integrator has been, whose last step was `past`.
    pub fn begin(&mut self, past: Option<Past>) {
        self.past = past;
        self.books = Books::default();
    }

    /// Sets p^ and q^, and puts held particles where they must be.
    fn predict(&mut self, world: &World, state: &State, Step { dt, restarts, .. }: Step) {
        let times = [state.time, state.time + dt];
        self.holding.set(world, times[0], times[1]);
        let past = self.past.as_ref();
        let jumps = |past: &Past| past.jumped || changes(world, [state.time - past.dt, state.time], times);
        self.jumps = restarts || past.is_some_and(jumps);
        let past = past.filter(|_| !self.jumps);
        let weights = self.rule.weights(dt, past);
        self.inertia.set(weights, self.predictor, state, past);
        self.inertia.load(world, times);
        rigid::predict(world, state, past, times, &mut self.inertia);
        self.next.clone_from(state);
        self.next.time = times[1];
        for i in 0..state.len() {
            if let Some(transfer) = self.holding.transfer(i) {
                let (p, q, v, w) = transfer.apply(&state.p[i], &state.q[i]);
                (self.next.p[i], self.next.q[i], self.next.v[i], self.next.w[i]) = (p, q, v, w);
                (self.inertia.target.p[i], self.inertia.target.q[i]) = (p, q);
            }
        }
    }

    /// Sets the strains that damping begins at: it resists the rule's own rate of strain,
    /// (s_(n+1) - s_n - a (s_n - s_(n-1)))/b.
    fn set_strains(&mut self, world: &World, state: &State) {
        let weights = self.inertia.weights;
        self.strains.take(world, state);
        if let Some(past) = self.past.as_ref().filter(|_| weights.past != 0.0) {
            self.former.take(world, &past.former);
            self.strains.extrapolate(&self.former, weights.past);
        }
    }

    /// How far Newton is to go in a `step`.
    fn extent(&self, step: Step) -> Extent {
        let wanted = match self.linear {
            LinearlyImplicit::Never => false,
            LinearlyImplicit::Breaking => self.jumps,
            LinearlyImplicit::Always => true,
        };
        let trusted = !step.again && step.dt <= self.longest_linear && self.residual_work.is_within_budget();
        if wanted && trusted { Extent::Once } else { Extent::Minimum }
    }

    /// Minimises, from the likeliest guess.
    fn minimise(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        step: Step,
    ) -> Result<StepReport, StepError> {
        if world.is_damped() {
            self.set_strains(world, state);
        }
        let extent = self.extent(step);
        // a single iteration begins where contacts to come already overlap, and so are in its matrix
        let past = self.past.as_ref().filter(|_| extent == Extent::Minimum);
        let Self { guesses, next, inertia, holding, strains, newton, books, residual_work, .. } = self;
        // where nothing touches and nothing broke, forces go on as they did, and the likeliest guess need not be compared
        let is_rough = past.is_none_or(|past| self.jumps || past.dt != step.dt) || touches(world, contacts);
        let start = Start { world, state, placed: next, held: holding.held(), inertia, past, dt: step.dt };
        guesses.set(&start, !is_rough);
        guesses.take_first(next);
        let slip = Slip::Since(state);
        let weights = inertia.weights;
        let rounds = if extent == Extent::Once { self.rounds.lagged() } else { self.rounds };
        let work = residual_work.bound(world, state, books.potential().unwrap_or_default());
        let mut goal = Goal { extent, begun: 0.0, work };
        let report = rounds.settle(world, contacts, slip, next, |contacts, x| {
            let potential = potential(world, contacts, strains, weights.dt, state);
            let target = &inertia.target;
            let objective = Objective { potential, target, dt: weights.dt, period: self.period, held: holding.held() };
            if is_rough {
                guesses.lower(&objective, x);
            }
            let report = newton.minimise(&objective, x, goal).map_err(|why| StepError::of_newton(newton, why))?;
            goal.begun = report.first;
            Ok(report)
        })?;
        if world.colliders.is_empty() && !holding.held().contains(&true) {
            centre::restore(world, inertia, next);
        }
        Ok(report)
    }

    /// See [`StepReport::made`], of the step that was tried last, from `state`.
    fn made(&mut self, world: &World, contacts: &Neighbours, state: &State) -> f64 {
        let taken = self.evaluate(world, contacts, state);
        let Self { books, next, slopes, .. } = &*self;
        let (held, slip) = (self.holding.held(), Slip::Since(state));
        let friction = contacts.friction_work(world, next, slip, FrictionForce::Mean);
        let walls =
            friction.walls + account::by_walls(world, contacts.near_walls(), next, slip, [state.time, next.time]);
        let [free, _] = account::by_loads(world, held, state, next);
        let holders = account::by_holders(world, held, state, next, |i| slopes[i]);
        let lost = friction.lost + self.lost_to_damping(&taken, next.time - state.time);
        made(world, contacts, books, [state, next], Exchange { lost, work: walls + free + holders })
    }

    /// Sets the slopes at the end of the step that was tried last, from `state`; returns what damping takes there.
    fn evaluate(&mut self, world: &World, contacts: &Neighbours, state: &State) -> Sums {
        let Self { next, slopes, strains, .. } = self;
        slopes.resize(next.len(), Wrench::default());
        let b = self.inertia.weights.dt;
        let taken = potential(world, contacts, strains, b, state).gradient_and_damping(next, slopes);
        self.taken = Some(taken);
        taken
    }

    /// What damping takes in a step of `dt` (s), J: its power is that of the rule's own rate of strain.
    fn lost_to_damping(&self, taken: &Sums, dt: f64) -> f64 {
        dt * (2.0 * taken.damping / self.inertia.weights.dt + taken.contact_damping)
    }

    fn set_velocities(&mut self, state: &State) {
        let State { p, q, v, w, .. } = &mut self.next;
        let particles = (v, w).into_par_iter().zip((&*p, &*q)).zip(self.holding.held()).zip(&state.q).enumerate();
        particles.with_min_len(CHUNK).filter(|(_, ((_, held), _))| !**held).for_each(
            |(i, ((((v, w), (p, q)), _), from))| [*v, *w] = self.inertia.velocities(self.rule, i, from, p, q),
        );
    }

    /// How far the particles are from where free flight would have taken them in `dt`: root mean square, in radii.
    fn deviation(&self, world: &World, dt: f64) -> f64 {
        let weights = self.inertia.weights;
        let fall = world.gravity * (weights.dt * weights.dt);
        let free = |i: usize| self.inertia.target.p[i] + fall;
        // the same acceleration deviates by the square of the time
        deviation(world, self.holding.held(), &self.next, free) * (dt / weights.dt).powi(2)
    }
}

/// What acts in a step from `before`, whose rule weighs its length by `b` (s), and which began at these strains.
fn potential<'a>(
    world: &'a World,
    contacts: &'a Neighbours,
    strains: &'a Strains,
    b: f64,
    before: &'a State,
) -> Potential<'a> {
    let damping = if world.is_damped() { Damping::Step { before: strains, dt: b } } else { Damping::None };
    Potential { damping, slip: Slip::Since(before), ..Potential::new(world, contacts) }
}

/// Whether other constraints act in one step, from a time to another, than in another step.
fn changes(world: &World, former: [f64; 2], next: [f64; 2]) -> bool {
    world.constraints.iter().any(|c| c.acts(former[0], former[1]) != c.acts(next[0], next[1]))
}

impl Integrator for Implicit {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        step: Step,
    ) -> Result<Trial<'_>, StepError> {
        (self.dt, self.taken) = (step.dt, None);
        let potential = self.books.potential();
        self.books.open(world, contacts, state);
        self.predict(world, state, step);
        let times = [state.time, state.time + step.dt];
        check_ways(world, [&state.p, &self.inertia.target.p], times)?;
        self.newton.begin_trial();
        let minimised = self.minimise(world, contacts, state, step);
        if minimised == Err(StepError::Interrupted) {
            self.newton.abandon_trial();
            self.books = Books::of(potential);
        }
        let mut report = minimised?;
        self.set_velocities(state);
        rigid::set_velocities(world, &self.inertia, &mut self.next);
        StepError::of_infinite(&self.next)?;
        check_turns(world, [&state.q, &self.next.q])?;
        check_ways(world, [&state.p, &self.next.p], times)?;
        report.has_past = self.inertia.weights.past != 0.0;
        let touched = self.past.as_ref().is_some_and(|past| past.touching);
        if report.has_past && (touched || touches(world, contacts)) {
            report.made = self.made(world, contacts, state);
        }
        report.deviation = self.deviation(world, step.dt);
        Ok(self.tried(report))
    }

    fn commit(&mut self, world: &World, contacts: &mut Neighbours, state: &mut State) -> Flows {
        if self.taken.is_none() {
            self.evaluate(world, contacts, state);
        }
        std::mem::swap(state, &mut self.next);
        let flows = self.flows(world, contacts, state);
        let past = self.past.get_or_insert_default();
        past.dt = self.dt;
        std::mem::swap(&mut past.former, &mut self.next);
        past.v.clone_from(&state.v);
        past.w.clone_from(&state.w);
        past.jumped = false;
        past.touching = touches(world, contacts);
        flows
    }

    fn after_breakage(&mut self, world: &World, contacts: &Neighbours, state: &State, broken: &[BrokenBond]) {
        self.books.reopen(world, contacts, state);
        let Some(past) = &mut self.past else { return };
        if past.dt > RESOLVED * self.period {
            past.jumped = true;
            return;
        }
        for BrokenBond { bond, .. } in broken {
            for (i, lost) in bond.ends().into_iter().zip(lost_slopes(bond, contacts.after(bond), state)) {
                past.forget(&world.particles, i, &lost);
            }
        }
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        let past = self.past.as_ref().map(Cow::Borrowed);
        History::Implicit {
            past,
            potential: self.books.potential(),
            residual_work: self.residual_work,
            newton: Box::new(self.newton.save()),
        }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Implicit { past, potential, residual_work, newton } = history else { return None };
        if past.as_ref().is_some_and(|past| !past.is_of(particles)) {
            return None;
        }
        self.past = past.map(Cow::into_owned);
        self.books = Books::of(potential);
        self.residual_work = residual_work;
        self.newton.restore(*newton, particles)
    }
}
