//! Explicit steps of active pieces, while the others sleep as rigid bodies.
//!
//! A lightly loaded piece falls asleep: see `criterion.rs`. A block of Verlet's steps is made in a subsystem. It contains the
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
mod subsystem;
mod trial;

use serde::{Deserialize, Serialize};

use crate::contact::Contacts;
use crate::energy::Potential;
use crate::fracture::Pieces;
use crate::geometry::Vec3;
use crate::model::{Gradient, Pair, State, Wall, World};
use crate::parallel::{self, CHUNK};

use super::DashpotPowers;

use broad_phase::BroadPhase;
use criterion::{Candidate, Sleeper, assess, internal_gradients, moves_rigidly};

pub use body::Body;
pub(super) use trial::SleepTrial;

/// Limit on the number of steps in a block. In more, more particles may touch something: a slab's debris takes twice the time in
/// blocks of 256, though a mug's shards take half.
pub(crate) const SUBSTEPS: f64 = 64.0;

/// Limit on a particle's distance from its ballistic path within a block, in radii.
const PATH_MARGIN: f64 = 0.03;

/// Strain that is visible in a picture. Bonds at a larger strain count as broken at this one.
const VISIBLE_STRAIN: f64 = 3e-3;

/// Minimum and maximum number of blocks that a piece stays active after contacts woke it. The number doubles after each sleep of
/// less than [`LONG_SLEEP`] blocks.
const ACTIVE_BLOCKS: [u8; 2] = [1, 64];
const LONG_SLEEP: u32 = 16;

/// Work of a particle, of a step, and of a flying particle in a block, in bond evaluations; then of the extraction of a small
/// world, in its steps, which counts where blocks end early. Measured by `perf` on the plate and the star.
const WORK_OF_PARTICLE: f64 = 2.0;
const WORK_OF_STEP: f64 = 1000.0;
const WORK_OF_FLIGHT: f64 = 5.0;
const STEPS_OF_EXTRACTION: f64 = 8.0;

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
    /// Powers of dashpots in the last block.
    powers: Option<DashpotPowers>,
    /// Candidates for contact. They do not affect results.
    #[serde(skip)]
    broad_phase: BroadPhase,
    /// Blocks before each active particle may sleep, and the length of this interval after the last wake.
    cool_down: Vec<u8>,
    cool_down_length: Vec<u8>,
}

/// Marks a particle without a sleeper.
const ACTIVE: u32 = u32::MAX;

/// Work of an explicit step of the whole world, in bond evaluations.
fn work_of_explicit(world: &World) -> f64 {
    work_of(world.whole_bond_count(), world.particles.len())
}

/// Work of an explicit step, in bond evaluations.
fn work_of(bonds: usize, particles: usize) -> f64 {
    WORK_OF_STEP + bonds as f64 + WORK_OF_PARTICLE * particles as f64
}

/// Time (s) from which pieces of a world may sleep: when the last constraint and wind has ended. Only contacts, walls at rest and gravity may
/// move them. `None` if never.
pub(crate) fn possible_from(world: &World) -> Option<f64> {
    let ends = world.constraints.iter().map(|constraint| constraint.times.end);
    let last = ends.chain(world.winds.iter().map(|wind| wind.times.end)).fold(0.0, f64::max);
    let is_possible = last.is_finite()
        && world.whole_bond_count() > 0
        && world.rigid.is_empty()
        && world.electrostatics.is_empty()
        && world.walls.iter().all(Wall::is_fixed);
    is_possible.then_some(last)
}

impl Sleep {
    /// Puts all pieces to sleep that the criterion allows at a `share` of their spare strength. `gradient` is dV/dx of all
    /// particles, as in Verlet; none if unknown.
    pub(crate) fn new(
        world: &World,
        contacts: &Contacts,
        state: &State,
        gradient: Option<&[Gradient]>,
        share: f64,
    ) -> Self {
        let count = state.len();
        let mut sleep = Self {
            share,
            sleeper_of: vec![ACTIVE; count],
            limit: vec![f64::INFINITY; count],
            balanced: vec![Vec3::zeros(); count],
            cool_down: vec![0; count],
            cool_down_length: vec![0; count],
            gradient: gradient.map_or_else(|| vec![Gradient::default(); count], <[_]>::to_vec),
            powers: None,
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
    pub(crate) fn predicted_work(&self, world: &World, contacts: &Contacts, state: &State) -> f64 {
        let margin = |i: usize| PATH_MARGIN * world.particles.radius[i];
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
        let particles = parallel::count(state.len(), CHUNK, is_there);
        let bonds = world.whole_bonds().filter(|bond| self.sleeper_of[bond.i as usize] == ACTIVE).count();
        let flight = WORK_OF_FLIGHT * state.len() as f64 / SUBSTEPS;
        let step = if particles == 0 { 0.0 } else { work_of(bonds, particles) };
        (step * (1.0 + STEPS_OF_EXTRACTION / SUBSTEPS) + flight) / work_of_explicit(world)
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

    /// Powers of dashpots in the last block, if anything moved other than freely.
    pub(crate) fn powers(&self) -> Option<DashpotPowers> {
        self.powers
    }

    /// dV/dx of all particles as in Verlet, with the interior of sleepers.
    pub(crate) fn full_gradient(&self, world: &World, contacts: &Contacts, state: &State) -> Vec<Gradient> {
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
        contacts: &Contacts,
        state: &State,
        pieces: Vec<&[u32]>,
    ) -> Vec<Candidate> {
        let candidate = |k: usize| assess(world, contacts, state, &self.gradient, pieces[k], self.share);
        parallel::map(pieces.len(), 1, candidate).into_iter().flatten().collect()
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
    fn wake(&mut self, world: &World, contacts: &Contacts, state: &State, number: usize) {
        let sleeper = self.sleepers.swap_remove(number);
        let ([least, most], has_slept) = (ACTIVE_BLOCKS, sleeper.slept >= LONG_SLEEP);
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
}

/// Particles (ascending) of each piece without strong waves in it.
fn rigid_pieces(world: &World, state: &State, share: f64) -> Vec<Vec<u32>> {
    let pieces = Pieces::of(world);
    let order = pieces.sorted();
    let same_piece = |i: &u32, j: &u32| pieces.of_particle[*i as usize] == pieces.of_particle[*j as usize];
    let pieces: Vec<&[u32]> = order.chunk_by(same_piece).collect();
    let is_rigid = parallel::map(pieces.len(), 1, |k| moves_rigidly(world, state, pieces[k], share));
    pieces.into_iter().zip(is_rigid).filter(|(_, is_rigid)| *is_rigid).map(|(members, _)| members.to_vec()).collect()
}
