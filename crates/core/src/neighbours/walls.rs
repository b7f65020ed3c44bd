//! Particles near walls, whatever these are shaped like.

use crate::model::{PlacedWall, State, World};
use crate::parallel::{self, CHUNK};
use crate::simd::dispatch;
use crate::simd::{Lanes, vectors};

/// Particle that may touch a wall soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NearWall {
    pub particle: u32,
    pub wall: u32,
}

/// Particles near enough to a wall to touch it soon. The list is valid until one may have approached by the skin.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParticlesNearWalls {
    is_known: bool,
    /// Particles near walls, in chunks of particles, sorted by particle and wall.
    chunks: Vec<Vec<NearWall>>,
    /// Whether each particle is near a wall, and the indices of those, ascending.
    near: Vec<bool>,
    list: Vec<u32>,
    /// Number of searches and invalidations so far.
    version: u64,
    /// Time of the last search, s.
    found: f64,
    /// Path (m) that particles may still travel before the next search, with walls at rest.
    left: f64,
}

/// Particles at most in a register.
const BLOCK: usize = 8;

impl ParticlesNearWalls {
    /// Whether a particle may touch a wall.
    #[inline(always)]
    pub(crate) fn may_touch(&self, particle: usize) -> bool {
        !self.is_known || self.near[particle]
    }

    /// The particles that may touch a wall, ascending; `None` if any may.
    pub(crate) fn list(&self) -> Option<&[u32]> {
        self.is_known.then_some(&self.list)
    }

    /// Particles of a chunk near walls, sorted; `None` if any may be.
    pub(crate) fn of_chunk(&self, chunk: usize) -> Option<&[NearWall]> {
        self.is_known.then(|| &*self.chunks[chunk])
    }

    /// Particles of a chunk that may touch a wall, of `count` ones in all, ascending.
    pub(crate) fn in_chunk(&self, chunk: usize, count: usize) -> impl Iterator<Item = usize> {
        (chunk * CHUNK..((chunk + 1) * CHUNK).min(count)).filter(|&particle| self.may_touch(particle))
    }

    /// Version of the list: changes with each search.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Invalidates the list.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
        self.version += 1;
        self.left = 0.0;
    }

    /// Follows a step to `state` in which particles, of radii up to `largest` (m), moved by no more than `way` (m).
    /// Searches for those nearer than `skin` (m) once the list may be incomplete.
    pub(crate) fn follow(&mut self, way: f64, [largest, skin]: [f64; 2], world: &World, state: &State) {
        if world.walls.is_empty() {
            return;
        }
        self.left -= way;
        if self.is_known && self.left - farthest(world, [self.found, state.time], largest) >= 0.0 {
            return;
        }
        let walls = &*world.walls_at(state.time);
        let task = Task { world, state, walls, skin };
        let level = world.instructions;
        self.near.resize(state.len(), false);
        self.chunks.resize_with(state.len().div_ceil(CHUNK), Vec::new);
        let places = (parallel::each_mut(&mut self.chunks), parallel::chunks_mut(&mut self.near, CHUNK));
        parallel::for_each(places, |chunk, (list, near)| {
            list.clear();
            list.reserve(near.len());
            find(level, &task, chunk * CHUNK, near.len(), list);
            near.fill(false);
            list.iter().for_each(|on| near[on.particle as usize - chunk * CHUNK] = true);
        });
        self.list.clear();
        self.list.reserve(self.near.len());
        self.list.extend((0..).zip(&self.near).filter(|(_, near)| **near).map(|(i, _)| i));
        (self.is_known, self.found, self.left) = (true, state.time, skin);
        self.version += 1;
    }
}

/// Search for the particles nearer to a wall than `skin` (m).
struct Task<'a> {
    world: &'a World,
    state: &'a State,
    walls: &'a [PlacedWall<'a>],
    skin: f64,
}

dispatch! {
    /// Adds `count` particles from `first` on that are near walls to `found`.
    fn find<'a>(task: &Task<'a>, first: usize, count: usize, found: &mut Vec<NearWall>) = find_lanes
}

#[inline(always)]
fn find_lanes<L: Lanes>(task: &Task, first: usize, count: usize, found: &mut Vec<NearWall>) {
    let radius = &task.world.particles.contact_radius;
    for block in (first..first + count).step_by(BLOCK) {
        let last = (first + count - 1) as u32;
        let particles: [u32; BLOCK] = std::array::from_fn(|lane| (block as u32 + lane as u32).min(last));
        let valid = (1u32 << (first + count - block).min(BLOCK)) - 1;
        let reach: [f64; BLOCK] = std::array::from_fn(|lane| radius[particles[lane] as usize] + task.skin);
        let farthest = reach.iter().copied().fold(0.0, f64::max);
        let begin = found.len();
        for (wall, placed) in (0..).zip(task.walls) {
            let (mut bits, mut lane) = (0, 0);
            while lane < BLOCK {
                let distances = placed.distances(vectors::<L>(&task.state.p, &particles[lane..]), farthest);
                bits |= (L::load(&reach[lane..]).not_below(distances) & ((1 << L::COUNT) - 1)) << lane;
                lane += L::COUNT;
            }
            let lanes = (0..BLOCK).filter(|lane| (bits & valid) >> lane & 1 == 1);
            found.extend(lanes.map(|lane| NearWall { particle: particles[lane], wall }));
        }
        found[begin..].sort_unstable();
    }
}

/// Upper bound (m) of the displacement of any wall where a sphere of `radius` (m) may touch it.
fn farthest(world: &World, times: [f64; 2], radius: f64) -> f64 {
    world.walls_during(times).iter().map(|wall| wall.displacement(radius)).fold(0.0, f64::max)
}
