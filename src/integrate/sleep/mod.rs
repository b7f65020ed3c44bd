//! Explicit steps of the pieces that are awake, while the others sleep as rigid bodies.
//!
//! A piece of which nothing strains the bonds falls asleep: `calm.rs` has the rule. For a block of Verlet's steps a
//! small world is cut out that holds what is awake with its bonds, and the particles of sleepers that may touch
//! something within the block; each sleeper is an ordinary [rigid body](crate::model::RigidBody) there. Verlet, contacts,
//! friction, breakage and the account are those of any explicit step. All other sleepers fly, once a block. A piece that is
//! loaded beyond its spare strength wakes at the step that loads it, with the bonds as they were.
//!
//! The block ends early where something wakes, or comes further off its straight way than its leeway: what is near is looked
//! for anew then. So nothing meets another in a block that did not know of it.

mod body;
mod calm;
mod foresight;
mod section;
mod small_world;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::contact::Neighbours;
use crate::energy::Potential;
use crate::energy::account::Flows;
use crate::fracture::{BrokenBond, Pieces};
use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{ABSENT, Bond, Motion, Pair, State, World, Wrench};

use super::{AUTO, BrokenOnTheWay, Step, StepError, StepReport, Trial};

use body::{Body, Move};
use calm::{Calm, Sleeper, inner_slopes, judge, moves_as_one};
use foresight::Foresight;
use small_world::SmallWorld;

/// Which pieces sleep: what steps to come go by, besides the state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Sleep {
    /// Share of its spare strength up to which a piece sleeps.
    share: f64,
    sleepers: Vec<Sleeper>,
    /// The sleeper of each particle, [`AWAKE`] for others.
    sleeper_of: Vec<u32>,
    /// What the weakest bond of each sleeping particle bears besides what it does, N.
    limit: Vec<f64>,
    /// The contact force that the bonds of each sleeping particle bear already, N.
    balanced: Vec<Vec3>,
    /// Slopes of energy by each particle, those of sleepers without their bonds, N and N m.
    slopes: Vec<Wrench>,
    /// What may meet; it does not change what does.
    #[serde(skip)]
    foresight: Foresight,
    /// Blocks before each awake particle may sleep, and how many these were when it woke last.
    cool_down: Vec<u8>,
    waits: Vec<u8>,
}

/// A step that was tried.
#[derive(Debug)]
pub struct Attempt {
    sleep: Sleep,
    contacts: Neighbours,
    end: State,
    flows: Flows,
    broken: Vec<BrokenOnTheWay>,
    /// In bonds.
    work: f64,
    report: StepReport,
}

/// No sleeper.
const AWAKE: u32 = u32::MAX;

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Work of an explicit step of the whole world, in that of a bond.
fn work_of_explicit(world: &World) -> f64 {
    work_of(world.whole_bond_count(), world.particles.len())
}

/// Work of an explicit step, in that of a bond.
fn work_of(bonds: usize, particles: usize) -> f64 {
    AUTO.work_of_step + bonds as f64 + AUTO.work_of_particle * particles as f64
}

/// Whether pieces of a world may sleep: nothing moves them but contacts, walls at rest and gravity.
pub fn suits(world: &World) -> bool {
    world.whole_bond_count() > 0
        && world.constraints.is_empty()
        && world.rigid.is_empty()
        && world.colliders.iter().all(|wall| wall.motion == Motion::Fixed)
}

impl Sleep {
    /// Lets all pieces of a world fall asleep that may on a `share` of their spare strength. `slopes` are those of energy by all
    /// particles, as Verlet has them; none where they are not known.
    pub fn new(world: &World, contacts: &Neighbours, state: &State, slopes: Option<&[Wrench]>, share: f64) -> Self {
        let count = state.len();
        let mut sleep = Self {
            share,
            sleeper_of: vec![AWAKE; count],
            limit: vec![f64::INFINITY; count],
            balanced: vec![Vec3::zeros(); count],
            cool_down: vec![0; count],
            waits: vec![0; count],
            slopes: slopes.map_or_else(|| vec![Wrench::default(); count], <[_]>::to_vec),
            ..Self::default()
        };
        let pieces = Pieces::of(world);
        let order = pieces.sorted();
        let is_one = |i: &u32, j: &u32| pieces.of_particle[*i as usize] == pieces.of_particle[*j as usize];
        let pieces: Vec<&[u32]> = order.chunk_by(is_one).collect();
        let rigid = pieces.into_par_iter().filter(|members| moves_as_one(world, state, members, share));
        let rigid: Vec<_> = rigid.collect();
        if slopes.is_none() && !rigid.is_empty() {
            Potential::new(world, contacts).gradient(state, &mut sleep.slopes);
        }
        let calm = sleep.find_calm(world, contacts, state, rigid);
        calm.into_iter().for_each(|calm| sleep.fall_asleep(calm));
        sleep
    }

    /// Work of steps with these pieces asleep at `state`, over that of explicit steps of the whole world: an estimate by what is awake,
    /// and what is next to something.
    pub fn predicted_work(&self, world: &World, contacts: &Neighbours, state: &State) -> f64 {
        let leeway = |i: usize| AUTO.leeway * world.particles.radius[i];
        let mut is_near = vec![false; state.len()];
        for pair in contacts.pairs().iter().filter(|pair| !self.are_one(pair.ends())) {
            let [i, j] = pair.ends();
            if (state.p[i] - state.p[j]).norm() < pair.reach + leeway(i) + leeway(j) {
                [i, j].into_iter().for_each(|i| is_near[i] = true);
            }
        }
        let walls = world.walls_at(state.time);
        let on_wall = |i: usize| {
            let far = world.particles.radius[i] + leeway(i);
            walls.iter().any(|wall| wall.gap(&state.p[i], far).is_some())
        };
        let is_there = |i: usize| self.sleeper_of[i] == AWAKE || is_near[i] || on_wall(i);
        let particles = (0..state.len()).into_par_iter().with_min_len(CHUNK).filter(|&i| is_there(i)).count();
        let bonds = world.whole_bonds().filter(|bond| self.sleeper_of[bond.i as usize] == AWAKE).count();
        let flight = AUTO.work_of_flight * state.len() as f64 / AUTO.sleep_steps;
        let step = if particles == 0 { 0.0 } else { work_of(bonds, particles) };
        (step * (1.0 + AUTO.steps_of_cutting / AUTO.sleep_steps) + flight) / work_of_explicit(world)
    }

    /// Whether it makes sense in a world of so many particles.
    pub fn is_sound(&self, particles: usize) -> bool {
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
            self.slopes.len(),
            self.cool_down.len(),
            self.waits.len(),
        ];
        lengths == [particles; 6]
            && self.sleepers.iter().enumerate().all(belongs)
            && self.sleeper_of.iter().filter(|sleeper| **sleeper != AWAKE).count() == asleep
    }

    /// Slopes of energy by all particles as Verlet has them: with what is inside of sleepers.
    pub fn slopes(&self, world: &World, contacts: &Neighbours, state: &State) -> Vec<Wrench> {
        let mut slopes = self.slopes.clone();
        let inner = self.sleepers.iter().flat_map(|sleeper| inner_slopes(world, contacts, state, &sleeper.members));
        for (ends, by) in inner {
            ends.into_iter().zip(by).for_each(|(i, slope)| slopes[i] += slope);
        }
        slopes
    }

    /// How far the ways of each sleeper's particles bend within `span` (s), m: w^2 R span^2/2, and no more than its body is wide.
    fn bends(&self, state: &State, span: f64) -> Vec<f64> {
        let of = |sleeper: &Sleeper| {
            let turn = state.w[sleeper.members[0] as usize].norm() * span;
            sleeper.reach * (0.5 * turn * turn).min(2.0 + turn)
        };
        self.sleepers.iter().map(of).collect()
    }

    fn sleeper(&self, particle: usize) -> Option<usize> {
        let sleeper = self.sleeper_of[particle];
        (sleeper != AWAKE).then_some(sleeper as usize)
    }

    /// Whether two particles are of one sleeper.
    fn are_one(&self, [i, j]: [usize; 2]) -> bool {
        self.sleeper_of[i] != AWAKE && self.sleeper_of[i] == self.sleeper_of[j]
    }

    fn awake(&self) -> Vec<u32> {
        (0..).zip(&self.sleeper_of).filter(|(_, sleeper)| **sleeper == AWAKE).map(|(i, _)| i).collect()
    }

    fn find_calm(&self, world: &World, contacts: &Neighbours, state: &State, pieces: Vec<&[u32]>) -> Vec<Calm> {
        let calm = |members: &&[u32]| judge(world, contacts, state, &self.slopes, members, self.share);
        pieces.par_iter().filter_map(calm).collect()
    }

    /// The particles of a piece move as one from now on; where they do, see [`Attempt::settle`].
    fn fall_asleep(&mut self, calm: Calm) {
        // others may meet than those that were of different sleepers
        self.foresight = Foresight::default();
        let number = self.sleepers.len() as u32;
        for (k, &i) in calm.sleeper.members.iter().enumerate() {
            let i = i as usize;
            self.sleeper_of[i] = number;
            (self.limit[i], self.balanced[i]) = (calm.limits[k], calm.balanced[k]);
            self.slopes[i] += -calm.inner[k];
        }
        self.sleepers.push(calm.sleeper);
    }

    /// A sleeper's particles move one by one from now on.
    fn wake(&mut self, world: &World, contacts: &Neighbours, state: &State, number: usize) {
        let sleeper = self.sleepers.swap_remove(number);
        let ([least, most], has_slept) = (AUTO.active_blocks, sleeper.slept >= AUTO.sound_sleep);
        for i in sleeper.members.iter().map(|&i| i as usize) {
            self.sleeper_of[i] = AWAKE;
            self.balanced[i] = Vec3::zeros();
            self.waits[i] = if has_slept { least } else { (2 * self.waits[i]).clamp(least, most) };
            self.cool_down[i] = self.waits[i];
        }
        for (ends, slopes) in inner_slopes(world, contacts, state, &sleeper.members) {
            ends.into_iter().zip(slopes).for_each(|(i, slope)| self.slopes[i] += slope);
        }
        if let Some(moved) = self.sleepers.get(number) {
            moved.members.clone().iter().for_each(|&i| self.sleeper_of[i as usize] = number as u32);
        }
    }

    /// Tries a step from `state`, where `contacts` are. Bonds break in it, and pieces wake and fall asleep; not in a `far` one, in
    /// which all sleep and nothing may meet.
    ///
    /// # Errors
    /// As Verlet's, which no shorter step mends. A far one fails where something may meet.
    pub fn trial(
        &self,
        world: &World,
        contacts: &Neighbours,
        state: &State,
        Step { dt, explicit, .. }: Step,
        far: bool,
    ) -> Result<Attempt, StepError> {
        let mut attempt = Attempt {
            sleep: self.clone(),
            contacts: contacts.clone(),
            end: state.clone(),
            flows: Flows::default(),
            broken: Vec::new(),
            work: 0.0,
            report: StepReport::default(),
        };
        attempt.settle_all(world);
        let end = state.time + dt;
        if far {
            attempt.fly_far(world, end)?;
        }
        // a copy, once bonds have broken in the step
        let mut own: Option<World> = None;
        while attempt.end.time < end {
            let known = attempt.broken.len();
            let small = attempt.cross_block(own.as_ref().unwrap_or(world), end, explicit)?;
            if attempt.broken.len() > known {
                let own = own.get_or_insert_with(|| world.clone());
                let broken = attempt.broken[known..].iter();
                let mut indices: Vec<_> = broken.map(|broken| index_of(own, &broken.broken.bond)).collect();
                indices.sort_unstable();
                own.mark_broken(&indices);
            }
            if let Some(small) = small {
                attempt.change_sleepers(own.as_ref().unwrap_or(world), &small);
            }
        }
        attempt.contacts.look_again(&attempt.end);
        for broken in &mut attempt.broken {
            broken.index = index_of(world, &broken.broken.bond);
        }
        attempt.report.asleep_work = Some(attempt.work / (work_of_explicit(world) * dt / explicit));
        StepError::of_infinite(&attempt.end)?;
        Ok(attempt)
    }
}

impl Attempt {
    /// The step as it was tried.
    pub fn tried(&self) -> Trial<'_> {
        Trial { end: &self.end, report: self.report, overloaded: Some(&[]), broken: &self.broken }
    }

    /// Takes the step.
    pub fn commit(self, contacts: &mut Neighbours, state: &mut State) -> (Sleep, Flows) {
        (*contacts, *state) = (self.contacts, self.end);
        (self.sleep, self.flows)
    }

    /// Whether bonds have broken in it.
    pub fn breaks(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Gives the particles of all sleepers the velocities of their bodies.
    fn settle_all(&mut self, world: &World) {
        for number in 0..self.sleep.sleepers.len() {
            let members = self.sleep.sleepers[number].members.clone();
            self.settle(world, &members);
        }
    }

    /// Gives the particles of a sleeper the velocities of its body; what they moved against each other is lost.
    fn settle(&mut self, world: &World, members: &[u32]) {
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

    /// Goes on by a block that ends at `end` (s) at the latest, by steps of `explicit` (s) of what does not fly.
    /// Returns the small world that was stepped, if there was one.
    ///
    /// # Errors
    /// As Verlet's.
    fn cross_block(&mut self, world: &World, end: f64, explicit: f64) -> Result<Option<SmallWorld>, StepError> {
        self.wake_what_spins(world);
        let awake = self.sleep.awake();
        let (left, block) = (end - self.end.time, AUTO.sleep_steps * explicit);
        let (span, until) = if block < left { (block, self.end.time + block) } else { (left, end) };
        if !self.sleep.foresight.holds(world, &self.sleep, &self.end, span) {
            self.sleep.foresight = Foresight::new(world, &self.sleep, &self.end, AUTO.foreseen_blocks * block);
        }
        let bends = self.sleep.bends(&self.end, span);
        let near = self.find_near(world, span, &bends);
        if awake.is_empty() && near.is_empty() {
            self.fly_but(world, until, &[]);
            return Ok(None);
        }
        let mut place_of = Vec::new();
        let Self { sleep, contacts, end: state, .. } = self;
        let mut small = SmallWorld::new(sleep, world, contacts, state, &awake, &near, &mut place_of);
        small.set_leeway(sleep, &bends);
        let steps = (span / explicit * (1.0 - 1e-12)).ceil().max(1.0);
        let mut broken = Vec::new();
        let taken =
            small.run(&self.sleep, until, steps as u32, &mut self.flows, |time, bond| broken.push((time, bond)))?;
        self.work +=
            (f64::from(taken) + AUTO.steps_of_cutting) * small.work() + AUTO.work_of_flight * self.end.len() as f64;
        self.take_back(world, &small, &place_of, broken);
        Ok(Some(small))
    }

    /// Wakes the sleepers that spin faster than their bonds bear.
    fn wake_what_spins(&mut self, world: &World) {
        let Self { sleep, contacts, end, .. } = self;
        for number in (0..sleep.sleepers.len()).rev() {
            if sleep.sleepers[number].spins_too_fast(end) {
                sleep.wake(world, contacts, end, number);
            }
        }
    }

    /// Flies to `end` (s) at once.
    ///
    /// # Errors
    /// Where something is awake, spins too fast to sleep, or may meet something.
    fn fly_far(&mut self, world: &World, end: f64) -> Result<(), StepError> {
        let spins_too_fast = |sleeper: &Sleeper| sleeper.spins_too_fast(&self.end);
        let is_awake = self.sleep.sleeper_of.contains(&AWAKE) || self.sleep.sleepers.iter().any(spins_too_fast);
        let span = end - self.end.time;
        if is_awake || !Foresight::new(world, &self.sleep, &self.end, span).is_clear() {
            return Err(StepError::MayMeet);
        }
        self.fly_but(world, end, &[]);
        Ok(())
    }

    /// Sleeping particles that may touch something within `span` (s), ascending.
    fn find_near(&self, world: &World, span: f64, bends: &[f64]) -> Vec<u32> {
        let (state, radius, sleep) = (&self.end, &world.particles.radius, &self.sleep);
        let leeway = |i: usize| AUTO.leeway * radius[i] + sleep.sleeper(i).map_or(0.0, |sleeper| bends[sleeper]);
        let mut near = Vec::new();
        for &ids in &sleep.foresight.pairs {
            let [i, j] = ids.map(|i| i as usize);
            let asleep = [i, j].map(|i| sleep.sleeper_of[i] != AWAKE);
            if asleep == [false; 2] || sleep.are_one([i, j]) {
                continue;
            }
            let (apart, way) = (state.p[i] - state.p[j], (state.v[i] - state.v[j]) * span);
            let nearest = (-apart.dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            if (apart + way * nearest).norm() <= radius[i] + radius[j] + leeway(i) + leeway(j) {
                near.extend(ids.into_iter().zip(asleep).filter(|(_, asleep)| *asleep).map(|(i, _)| i));
            }
        }
        let fall = 0.5 * world.gravity.norm() * span * span;
        let walls = world.walls_at(state.time);
        for &i in &sleep.foresight.on_walls {
            let at = i as usize;
            let far = radius[at] + state.v[at].norm() * span + leeway(at) + fall;
            let is_near = || walls.iter().any(|wall| wall.gap(&state.p[at], far).is_some());
            if sleep.sleeper_of[at] != AWAKE && is_near() {
                near.push(i);
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Moves the sleepers to a time (s), those that contacts have `moved` as these have, the others in free flight.
    fn fly_but(&mut self, world: &World, until: f64, moved: &[(u32, Move)]) {
        let Self { sleep, end: state, .. } = self;
        let dt = until - state.time;
        let mut moves: Vec<Option<Move>> = vec![None; sleep.sleepers.len()];
        moved.iter().for_each(|(sleeper, by)| moves[*sleeper as usize] = Some(*by));
        let fly = |(sleeper, by): (&Sleeper, &mut Option<Move>)| match by {
            Some(_) => 0.0,
            None => {
                let (flown, made) = Body::of(&sleeper.members, &world.particles, state).fly(&world.gravity, dt);
                *by = Some(flown);
                made
            }
        };
        let made: Vec<f64> = sleep.sleepers.par_iter().zip(&mut moves).with_min_len(16).map(fly).collect();
        self.flows.numerical += made.iter().sum::<f64>();
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
            let sleeper = sleep.sleeper(ends[0]).filter(|_| sleep.are_one(ends))?;
            moves[sleeper].as_ref().map(|by| &by.turn)
        };
        self.contacts.turn_friction(turn);
    }

    /// Takes over where a small world has come to, and what broke in it; the rest flies there.
    fn take_back(&mut self, world: &World, small: &SmallWorld, place_of: &[u32], broken: Vec<(f64, BrokenBond)>) {
        let mut moves: Vec<_> = small.moves().collect();
        for (k, &i) in small.members.iter().enumerate().filter(|(_, i)| **i != ABSENT) {
            let (i, now, there) = (i as usize, &mut self.end, &small.state);
            self.sleep.slopes[i] = small.slopes()[k];
            if k < small.free {
                let motion @ [to, velocity, spin] = [there.p[k], there.v[k], there.w[k]];
                [now.p[i], now.v[i], now.w[i]] = motion;
                now.q[i] = there.q[k];
                if let Some(sleeper) = self.sleep.sleeper(i) {
                    moves.push((sleeper as u32, Move { from: to, to, turn: Quat::identity(), velocity, spin }));
                }
            }
        }
        self.fly_but(world, small.state.time, &moves);
        let known = self.broken.len();
        for (time, broken) in broken {
            self.broken.push(BrokenOnTheWay { index: 0, time, broken });
        }
        if self.broken.len() > known {
            self.contacts.admit(world, self.broken[known..].iter().map(|broken| broken.broken.ends()));
        }
        self.contacts.take_over(world, &small.contacts, &small.state, &small.members, place_of);
    }

    /// Wakes the sleepers that contacts have woken, or lets pieces fall asleep that are calm again.
    fn change_sleepers(&mut self, world: &World, small: &SmallWorld) {
        self.sleep.sleepers.iter_mut().for_each(|sleeper| sleeper.slept = sleeper.slept.saturating_add(1));
        for &i in &small.members[..small.awake] {
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
        let waits = |part: &[u32]| part.iter().any(|&i| self.sleep.cool_down[i as usize] > 0);
        let parts = parts.iter().map(|part| &part[..]);
        let parts = parts.filter(|part| !waits(part) && moves_as_one(world, &self.end, part, share));
        let calm = self.sleep.find_calm(world, &self.contacts, &self.end, parts.collect());
        for calm in calm {
            let members = calm.sleeper.members.clone();
            self.sleep.fall_asleep(calm);
            self.settle(world, &members);
        }
    }
}

/// Where the world has a `bond`, which may be broken by now.
fn index_of(world: &World, bond: &Bond) -> usize {
    let first = world.bonds().partition_point(|other| (other.i, other.j) < (bond.i, bond.j));
    let same = world.bonds()[first..].iter().position(|other| other.id == bond.id);
    first + same.expect("a bond of the world broke")
}
