use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geometry::Quat;
use crate::model::{FrictionRule, Pair, State, World, insert_at};
use crate::parallel::{self, CHUNK};

use super::friction::FrictionForce;
use super::implicit::{PairStep, batches, settle_on_wall, update_walls};
use super::tangential_spring::{FrictionWork, TangentialSpring, WallTangentialSpring};
use super::{ContactPair, LimitChange, NearWalls, SurfaceMotion};

/// Tangential springs of all contacts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TangentialSprings {
    /// Tangential springs of the near pairs, in their order; empty where pairs have no friction.
    pub pairs: Vec<TangentialSpring>,
    /// Contacts with walls, sorted, by chunks of 1024 particles.
    pub walls: Vec<Vec<WallTangentialSpring>>,
    /// Orientations up to which they have the slip of an implicit step; empty between steps.
    #[serde(skip)]
    pub(super) reference: Vec<Quat>,
}

impl TangentialSprings {
    /// Springs without displacement.
    pub(super) fn new(world: &World) -> Self {
        let has_walls = has_springs(world) && !world.colliders.is_empty();
        let chunks = if has_walls { world.particles.len().div_ceil(CHUNK) } else { 0 };
        Self { walls: vec![Vec::new(); chunks], ..Self::default() }
    }

    /// Whether it fits this number of `pairs` in `world`.
    pub(super) fn is_sound(&self, world: &World, pairs: usize) -> bool {
        let wanted = if has_springs(world) && pairs_have_friction(world) { pairs } else { 0 };
        let belongs = |(chunk, on): (usize, &WallTangentialSpring)| {
            let (i, wall) = (on.particle as usize, on.wall as usize);
            i / CHUNK == chunk && i < world.particles.len() && wall < world.colliders.len()
        };
        let chunks = self.walls.iter().enumerate();
        let mut on_walls = chunks.flat_map(|(chunk, springs)| springs.iter().map(move |on| (chunk, on)));
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
        on_walls.for_each(|on| self.walls[on.particle as usize / CHUNK].push(on));
    }

    /// Friction of `particle` on walls.
    pub(crate) fn on_walls_of(&self, particle: usize) -> &[WallTangentialSpring] {
        let Some(springs) = self.walls.get(particle / CHUNK).filter(|springs| !springs.is_empty()) else {
            return &[];
        };
        let first = springs.partition_point(|on| (on.particle as usize) < particle);
        let count = springs[first..].partition_point(|on| on.particle as usize == particle);
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

    /// Lets in springs of new pairs at these `places` (ascending), without displacement.
    pub(super) fn insert(&mut self, world: &World, places: &[usize]) {
        if has_springs(world) && pairs_have_friction(world) {
            insert_at(&mut self.pairs, places, places.iter().map(|_| TangentialSpring::default()));
        }
    }

    /// Updates normals, contact points and friction limits to the state `x` after `motion`, for friction by this `rule`. Returns the
    /// change of the limits.
    pub(super) fn update_limits(
        &mut self,
        (world, pairs, near): (&World, &[ContactPair], &NearWalls),
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> LimitChange {
        let step = PairStep::new(world, motion, x);
        let chunks = (parallel::chunks_mut(&mut self.pairs, CHUNK), parallel::chunks(pairs, CHUNK));
        let mut sum = parallel::sum(chunks, |_, (springs, pairs)| {
            let mut sum = LimitChange::default();
            let is_active = |&k: &u32| step.of(pairs, springs).is_active(k, 0.0);
            let active: List = (0..springs.len() as u32).filter(is_active).collect();
            batches(active.into_iter(), |batch, count| {
                let limited = step.of(pairs, springs).limited(rule, batch);
                for (&k, limited) in batch[..count].iter().zip(&limited) {
                    let spring = &mut springs[k as usize];
                    sum.add(pairs[k as usize].i, spring.limit, limited.limit);
                    *spring = *limited;
                }
            });
            sum
        });
        let steps = &motion.walls(world, x);
        sum += parallel::sum(parallel::each_mut(&mut self.walls), |chunk, springs| {
            let mut sum = LimitChange::default();
            let particles = near.in_chunk(chunk, x.len());
            update_walls(springs, (world, steps, near), particles, x, (motion, rule), &mut sum);
            sum
        });
        if !self.pairs.is_empty() || !self.walls.is_empty() {
            self.reference.clone_from(&x.q);
        }
        sum
    }

    /// Result of [`Self::commit`], without its effect.
    pub(super) fn work(
        &self,
        (world, pairs, near): (&World, &[ContactPair], &NearWalls),
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let reference = &self.reference;
        let step = PairStep::new(world, motion, x).turned_from(reference);
        let chunks = (parallel::chunks(&self.pairs, CHUNK), parallel::chunks(pairs, CHUNK));
        let mut work = parallel::sum(chunks, |_, (springs, pairs)| {
            let (step, mut sum) = (step.of(pairs, springs), FrictionWork::default());
            batches(stretched(springs), |batch, count| sum += step.settled(rule, batch, count).1);
            sum
        });
        let steps = &motion.walls(world, x);
        work += parallel::sum(parallel::each(&self.walls), |_, springs| {
            let mut sum = FrictionWork::default();
            springs.iter().for_each(|on| {
                settle_on_wall(&mut on.clone(), (world, steps, near), x, motion, (rule, reference), &mut sum)
            });
            sum
        });
        work
    }

    /// Commits friction after the step of `motion`: springs stretch or slide. Returns their work.
    pub(super) fn commit(
        &mut self,
        (world, pairs, near): (&World, &[ContactPair], &NearWalls),
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let Self { pairs: springs, walls, reference } = self;
        let step = PairStep::new(world, motion, x).turned_from(reference);
        let chunks = (parallel::chunks_mut(springs, CHUNK), parallel::chunks(pairs, CHUNK));
        let mut work = parallel::sum(chunks, |_, (springs, pairs)| {
            let mut sum = FrictionWork::default();
            let stretched: List = stretched(springs).collect();
            batches(stretched.into_iter(), |batch, count| {
                let (settled, work) = step.of(pairs, springs).settled(rule, batch, count);
                sum += work;
                batch[..count].iter().zip(&settled).for_each(|(&k, settled)| springs[k as usize] = *settled);
            });
            sum
        });
        let steps = &motion.walls(world, x);
        work += parallel::sum(parallel::each_mut(walls), |_, springs| {
            let mut sum = FrictionWork::default();
            springs
                .iter_mut()
                .for_each(|on| settle_on_wall(on, (world, steps, near), x, motion, (rule, reference), &mut sum));
            springs.retain(|on| on.tangential.is_loaded());
            sum
        });
        reference.clear();
        work
    }
}

/// Pairs of a chunk whose tangential springs do work in a step.
fn stretched(springs: &[TangentialSpring]) -> impl Iterator<Item = u32> {
    (0..).zip(springs).filter(|(_, spring)| **spring != TangentialSpring::default()).map(|(k, _)| k)
}

/// Pairs of a chunk.
type List = SmallVec<[u32; CHUNK]>;

/// Whether friction is by tangential springs.
fn has_springs(world: &World) -> bool {
    world.friction_rule == FrictionRule::TangentialSpring
        && (pairs_have_friction(world) || world.colliders.iter().any(|c| c.friction.is_some_and(|mu| mu > 0.0)))
}

/// Whether particles have friction with each other.
fn pairs_have_friction(world: &World) -> bool {
    world.materials.iter().any(|m| m.static_friction > 0.0)
}
