use serde::{Deserialize, Serialize};

use crate::model::{FrictionRule, Pair, State, World};
use crate::parallel;

use super::implicit::{MOST, PairStep, batches};
use super::limit_change::{Changes, LimitChange};
use super::tangential_spring::{FrictionForce, TangentialSpring};
use super::wall_tangential_spring::{WallTangentialSpring, update_walls};
use super::{ContactPair, FrictionWork, NearWalls, SurfaceMotion};

/// Tangential springs of all contacts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TangentialSprings {
    /// One for each near pair, in their order; empty where pairs have no friction.
    pub pairs: Vec<TangentialSpring>,
    /// Contacts with walls, sorted, by chunks of `CHUNK` particles.
    pub walls: Vec<Vec<WallTangentialSpring>>,
    /// Changes of limits: for each chunk of pairs, then of particles.
    #[serde(skip)]
    changes: Vec<Changes>,
}

impl TangentialSprings {
    /// Particles a chunk.
    pub(crate) const CHUNK: usize = 1024;

    /// Springs without displacement.
    pub(crate) fn new(world: &World) -> Self {
        let has_walls = has_springs(world) && !world.colliders.is_empty();
        let chunks = if has_walls { world.particles.len().div_ceil(Self::CHUNK) } else { 0 };
        Self { walls: vec![Vec::new(); chunks], ..Self::default() }
    }

    /// Whether it fits this number of `pairs` in `world`.
    pub(super) fn is_sound(&self, world: &World, pairs: usize) -> bool {
        let wanted = if has_springs(world) && pairs_have_friction(world) { pairs } else { 0 };
        let belongs = |(chunk, tangential): (usize, &WallTangentialSpring)| {
            let (i, wall) = (tangential.particle as usize, tangential.wall as usize);
            i / Self::CHUNK == chunk && i < world.particles.len() && wall < world.colliders.len()
        };
        let mut on_walls = self
            .walls
            .iter()
            .enumerate()
            .flat_map(|(chunk, springs)| springs.iter().map(move |tangential| (chunk, tangential)));
        self.pairs.len() == wanted && self.walls.len() == Self::new(world).walls.len() && on_walls.all(belongs)
    }

    /// Whether any spring has a normal force.
    pub(crate) fn are_loaded(&self) -> bool {
        self.on_walls().any(|on| on.tangential.is_loaded()) || self.pairs.iter().any(TangentialSpring::is_loaded)
    }

    /// All friction on walls, sorted by particle.
    pub fn on_walls(&self) -> impl Iterator<Item = &WallTangentialSpring> {
        self.walls.iter().flatten()
    }

    /// Sets all friction on walls, sorted by particle and wall.
    pub(super) fn set_on_walls(&mut self, on_walls: impl Iterator<Item = WallTangentialSpring>) {
        self.walls.iter_mut().for_each(Vec::clear);
        on_walls.for_each(|on| self.walls[on.particle as usize / Self::CHUNK].push(on));
    }

    /// Friction of `particle` on walls.
    pub(crate) fn on_walls_of(&self, particle: usize) -> &[WallTangentialSpring] {
        let Some(springs) = self.walls.get(particle / Self::CHUNK).filter(|springs| !springs.is_empty()) else {
            return &[];
        };
        let first = springs.partition_point(|tangential| (tangential.particle as usize) < particle);
        let count = springs[first..].partition_point(|tangential| tangential.particle as usize == particle);
        &springs[first..first + count]
    }

    /// Carries the springs of `old` pairs over to `new` ones, both sorted.
    pub(super) fn follow(&mut self, world: &World, old: &[ContactPair], new: &[ContactPair]) {
        if !has_springs(world) || !pairs_have_friction(world) {
            return;
        }
        let mut springs = vec![TangentialSpring::default(); new.len()];
        let mut places = new.iter().zip(&mut springs).peekable();
        for (pair, spring) in old.iter().zip(&self.pairs) {
            while places.next_if(|(place, _)| place.ends() < pair.ends()).is_some() {}
            if let Some((_, place)) = places.next_if(|(place, _)| place.ends() == pair.ends()) {
                *place = *spring;
            }
        }
        self.pairs = springs;
    }

    /// Updates normals, contact points and friction limits to the state `x` after `motion`. Returns the change of the limits.
    pub(super) fn update_limits(
        &mut self,
        world: &World,
        pairs: &[ContactPair],
        near: &NearWalls,
        x: &State,
        motion: SurfaceMotion,
    ) -> LimitChange {
        let Self { pairs: springs, walls, changes } = self;
        let pair_chunks = springs.len().div_ceil(Self::CHUNK);
        changes.clear();
        changes.resize(pair_chunks + walls.len(), Changes::default());
        let (of_pairs, of_walls) = changes.split_at_mut(pair_chunks);
        let step = PairStep::new(world, motion, x);
        let (len, of_pairs) = (Self::CHUNK, parallel::each_mut(of_pairs));
        let chunks = (parallel::chunks_mut(springs, len), parallel::chunks(pairs, len), of_pairs);
        parallel::for_each(chunks, |_, (springs, pairs, sum)| {
            let all = 0..springs.len();
            List::new(all.filter(|&k| step.of(pairs, springs).is_active(k as u32, 0.0))).each(|batch, count| {
                let limited = step.of(pairs, springs).limited(batch);
                for (&k, limited) in batch[..count].iter().zip(&limited) {
                    let spring = &mut springs[k as usize];
                    sum.add(pairs[k as usize].i, spring.limit, limited.limit);
                    *spring = *limited;
                }
            });
        });
        let steps = &motion.walls(world, x);
        parallel::for_each((parallel::each_mut(walls), parallel::each_mut(of_walls)), |chunk, (springs, sum)| {
            let first = chunk * Self::CHUNK;
            let count = Self::CHUNK.min(x.len() - first);
            let particles = of_chunk(near.list(), chunk, count).map(|k| first + k);
            update_walls(springs, (world, steps, near), particles, x, motion, sum);
        });
        Changes::total(changes)
    }

    /// Result of [`Self::commit`], without its effect.
    pub(super) fn work(
        &self,
        world: &World,
        pairs: &[ContactPair],
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let step = PairStep::new(world, motion, x);
        let chunks = (parallel::chunks(&self.pairs, Self::CHUNK), parallel::chunks(pairs, Self::CHUNK));
        let mut work = parallel::sum(chunks, |_, (springs, pairs)| {
            let (step, mut sum) = (step.of(pairs, springs), FrictionWork::default());
            List::new(stretched(springs)).each(|batch, count| sum += step.settled(rule, batch, count).1);
            sum
        });
        let steps = &motion.walls(world, x);
        work += parallel::sum(parallel::each(&self.walls), |_, springs| {
            let mut sum = FrictionWork::default();
            springs.iter().for_each(|on| sum += on.clone().commit((world, steps), x, motion, rule));
            sum
        });
        work
    }

    /// Commits friction after the step of `motion`: springs stretch or slide. Returns the dissipated energy and the work of
    /// moving walls.
    pub(super) fn commit(
        &mut self,
        world: &World,
        pairs: &[ContactPair],
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let step = PairStep::new(world, motion, x);
        let chunks = (parallel::chunks_mut(&mut self.pairs, Self::CHUNK), parallel::chunks(pairs, Self::CHUNK));
        let mut work = parallel::sum(chunks, |_, (springs, pairs)| {
            let mut sum = FrictionWork::default();
            List::new(stretched(springs)).each(|batch, count| {
                let (settled, work) = step.of(pairs, springs).settled(rule, batch, count);
                sum += work;
                batch[..count].iter().zip(&settled).for_each(|(&k, settled)| springs[k as usize] = *settled);
            });
            sum
        });
        let steps = &motion.walls(world, x);
        work += parallel::sum(parallel::each_mut(&mut self.walls), |_, springs| {
            let mut sum = FrictionWork::default();
            springs.iter_mut().for_each(|on| sum += on.commit((world, steps), x, motion, rule));
            springs.retain(|wall| wall.tangential.is_loaded());
            sum
        });
        work
    }
}

/// Whether friction is by tangential springs.
fn has_springs(world: &World) -> bool {
    world.friction_rule == FrictionRule::TangentialSpring
        && (pairs_have_friction(world) || world.colliders.iter().any(|c| c.friction.is_some_and(|mu| mu > 0.0)))
}

/// Whether particles have friction with each other.
fn pairs_have_friction(world: &World) -> bool {
    world.materials.iter().any(|m| m.static_friction > 0.0)
}

/// The entries of `list` (ascending, over all chunks) in a chunk of `count` entries, counted from its start. All entries
/// without a list.
fn of_chunk(list: Option<&[u32]>, chunk: usize, count: usize) -> impl Iterator<Item = usize> {
    let first = chunk * TangentialSprings::CHUNK;
    let known = list.map(|list| {
        let start = list.partition_point(|&k| (k as usize) < first);
        list[start..].iter().map(move |&k| k as usize - first).take_while(move |&k| k < count)
    });
    let all = if known.is_some() { 0..0 } else { 0..count };
    known.into_iter().flatten().chain(all)
}

/// Pairs of a chunk, ascending.
struct List {
    pairs: [u32; TangentialSprings::CHUNK],
    count: usize,
}

impl List {
    fn new(chosen: impl Iterator<Item = usize>) -> Self {
        let mut list = Self { pairs: [0; TangentialSprings::CHUNK], count: 0 };
        chosen.for_each(|k| {
            list.pairs[list.count] = k as u32;
            list.count += 1;
        });
        list
    }

    /// See [`batches`].
    fn each(&self, each: impl FnMut(&[u32; MOST], usize)) {
        batches(self.pairs[..self.count].iter().copied(), each);
    }
}

/// Pairs of a chunk whose tangential springs do work in a step.
fn stretched(springs: &[TangentialSpring]) -> impl Iterator<Item = usize> {
    (0..springs.len()).filter(|&k| springs[k] != TangentialSpring::default())
}
