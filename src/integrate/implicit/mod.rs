//! Implicit steps as minimisations.

mod first_guess;
mod past;
mod rigid;
mod rule;

use std::borrow::Cow;
use std::time::Instant;

use rayon::prelude::*;

use crate::contact::{Neighbours, Slip};
use crate::energy::{Damping, Potential, Strains};
use crate::fracture::BrokenBond;
use crate::linalg::parallel::sum_chunks;
use crate::model::{Holding, State, World};
use crate::optimize::{Extent, LinearlyImplicit, Newton, NewtonFailure, Objective, Predictor, SolverSettings};

use super::limits::{check_turns, check_ways};
use super::{Integrator, Memory, StepError, StepReport};

pub use past::Past;
pub use rule::{TimeRule, Weights};

use first_guess::Guesses;
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
    /// Whether the last step does not stand: the next is no linearly implicit one.
    undone: bool,
    /// See [`SolverSettings::friction_tolerance`] and [`SolverSettings::friction_rounds`].
    friction_tolerance: f64,
    friction_rounds: usize,
    newton: Newton,
    holding: Holding,
    /// The step before the one at hand.
    past: Option<Past>,
    /// The step that was made last, until it is known that it stands.
    latest: Option<Past>,
    inertia: Inertia,
    /// The bonds' strains that damping begins at, where there is damping.
    strains: Strains,
    next: State,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Times that a step may find new pairs or pressures in its way and go on from where it is.
const CONTACT_ROUNDS: usize = 8;

impl Implicit {
    pub fn new(rule: TimeRule, world: &World, settings: &SolverSettings) -> Self {
        Self {
            rule,
            predictor: settings.predictor,
            period: world.period(),
            linear: settings.linearly_implicit,
            longest_linear: settings.linear_longest_step * world.period(),
            undone: false,
            friction_tolerance: settings.friction_tolerance,
            friction_rounds: settings.friction_rounds as usize,
            newton: Newton::new(settings.clone()),
            holding: Holding::new(world),
            past: None,
            latest: None,
            inertia: Inertia::default(),
            strains: Strains::default(),
            next: State::default(),
        }
    }

    /// What the next step goes by besides the state.
    pub fn past(&self) -> Option<&Past> {
        self.latest.as_ref().or(self.past.as_ref())
    }

    /// Goes on from where another integrator was.
    pub fn set_past(&mut self, past: Option<Past>) {
        (self.past, self.latest) = (past, None);
    }

    /// The step made last has become the past.
    fn go_on(&mut self) {
        if let Some(latest) = self.latest.take()
            && let Some(old) = self.past.replace(latest)
        {
            // its memory serves again
            self.next = old.former;
        }
    }

    /// Sets p^ and q^, and puts held particles where they must be.
    fn predict(&mut self, world: &World, state: &State, dt: f64) {
        let times = [state.time, state.time + dt];
        self.holding.set(world, times[0], times[1]);
        if let Some(past) = &mut self.past {
            past.jumped |= changes(world, [state.time - past.dt, state.time], times);
        }
        let past = self.past.as_ref();
        let weights = self.rule.weights(dt, past);
        self.inertia.set(weights, self.predictor, state, past);
        self.inertia.load(world, times);
        rigid::predict(world, state, past, times, &mut self.inertia);
        self.next.clone_from(state);
        self.next.time = times[1];
        for i in 0..state.len() {
            if let Some(carry) = self.holding.carry(i) {
                let (p, q, v, w) = carry.take(&state.p[i], &state.q[i]);
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
            self.strains.go_beyond(&Strains::new(world, &past.former), weights.past);
        }
    }

    /// How far Newton is to go in a step of `dt`.
    fn extent(&self, dt: f64) -> Extent {
        let wanted = match self.linear {
            LinearlyImplicit::Never => false,
            LinearlyImplicit::Breaking => self.past.as_ref().is_some_and(|past| past.jumped),
            LinearlyImplicit::Always => true,
        };
        let trusted = !self.undone && dt <= self.longest_linear;
        if wanted && trusted { Extent::Once } else { Extent::Minimum }
    }

    /// Minimises, and again for as long as particles come near others that were not in the list of pairs, or press on
    /// each other otherwise than friction went by.
    fn minimise(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        dt: f64,
    ) -> Result<StepReport, NewtonFailure> {
        let weights = self.inertia.weights;
        if world.is_damped() {
            self.set_strains(world, state);
        }
        let extent = self.extent(dt);
        // a single iteration begins where contacts to come already overlap, and so are in its matrix
        let past = self.past.as_ref().filter(|_| extent == Extent::Minimum);
        let placed = &self.next;
        let mut guesses = Guesses::new(world, state, placed, self.holding.held(), &self.inertia, past, dt);
        self.next = guesses.take_first();
        let mut report = StepReport::default();
        // where nothing touches and nothing broke, forces go on as they did, and the likeliest guess need not be compared
        let is_rough = past.is_none_or(|past| past.jumped || past.dt != dt) || touches(world, contacts);
        let slip = Slip::Since(state);
        let most_rounds = if extent == Extent::Once { 0 } else { self.friction_rounds };
        for round in 0..CONTACT_ROUNDS {
            let start = Instant::now();
            let is_new = contacts.update(world, &self.next);
            let change = contacts.load_rubs(world, &self.next, slip);
            report.contact_seconds += start.elapsed().as_secs_f64();
            if round > 0 && !is_new && (change <= self.friction_tolerance || round > most_rounds) {
                break;
            }
            let step = Damping::Step { before: &self.strains, dt: weights.dt };
            let damping = if world.is_damped() { step } else { Damping::None };
            let potential = Potential { damping, slip, ..Potential::new(world, contacts) };
            let target = &self.inertia.target;
            let objective =
                Objective { potential, target, dt: weights.dt, period: self.period, held: self.holding.held() };
            if is_rough {
                guesses.lower(&objective, &mut self.next);
            }
            let round = self.newton.minimise(&objective, &mut self.next, extent)?;
            report.newton_iterations += round.iterations;
            report.hardest = report.hardest.max(round.iterations);
            report.cg_iterations += round.cg_iterations;
        }
        Ok(report)
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
        let off = |i: usize| {
            let off = self.next.p[i] - self.inertia.target.p[i] - fall;
            if self.holding.held()[i] { 0.0 } else { off.norm_squared() / world.particles.radius[i].powi(2) }
        };
        let sum = sum_chunks(self.next.len(), CHUNK, |particles| particles.map(off).sum());
        let mean = sum / self.next.len().max(1) as f64;
        // the same acceleration deviates by the square of the time
        mean.sqrt() * (dt / weights.dt).powi(2)
    }
}

/// Whether other constraints act in one step, from a time to another, than in another step.
fn changes(world: &World, former: [f64; 2], next: [f64; 2]) -> bool {
    world.constraints.iter().any(|c| c.acts(former[0], former[1]) != c.acts(next[0], next[1]))
}

/// Whether anything may touch anything.
fn touches(world: &World, contacts: &Neighbours) -> bool {
    !contacts.pairs().is_empty() || !world.colliders.is_empty()
}

impl Integrator for Implicit {
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.go_on();
        self.predict(world, state, dt);
        let times = [state.time, state.time + dt];
        check_ways(world, [&state.p, &self.inertia.target.p], times)?;
        let mut report = self.minimise(world, contacts, state, dt)?;
        self.undone = false;
        self.set_velocities(state);
        rigid::set_velocities(world, &self.inertia, &mut self.next);
        if !self.next.is_finite() {
            return Err(StepError::NotFinite);
        }
        check_turns(world, [&state.q, &self.next.q])?;
        check_ways(world, [&state.p, &self.next.p], times)?;
        report.deviation = self.deviation(world, dt);
        let (v, w) = (self.next.v.clone(), self.next.w.clone());
        std::mem::swap(state, &mut self.next);
        self.latest = Some(Past { dt, former: std::mem::take(&mut self.next), v, w, jumped: false });
        Ok(report)
    }

    fn settle(&mut self, world: &World, contacts: &mut Neighbours, state: &State) {
        if let Some(latest) = &self.latest {
            contacts.settle_rubs(world, state, Slip::Since(&latest.former));
        }
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn undo(&mut self) {
        self.undone = true;
        self.latest = None;
    }

    fn bonds_broken(&mut self, _: &Neighbours, _: &State, _: &[BrokenBond]) {
        if let Some(latest) = &mut self.latest {
            latest.jumped = true;
        }
    }

    fn memory(&self) -> Memory<'_> {
        let newton = Box::new(self.newton.memory());
        Memory::Implicit { past: self.past().map(Cow::Borrowed), undone: self.undone, newton }
    }

    fn recall(&mut self, memory: Memory, particles: usize) -> Option<()> {
        let Memory::Implicit { past, undone, newton } = memory else { return None };
        let past = past.map(Cow::into_owned);
        if past.as_ref().is_some_and(|past| !past.is_of(particles)) {
            return None;
        }
        self.set_past(past);
        self.undone = undone;
        self.newton.recall(*newton, particles)
    }
}

impl From<NewtonFailure> for StepError {
    fn from(failure: NewtonFailure) -> Self {
        match failure {
            NewtonFailure::NotFinite => Self::NotFinite,
            NewtonFailure::NotConverged { iterations, decrement } => Self::NotConverged { iterations, decrement },
            NewtonFailure::LineSearch { decrement } => Self::LineSearch { decrement },
        }
    }
}
