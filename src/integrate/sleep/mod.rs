//! Explicit steps of active pieces, while the others sleep as rigid bodies.
//!
//! A lightly loaded piece falls asleep: see `criterion.rs`. A block of Verlet's steps is made in a small world. It contains the
//! active particles with their bonds, and the particles of sleepers that may touch something within the block. Each sleeper is
//! an ordinary [rigid body](crate::model::RigidBody) there. Verlet, contacts, friction, breakage and the account are those of
//! any explicit step. All other sleepers fly, once a block. A piece wakes at the step that loads it beyond its spare strength,
//! with its bonds unchanged.
//!
//! The block ends early if a piece wakes, or a particle leaves the margin of its ballistic path. The next block then starts
//! with a new search, so no contact is missed.

mod body;
mod broad_phase;
mod criterion;
mod section;
mod small_world;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::contact::Neighbours;
use crate::energy::Potential;
use crate::energy::account::Flows;
use crate::fracture::{BrokenBond, Pieces};
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{ABSENT, Bond, Gradient, Motion, Pair, State, World};

use super::{AUTO, BrokenOnTheWay, Step, StepError, StepReport, Trial};

use body::{Body, Move};
use broad_phase::BroadPhase;
use criterion::{Candidate, Sleeper, assess, internal_gradients, moves_rigidly};
use small_world::SmallWorld;

/// Sleeping pieces: the data besides the state that later steps depend on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sleep {
    /// Share of its spare strength up to which a piece sleeps.
    share: f64,
    sleepers: Vec<Sleeper>,
    /// Sleeper of each particle, [`ACTIVE`] for others.
    sleeper_of: Vec<u32>,
    /// Spare force of the weakest bond of each sleeping particle, N.
    limit: Vec<f64>,
    /// Contact force on each sleeping particle that its bonds balance, N.
    balanced: Vec<Vec3>,
    /// dV/dx of each particle, without the bonds of sleepers, N and N m.
    gradient: Vec<Gradient>,
    /// Candidates for contact. They do not affect results.
    #[serde(skip)]
    broad_phase: BroadPhase,
    /// Blocks before each active particle may sleep, and the length of this interval after the last wake.
    cool_down: Vec<u8>,
    cool_down_length: Vec<u8>,
}

/// Result of a step that is not committed yet.
#[derive(Debug)]
pub struct SleepTrial {
    sleep: Sleep,
    contacts: Neighbours,
    end: State,
    flows: Flows,
    broken: Vec<BrokenOnTheWay>,
    /// In bond evaluations.
    work: f64,
    report: StepReport,
}

/// Marks a particle without a sleeper.
const ACTIVE: u32 = u32::MAX;

/// Minimum number of particles in a task.
const CHUNK: usize = 1024;

/// Work of an explicit step of the whole world, in bond evaluations.
fn work_of_explicit(world: &World) -> f64 {
    work_of(world.whole_bond_count(), world.particles.len())
}

/// Work of an explicit step, in bond evaluations.
fn work_of(bonds: usize, particles: usize) -> f64 {
    AUTO.work_of_step + bonds as f64 + AUTO.work_of_particle * particles as f64
}

/// Whether pieces of a world may sleep. Only contacts, walls at rest and gravity may move them.
pub fn is_applicable(world: &World) -> bool {
    world.whole_bond_count() > 0
        && world.constraints.is_empty()
        && world.rigid.is_empty()
        && world.electrostatics.is_empty()
        && world.colliders.iter().all(|wall| wall.motion == Motion::Fixed)
}

impl Sleep {
    /// Puts all pieces to sleep that the criterion allows at a `share` of their spare strength. `gradient` is dV/dx of all
    /// particles, as in Verlet; none if unknown.
    pub fn new(world: &World, contacts: &Neighbours, state: &State, gradient: Option<&[Gradient]>, share: f64) -> Self {
        let count = state.len();
        let mut sleep = Self {
            share,
            sleeper_of: vec![ACTIVE; count],
            limit: vec![f64::INFINITY; count],
            balanced: vec![Vec3::zeros(); count],
            cool_down: vec![0; count],
            cool_down_length: vec![0; count],
            gradient: gradient.map_or_else(|| vec![Gradient::default(); count], <[_]>::to_vec),
            ..Self::default()
        };
        if gradient.is_none() {
            Potential::new(world, contacts).gradient(state, &mut sleep.gradient);
        }
        let pieces = rigid_pieces(world, state, share);
        let pieces = pieces.iter().map(Vec::as_slice).collect();
        let candidates = sleep.find_candidates(world, contacts, state, pieces);
        candidates.into_iter().for_each(|candidate| sleep.fall_asleep(candidate));
        sleep
    }

    /// Whether pieces of more than half of the particles move rigidly: a quick look at whether it is worth a full one.
    pub(crate) fn may_pay(world: &World, state: &State, share: f64) -> bool {
        2 * rigid_pieces(world, state, share).iter().map(Vec::len).sum::<usize>() > state.len()
    }

    /// Estimated work of steps with these sleeping pieces at `state`, over that of explicit steps of the whole world. It counts
    /// active particles and those near a contact.
    pub(crate) fn predicted_work(&self, world: &World, contacts: &Neighbours, state: &State) -> f64 {
        let margin = |i: usize| AUTO.path_margin * world.particles.radius[i];
        let mut is_near = vec![false; state.len()];
        for pair in contacts.pairs().iter().filter(|pair| !self.in_same_sleeper(pair.ends())) {
            let [i, j] = pair.ends();
            if (state.p[i] - state.p[j]).norm() < pair.reach + margin(i) + margin(j) {
                [i, j].into_iter().for_each(|i| is_near[i] = true);
            }
        }
        let walls = world.walls_at(state.time);
        let on_wall = |i: usize| {
            let far = world.particles.contact_radius[i] + margin(i);
            walls.iter().any(|wall| wall.gap(&state.p[i], far).is_some())
        };
        let is_there = |i: usize| self.sleeper_of[i] == ACTIVE || is_near[i] || on_wall(i);
        let particles = (0..state.len()).into_par_iter().with_min_len(CHUNK).filter(|&i| is_there(i)).count();
        let bonds = world.whole_bonds().filter(|bond| self.sleeper_of[bond.i as usize] == ACTIVE).count();
        let flight = AUTO.work_of_flight * state.len() as f64 / AUTO.sleep_steps;
        let step = if particles == 0 { 0.0 } else { work_of(bonds, particles) };
        (step * (1.0 + AUTO.steps_of_extraction / AUTO.sleep_steps) + flight) / work_of_explicit(world)
    }

    /// Whether it fits a world of this number of `particles`.
    pub(crate) fn is_sound(&self, particles: usize) -> bool {
        let belongs = |(number, sleeper): (usize, &Sleeper)| {
            !sleeper.members.is_empty()
                && sleeper.members.is_sorted_by(|a, b| a < b)
                && sleeper.members.iter().all(|&i| self.sleeper_of.get(i as usize) == Some(&(number as u32)))
        };
        let asleep: usize = self.sleepers.iter().map(|sleeper| sleeper.members.len()).sum();
        let lengths = [
            self.sleeper_of.len(),
            self.limit.len(),
            self.balanced.len(),
            self.gradient.len(),
            self.cool_down.len(),
            self.cool_down_length.len(),
        ];
        lengths == [particles; 6]
            && self.sleepers.iter().enumerate().all(belongs)
            && self.sleeper_of.iter().filter(|sleeper| **sleeper != ACTIVE).count() == asleep
    }

    /// dV/dx of all particles as in Verlet, with the interior of sleepers.
    pub(crate) fn full_gradient(&self, world: &World, contacts: &Neighbours, state: &State) -> Vec<Gradient> {
        let mut gradient = self.gradient.clone();
        let inner =
            self.sleepers.iter().flat_map(|sleeper| internal_gradients(world, contacts, state, &sleeper.members));
        for (ends, by) in inner {
            ends.into_iter().zip(by).for_each(|(i, part)| gradient[i] += part);
        }
        gradient
    }

    /// Sagittas of the paths of each sleeper's particles over `span` (s), m: w^2 R span^2/2, limited by its diameter.
    fn sagittas(&self, state: &State, span: f64) -> Vec<f64> {
        let of = |sleeper: &Sleeper| {
            let turn = state.w[sleeper.members[0] as usize].norm() * span;
            sleeper.reach * (0.5 * turn * turn).min(2.0 + turn)
        };
        self.sleepers.iter().map(of).collect()
    }

    fn sleeper(&self, particle: usize) -> Option<usize> {
        let sleeper = self.sleeper_of[particle];
        (sleeper != ACTIVE).then_some(sleeper as usize)
    }

    /// Whether two particles belong to the same sleeper.
    fn in_same_sleeper(&self, [i, j]: [usize; 2]) -> bool {
        self.sleeper_of[i] != ACTIVE && self.sleeper_of[i] == self.sleeper_of[j]
    }

    fn active(&self) -> Vec<u32> {
        (0..).zip(&self.sleeper_of).filter(|(_, sleeper)| **sleeper == ACTIVE).map(|(i, _)| i).collect()
    }

    fn find_candidates(
        &self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        pieces: Vec<&[u32]>,
    ) -> Vec<Candidate> {
        let candidate = |members: &&[u32]| assess(world, contacts, state, &self.gradient, members, self.share);
        pieces.par_iter().filter_map(candidate).collect()
    }

    /// Puts a piece to sleep. See [`SleepTrial::project_velocities`] for its velocities.
    fn fall_asleep(&mut self, candidate: Candidate) {
        // pairs within the new sleeper no longer count
        self.broad_phase = BroadPhase::default();
        let number = self.sleepers.len() as u32;
        for (k, &i) in candidate.sleeper.members.iter().enumerate() {
            let i = i as usize;
            self.sleeper_of[i] = number;
            (self.limit[i], self.balanced[i]) = (candidate.limits[k], candidate.balanced[k]);
            self.gradient[i] -= candidate.inner[k];
        }
        self.sleepers.push(candidate.sleeper);
    }

    /// Makes the particles of a sleeper active.
    fn wake(&mut self, world: &World, contacts: &Neighbours, state: &State, number: usize) {
        let sleeper = self.sleepers.swap_remove(number);
        let ([least, most], has_slept) = (AUTO.active_blocks, sleeper.slept >= AUTO.long_sleep);
        for i in sleeper.members.iter().map(|&i| i as usize) {
            self.sleeper_of[i] = ACTIVE;
            self.balanced[i] = Vec3::zeros();
            self.cool_down_length[i] =
                if has_slept { least } else { (2 * self.cool_down_length[i]).clamp(least, most) };
            self.cool_down[i] = self.cool_down_length[i];
        }
        for (ends, gradient) in internal_gradients(world, contacts, state, &sleeper.members) {
            ends.into_iter().zip(gradient).for_each(|(i, gradient)| self.gradient[i] += gradient);
        }
        if let Some(moved) = self.sleepers.get(number) {
            moved.members.clone().iter().for_each(|&i| self.sleeper_of[i as usize] = number as u32);
        }
    }

    /// Trial of a step from `state` with these `contacts`. Bonds break within it, and pieces wake and fall asleep. In a `far`
    /// step all sleep, and no contact is possible.
    ///
    /// # Errors
    /// As Verlet's, which a shorter step does not avoid. A far step fails where a contact is possible.
    pub fn trial(
        &self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        Step { dt, explicit_dt, .. }: Step,
        far: bool,
    ) -> Result<SleepTrial, StepError> {
        let mut trial = SleepTrial {
            sleep: self.clone(),
            contacts: contacts.clone(),
            end: state.clone(),
            flows: Flows::default(),
            broken: Vec::new(),
            work: 0.0,
            report: StepReport::default(),
        };
        trial.project_all_velocities(world);
        let end = state.time + dt;
        if far {
            trial.fly_freely(world, end)?;
        }
        // copy of the world, after bonds broke in the step
        let mut own: Option<World> = None;
        while trial.end.time < end {
            let known = trial.broken.len();
            let small = trial.advance_block(own.as_ref().unwrap_or(world), end, explicit_dt)?;
            if trial.broken.len() > known {
                let own = own.get_or_insert_with(|| world.clone());
                let broken = trial.broken[known..].iter();
                let mut indices: Vec<_> = broken.map(|broken| index_of(own, &broken.broken.bond)).collect();
                indices.sort_unstable();
                own.mark_broken(&indices);
            }
            if let Some(small) = small {
                trial.update_sleepers(own.as_ref().unwrap_or(world), &small);
            }
        }
        trial.contacts.invalidate(&trial.end);
        for broken in &mut trial.broken {
            broken.index = index_of(world, &broken.broken.bond);
        }
        trial.report.asleep_work = Some(trial.work / (work_of_explicit(world) * dt / explicit_dt));
        StepError::of_infinite(&trial.end)?;
        Ok(trial)
    }
}

impl SleepTrial {
    /// Trial as others see it.
    pub fn tried(&self) -> Trial<'_> {
        Trial { end: &self.end, report: self.report, overloaded: &[], broken: &self.broken }
    }

    /// Commits the step.
    pub fn commit(self, contacts: &mut Neighbours, state: &mut State) -> (Sleep, Flows) {
        (*contacts, *state) = (self.contacts, self.end);
        (self.sleep, self.flows)
    }

    /// Whether bonds broke in it.
    pub fn breaks(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Sets the velocities of all sleepers' particles to those of their bodies.
    fn project_all_velocities(&mut self, world: &World) {
        for number in 0..self.sleep.sleepers.len() {
            let members = self.sleep.sleepers[number].members.clone();
            self.project_velocities(world, &members);
        }
    }

    /// Sets the velocities of a sleeper's particles to those of its body. Their relative motion is dissipated.
    fn project_velocities(&mut self, world: &World, members: &[u32]) {
        if members.len() == 1 {
            return;
        }
        let body = Body::of(members, &world.particles, &self.end);
        let kinetic = |state: &State| -> f64 {
            let twice = |i: usize| {
                let (m, j) = (world.particles.mass[i], world.particles.inertia[i]);
                m * state.v[i].norm_squared() + j * state.w[i].norm_squared()
            };
            members.iter().map(|&i| 0.5 * twice(i as usize)).sum()
        };
        let before = kinetic(&self.end);
        for i in members.iter().map(|&i| i as usize) {
            (self.end.v[i], self.end.w[i]) = (body.velocity_at(&self.end.p[i]), body.spin);
        }
        self.flows.numerical += kinetic(&self.end) - before;
    }

    /// Advances by a block that ends at `end` (s) or before, in steps of `explicit_dt` (s) of the small world. Returns the
    /// small world, if there was one.
    ///
    /// # Errors
    /// As Verlet's.
    fn advance_block(&mut self, world: &World, end: f64, explicit_dt: f64) -> Result<Option<SmallWorld>, StepError> {
        self.wake_spinning(world);
        let active = self.sleep.active();
        let (left, block) = (end - self.end.time, AUTO.sleep_steps * explicit_dt);
        let (span, until) = if block < left { (block, self.end.time + block) } else { (left, end) };
        if !self.sleep.broad_phase.holds(world, &self.sleep, &self.end, span) {
            self.sleep.broad_phase = BroadPhase::new(world, &self.sleep, &self.end, AUTO.broad_phase_blocks * block);
        }
        let sagittas = self.sleep.sagittas(&self.end, span);
        let near = self.find_near(world, span, &sagittas);
        if active.is_empty() && near.is_empty() {
            self.move_sleepers(world, until, &[]);
            return Ok(None);
        }
        let mut place_of = Vec::new();
        let Self { sleep, contacts, end: state, .. } = self;
        let mut small = SmallWorld::new(sleep, world, contacts, state, &active, &near, &mut place_of);
        small.set_margin(sleep, &sagittas);
        let steps = (span / explicit_dt * (1.0 - 1e-12)).ceil().max(1.0);
        let mut broken = Vec::new();
        let count =
            small.run(&self.sleep, until, steps as u32, &mut self.flows, |time, bond| broken.push((time, bond)))?;
        self.work +=
            (f64::from(count) + AUTO.steps_of_extraction) * small.work() + AUTO.work_of_flight * self.end.len() as f64;
        self.merge(world, &small, &place_of, broken);
        Ok(Some(small))
    }

    /// Wakes the sleepers whose rotation exceeds their limit.
    fn wake_spinning(&mut self, world: &World) {
        let Self { sleep, contacts, end, .. } = self;
        for number in (0..sleep.sleepers.len()).rev() {
            if sleep.sleepers[number].spins_too_fast(end) {
                sleep.wake(world, contacts, end, number);
            }
        }
    }

    /// Flies to `end` (s) in one step.
    ///
    /// # Errors
    /// If a piece is active, rotates too fast to sleep, or may meet something.
    fn fly_freely(&mut self, world: &World, end: f64) -> Result<(), StepError> {
        let Self { sleep, end: state, .. } = &*self;
        let active = || sleep.sleeper_of.iter().position(|&sleeper| sleeper == ACTIVE);
        let spinning = || sleep.sleepers.iter().find(|sleeper| sleeper.spins_too_fast(state));
        let meeting = || BroadPhase::new(world, sleep, state, end - state.time).first();
        let first = active().or_else(|| Some(spinning()?.members[0] as usize)).or_else(meeting);
        if let Some(particle) = first {
            return Err(StepError::MayMeet { particle });
        }
        self.move_sleepers(world, end, &[]);
        Ok(())
    }

    /// Sleeping particles that may touch something within `span` (s), ascending.
    fn find_near(&self, world: &World, span: f64, sagittas: &[f64]) -> Vec<u32> {
        let (state, radius, sleep) = (&self.end, &world.particles.radius, &self.sleep);
        let margin =
            |i: usize| AUTO.path_margin * radius[i] + sleep.sleeper(i).map_or(0.0, |sleeper| sagittas[sleeper]);
        let mut near = Vec::new();
        for &ids in &sleep.broad_phase.pairs {
            let [i, j] = ids.map(|i| i as usize);
            let asleep = [i, j].map(|i| sleep.sleeper_of[i] != ACTIVE);
            if asleep == [false; 2] || sleep.in_same_sleeper([i, j]) {
                continue;
            }
            let (apart, way) = (state.p[i] - state.p[j], (state.v[i] - state.v[j]) * span);
            let nearest = (-apart.dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            if (apart + way * nearest).norm() <= radius[i] + radius[j] + margin(i) + margin(j) {
                near.extend(ids.into_iter().zip(asleep).filter(|(_, asleep)| *asleep).map(|(i, _)| i));
            }
        }
        let fall = 0.5 * world.gravity.norm() * span * span;
        let walls = world.walls_at(state.time);
        for &i in &sleep.broad_phase.on_walls {
            let at = i as usize;
            let far = radius[at] + state.v[at].norm() * span + margin(at) + fall;
            let is_near = || walls.iter().any(|wall| wall.gap(&state.p[at], far).is_some());
            if sleep.sleeper_of[at] != ACTIVE && is_near() {
                near.push(i);
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Moves all sleepers to the time `until` (s): as in `moved` if contacts moved them, others in free flight.
    fn move_sleepers(&mut self, world: &World, until: f64, moved: &[(u32, Move)]) {
        let Self { sleep, end: state, .. } = self;
        let dt = until - state.time;
        let mut moves: Vec<Option<Move>> = vec![None; sleep.sleepers.len()];
        moved.iter().for_each(|(sleeper, by)| moves[*sleeper as usize] = Some(*by));
        let fly = |(sleeper, by): (&Sleeper, &mut Option<Move>)| match by {
            Some(_) => 0.0,
            None => {
                let (flown, energy_error) = Body::of(&sleeper.members, &world.particles, state).fly(&world.gravity, dt);
                *by = Some(flown);
                energy_error
            }
        };
        let energy_error: Vec<f64> = sleep.sleepers.par_iter().zip(&mut moves).with_min_len(16).map(fly).collect();
        self.flows.numerical += energy_error.iter().sum::<f64>();
        for (sleeper, by) in sleep.sleepers.iter().zip(&moves) {
            let by = by.as_ref().expect("all have moved");
            for i in sleeper.members.iter().map(|&i| i as usize) {
                by.carry(state, i);
                if sleep.balanced[i] != Vec3::zeros() {
                    sleep.balanced[i] = rotation::rotate(&by.turn, &sleep.balanced[i]);
                }
            }
        }
        state.time = until;
        let turn = |ends: [usize; 2]| -> Option<&Quat> {
            let sleeper = sleep.sleeper(ends[0]).filter(|_| sleep.in_same_sleeper(ends))?;
            moves[sleeper].as_ref().map(|by| &by.turn)
        };
        self.contacts.turn_friction(turn);
    }

    /// Takes over the state of a small world and the bonds that broke in it. All other particles fly to its time.
    fn merge(&mut self, world: &World, small: &SmallWorld, place_of: &[u32], broken: Vec<(f64, BrokenBond)>) {
        let mut moves: Vec<_> = small.moves().collect();
        for (k, &i) in small.members.iter().enumerate().filter(|(_, i)| **i != ABSENT) {
            let (i, now, there) = (i as usize, &mut self.end, &small.state);
            self.sleep.gradient[i] = small.gradient()[k];
            if k < small.free {
                let motion @ [to, velocity, spin] = [there.p[k], there.v[k], there.w[k]];
                [now.p[i], now.v[i], now.w[i]] = motion;
                now.q[i] = there.q[k];
                if let Some(sleeper) = self.sleep.sleeper(i) {
                    moves.push((sleeper as u32, Move { from: to, to, turn: Quat::identity(), velocity, spin }));
                }
            }
        }
        self.move_sleepers(world, small.state.time, &moves);
        let known = self.broken.len();
        for (time, broken) in broken {
            self.broken.push(BrokenOnTheWay { index: 0, time, broken });
        }
        if self.broken.len() > known {
            self.contacts.add_pairs(world, self.broken[known..].iter().map(|broken| broken.broken.ends()));
        }
        self.contacts.take_over(world, &small.contacts, &small.state, &small.members, place_of);
    }

    /// Wakes the overloaded sleepers. If there are none, puts lightly loaded pieces to sleep.
    fn update_sleepers(&mut self, world: &World, small: &SmallWorld) {
        self.sleep.sleepers.iter_mut().for_each(|sleeper| sleeper.slept = sleeper.slept.saturating_add(1));
        for &i in &small.members[..small.active] {
            let wait = &mut self.sleep.cool_down[i as usize];
            *wait = wait.saturating_sub(1);
        }
        if !small.woken.is_empty() {
            self.report.woken = true;
            let mut woken = small.woken.clone();
            woken.sort_unstable();
            woken.dedup();
            for number in woken.into_iter().rev() {
                self.sleep.wake(world, &self.contacts, &self.end, number as usize);
            }
            return;
        }
        let (parts, share) = (small.parts(), self.sleep.share);
        let is_waiting = |part: &[u32]| part.iter().any(|&i| self.sleep.cool_down[i as usize] > 0);
        let parts = parts.iter().map(|part| &part[..]);
        let parts = parts.filter(|part| !is_waiting(part) && moves_rigidly(world, &self.end, part, share));
        let candidates = self.sleep.find_candidates(world, &self.contacts, &self.end, parts.collect());
        for candidate in candidates {
            let members = candidate.sleeper.members.clone();
            self.sleep.fall_asleep(candidate);
            self.project_velocities(world, &members);
        }
    }
}

/// Particles (ascending) of each piece without strong waves in it.
fn rigid_pieces(world: &World, state: &State, share: f64) -> Vec<Vec<u32>> {
    let pieces = Pieces::of(world);
    let order = pieces.sorted();
    let same_piece = |i: &u32, j: &u32| pieces.of_particle[*i as usize] == pieces.of_particle[*j as usize];
    let pieces: Vec<&[u32]> = order.chunk_by(same_piece).collect();
    let rigid = pieces.into_par_iter().filter(|members| moves_rigidly(world, state, members, share));
    rigid.map(<[u32]>::to_vec).collect()
}

/// Index of a `bond` in the world, whole or broken.
fn index_of(world: &World, bond: &Bond) -> usize {
    let first = world.bonds().partition_point(|other| (other.i, other.j) < (bond.i, bond.j));
    let same = world.bonds()[first..].iter().position(|other| other.id == bond.id);
    first + same.expect("a bond of the world broke")
}
