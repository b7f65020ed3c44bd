//! Explicit steps: a kick by the forces at the old places, a drift, and a kick by those at the new ones. What makes one
//! integrator another is its [`Rule`].

mod rigid;
mod rodrigues;
mod verlet;

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Instant;

use rayon::prelude::*;

use crate::contact::{Neighbours, Slip};
use crate::energy::{Damping, Potential, bond, contact, gap_between, motion, place};
use crate::fracture::BrokenBond;
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{Holding, State, WorkArrays, World, Wrench};
use crate::simd::Row;

use super::{Integrator, Memory, StepError, StepReport};

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
    holding: Holding,
    /// 1/m and 1/J of each particle; zeros where it is held or rigid.
    inverse: Vec<[f64; 2]>,
    /// dV/dx at the current state; empty until the first step.
    gradient: Vec<Wrench>,
    /// Bonds that may bear more than they can at the current state.
    overloaded: Vec<usize>,
    /// What moves farther in one step, off the common motion, has blown up, m.
    too_far: f64,
    /// Greatest speed, off the common motion, of each chunk of particles, m/s; none where a spin has no rotation.
    speeds: Vec<Option<f64>>,
    rule: PhantomData<R>,
}

/// Radii that nothing moves by in one step: waves take a tenth of one, and bullets about one.
const TOO_FAR: f64 = 100.0;

impl<R: Rule> Explicit<R> {
    pub fn new(world: &World) -> Self {
        let holding = Holding::new(world);
        let largest = world.particles.radius.iter().copied().fold(0.0, f64::max);
        Self {
            inverse: inverse(world, holding.held()),
            holding,
            too_far: TOO_FAR * largest,
            gradient: Vec::new(),
            overloaded: Vec::new(),
            speeds: Vec::new(),
            rule: PhantomData,
        }
    }

    /// A `share` of what loads do in a step from one time to another.
    fn load(&self, world: &World, state: &mut State, [from, to]: [f64; 2], share: f64) {
        for (i, load) in world.loads(from, to) {
            kick(&mut state.v[i], &mut state.w[i], &-*load, &self.inverse[i], share * (to - from));
        }
    }

    /// Forces at the state that a run starts from.
    fn start(&mut self, world: &World, contacts: &Neighbours, state: &State) {
        self.gradient.resize(state.len(), Wrench::default());
        Potential { damping: damping_of(world), ..Potential::new(world, contacts) }.gradient(state, &mut self.gradient);
    }

    /// The first kick, then moves and turns all particles over `dt`. Returns how far any came off the common motion at
    /// `common`, m.
    fn drift(
        &mut self,
        world: &World,
        work: &mut WorkArrays,
        state: &mut State,
        common: &Vec3,
        dt: f64,
    ) -> Result<f64, StepError> {
        let len = world.packs().chunk_len.max(1);
        let damped = world.is_damped();
        work.places.resize(state.len(), Row::ZERO);
        work.motion.resize(if damped { state.len() } else { 0 }, Row::ZERO);
        self.speeds.resize(state.len().div_ceil(len), None);
        let (holding, inverse, gradient) = (&self.holding, &self.inverse, &self.gradient);

        state.time += dt;
        let State { p, q, v, w, .. } = state;
        let states =
            p.par_chunks_mut(len).zip(q.par_chunks_mut(len)).zip(v.par_chunks_mut(len)).zip(w.par_chunks_mut(len));
        let rows = work.places.par_chunks_mut(len);
        states.zip(rows).zip(&mut self.speeds).enumerate().for_each(|(chunk, (((((p, q), v), w), places), speed))| {
            let particles = chunk * len..chunk * len + p.len();
            let inverse = &inverse[particles.clone()];
            let (mut fastest, mut all_turn) = (0.0, true);
            for (k, g) in gradient[particles].iter().enumerate() {
                kick(&mut v[k], &mut w[k], g, &inverse[k], R::KICKS[0] * dt);
                if inverse[k][0] == 0.0
                    && let Some(carry) = holding.carry(chunk * len + k)
                {
                    (p[k], q[k], v[k], w[k]) = carry.take(&p[k], &q[k]);
                } else {
                    let theta = w[k] * dt;
                    p[k] += v[k] * dt;
                    q[k] = rotation::turn_by(&q[k], &R::turn(&theta));
                    all_turn &= R::is_within_reach(&theta);
                }
                places[k] = place(&p[k], &q[k]);
                fastest = f64::max(fastest, (v[k] - common).norm_squared());
            }
            *speed = all_turn.then(|| fastest.sqrt());
        });
        if damped {
            let rows = work.motion.par_iter_mut().zip(&state.v).zip(&state.w).with_min_len(len);
            rows.for_each(|((row, v), w)| *row = motion(v, w));
        }
        let fastest = self.speeds.iter().try_fold(0.0, |fastest, speed| speed.map(|speed| f64::max(fastest, speed)));
        fastest.map(|fastest| dt * fastest).ok_or(StepError::SpinsTooFast)
    }

    /// Forces at the new places, and the last kick. Returns the energy, J.
    fn push(&mut self, potential: &Potential, work: &mut WorkArrays, state: &mut State, dt: f64) -> f64 {
        let world = potential.world;
        let len = world.packs().chunk_len.max(1);
        let bonds = potential.bonds(!world.packs().limits.is_empty());
        let inverse = &self.inverse;
        let (mut v, mut w) = (std::mem::take(&mut state.v), std::mem::take(&mut state.w));
        let velocities = v.par_chunks_mut(len).zip(w.par_chunks_mut(len));
        let energy = potential.gradient_then(
            &bonds,
            work,
            state,
            &mut self.gradient,
            velocities,
            |particles, gradient, (v, w)| {
                for ((g, inverse), (v, w)) in gradient.iter().zip(&inverse[particles.clone()]).zip(v.iter_mut().zip(w))
                {
                    kick(v, w, g, inverse, R::KICKS[1] * dt);
                }
            },
        );
        (state.v, state.w) = (v, w);
        bonds.overloaded(work, &mut self.overloaded);
        energy
    }
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

fn damping_of(world: &World) -> Damping<'static> {
    if world.is_damped() { Damping::Rate } else { Damping::None }
}

impl<R: Rule> Integrator for Explicit<R> {
    fn step(
        &mut self,
        world: &World,
        contacts: &mut Neighbours,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if self.gradient.is_empty() {
            self.start(world, contacts, state);
        }
        let times = [state.time, state.time + dt];
        if self.holding.set(world, times[0], times[1]) {
            self.inverse = inverse(world, self.holding.held());
        }
        self.load(world, state, times, R::KICKS[0]);
        rigid::lead::<R>(world, &self.gradient, state, times);
        let mut work = world.workspace().lock();
        let travel = self.drift(world, &mut work, state, &contacts.common_velocity(), dt)?;
        let start = Instant::now();
        contacts.update_after(travel, world, state);
        let slip = Slip::Over(dt);
        contacts.load_rubs(world, state, slip);
        contacts.settle_rubs(world, state, slip);
        let contact_seconds = start.elapsed().as_secs_f64();
        let potential = Potential { damping: damping_of(world), ..Potential::new(world, contacts) };
        let energy = self.push(&potential, &mut work, state, dt);
        rigid::follow::<R>(world, &self.gradient, state, times);
        self.load(world, state, times, R::KICKS[1]);
        if !energy.is_finite() {
            Err(StepError::NotFinite)
        } else if travel > self.too_far {
            Err(StepError::Unstable)
        } else {
            Ok(StepReport { contact_seconds, ..Default::default() })
        }
    }

    fn bonds_broken(&mut self, contacts: &Neighbours, state: &State, broken: &[BrokenBond]) {
        if self.gradient.is_empty() {
            return;
        }
        // takes out what the broken bonds did, and puts in what the contacts that they became do
        for BrokenBond { bond, .. } in broken {
            let [on_i, on_j] = bond::gradient(bond, &bond::pose(bond, state)).wrenches();
            self.gradient[bond.i as usize] += -on_i;
            self.gradient[bond.j as usize] += -on_j;
            if bond.model.keeps_contact() {
                continue;
            }
            if let Some(pair) = contacts.find(bond.i, bond.j) {
                let force = contact::gradient(&pair.spring, &gap_between(pair, state));
                self.gradient[bond.i as usize].force -= force;
                self.gradient[bond.j as usize].force += force;
            }
        }
    }

    fn held(&self) -> &[bool] {
        self.holding.held()
    }

    fn overloaded(&self) -> Option<&[usize]> {
        Some(&self.overloaded)
    }

    fn memory(&self) -> Memory<'_> {
        Memory::Explicit { gradient: Cow::Borrowed(&self.gradient) }
    }

    fn recall(&mut self, memory: Memory, particles: usize) -> Option<()> {
        let Memory::Explicit { gradient } = memory else { return None };
        if !gradient.is_empty() && gradient.len() != particles {
            return None;
        }
        self.gradient = gradient.into_owned();
        Some(())
    }
}
