//! Explicit steps: a kick by the forces at the old places, a drift, and a kick by those at the new ones. What makes one
//! integrator another is its [`Rule`].

mod flows;
mod rigid;
mod rodrigues;
mod verlet;

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Instant;

use rayon::prelude::*;

use crate::contact::{FrictionForce, Neighbours, Slip};
use crate::energy::account::{self, Flows};
use crate::energy::{Damping, Potential, pack_pose, pack_velocity};
use crate::fracture::BrokenBond;
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{HeldParticles, Pair, State, WorkArrays, World, Wrench};
use crate::simd::Row8;

use super::{History, Integrator, Step, StepError, StepReport, Trial, removed_gradients};

pub use rodrigues::{Map23, Map25, Map27, Rodrigues, RodriguesMap};
pub use verlet::{Geodesic, Verlet};

/// What makes one explicit integrator another.
pub trait Rule: Debug + Send + Sync + 'static {
    /// Shares of a step's kick that come before the drift, and after it.
    const KICKS: [f64; 2];

    /// The rotation that a spin makes in a step, `theta` (rad) being the spin times the step: of unit length but for
    /// rounding.
    fn turn(theta: &Vec3) -> Quat;

    /// Whether there is such a rotation.
    #[inline(always)]
    fn is_within_reach(_theta: &Vec3) -> bool {
        true
    }
}

/// An explicit integrator. Spheres turn as they fly: their spin is changed by torques alone.
///
/// Damping forces take the velocities with which the particles came to where they are: those of half a step ago.
#[derive(Debug)]
pub struct Explicit<R> {
    holding: HeldParticles,
    /// 1/m and 1/J of each particle; zeros where it is held or rigid.
    inverse: Vec<[f64; 2]>,
    /// dV/dx at the current state; empty until the first step.
    gradient: Vec<Wrench>,
    /// Whether a step was tried and not taken yet.
    has_trial: bool,
    /// Where the step at hand ends, and dV/dx there.
    next: State,
    next_gradient: Vec<Wrench>,
    /// What pushes and turns each particle in the step at hand; empty where nothing does.
    loads: Vec<Wrench>,
    /// Bonds that may bear more than they can at its end.
    overloaded: Vec<usize>,
    /// What its kicks make of the particles that they push, J, by chunk.
    kick_error: Vec<f64>,
    /// The power that the bonds' damping takes in the step at hand, W.
    damping: f64,
    /// What moves farther in one step, off the common motion, has blown up, m.
    max_travel: f64,
    /// Greatest speed, off the common motion, of each chunk of particles, m/s; none where a spin has no rotation.
    speeds: Vec<Option<f64>>,
    rule: PhantomData<R>,
}

/// Radii that nothing moves by in one step: waves take a tenth of one, and bullets about one.
const MAX_TRAVEL: f64 = 100.0;

impl<R: Rule> Explicit<R> {
    pub fn new(world: &World) -> Self {
        let holding = HeldParticles::new(world);
        let largest = world.particles.radius.iter().copied().fold(0.0, f64::max);
        Self {
            inverse: inverse(world, holding.held()),
            holding,
            max_travel: MAX_TRAVEL * largest,
            gradient: Vec::new(),
            has_trial: false,
            next: State::default(),
            next_gradient: Vec::new(),
            loads: Vec::new(),
            overloaded: Vec::new(),
            kick_error: Vec::new(),
            damping: 0.0,
            speeds: Vec::new(),
            rule: PhantomData,
        }
    }

    /// The step that was tried last.
    pub fn tried(&self, report: StepReport) -> Trial<'_> {
        Trial { end: &self.next, report, overloaded: Some(&self.overloaded), broken: &[] }
    }

    /// Goes on from where another integrator will have been: by the state alone.
    pub fn drop_gradient(&mut self) {
        self.gradient.clear();
    }

    /// Where the step ends that was tried last.
    pub fn end(&self) -> &State {
        &self.next
    }

    /// dV/dx there.
    pub fn end_gradient(&self) -> &[Wrench] {
        &self.next_gradient
    }

    /// dV/dx at the current state; empty where it is not known.
    pub fn gradient(&self) -> &[Wrench] {
        &self.gradient
    }

    /// Goes on from where dV/dx is this.
    pub fn set_gradient(&mut self, gradient: Vec<Wrench>) {
        self.gradient = gradient;
    }

    /// Finds what loads the particles in a step from one time to another, s.
    fn load(&mut self, world: &World, [from, to]: [f64; 2]) {
        self.loads.clear();
        for (i, load) in world.loads(from, to) {
            self.loads.resize(world.particles.len(), Wrench::default());
            self.loads[i] += *load;
        }
    }

    /// What loads do in the last kick of a step of `dt`.
    fn kick_by_loads(&mut self, dt: f64) {
        let State { v, w, .. } = &mut self.next;
        for (((load, inverse), v), w) in self.loads.iter().zip(&self.inverse).zip(v).zip(w) {
            kick(v, w, &-*load, inverse, R::KICKS[1] * dt);
        }
    }

    /// Makes room for the end of a step from `state`.
    fn make_room(&mut self, state: &State) {
        if self.next.len() != state.len() {
            self.next.clone_from(state);
            self.next_gradient.resize(state.len(), Wrench::default());
        }
    }

    /// Forces at the state that a run starts from.
    fn compute_gradient(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.gradient.resize(state.len(), Wrench::default());
        let potential = Potential { damping: Damping::Rate, ..Potential::new(world, contacts) };
        potential.gradient(state, &mut self.gradient);
    }

    /// The first kick, and then all particles of `state` moved and turned over `dt`, into the next state. Returns how far any
    /// came off the common motion at `common`, m.
    fn drift(
        &mut self,
        world: &World,
        work: &mut WorkArrays,
        state: &State,
        common: &Vec3,
        dt: f64,
    ) -> Result<f64, StepError> {
        let len = world.packs().chunk_len.max(1);
        let damped = world.is_damped();
        work.poses.resize(state.len(), Row8::ZERO);
        work.velocities.resize(if damped { state.len() } else { 0 }, Row8::ZERO);
        self.speeds.resize(state.len().div_ceil(len), None);
        let (holding, inverse, gradient, loads) = (&self.holding, &self.inverse, &self.gradient, &self.loads);
        // of a chunk that begins with particle `first`; returns the greatest speed
        let fly =
            |first: usize, p: &mut [Vec3], q: &mut [Quat], v: &mut [Vec3], w: &mut [Vec3], places: &mut [Row8]| {
                let (mut fastest, mut all_turn) = (0.0, true);
                for k in 0..p.len() {
                    let i = first + k;
                    let is_pushed = inverse[i][0] != 0.0;
                    if !is_pushed && let Some(transfer) = holding.transfer(i) {
                        (p[k], q[k], v[k], w[k]) = transfer.apply(&state.p[i], &state.q[i]);
                    } else {
                        if is_pushed {
                            (v[k], w[k]) = (state.v[i], state.w[i]);
                            if let Some(load) = loads.get(i) {
                                kick(&mut v[k], &mut w[k], &-*load, &inverse[i], R::KICKS[0] * dt);
                            }
                            kick(&mut v[k], &mut w[k], &gradient[i], &inverse[i], R::KICKS[0] * dt);
                        }
                        let theta = w[k] * dt;
                        p[k] = state.p[i] + v[k] * dt;
                        q[k] = rotation::turn_by(&state.q[i], &R::turn(&theta));
                        all_turn &= R::is_within_reach(&theta);
                    }
                    places[k] = pack_pose(&p[k], &q[k]);
                    fastest = f64::max(fastest, (v[k] - common).norm_squared());
                }
                all_turn.then(|| fastest.sqrt())
            };

        self.next.time = state.time + dt;
        let State { p, q, v, w, .. } = &mut self.next;
        let states =
            p.par_chunks_mut(len).zip(q.par_chunks_mut(len)).zip(v.par_chunks_mut(len)).zip(w.par_chunks_mut(len));
        let rows = work.poses.par_chunks_mut(len);
        let chunks = states.zip(rows).zip(&mut self.speeds).enumerate();
        if damped {
            // half of the step's damping resists the velocities that led to its beginning: the mean of both velocities lies
            // on the way from those at its beginning to those of the step, as a kick is the same before and after; what is held
            // begins a step with the velocities that led there
            let share = |i: usize| if holding.transfer(i).is_some() { 0.5 } else { 0.5 / R::KICKS[0] };
            chunks.zip(work.velocities.par_chunks_mut(len)).for_each(
                |((chunk, (((((p, q), v), w), places), speed)), motions)| {
                    let first = chunk * len;
                    *speed = fly(first, p, q, v, w, places);
                    for (k, (row, place)) in motions.iter_mut().zip(places).enumerate() {
                        let (before, share) = ([&state.v[first + k], &state.w[first + k]], share(first + k));
                        let mean = [v[k].lerp(before[0], share), w[k].lerp(before[1], share)];
                        *row = pack_velocity([&v[k], &w[k]], mean.each_ref(), place);
                    }
                },
            );
        } else {
            chunks.for_each(|(chunk, (((((p, q), v), w), places), speed))| {
                *speed = fly(chunk * len, p, q, v, w, places);
            });
        }
        let fastest = self.speeds.iter().try_fold(0.0, |fastest, speed| speed.map(|speed| f64::max(fastest, speed)));
        fastest
            .map(|fastest| dt * fastest)
            .ok_or_else(|| StepError::SpinsTooFast { particle: fastest_of(&self.next.w) })
    }

    /// Forces at the new places, and the last kick of a step from `state`. Returns the energy, J.
    fn finish(&mut self, potential: &Potential, work: &mut WorkArrays, state: &State, dt: f64) -> f64 {
        let world = potential.world;
        let len = world.packs().chunk_len.max(1);
        let bonds = potential.bonds(!world.packs().limits.is_empty());
        self.kick_error.resize(state.len().div_ceil(len), 0.0);
        let (inverse, next) = (&self.inverse, &mut self.next);
        let (mut v, mut w) = (std::mem::take(&mut next.v), std::mem::take(&mut next.w));
        let with = v.par_chunks_mut(len).zip(w.par_chunks_mut(len)).zip(&mut self.kick_error);
        let sums = potential.gradient_then(
            &bonds,
            work,
            next,
            &mut self.next_gradient,
            with,
            |particles, gradient, ((v, w), kick_error)| {
                *kick_error = 0.0;
                for (((i, g), v), w) in particles.clone().zip(gradient).zip(v.iter_mut()).zip(w) {
                    let mean = [*v, *w];
                    kick(v, w, g, &inverse[i], R::KICKS[1] * dt);
                    if inverse[i][0] != 0.0 {
                        *kick_error += account::by_impulse(world, state, i, mean, [*v, *w]);
                    }
                }
            },
        );
        (next.v, next.w, self.damping) = (v, w, sums.damping);
        bonds.overloaded(work, &mut self.overloaded);
        sums.energy
    }
}

/// The particle of the greatest speed.
fn fastest_of(velocities: &[Vec3]) -> usize {
    let speeds = velocities.iter().map(Vec3::norm_squared).enumerate();
    speeds.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(particle, _)| particle)
}

/// See [`Explicit::inverse`].
fn inverse(world: &World, held: &[bool]) -> Vec<[f64; 2]> {
    let (mass, inertia) = (&world.particles.mass, &world.particles.inertia);
    let of = |(i, &held): (usize, &bool)| if held { [0.0; 2] } else { [1.0 / mass[i], 1.0 / inertia[i]] };
    let mut inverse: Vec<_> = held.iter().enumerate().map(of).collect();
    world.free_rigid().for_each(|body| inverse[body.particles.clone()].fill([0.0; 2]));
    inverse
}

/// v -= dt dV/dp/m, w -= dt dV/dtheta/J.
#[inline(always)]
fn kick(v: &mut Vec3, w: &mut Vec3, gradient: &Wrench, [inverse_m, inverse_j]: &[f64; 2], dt: f64) {
    *v -= gradient.force * (dt * inverse_m);
    *w -= gradient.torque * (dt * inverse_j);
}

impl<R: Rule> Integrator for Explicit<R> {
    fn trial(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &State,
        Step { dt, .. }: Step,
    ) -> Result<Trial<'_>, StepError> {
        if self.gradient.is_empty() {
            self.compute_gradient(world, contacts, state);
        }
        self.make_room(state);
        if std::mem::replace(&mut self.has_trial, true) {
            contacts.invalidate(state);
        }
        let times = [state.time, state.time + dt];
        if self.holding.set(world, times[0], times[1]) {
            self.inverse = inverse(world, self.holding.held());
        }
        self.load(world, times);
        rigid::first_kick::<R>(world, &self.gradient, state, times, &mut self.next);
        let mut work = world.workspace().lock();
        let travel = self.drift(world, &mut work, state, &contacts.common_velocity(), dt)?;
        let start = Instant::now();
        contacts.update_after(travel, dt, world, &self.next);
        let slip = Slip::Since(state);
        contacts.load_rubs(world, &self.next, slip);
        let contact_seconds = start.elapsed().as_secs_f64();
        let potential = Potential { damping: Damping::Rate, slip, ..Potential::new(world, contacts) };
        let energy = self.finish(&potential, &mut work, state, dt);
        rigid::last_kick::<R>(world, &self.next_gradient, &mut self.next, times);
        self.kick_by_loads(dt);
        if !energy.is_finite() {
            Err(StepError::NotFinite { particle: self.next.first_not_finite().unwrap_or_default() })
        } else if travel > self.max_travel {
            Err(StepError::Unstable { particle: fastest_of(&self.next.v) })
        } else {
            let report = StepReport { contact_seconds, ..Default::default() };
            Ok(self.tried(report))
        }
    }

    fn commit(&mut self, world: &World, contacts: &mut Neighbours, state: &mut State) -> Flows {
        self.has_trial = false;
        let friction = contacts.settle_rubs(world, &self.next, Slip::Since(state), FrictionForce::Mean);
        let flows = self.flows(world, contacts, state, &friction);
        std::mem::swap(state, &mut self.next);
        std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        flows
    }

    /// Takes out of the forces what the broken bonds did, and puts in what the contacts that they became do.
    fn after_breakage(&mut self, _: &World, contacts: &Neighbours, state: &State, broken: &[BrokenBond]) {
        for BrokenBond { bond, .. } in broken {
            for (i, gradient) in bond.ends().into_iter().zip(removed_gradients(bond, contacts.after(bond), state)) {
                self.gradient[i] += -gradient;
            }
        }
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn history(&self) -> History<'_> {
        History::Explicit { gradient: Cow::Borrowed(&self.gradient) }
    }

    fn restore(&mut self, history: History, particles: usize) -> Option<()> {
        let History::Explicit { gradient } = history else { return None };
        if !gradient.is_empty() && gradient.len() != particles {
            return None;
        }
        self.gradient = gradient.into_owned();
        Some(())
    }
}
