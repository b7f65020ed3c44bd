use rayon::prelude::*;

use crate::model::{State, World};

/// Which particles are near enough to a wall to touch it soon. It holds until one may have come nearer by the skin.
#[derive(Clone, Debug, Default)]
pub struct NearWalls {
    /// Empty if unknown: then any particle may touch a wall.
    near: Vec<bool>,
    /// Indices of those that are near, ascending.
    list: Vec<u32>,
    /// Time (s) at which they were found.
    found: f64,
    /// Path (m) that particles may still travel before they are found again, if walls are at rest.
    left: f64,
}

/// Minimum number of particles per task.
const CHUNK: usize = 1024;

impl NearWalls {
    /// Whether a particle may touch a wall.
    #[inline(always)]
    pub fn may_touch(&self, particle: usize) -> bool {
        self.near.get(particle).is_none_or(|near| *near)
    }

    /// The particles that may touch a wall, ascending; `None` if any may.
    pub fn list(&self) -> Option<&[u32]> {
        (!self.near.is_empty()).then_some(&self.list)
    }

    /// Forgets which are near.
    pub(crate) fn forget(&mut self) {
        self.near.clear();
        self.left = 0.0;
    }

    /// Follows a step to `state` in which particles, of radii up to `largest` (m), moved by no more than `way` (m).
    /// Those nearer than `skin` (m) are found again once it may matter.
    pub fn follow(&mut self, way: f64, [largest, skin]: [f64; 2], world: &World, state: &State) {
        if world.colliders.is_empty() {
            return;
        }
        self.left -= way;
        if !self.near.is_empty() && self.left - farthest(world, [self.found, state.time], largest) >= 0.0 {
            return;
        }
        let walls = world.walls_at(state.time);
        self.near.resize(state.len(), false);
        let places = self.near.par_iter_mut().zip(&state.p).zip(&world.particles.contact_radius).with_min_len(CHUNK);
        places.for_each(|((near, p), radius)| *near = walls.iter().any(|wall| wall.gap(p, radius + skin).is_some()));
        self.list.clear();
        self.list.reserve(self.near.len());
        self.list.extend((0..).zip(&self.near).filter(|(_, near)| **near).map(|(i, _)| i));
        (self.found, self.left) = (state.time, skin);
    }
}

/// Upper bound (m) of the displacement of any wall where a sphere of `radius` (m) may touch it.
fn farthest(world: &World, times: [f64; 2], radius: f64) -> f64 {
    world.walls_during(times).iter().map(|wall| wall.displacement(radius)).fold(0.0, f64::max)
}
