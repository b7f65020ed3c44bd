use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{PairChunks, State, World};

use super::neighbours::ContactPair;
use super::{Neighbours, Rubs};

/// What contacts to come go by: the list of near pairs as it is, its order and its age included, and friction's springs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memory<'a> {
    pairs: Vec<[u32; 2]>,
    rubs: Cow<'a, Rubs>,
    anchors: Cow<'a, [Vec3]>,
    travel: f64,
    velocity: Vec3,
}

impl Neighbours {
    pub fn memory(&self) -> Memory<'_> {
        Memory {
            pairs: self.pairs.iter().map(|pair| [pair.i, pair.j]).collect(),
            rubs: Cow::Borrowed(&self.rubs),
            anchors: Cow::Borrowed(&self.anchors),
            travel: self.travel,
            velocity: self.velocity,
        }
    }

    /// The list that remembers, in `world` at `state`. `None` if the memory makes no sense there.
    pub fn recall(memory: Memory, world: &World, state: &State) -> Option<Self> {
        let particles = world.particles.len();
        let is_sound = memory.anchors.len() == particles
            && memory.pairs.is_sorted_by(|a, b| a < b)
            && memory.pairs.iter().all(|[i, j]| i < j && (*j as usize) < particles)
            && memory.rubs.is_sound(world, memory.pairs.len());
        if !is_sound {
            return None;
        }
        let pairs: Vec<_> = memory.pairs.into_iter().map(|pair| ContactPair::new(pair, world)).collect();
        let mut list = Self::none(world, state);
        list.set_anchors(memory.anchors.into_owned());
        list.chunks = PairChunks::new(particles, &pairs);
        list.pairs = pairs;
        list.rubs = memory.rubs.into_owned();
        (list.travel, list.velocity) = (memory.travel, memory.velocity);
        Some(list)
    }
}
