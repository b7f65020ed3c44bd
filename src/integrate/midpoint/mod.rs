//! Implicit steps of the midpoint rule.

mod forces;
mod projection;

use std::borrow::Cow;
use std::fmt;
use std::time::Instant;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::{Neighbours, Slip};
use crate::energy::{Damping, Potential, Strains};
use crate::fracture::BrokenBond;
use crate::geometry::rotation;
use crate::linalg::parallel::sum_chunks;
use crate::model::{Holding, State, World, Wrench};
use crate::optimize::{Newton, NewtonFailure, Objective, SolverSettings, Target};

use super::limits::{check_turns, check_ways};
use super::{Integrator, Memory, StepError, StepReport};

pub use projection::Projection;

use forces::Forces;
use projection::Turn;

/// What can be set about the implicit midpoint rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Midpoint {
    /// Where the equation of motion is projected onto the sphere of unit quaternions.
    pub projected_at: Projection,
}

/// What follows the integrator's name: nothing where all is as usual.
impl fmt::Display for Midpoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.projected_at {
            Projection::Start => Ok(()),
            Projection::End => write!(f, " projected at the end"),
        }
    }
}

/// The variational midpoint rule (\[IBDEM\] eqs 2-4, 64-77), of spheres: what is solved for is the middle of a step, where
/// V is taken, and the rest of the step follows.
#[derive(Debug)]
pub struct ImplicitMidpoint {
    projection: Projection,
    period: f64,
    /// See [`SolverSettings::friction_tolerance`] and [`SolverSettings::friction_rounds`].
    friction_tolerance: f64,
    friction_rounds: usize,
    newton: Newton,
    holding: Holding,
    /// The bonds' strains that damping begins at, where there is damping.
    strains: Strains,
    /// See [`Turn::radial`]: of each particle, if there was a step.
    radial: Option<Vec<f64>>,
    /// That of the step that was made last, until it is known that it stands.
    latest: Option<Vec<f64>>,
    /// The state that the last step began with.
    former: State,
    /// Where free flight without gravity would be in the middle of the step.
    target: Target,
    /// The middle of the step: directions of quaternions, and velocities of no meaning.
    mid: State,
    forces: Forces,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Times that a step may find new pairs or pressures in its way and go on from where it is.
const CONTACT_ROUNDS: usize = 8;

impl ImplicitMidpoint {
    pub fn new(midpoint: Midpoint, world: &World, settings: &SolverSettings) -> Self {
        Self {
            projection: midpoint.projected_at,
            period: world.period(),
            friction_tolerance: settings.friction_tolerance,
            friction_rounds: settings.friction_rounds as usize,
            newton: Newton::new(settings.clone()),
            holding: Holding::new(world),
            strains: Strains::default(),
            radial: None,
            latest: None,
            former: State::default(),
            target: Target::default(),
            mid: State::default(),
            forces: Forces::default(),
        }
    }

    /// Sets the middle of free flight over twice `h`, with and without gravity; what is held goes half its way.
    fn predict(&mut self, world: &World, state: &State, h: f64) {
        self.holding.set(world, state.time, state.time + 2.0 * h);
        self.mid.clone_from(state);
        self.mid.time += h;
        let fall = world.gravity * (h * h);
        for i in 0..state.len() {
            let (p, q) = (&mut self.mid.p[i], &mut self.mid.q[i]);
            if let Some(carry) = self.holding.carry(i) {
                let (end_p, end_q, ..) = carry.take(p, q);
                let sum = if q.coords.dot(&end_q.coords) < 0.0 { *q - end_q } else { *q + end_q };
                (*p, *q) = ((*p + end_p) * 0.5, sum / sum.norm());
            } else {
                *p += state.v[i] * h;
                *q = rotation::turn(q, &(state.w[i] * h));
            }
        }
        self.target.p.clone_from(&self.mid.p);
        self.target.q.clone_from(&self.mid.q);
        let places = self.mid.p.iter_mut().zip(self.holding.held());
        places.filter(|(_, held)| !**held).for_each(|(p, _)| *p += fall);
    }

    /// Solves for the middle, and again for as long as particles come near others that were not in the list of pairs, or
    /// press on each other otherwise than friction went by.
    fn solve(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        h: f64,
    ) -> Result<StepReport, NewtonFailure> {
        if world.is_damped() {
            self.strains.take(world, state);
        }
        let slip = Slip::Since(state);
        let mut report = StepReport::default();
        for round in 0..CONTACT_ROUNDS {
            let start = Instant::now();
            let is_new = contacts.update(world, &self.mid);
            let change = contacts.load_rubs(world, &self.mid, slip);
            report.contact_seconds += start.elapsed().as_secs_f64();
            if round > 0 && !is_new && (change <= self.friction_tolerance || round > self.friction_rounds) {
                break;
            }
            let step = Damping::Step { before: &self.strains, dt: h };
            let damping = if world.is_damped() { step } else { Damping::None };
            let potential = Potential { damping, slip, ..Potential::new(world, contacts) };
            let held = self.holding.held();
            let objective = Objective { potential, target: &self.target, dt: h, period: self.period, held };
            let step = Step { objective: &objective, state, radial: self.radial.as_deref() };
            let (forces, mid) = (&mut self.forces, &mut self.mid);
            let round = self.newton.solve(&objective, mid, &mut |mid, out| step.residual(forces, mid, out))?;
            forces.take(&potential, state, mid, h);
            report.newton_iterations += round.iterations;
            report.hardest = report.hardest.max(round.iterations);
            report.cg_iterations += round.cg_iterations;
        }
        Ok(report)
    }

    /// The end of the step whose middle is known, and the radial momenta there.
    fn end(&self, world: &World, state: &State, h: f64) -> (State, Vec<f64>) {
        let mut end = state.clone();
        end.time += 2.0 * h;
        let mut radial = vec![0.0; state.len()];
        let State { p, q, v, w, .. } = &mut end;
        let particles = (p, q, v, w, &mut radial).into_par_iter().enumerate().with_min_len(CHUNK);
        particles.for_each(|(i, (p, q, v, w, radial))| {
            if let Some(carry) = self.holding.carry(i) {
                (*p, *q, *v, *w) = carry.take(p, q);
                return;
            }
            let (mid, mass) = (&self.mid, world.particles.mass[i]);
            let turn = turn(world, state, mid, i, h, self.radial.as_deref());
            let slope = self.forces.slope(i);
            *p = mid.p[i] * 2.0 - *p;
            let turned = mid.q[i] * q.conjugate() * mid.q[i];
            *q = turned / turned.norm();
            *v -= self.forces.force(i) * (2.0 * h / mass);
            *w = turn.spin(&slope);
            *radial = turn.radial_momentum(&slope);
        });
        (end, radial)
    }

    /// How far implicit Euler, had it these forces, would end from where free flight would have taken the particles: root
    /// mean square, in radii. It is twice as far as this rule.
    fn deviation(&self, world: &World, h: f64) -> f64 {
        let fall = world.gravity * (h * h);
        let off = |i: usize| {
            let off = self.mid.p[i] - self.target.p[i] - fall;
            if self.holding.held()[i] { 0.0 } else { off.norm_squared() / world.particles.radius[i].powi(2) }
        };
        let sum = sum_chunks(self.mid.len(), CHUNK, |particles| particles.map(off).sum());
        4.0 * (sum / self.mid.len().max(1) as f64).sqrt()
    }
}

/// What a step solves: the objective has the forces, and a Hessian that is nearly the Jacobian.
#[derive(Clone, Copy)]
struct Step<'a> {
    objective: &'a Objective<'a>,
    /// Where it starts.
    state: &'a State,
    radial: Option<&'a [f64]>,
}

impl Step<'_> {
    /// What is to be zero, with `mid` as its middle: m (pm - p_n - h v_n)/h2 + dV/dp, N, and [`Turn::residual`], N m.
    fn residual(&self, forces: &mut Forces, mid: &State, out: &mut [Wrench]) {
        let Objective { potential, target, dt: h, held, .. } = *self.objective;
        let world = potential.world;
        forces.take(&potential, self.state, mid, h);
        out.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| {
            let inertia = (mid.p[i] - target.p[i]) * (world.particles.mass[i] / (h * h));
            let turn = turn(world, self.state, mid, i, h, self.radial);
            *out = if held[i] {
                Wrench::default()
            } else {
                Wrench { force: inertia + forces.force(i), torque: turn.residual(&forces.slope(i)) }
            };
        });
    }
}

/// How particle `i` turns in a step from `state` whose middle is `mid`.
fn turn(world: &World, state: &State, mid: &State, i: usize, h: f64, radial: Option<&[f64]>) -> Turn {
    let radial = radial.map(|radial| radial[i]);
    Turn::new([&state.q[i], &mid.q[i]], state.w[i], world.particles.inertia[i], h, radial)
}

impl Integrator for ImplicitMidpoint {
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if let Some(latest) = self.latest.take() {
            self.radial = Some(latest);
        }
        let (h, times) = (0.5 * dt, [state.time, state.time + dt]);
        self.predict(world, state, h);
        let free: Vec<_> = self.target.p.iter().zip(&state.p).map(|(mid, p)| mid * 2.0 - p).collect();
        check_ways(world, [&state.p, &free], times)?;
        let mut report = self.solve(world, contacts, state, h)?;
        let (end, radial) = self.end(world, state, h);
        if !end.is_finite() {
            return Err(StepError::NotFinite);
        }
        check_turns(world, [&state.q, &end.q])?;
        check_ways(world, [&state.p, &end.p], times)?;
        report.deviation = self.deviation(world, h);
        self.former = std::mem::replace(state, end);
        self.latest = (self.projection == Projection::End).then_some(radial);
        Ok(report)
    }

    fn settle(&mut self, world: &World, contacts: &mut Neighbours, state: &State) {
        contacts.settle_rubs(world, state, Slip::Since(&self.former));
    }

    fn undo(&mut self) {
        self.latest = None;
    }

    fn bonds_broken(&mut self, _: &Neighbours, _: &State, _: &[BrokenBond]) {}

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn memory(&self) -> Memory<'_> {
        let radial = self.latest.as_ref().or(self.radial.as_ref());
        Memory::Midpoint { radial: radial.map(Cow::Borrowed), newton: Box::new(self.newton.memory()) }
    }

    fn recall(&mut self, memory: Memory, particles: usize) -> Option<()> {
        let Memory::Midpoint { radial, newton } = memory else { return None };
        if radial.as_ref().is_some_and(|radial| radial.len() != particles) {
            return None;
        }
        (self.radial, self.latest) = (radial.map(Cow::into_owned), None);
        self.newton.recall(*newton, particles)
    }
}
