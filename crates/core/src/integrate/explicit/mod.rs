//! Explicit steps: a kick by the forces at the start, a drift, and a kick by the forces at the end. A [`Rule`] defines the
//! integrator. Electric forces are part of dV/dx.

mod drift;
mod drift_kernel;
mod flows;
mod rigid;
mod rodrigues;
mod verlet;

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Instant;

use crate::contact::Contacts;
use crate::energy::account::{self, Flows};
use crate::energy::{BondSum, Damping, Potential, StepForces, StepWalls, Sums, Workspace, gravity};
use crate::fracture::OverloadedBond;
use crate::geometry::{Quat, Vec3, longest};
use crate::model::{Gradient, HeldParticles, Pair, State, World, Wrench};
use crate::parallel;
use crate::simd::Row8;

use super::electric::ElectricCache;
use super::step_limits::check_walls;
use super::{History, Integrator, Step, StepError, StepReport, Trial, removed_gradients};

pub use flows::DashpotPowers;
pub use rodrigues::{Map, Rodrigues, RodriguesMap};
pub use verlet::{Geodesic, Verlet};

/// Definition of an explicit integrator.
pub trait Rule: Debug + Send + Sync + 'static {
    /// Shares of a step's kick before and after the drift.
    const KICKS: [f64; 2];

    /// Whether [`Self::turn`] is the exponential map, which the vector kernel evaluates.
    const IS_GEODESIC: bool = false;

    /// Rotation of a step as a unit quaternion, up to rounding. `theta` (rad) is the angular velocity times the step.
    fn turn(theta: &Vec3) -> Quat;

    /// Whether the rotation is defined.
    #[inline(always)]
    fn is_within_reach(_theta: &Vec3) -> bool {
        true
    }
}

/// Explicit integrator. Only torques change the angular velocity of a sphere.
///
/// Damping forces use the velocities of the last drift, which lag by half a step.
#[derive(Debug)]
pub struct Explicit<R> {
    holding: HeldParticles,
    work: Workspace,
    /// 1/m and 1/J of each particle; zeros if it is held or rigid.
    inverse: Vec<[f64; 2]>,
    /// dV/dx at the current state; empty until the first step.
    gradient: Vec<Gradient>,
    /// Whether a trial is pending.
    has_trial: bool,
    /// End of the last trial, and dV/dx there.
    next: State,
    next_gradient: Vec<Gradient>,
    /// Angular momentum of each free rigid body in the drift of the last trial, kg m2/s.
    momenta: Vec<Vec3>,
    /// External load on each particle in the last trial; empty without loads.
    loads: Vec<Wrench>,
    electric: ElectricCache,
    /// Electric force on each particle, N, at the state of the last gradient; empty without charges.
    electric_forces: Vec<Vec3>,
    /// Motion of each particle in the last trial, for contacts: see `pack_motion`. Empty where no particles are near each
    /// other.
    motions: Vec<Row8>,
    /// Bonds that may exceed their strength at its end.
    overloaded: Vec<usize>,
    /// Energy error of its kicks, J, by chunk of particles.
    kick_error: Vec<f64>,
    /// Length of the last committed step, s.
    dt: f64,
    /// Power dissipated by the bonds' damping in it, W.
    damping: f64,
    /// Powers of dashpots at the current state, after a step.
    powers: Option<DashpotPowers>,
    /// Limit on a particle's travel in a step, relative to the common motion, m. A longer one indicates instability.
    max_travel: f64,
    /// Maximum speed of each chunk of particles relative to the common motion, m/s. None where the rotation is undefined.
    speeds: Vec<Option<f64>>,
    /// Maximum travels in the step, relative to the common motion, of each chunk of [`CHUNK`](crate::parallel::CHUNK) particles, m.
    travels: Vec<f64>,
    rule: PhantomData<R>,
}

/// Limit on the travel in a step, in radii. Elastic waves move particles by a tenth, and projectiles by about one.
const MAX_TRAVEL: f64 = 100.0;

impl<R: Rule> Explicit<R> {
    /// Integrator of `world`.
    pub fn new(world: &World) -> Self {
        let holding = HeldParticles::new(world);
        let largest = world.particles.radius.iter().copied().fold(0.0, f64::max);
        Self {
            work: Workspace::default(),
            inverse: inverse_inertia(world, holding.held()),
            holding,
            max_travel: MAX_TRAVEL * largest,
            gradient: Vec::new(),
            has_trial: false,
            next: State::default(),
            next_gradient: Vec::new(),
            momenta: Vec::new(),
            loads: Vec::new(),
            electric: ElectricCache::default(),
            electric_forces: Vec::new(),
            motions: Vec::new(),
            overloaded: Vec::new(),
            kick_error: Vec::new(),
            dt: 0.0,
            damping: 0.0,
            powers: None,
            speeds: Vec::new(),
            travels: Vec::new(),
            rule: PhantomData,
        }
    }

    /// Last trial.
    pub(crate) fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: &self.overloaded, broken: &[] }
    }

    /// Drops the gradient, because another integrator makes the next steps.
    pub(crate) fn drop_gradient(&mut self) {
        self.set_gradient(Vec::new(), None);
    }

    /// State at the end of the last trial.
    pub(crate) fn end(&self) -> &State {
        &self.next
    }

    /// dV/dx at the end of the last trial.
    pub(crate) fn end_gradient(&self) -> &[Gradient] {
        &self.next_gradient
    }

    /// dV/dx at the current state; empty if unknown.
    pub(crate) fn gradient(&self) -> &[Gradient] {
        &self.gradient
    }

    /// Sets dV/dx at the current state, and the powers of dashpots there, if known.
    pub(crate) fn set_gradient(&mut self, gradient: Vec<Gradient>, powers: Option<DashpotPowers>) {
        (self.gradient, self.powers) = (gradient, powers);
    }

    /// Powers of dashpots at the current state, after a step.
    pub(crate) fn powers(&self) -> Option<DashpotPowers> {
        self.powers
    }

    /// Sets the external loads of a step between two times, s, from a state.
    fn load(&mut self, world: &World, times: [f64; 2], start: &State) {
        self.loads.clear();
        for (i, load) in world.loads(times, start, 0.0) {
            self.loads.resize(world.particles.len(), Wrench::default());
            self.loads[i] += load;
        }
    }

    /// Last kick by external loads in a step of `dt` (s).
    fn kick_by_loads(&mut self, dt: f64) {
        let State { v, w, .. } = &mut self.next;
        for (((load, inverse), v), w) in self.loads.iter().zip(&self.inverse).zip(v).zip(w) {
            kick(v, w, load, inverse, R::KICKS[1] * dt);
        }
    }

    /// Resizes the arrays of the end to those of `state`.
    fn make_room(&mut self, state: &State) {
        if self.next.len() != state.len() {
            self.next.clone_from(state);
            self.next_gradient.resize(state.len(), Gradient::default());
        }
    }

    /// Computes dV/dx at the first state.
    fn compute_gradient(&mut self, world: &World, contacts: &Contacts, state: &State) -> Result<(), StepError> {
        self.electric.spread(world, state, &mut self.electric_forces)?;
        self.gradient.resize(state.len(), Gradient::default());
        let potential = Potential { damping: Damping::Rate, ..Potential::new(world, contacts) };
        potential.gradient_with(state, &mut self.work, &mut self.gradient);
        self.gradient.iter_mut().zip(&self.electric_forces).for_each(|(gradient, force)| gradient.p -= force);
        Ok(())
    }

    /// Forces at the end, and the last kick of a step from `state`. Returns the energy of bonds and gravity, J.
    fn finish(&mut self, world: &World, contacts: &Contacts, state: &State, dt: f64) -> f64 {
        let len = world.packs().chunk_len.max(1);
        let check_breakage = !world.packs().limits.is_empty();
        let bonds = BondSum { world, damping: Damping::Rate, check_breakage };
        let touching = contacts.step_gradient(&mut self.next_gradient);
        self.kick_error.resize(state.len().div_ceil(len), 0.0);
        let (inverse, next, electric_forces) = (&self.inverse, &mut self.next, &self.electric_forces);
        let (mut v, mut w) = (std::mem::take(&mut next.v), std::mem::take(&mut next.w));
        let kick_error = parallel::each_mut(&mut self.kick_error);
        let with = (parallel::chunks_mut(&mut v, len), parallel::chunks_mut(&mut w, len), kick_error);
        let (mass, g) = (&world.particles.mass, &world.gravity);
        let weight = |i: usize| {
            let energy = gravity::value(mass[i], g, &next.p[i]);
            let force = electric_forces.get(i).map_or_else(Vec3::zeros, |force| *force);
            (Sums { energy, ..Sums::default() }, gravity::gradient(mass[i], g) - force)
        };
        let sums = bonds.gradient_then(
            &mut self.work,
            weight,
            &mut self.next_gradient,
            touching,
            with,
            |particles, gradient, (v, w, kick_error)| {
                *kick_error = 0.0;
                for (((i, g), v), w) in particles.clone().zip(gradient).zip(v.iter_mut()).zip(w) {
                    let mean = [*v, *w];
                    kick(v, w, &g.load(), &inverse[i], R::KICKS[1] * dt);
                    if inverse[i][0] != 0.0 {
                        *kick_error += account::by_impulse(world, state, i, mean, [*v, *w]);
                    }
                }
            },
        );
        (next.v, next.w, self.damping) = (v, w, sums.damping);
        bonds.overloaded(&self.work, &mut self.overloaded);
        sums.energy
    }
}

/// 1/m and 1/J of each particle (1/kg, 1/(kg m2)); zeros if it is held or rigid.
pub fn inverse_inertia(world: &World, held: &[bool]) -> Vec<[f64; 2]> {
    let (mass, inertia) = (&world.particles.mass, &world.particles.inertia);
    let of = |(i, &held): (usize, &bool)| if held { [0.0; 2] } else { [1.0 / mass[i], 1.0 / inertia[i]] };
    let mut inverse: Vec<_> = held.iter().enumerate().map(of).collect();
    world.free_rigid().for_each(|body| inverse[body.particles.clone()].fill([0.0; 2]));
    inverse
}

/// v += dt F/m, w += dt torque/J.
#[inline(always)]
fn kick(v: &mut Vec3, w: &mut Vec3, load: &Wrench, [inverse_m, inverse_j]: &[f64; 2], dt: f64) {
    *v += load.force * (dt * inverse_m);
    *w += load.torque * (dt * inverse_j);
}

impl<R: Rule> Integrator for Explicit<R> {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Contacts,
        state: &State,
        Step { dt, .. }: Step,
    ) -> Result<Trial<'_>, StepError> {
        if self.gradient.is_empty() {
            self.compute_gradient(world, contacts, state)?;
        }
        self.make_room(state);
        if std::mem::replace(&mut self.has_trial, true) {
            contacts.invalidate(state);
        }
        let times = [state.time, state.time + dt];
        if self.holding.set(world, times[0], times[1]) {
            self.inverse = inverse_inertia(world, self.holding.held());
        }
        self.load(world, times, state);
        rigid::first_kick::<R>(world, &self.gradient, state, times, &mut self.next, &mut self.momenta);
        let travel = self.drift(world, contacts, state, dt)?;
        let start = Instant::now();
        contacts.update_after(&self.travels, dt, world, &self.next);
        let way = travel + dt * contacts.common_velocity().norm();
        check_walls(world, [&state.p, &self.next.p], times, way)?;
        if let Some(particle) = contacts.passed(world, times[0], &self.next) {
            return Err(StepError::MayPass { particle });
        }
        contacts.evaluate_step(world, state, &self.next, &self.motions);
        let contact_seconds = start.elapsed().as_secs_f64();
        self.electric.spread(world, &self.next, &mut self.electric_forces)?;
        let energy = self.finish(world, contacts, state, dt);
        rigid::last_kick::<R>(world, &self.next_gradient, &mut self.next, times, &self.momenta);
        self.kick_by_loads(dt);
        if !energy.is_finite() {
            Err(StepError::NotFinite { particle: self.next.first_not_finite().unwrap_or_default() })
        } else if travel > self.max_travel {
            Err(StepError::Unstable { particle: longest(&self.next.v).unwrap_or_default() })
        } else {
            let report = StepReport { contact_seconds, ..Default::default() };
            Ok(self.tried(report))
        }
    }

    fn commit(&mut self, world: &World, contacts: &mut Contacts, state: &mut State) -> Flows {
        self.has_trial = false;
        let by_contacts = contacts.commit_step([state, &self.next]);
        let flows = self.flows(world, contacts, state, &by_contacts);
        self.dt = self.next.time - state.time;
        std::mem::swap(state, &mut self.next);
        std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        flows
    }

    /// Replaces the broken and softened bonds' share of the gradient by that of the contacts in their place.
    fn after_breakage(&mut self, _: &World, contacts: &Contacts, state: &State, broken: &[OverloadedBond]) {
        for of in broken {
            let removed = removed_gradients(of, contacts.after(&of.bond), state);
            for (i, gradient) in of.bond.ends().into_iter().zip(removed) {
                self.gradient[i] -= gradient;
            }
        }
    }

    fn above_shadow(&self) -> f64 {
        self.shadow_gap()
    }

    fn forces(&self) -> Option<StepForces<'_>> {
        let is_known = !self.gradient.is_empty() && self.dt > 0.0;
        is_known.then(|| StepForces { gradient: Cow::Borrowed(&self.gradient), walls: StepWalls::Explicit })
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        History::Explicit { gradient: Cow::Borrowed(&self.gradient), powers: self.powers }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Explicit { gradient, powers } = history else { return None };
        if !gradient.is_empty() && gradient.len() != particles {
            return None;
        }
        (self.gradient, self.powers) = (gradient.into_owned(), powers);
        Some(())
    }
}
