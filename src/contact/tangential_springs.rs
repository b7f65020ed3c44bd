use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{ClosingSpring, FrictionRule, Pair, Spring, State, WallStep, World};
use crate::parallel::sum_parts;

use super::implicit::{MOST, PairStep, batches};
use super::tangential_spring::{Coefficients, FrictionForce, TANGENTIAL, TangentialSpring, Touch};
use super::{ContactPair, FrictionWork, SurfaceMotion};

/// Tangential springs of all contacts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TangentialSprings {
    /// One for each near pair, in their order; empty where pairs have no friction.
    pub pairs: Vec<TangentialSpring>,
    /// Contacts with walls, sorted, by chunks of [`Self::CHUNK`] particles.
    pub walls: Vec<Vec<WallTangentialSpring>>,
    /// Squares of the changes of limits, and of the limits, N2: for each chunk of pairs, then of particles.
    #[serde(skip)]
    changes: Vec<[f64; 2]>,
}

/// Friction of a particle on a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTangentialSpring {
    pub particle: u32,
    /// Index of the collider.
    pub wall: u32,
    pub tangential: TangentialSpring,
}

/// Adds the square of a limit's change, and of the limit, N2.
fn change(sum: &mut [f64; 2], from: f64, to: f64) {
    sum[0] += (to - from).powi(2);
    sum[1] += to * to;
}

impl TangentialSprings {
    /// Particles a chunk.
    pub const CHUNK: usize = 1024;

    pub fn new(world: &World) -> Self {
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
    pub fn are_loaded(&self) -> bool {
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
    pub fn on_walls_of(&self, particle: usize) -> &[WallTangentialSpring] {
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

    /// Updates normals, contact points and friction limits to the state `x` after `motion`. Returns the change of the limits
    /// as a share of them.
    pub(super) fn update_limits(
        &mut self,
        world: &World,
        pairs: &[ContactPair],
        near_walls: Option<&[u32]>,
        x: &State,
        motion: SurfaceMotion,
    ) -> f64 {
        let Self { pairs: springs, walls, changes } = self;
        let pair_chunks = springs.len().div_ceil(Self::CHUNK);
        changes.clear();
        changes.resize(pair_chunks + walls.len(), [0.0; 2]);
        let (of_pairs, of_walls) = changes.split_at_mut(pair_chunks);
        let step = PairStep::new(world, motion, x);
        let chunks = springs.par_chunks_mut(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK)).zip(of_pairs);
        chunks.for_each(|((springs, pairs), sum)| {
            let all = 0..springs.len();
            List::new(all.filter(|&k| step.of(pairs, springs).is_active(k as u32, 0.0))).each(|batch, count| {
                let limited = step.of(pairs, springs).limited(batch);
                for (&k, limited) in batch[..count].iter().zip(&limited) {
                    let spring = &mut springs[k as usize];
                    change(sum, spring.limit, limited.limit);
                    *spring = *limited;
                }
            });
        });
        let steps = &motion.walls(world, x);
        walls.par_iter_mut().zip(of_walls).enumerate().for_each(|(chunk, (springs, sum))| {
            let first = chunk * Self::CHUNK;
            let count = Self::CHUNK.min(x.len() - first);
            let particles = of_chunk(near_walls, chunk, count).map(|k| first + k);
            update_walls(springs, (world, steps), particles, x, motion, sum);
        });
        let [changed, whole] = changes.iter().fold([0.0; 2], |sum, c| [sum[0] + c[0], sum[1] + c[1]]);
        if changed == 0.0 { 0.0 } else { (changed / whole).sqrt() }
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
        let chunks = self.pairs.par_chunks(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK));
        let of_pairs = sum_parts(chunks, |(springs, pairs)| {
            let (step, mut sum) = (step.of(pairs, springs), 0.0);
            List::new(stretched(springs)).each(|batch, count| {
                sum += step.settled(rule, batch).1[..count].iter().sum::<f64>();
            });
            sum
        });
        let steps = &motion.walls(world, x);
        let of_walls = sum_parts(self.walls.par_iter(), |springs| {
            let mut sum = FrictionWork::default();
            springs.iter().for_each(|on| sum += on.clone().commit((world, steps), x, motion, rule));
            sum
        });
        FrictionWork { lost: of_pairs + of_walls.lost, ..of_walls }
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
        let chunks = self.pairs.par_chunks_mut(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK));
        let of_pairs = sum_parts(chunks, |(springs, pairs)| {
            let mut sum = 0.0;
            List::new(stretched(springs)).each(|batch, count| {
                let (settled, work) = step.of(pairs, springs).settled(rule, batch);
                sum += work[..count].iter().sum::<f64>();
                batch[..count].iter().zip(&settled).for_each(|(&k, settled)| springs[k as usize] = *settled);
            });
            sum
        });
        let steps = &motion.walls(world, x);
        let of_walls = sum_parts(self.walls.par_iter_mut(), |springs| {
            let mut sum = FrictionWork::default();
            springs.iter_mut().for_each(|on| sum += on.commit((world, steps), x, motion, rule));
            springs.retain(|wall| wall.tangential.is_loaded());
            sum
        });
        FrictionWork { lost: of_pairs + of_walls.lost, ..of_walls }
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

/// Updates the list of a chunk's `particles` on walls. New contacts are added. Contacts that parted are kept until the
/// step is committed.
fn update_walls(
    springs: &mut Vec<WallTangentialSpring>,
    (world, walls): (&World, &[WallStep]),
    particles: impl Iterator<Item = usize>,
    x: &State,
    motion: SurfaceMotion,
    sum: &mut [f64; 2],
) {
    let known = springs.len();
    let mut next = 0;
    for (key, depth, n) in touching(world, walls, particles, x) {
        next += unload_first(&mut springs[next..known], |tangential| tangential.key() < key, sum);
        let is_known = next < known && springs[next].key() == key;
        let at = if is_known { next } else { springs.len() };
        if !is_known {
            springs.push(WallTangentialSpring {
                particle: key.0,
                wall: key.1,
                tangential: TangentialSpring::default(),
            });
        }
        next += usize::from(is_known);
        springs[at].update_limit((world, walls), x, motion, (depth, n), sum);
    }
    unload_first(&mut springs[next..known], |_| true, sum);
    springs.sort_unstable_by_key(WallTangentialSpring::key);
}

/// Contacts of `particles` with walls: the two, the overlap (m), and the wall's normal.
fn touching(
    world: &World,
    walls: &[WallStep],
    particles: impl Iterator<Item = usize>,
    x: &State,
) -> impl Iterator<Item = ((u32, u32), f64, Vec3)> {
    let walls = walls.iter().zip(0u32..);
    let pairs = particles.flat_map(move |i| walls.clone().map(move |(wall, k)| (i, wall, k)));
    pairs.filter_map(|(i, wall, k)| {
        let (gap, n) = wall.end.touch(&x.p[i], world.particles.radius[i])?;
        Some(((i as u32, k), -gap, n))
    })
}

/// Unloads the first of `springs` as long as they are `before` something. Returns their number.
fn unload_first(
    springs: &mut [WallTangentialSpring],
    before: impl Fn(&WallTangentialSpring) -> bool,
    sum: &mut [f64; 2],
) -> usize {
    let count = springs.iter().take_while(|tangential| before(tangential)).count();
    for WallTangentialSpring { tangential, .. } in &mut springs[..count] {
        change(sum, tangential.limit, 0.0);
        tangential.unload();
    }
    count
}

impl WallTangentialSpring {
    fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }

    /// See [`TangentialSpring::commit`].
    fn commit(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        motion: SurfaceMotion,
        rule: FrictionForce,
    ) -> FrictionWork {
        let (i, wall) = (self.particle as usize, &walls[self.wall as usize]);
        let (n, arm) = (self.tangential.n, self.tangential.arms[0]);
        let u = motion.on_wall(x, i, &n, arm, wall);
        let (lost, force) = self.tangential.commit(rule, TANGENTIAL * world.contact_stiffness_of(i), &u);
        FrictionWork { lost, walls: -force.dot(&motion.carried(x, i, &n, arm, wall)), held: 0.0 }
    }

    fn update_limit(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        motion: SurfaceMotion,
        (depth, n): (f64, Vec3),
        sum: &mut [f64; 2],
    ) {
        let (i, wall) = (self.particle as usize, self.wall as usize);
        let k = world.contact_stiffness_of(i);
        let arms = [world.particles.radius[i] - depth, 0.0];
        let u = motion.on_wall(x, i, &n, arms[0], &walls[wall]);
        let before = self.tangential.limit;
        let elastic = world.wall_spring(i);
        let closing = motion.wall_closing(&elastic, &walls[wall], x, (i, world.particles.radius[i]));
        let push = ClosingSpring { spring: &elastic, closing }.push(depth);
        let touch = Touch { n, arms, push, k };
        self.tangential.update_limit(&touch, &Coefficients::on_wall(world, i, wall), &u);
        change(sum, before, self.tangential.limit);
    }
}
