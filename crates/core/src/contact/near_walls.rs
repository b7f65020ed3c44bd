use crate::geometry::Vec3;
use crate::model::{KeptFace, NormalSpring, State, Wall, World};
use crate::neighbours::ParticlesNearWalls;
use crate::parallel::{self, CHUNK};

use super::SurfaceMotion;

/// Particles near walls, with what their contacts there remember.
#[derive(Clone, Debug, Default)]
pub struct NearWalls {
    near: ParticlesNearWalls,
    /// Faces that centres are behind, sorted by particle and wall.
    held: Vec<KeptFace>,
    /// Particles on walls whose mass there is another than their own, ascending, and the least mass of each, kg.
    masses: Vec<(u32, f64)>,
}

impl NearWalls {
    /// The particles.
    pub(crate) fn particles(&self) -> &ParticlesNearWalls {
        &self.near
    }

    /// The same, to follow their motion.
    pub(super) fn particles_mut(&mut self) -> &mut ParticlesNearWalls {
        &mut self.near
    }

    /// Whether a particle may touch a wall.
    #[inline(always)]
    pub fn may_touch(&self, particle: usize) -> bool {
        self.near.may_touch(particle)
    }

    /// Faces of a wall that the centre of a particle is behind.
    #[inline]
    pub(crate) fn kept_faces(&self, particle: usize, wall: u32) -> &[KeptFace] {
        if self.held.is_empty() {
            return &[];
        }
        let key = |held: &KeptFace| (held.particle, held.wall);
        let first = self.held.partition_point(|held| key(held) < (particle as u32, wall));
        let count = self.held[first..].partition_point(|held| key(held) == (particle as u32, wall));
        &self.held[first..first + count]
    }

    /// All faces that centres are behind.
    pub(super) fn all_held(&self) -> &[KeptFace] {
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
                let contacts = motion.wall_contacts(wall, x, size, self.kept_faces(i as usize, k));
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
    pub(crate) fn spring(&self, world: &World, i: usize) -> NormalSpring {
        let spring = world.wall_normal_spring(i);
        match self.masses.binary_search_by_key(&(i as u32), |(i, _)| *i) {
            Ok(at) => spring.damped(world.contact_damping, self.masses[at].1),
            Err(_) => spring,
        }
    }

    /// Sets the faces that centres are behind, sorted by particle and wall.
    pub(super) fn hold(&mut self, held: impl Iterator<Item = KeptFace>) {
        self.held.clear();
        self.held.extend(held);
    }

    /// Sets the faces that centres are behind at `x`, after a step of `motion`.
    pub(super) fn keep_faces_after(&mut self, world: &World, x: &State, motion: SurfaceMotion) {
        let can_hold = |wall: &Wall| wall.is_thin() || wall.is_composite();
        if !world.walls.iter().any(can_hold) {
            return;
        }
        let walls = &*motion.walls(world, x);
        let radius = &world.particles.contact_radius;
        let of = |i: usize, found: &mut Vec<KeptFace>| {
            for (step, wall) in walls.iter().zip(0..).filter(|(step, _)| can_hold(step.end.wall)) {
                let contacts = motion.wall_contacts(step, x, (i, radius[i]), self.kept_faces(i, wall));
                let faces = contacts.iter().filter_map(|contact| contact.face);
                found.extend(faces.map(|face| KeptFace { particle: i as u32, wall, face }));
            }
        };
        let held = match self.near.list() {
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
        let is_passed = |held: &&KeptFace| {
            let i = held.particle as usize;
            walls[held.wall as usize].is_passed(&x.p[i], world.particles.contact_radius[i], &held.face)
        };
        self.held.iter().find(is_passed).map(|held| held.particle as usize)
    }
}
