use rayon::prelude::*;

use crate::model::{Motion, State, World};

/// Which particles are near enough to a wall to touch it soon. It holds until one may have moved by the skin.
#[derive(Clone, Debug, Default)]
pub struct NearWalls {
    /// Nothing where it is not known: any particle may touch a wall then.
    near: Vec<bool>,
    /// Those that are near, ascending.
    list: Vec<u32>,
    /// How far, m, particles may yet move before it has to be asked again.
    left: f64,
}

/// Particles a task at least.
const CHUNK: usize = 1024;

impl NearWalls {
    /// Whether a particle may touch a wall.
    #[inline(always)]
    pub fn may_touch(&self, particle: usize) -> bool {
        self.near.get(particle).is_none_or(|near| *near)
    }

    /// The particles that may touch a wall, ascending. None where any may.
    pub fn list(&self) -> Option<&[u32]> {
        (!self.near.is_empty()).then_some(&self.list)
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        self.near.clear();
        self.left = 0.0;
    }

    /// Particles have moved by no more than `way` (m) to where they are in `state`; those nearer than `skin` (m) are looked for
    /// again once it may matter. Walls that move are near to all.
    pub fn follow(&mut self, way: f64, skin: f64, world: &World, state: &State) {
        self.left -= way;
        if self.left >= 0.0 || world.colliders.is_empty() {
            return;
        }
        if world.colliders.iter().any(|wall| wall.motion != Motion::Fixed) {
            return self.forget();
        }
        let walls = world.walls_at(state.time);
        self.near.resize(state.len(), false);
        let places = self.near.par_iter_mut().zip(&state.p).zip(&world.particles.radius).with_min_len(CHUNK);
        places.for_each(|((near, p), radius)| {
            *near = walls.iter().any(|wall| wall.gap(p, radius + skin).is_some());
        });
        self.list.clear();
        self.list.reserve(self.near.len());
        self.list.extend((0..).zip(&self.near).filter(|(_, near)| **near).map(|(i, _)| i));
        self.left = skin;
    }
}
