use std::time::Instant;

use crate::contact::Neighbours;
use crate::energy::{Damping, Potential, Strains};
use crate::fracture::BrokenBond;
use crate::geometry::rotation;
use crate::model::{Motion, State, World};
use crate::optimize::{Newton, NewtonFailure, Objective, Predictor, SolverSettings, Target};

use super::{Integrator, StepError, StepReport};

/// Implicit Euler as a minimisation (\[IBDEM\] eqs 5, 6 and Algorithm 3).
#[derive(Debug)]
pub struct ImplicitEuler {
    predictor: Predictor,
    period: f64,
    newton: Newton,
    prescribed: Vec<Option<Motion>>,
    held: Vec<bool>,
    target: Target,
    /// The bonds' strains when the step begins, where there is damping.
    strains: Strains,
    next: State,
}

/// Times that a step may find new pairs in its way and go on from where it is.
const CONTACT_ROUNDS: usize = 8;

impl ImplicitEuler {
    pub fn new(world: &World, settings: &SolverSettings) -> Self {
        let prescribed = world.prescribed();
        Self {
            predictor: settings.predictor,
            period: world.period(),
            newton: Newton::new(settings.clone()),
            held: prescribed.iter().map(Option::is_some).collect(),
            prescribed,
            target: Target::default(),
            strains: Strains::default(),
            next: State::default(),
        }
    }

    /// Sets p^, q^, and the first guess: where the particles would fly freely under gravity; held ones where they must be.
    fn predict(&mut self, world: &World, state: &State, dt: f64) {
        let State { p, q, v, w } = state;
        self.target.p.clear();
        self.target.p.extend(p.iter().zip(v).map(|(p, v)| p + v * dt));
        self.target.q.clear();
        self.target.q.extend(q.iter().zip(w).map(|(q, w)| match self.predictor {
            Predictor::Geodesic => rotation::turn(q, &(w * dt)),
            Predictor::Paper => q * 2.0 - rotation::turn(q, &(w * -dt)),
        }));
        self.next.clone_from(state);
        let fall = world.gravity * (dt * dt);
        for (i, prescribed) in self.prescribed.iter().enumerate() {
            let next = &mut self.next;
            if let Some(motion) = prescribed {
                (next.p[i], next.q[i], next.v[i], next.w[i]) = motion.after(&p[i], &q[i], dt);
                (self.target.p[i], self.target.q[i]) = (next.p[i], next.q[i]);
            } else {
                next.p[i] = self.target.p[i] + fall;
                next.q[i] = rotation::turn(&q[i], &(w[i] * dt));
            }
        }
    }

    /// Minimises, and again for as long as particles come near others that were not in the list of pairs.
    fn minimise(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        dt: f64,
    ) -> Result<StepReport, NewtonFailure> {
        if world.is_damped() {
            self.strains.take(world, state);
        }
        let mut report = StepReport::default();
        for _ in 0..CONTACT_ROUNDS {
            let start = Instant::now();
            contacts.update(world, &self.next);
            report.contact_seconds += start.elapsed().as_secs_f64();
            let damping = if world.is_damped() { Damping::Step { before: &self.strains, dt } } else { Damping::None };
            let potential = Potential { world, contacts, damping };
            let objective = Objective { potential, target: &self.target, dt, period: self.period, held: &self.held };
            start_lower(&objective, state, &mut self.next, dt);
            let round = self.newton.minimise(&objective, &mut self.next)?;
            report.newton_iterations += round.iterations;
            report.cg_iterations += round.cg_iterations;
            if !contacts.is_stale(&self.next) {
                break;
            }
        }
        Ok(report)
    }

    /// v = (p' - p)/dt, w = (2/dt) log(q' conj(q)).
    fn set_velocities(&mut self, state: &State, dt: f64) {
        let next = &mut self.next;
        for i in 0..next.len() {
            if !self.held[i] {
                next.v[i] = (next.p[i] - state.p[i]) / dt;
                next.w[i] = rotation::rotation_between(&state.q[i], &next.q[i]) / dt;
            }
        }
    }

    /// How far the particles are from where free flight would have taken them: root mean square, in radii.
    fn deviation(&self, world: &World, dt: f64) -> f64 {
        let fall = world.gravity * (dt * dt);
        let off = |i: usize| {
            let off = self.next.p[i] - self.target.p[i] - fall;
            if self.held[i] { 0.0 } else { off.norm_squared() / world.particles.radius[i].powi(2) }
        };
        ((0..self.next.len()).map(off).sum::<f64>() / self.next.len().max(1) as f64).sqrt()
    }
}

/// Where particles fly further than their radius in a step, free flight may end deep inside something: the old place is
/// the better start then, if its objective is lower.
fn start_lower(objective: &Objective, state: &State, guess: &mut State, dt: f64) {
    let radius = &objective.potential.world.particles.radius;
    let far = (0..state.len()).any(|i| state.v[i].norm() * dt > radius[i]);
    if far {
        let mut old = guess.clone();
        for i in (0..state.len()).filter(|&i| !objective.held[i]) {
            (old.p[i], old.q[i]) = (state.p[i], state.q[i]);
        }
        if objective.value(&old) < objective.value(guess) {
            *guess = old;
        }
    }
}

impl Integrator for ImplicitEuler {
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.predict(world, state, dt);
        let mut report = self.minimise(world, contacts, state, dt)?;
        self.set_velocities(state, dt);
        if !self.next.is_finite() {
            return Err(StepError::NotFinite);
        }
        report.deviation = self.deviation(world, dt);
        std::mem::swap(state, &mut self.next);
        Ok(report)
    }

    fn bonds_broken(&mut self, _: &Neighbours, _: &State, _: &[BrokenBond]) {
        // nothing is kept from one step to the next that knows bonds
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
