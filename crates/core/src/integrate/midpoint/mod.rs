//! Implicit steps of the midpoint rule.

mod flows;
mod forces;
mod projection;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::contact::{Contacts, FrictionForce, SurfaceMotion};
use crate::energy::account::Flows;
use crate::energy::{BondSum, Damping, Potential, StepForces, StepWalls, Strains};
use crate::fracture::OverloadedBond;
use crate::geometry::{Vec3, rotation};
use crate::model::{Gradient, HeldParticles, State, World};
use crate::optimize::{Newton, Objective, SolverSettings, Target};
use crate::parallel::{self, CHUNK};

use super::contact_rounds::ContactRounds;
use super::deviation::deviation;
use super::electric::LaggedForces;
use super::spurious_energy::touches;
use super::step_limits::{check_paths, check_rotations};
use super::{History, Integrator, Step, StepError, StepReport, Trial};

pub use projection::Projection;

use forces::Forces;
use projection::Turn;

/// Settings of the implicit midpoint rule.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Midpoint {
    /// Where the equation of motion is projected onto the sphere of unit quaternions.
    pub projected_at: Projection,
}

/// Suffix of the integrator's name: empty by default.
impl fmt::Display for Midpoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.projected_at {
            Projection::Start => Ok(()),
            Projection::End => write!(f, " projected at the end"),
        }
    }
}

/// Variational midpoint rule (\[IBDEM\] eqs 2-4, 64-77) for spheres. The unknown is the midpoint of a step, where V is
/// evaluated. The end follows from it.
#[derive(Debug)]
pub struct ImplicitMidpoint {
    projection: Projection,
    period: f64,
    rounds: ContactRounds,
    newton: Newton,
    holding: HeldParticles,
    /// Strains of damped bonds at the start.
    strains: Strains,
    /// [`Turn::radial`] of each particle, after the first step.
    radial: Option<Vec<f64>>,
    /// End of the step, and the radial momenta there.
    next: State,
    next_radial: Vec<f64>,
    /// Positions of free flight at the end, m.
    flown: Vec<Vec3>,
    /// Midpoint of free flight without gravity.
    target: Target,
    /// Midpoint of the step. Its quaternions are directions, and its velocities are unused.
    mid: State,
    forces: Forces,
    /// Electric forces at the midpoint of free flight.
    electric: LaggedForces,
    /// V at the current state, J, after the first step.
    potential: Option<f64>,
    /// Bonds that may exceed their strength at the end of the last trial.
    overloaded: Vec<usize>,
}

impl ImplicitMidpoint {
    /// Integrator with these settings.
    pub fn new(midpoint: Midpoint, world: &World, settings: &SolverSettings) -> Self {
        Self {
            projection: midpoint.projected_at,
            period: world.period(),
            rounds: ContactRounds::new(settings, FrictionForce::Middle),
            newton: Newton::new(settings.clone()),
            holding: HeldParticles::new(world),
            strains: Strains::default(),
            radial: None,
            next: State::default(),
            next_radial: Vec::new(),
            flown: Vec::new(),
            target: Target::default(),
            mid: State::default(),
            forces: Forces::default(),
            electric: LaggedForces::default(),
            potential: None,
            overloaded: Vec::new(),
        }
    }

    /// Sets the midpoint of free flight over 2 `h`, with and without gravity. Held particles move half of their path.
    fn predict(&mut self, world: &World, state: &State, h: f64) {
        self.holding.set(world, state.time, state.time + 2.0 * h);
        self.mid.clone_from(state);
        self.mid.time += h;
        let fall = world.gravity * (h * h);
        for i in 0..state.len() {
            let (p, q) = (&mut self.mid.p[i], &mut self.mid.q[i]);
            if let Some(transfer) = self.holding.transfer(i) {
                let (end_p, end_q, ..) = transfer.apply(p, q);
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

    /// Solves for the midpoint.
    fn solve(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        if world.is_damped() {
            self.strains.set(world, state, self.newton.workspace());
        }
        let motion = SurfaceMotion::Since(state);
        let Self { mid, forces, electric, newton, strains, target, holding, radial, .. } = self;
        let by_step = Damping::Step { before: strains, dt: h };
        let damping = if world.is_damped() { by_step } else { Damping::None };
        self.rounds.settle(world, contacts, motion, mid, |contacts, mid| {
            let potential = Potential { damping, motion, ..Potential::new(world, contacts) };
            let objective = Objective { potential, target, dt: h, period: self.period, held: holding.held() };
            let round = newton.solve(&objective, mid, &mut |mid, work, out| {
                forces.set(&potential, electric, state, mid, h, work);
                residual(&objective, forces, [state, mid], radial.as_deref(), out);
            });
            let round = round.map_err(|why| StepError::of_newton(newton, why))?;
            forces.set(&potential, electric, state, mid, h, newton.workspace());
            Ok(round)
        })
    }

    /// Sets the end of the step from its midpoint, and the radial momenta there.
    fn end(&mut self, world: &World, state: &State, h: f64) {
        self.next.clone_from(state);
        self.next.time += 2.0 * h;
        self.next_radial.resize(state.len(), 0.0);
        let Self { mid, holding, forces, radial: before, next_radial, .. } = self;
        let State { p, q, v, w, .. } = &mut self.next;
        let [p, v, w] = [p, v, w].map(|vectors| parallel::each_mut(vectors));
        let particles = (p, parallel::each_mut(q), v, w, parallel::each_mut(next_radial));
        parallel::for_each_item(particles, CHUNK, |i, (p, q, v, w, radial)| {
            if let Some(transfer) = holding.transfer(i) {
                (*p, *q, *v, *w) = transfer.apply(p, q);
                *radial = 0.0;
                return;
            }
            let turn = turn(world, state, mid, i, h, before.as_deref());
            let gradient = forces.quaternion_gradient(i);
            *p = mid.p[i] * 2.0 - *p;
            let turned = mid.q[i] * q.conjugate() * mid.q[i];
            *q = turned / turned.norm();
            *v -= forces.force(i) * (2.0 * h / world.particles.mass[i]);
            *w = turn.spin(&gradient);
            *radial = turn.radial_momentum(&gradient);
        });
    }

    /// Root-mean-square distance from free flight at the end of a step of implicit Euler with these forces, in radii. It is
    /// twice that of this rule.
    fn deviation(&self, world: &World, h: f64) -> f64 {
        let fall = world.gravity * (h * h);
        4.0 * deviation(world, self.holding.held(), &self.mid, |i| self.target.p[i] + fall)
    }
}

/// Residual of a step from `state` with midpoint `mid`: m (pm - p_n - h v_n)/h2 + dV/dp, N, and [`Turn::residual`], N m. The
/// objective has the forces, and its Hessian approximates the Jacobian.
fn residual(
    objective: &Objective,
    forces: &Forces,
    [state, mid]: [&State; 2],
    radial: Option<&[f64]>,
    out: &mut [Gradient],
) {
    let Objective { potential: Potential { world, .. }, target, dt: h, held, .. } = *objective;
    parallel::for_each_item(parallel::each_mut(out), CHUNK, |i, out| {
        let inertia = (mid.p[i] - target.p[i]) * (world.particles.mass[i] / (h * h));
        let turn = turn(world, state, mid, i, h, radial);
        *out = if held[i] {
            Gradient::default()
        } else {
            Gradient { p: inertia + forces.force(i), theta: turn.residual(&forces.quaternion_gradient(i)) }
        };
    });
}

/// Rotation of particle `i` in a step from `state` with midpoint `mid`.
fn turn(world: &World, state: &State, mid: &State, i: usize, h: f64, radial: Option<&[f64]>) -> Turn {
    let radial = radial.map(|radial| radial[i]);
    Turn::new([&state.q[i], &mid.q[i]], state.w[i], world.particles.inertia[i], h, radial)
}

impl Integrator for ImplicitMidpoint {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        Step { dt, .. }: Step,
    ) -> Result<Trial<'_>, StepError> {
        let (h, times) = (0.5 * dt, [state.time, state.time + dt]);
        let potential = self.potential;
        let work = self.newton.workspace();
        self.potential.get_or_insert_with(|| Potential::new(world, contacts).value_with(state, work));
        self.predict(world, state, h);
        self.electric.set(world, &self.mid, dt, None)?;
        self.flown.clear();
        self.flown.extend(self.target.p.iter().zip(&state.p).map(|(mid, p)| mid * 2.0 - p));
        check_paths(world, [&state.p, &self.flown], times)?;
        self.newton.begin_trial();
        let solved = self.solve(world, contacts, state, h);
        if solved == Err(StepError::Interrupted) {
            self.newton.abandon_trial();
            self.potential = potential;
        }
        let mut report = solved?;
        self.end(world, state, h);
        StepError::of_infinite(&self.next)?;
        if world.is_damped() {
            let undamped = Potential { motion: SurfaceMotion::Since(state), ..Potential::new(world, contacts) };
            let (held, ends) = (self.holding.held(), [state, &self.next]);
            self.forces.set_damping(&undamped, &self.electric, &self.mid, held, ends, self.newton.workspace());
        }
        check_rotations(world, [&state.q, &self.next.q])?;
        check_paths(world, [&state.p, &self.next.p], times)?;
        let gain = self.gain(world, contacts, state);
        if touches(world, contacts) {
            report.spurious_energy = gain.over_exchanged(world, &self.next);
        } else {
            report.energy_error = gain.over_scale(world, &self.next);
        }
        let errors = self.electric.errors(world, self.holding.held(), [state, &self.next], h)?;
        report.force_change = errors.change;
        report.deviation = self.deviation(world, h).max(errors.lag);
        BondSum::find_overloaded(world, &self.next, self.newton.workspace(), &mut self.overloaded);
        Ok(Trial { end: &self.next, report, overloaded: &self.overloaded, broken: &[] })
    }

    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows {
        std::mem::swap(state, &mut self.next);
        let flows = self.flows(world, contacts, state);
        if self.projection == Projection::End {
            std::mem::swap(self.radial.get_or_insert_default(), &mut self.next_radial);
        }
        flows
    }

    fn after_breakage(&mut self, world: &World, contacts: &Contacts, state: &State, _: &[OverloadedBond]) {
        self.potential = Some(Potential::new(world, contacts).value_with(state, self.newton.workspace()));
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        let gradient = Cow::Borrowed(self.forces.gradients());
        let walls = StepWalls::Implicit { start: &self.next, at: Some(&self.mid) };
        Some(StepForces { gradient, walls })
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        let radial = self.radial.as_ref().map(Cow::Borrowed);
        History::Midpoint { radial, potential: self.potential, newton: Box::new(self.newton.save()) }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Midpoint { radial, potential, newton } = history else { return None };
        if radial.as_ref().is_some_and(|radial| radial.len() != particles) {
            return None;
        }
        self.radial = radial.map(Cow::into_owned);
        self.potential = potential;
        self.newton.restore(*newton, particles)
    }
}
