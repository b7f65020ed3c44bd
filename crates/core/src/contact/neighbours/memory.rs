use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{HeldFace, PairChunks, State, World};

use super::{ContactPair, Neighbours, TangentialSpring, TangentialSprings};
use crate::contact::WallTangentialSpring;

/// Data that later contacts depend on: the list of near pairs with its order and age, and the tangential springs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ContactHistory<'a> {
    pairs: Vec<[u32; 2]>,
    springs: Cow<'a, TangentialSprings>,
    #[serde(default)]
    held: Cow<'a, [HeldFace]>,
    anchors: Cow<'a, [Vec3]>,
    travel: f64,
    velocity: Vec3,
}

/// Copy of a [`ContactHistory`] at the start of a step's trial, for a trial that is left. Its room is used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Marked {
    pairs: Vec<ContactPair>,
    springs: Vec<TangentialSpring>,
    walls: Vec<Vec<WallTangentialSpring>>,
    held: Vec<HeldFace>,
    anchors: Vec<Vec3>,
    travel: f64,
    velocity: Vec3,
}

impl Neighbours {
    /// Marks the start of a step's trial, which [`Self::go_back`] returns to.
    pub(crate) fn mark(&mut self) {
        let mut marked = std::mem::take(&mut self.marked);
        marked.pairs.clone_from(&self.pairs);
        let springs = self.tangential_springs_mut();
        marked.springs.clone_from(&springs.pairs);
        marked.walls.clone_from(&springs.walls);
        marked.anchors.clone_from(&self.anchors);
        marked.held.clear();
        marked.held.extend_from_slice(self.near_walls().all_held());
        (marked.travel, marked.velocity) = (self.travel, self.velocity);
        self.marked = marked;
    }

    /// Returns [`Self::history`] to its value at the last [`Self::mark`]. All else is computed again.
    pub(crate) fn go_back(&mut self, world: &World) {
        let Marked { pairs, springs, walls, held, anchors, travel, velocity } = std::mem::take(&mut self.marked);
        self.replace(world, pairs);
        let of = self.tangential_springs_mut();
        (of.pairs, of.walls) = (springs, walls);
        self.near_walls_mut().hold(held.into_iter());
        self.set_anchors(anchors);
        (self.travel, self.velocity) = (travel, velocity);
    }

    /// Data for a checkpoint.
    pub(crate) fn history(&self) -> ContactHistory<'_> {
        ContactHistory {
            pairs: self.pairs.iter().map(|pair| [pair.i, pair.j]).collect(),
            springs: Cow::Borrowed(self.tangential_springs()),
            held: Cow::Borrowed(self.near_walls().all_held()),
            anchors: Cow::Borrowed(&self.anchors),
            travel: self.travel,
            velocity: self.velocity,
        }
    }

    /// List with this history, in `world` at `state`. `None` if the two do not fit.
    pub(crate) fn restore(history: ContactHistory, world: &World, state: &State) -> Option<Self> {
        let particles = world.particles.len();
        let is_sound = history.anchors.len() == particles
            && history.pairs.is_sorted_by(|a, b| a < b)
            && history.held.is_sorted_by_key(|held| (held.particle, held.wall))
            && history
                .held
                .iter()
                .all(|held| (held.particle as usize) < particles && (held.wall as usize) < world.colliders.len())
            && history.pairs.iter().all(|[i, j]| i < j && (*j as usize) < particles)
            && history.springs.is_sound(world, history.pairs.len());
        if !is_sound {
            return None;
        }
        let pairs: Vec<_> = history.pairs.into_iter().map(|pair| ContactPair::new(pair, world)).collect();
        let mut list = Self::none(world, state);
        list.set_anchors(history.anchors.into_owned());
        list.chunks = PairChunks::new(particles, &pairs);
        list.pairs = pairs;
        list.near_walls_mut().hold(history.held.iter().copied());
        *list.tangential_springs_mut() = history.springs.into_owned();
        (list.travel, list.velocity) = (history.travel, history.velocity);
        Some(list)
    }
}
