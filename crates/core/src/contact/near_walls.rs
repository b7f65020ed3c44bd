use crate::geometry::Vec3;
use crate::model::{Collider, ContactSpring, HeldFace, PlacedWall, State, World};
use crate::parallel::{self, CHUNK};
use crate::simd::Lanes;
use crate::simd::dispatch;

use super::SurfaceMotion;
use super::lanes::vectors;

/// Particle that may touch a wall soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NearWall {
    pub particle: u32,
    pub wall: u32,
    /// Number of the contact, where there may be several.
    pub place: u32,
}

/// Particles near enough to a wall to touch it soon. The list is valid until one may have approached by the skin.
#[derive(Clone, Debug, Default)]
pub struct NearWalls {
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
    /// Faces that centres are behind, sorted by particle and wall.
    held: Vec<HeldFace>,
    /// Particles on walls whose mass there is another than their own, ascending, and the least mass of each, kg.
    masses: Vec<(u32, f64)>,
}

/// Particles at most in a register.
const BLOCK: usize = 8;

impl NearWalls {
    /// Whether a particle may touch a wall.
    #[inline(always)]
    pub fn may_touch(&self, particle: usize) -> bool {
        !self.is_known || self.near[particle]
    }

    /// The particles that may touch a wall, ascending; `None` if any may.
    pub(crate) fn list(&self) -> Option<&[u32]> {
        self.is_known.then_some(&self.list)
    }

    /// Particles of a chunk near walls, sorted; `None` if any may be.
    pub(super) fn of_chunk(&self, chunk: usize) -> Option<&[NearWall]> {
        self.is_known.then(|| &*self.chunks[chunk])
    }

    /// Particles of a chunk that may touch a wall, of `count` ones in all, ascending.
    pub(super) fn in_chunk(&self, chunk: usize, count: usize) -> impl Iterator<Item = usize> {
        (chunk * CHUNK..((chunk + 1) * CHUNK).min(count)).filter(|&particle| self.may_touch(particle))
    }

    /// Faces of a wall that the centre of a particle is behind.
    #[inline]
    pub(crate) fn held_faces(&self, particle: usize, wall: u32) -> &[HeldFace] {
        if self.held.is_empty() {
            return &[];
        }
        let key = |held: &HeldFace| (held.particle, held.wall);
        let first = self.held.partition_point(|held| key(held) < (particle as u32, wall));
        let count = self.held[first..].partition_point(|held| key(held) == (particle as u32, wall));
        &self.held[first..first + count]
    }

    /// All faces that centres are behind.
    pub(super) fn all_held(&self) -> &[HeldFace] {
        &self.held
    }

    /// Contacts with walls of the particles with `of(index)` at `x`, after a step of `motion`: the particle, ascending, and the unit
    /// normal to the wall.
    pub(super) fn find(
        &self,
        world: &World,
        x: &State,
        motion: SurfaceMotion,
        of: impl Fn(u32) -> bool,
    ) -> Vec<(u32, Vec3)> {
        let walls = &*motion.walls(world, x);
        let mut found = Vec::new();
        for i in (0..x.len() as u32).filter(|&i| of(i) && self.may_touch(i as usize)) {
            for (wall, k) in walls.iter().zip(0..) {
                let size = (i as usize, world.particles.contact_radius[i as usize]);
                let contacts = motion.wall_contacts(wall, x, size, self.held_faces(i as usize, k));
                found.extend(contacts.iter().map(|contact| (i, -contact.n)));
            }
        }
        found
    }

    /// Sets the masses (kg) of these contacts, by particles that ascend.
    pub(super) fn set_masses(&mut self, of: impl Iterator<Item = (u32, f64)>) {
        self.masses.clear();
        for (i, mass) in of {
            match self.masses.last_mut() {
                Some((last, least)) if *last == i => *least = least.min(mass),
                _ => self.masses.push((i, mass)),
            }
        }
    }

    /// Contact spring of a particle and a wall, with the damping of its mass there.
    pub(crate) fn spring(&self, world: &World, i: usize) -> ContactSpring {
        let spring = world.wall_spring(i);
        match self.masses.binary_search_by_key(&(i as u32), |(i, _)| *i) {
            Ok(at) => spring.damped(world.contact_damping, self.masses[at].1),
            Err(_) => spring,
        }
    }

    /// Sets the faces that centres are behind, sorted by particle and wall.
    pub(super) fn hold(&mut self, held: impl Iterator<Item = HeldFace>) {
        self.held.clear();
        self.held.extend(held);
    }

    /// Sets the faces that centres are behind at `x`, after a step of `motion`.
    pub(super) fn hold_after(&mut self, world: &World, x: &State, motion: SurfaceMotion) {
        let can_hold = |wall: &Collider| wall.is_thin() || wall.is_composite();
        if !world.colliders.iter().any(can_hold) {
            return;
        }
        let walls = &*motion.walls(world, x);
        let radius = &world.particles.contact_radius;
        let of = |i: usize, found: &mut Vec<HeldFace>| {
            for (step, wall) in walls.iter().zip(0..).filter(|(step, _)| can_hold(step.end.wall)) {
                let contacts = motion.wall_contacts(step, x, (i, radius[i]), self.held_faces(i, wall));
                let faces = contacts.iter().filter_map(|contact| contact.face);
                found.extend(faces.map(|face| HeldFace { particle: i as u32, wall, face }));
            }
        };
        let held = match self.list() {
            Some(near) => parallel::flat_map(near.len(), CHUNK, |range, found| {
                range.for_each(|k| of(near[k] as usize, found));
            }),
            None => parallel::flat_map(x.len(), CHUNK, |range, found| range.for_each(|i| of(i, found))),
        };
        self.held = held;
    }

    /// Particle that is wholly behind the face that it went through, at the end `x` of a step from a time (s).
    pub(super) fn passed(&self, world: &World, from: f64, x: &State) -> Option<usize> {
        if self.held.is_empty() {
            return None;
        }
        let walls = &*world.walls_during([from, x.time]);
        let is_passed = |held: &&HeldFace| {
            let i = held.particle as usize;
            walls[held.wall as usize].is_passed(&x.p[i], world.particles.contact_radius[i], &held.face)
        };
        self.held.iter().find(is_passed).map(|held| held.particle as usize)
    }

    /// Version of the list: changes with each search.
    pub(super) fn version(&self) -> u64 {
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
        if world.colliders.is_empty() {
            return;
        }
        self.left -= way;
        if self.is_known && self.left - farthest(world, [self.found, state.time], largest) >= 0.0 {
            return;
        }
        let walls = &*world.walls_at(state.time);
        let task = Task { world, state, walls, skin };
        let level = world.level;
        self.near.resize(state.len(), false);
        self.chunks.resize_with(state.len().div_ceil(CHUNK), Vec::new);
        let places = (parallel::each_mut(&mut self.chunks), parallel::chunks_mut(&mut self.near, CHUNK));
        parallel::for_each(places, |chunk, (list, near)| {
            list.clear();
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
            found.extend(lanes.map(|lane| NearWall { particle: particles[lane], wall, place: 0 }));
        }
        found[begin..].sort_unstable();
    }
}

/// Upper bound (m) of the displacement of any wall where a sphere of `radius` (m) may touch it.
fn farthest(world: &World, times: [f64; 2], radius: f64) -> f64 {
    world.walls_during(times).iter().map(|wall| wall.displacement(radius)).fold(0.0, f64::max)
}
