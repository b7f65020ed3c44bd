use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{ClosingSpring, FrictionRule, Pair, PairSubset, Spring, State, WallStep, World};
use crate::parallel::sum_parts;

use super::rub::{Coefficients, FrictionForce, Rub, TANGENTIAL, Touch};
use super::{ContactPair, FrictionWork, Slip};

/// Friction at all contacts, where the world has any.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rubs {
    /// One for each near pair, in their order; none where pairs have no friction.
    pub pairs: Vec<Rub>,
    /// By chunks of [`Self::CHUNK`] particles, sorted: what touches a wall.
    pub walls: Vec<Vec<WallRub>>,
    /// For each chunk of pairs, then of particles: squares of how far limits changed, and of the limits.
    #[serde(skip)]
    changes: Vec<[f64; 2]>,
    /// Pairs that may have friction in this step or the previous one, ascending; none if any may.
    #[serde(skip)]
    rubbing: Option<Vec<u32>>,
    #[serde(skip)]
    spare: Vec<u32>,
}

/// Pairs and particles that may have friction in a step; all if unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rubbing<'a> {
    /// The pairs that touch now, and those that did when the step began.
    pub pairs: Option<[&'a PairSubset; 2]>,
    /// The particles that may touch walls, ascending.
    pub on_walls: Option<&'a [u32]>,
}

/// Friction of a particle on a wall.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallRub {
    pub particle: u32,
    /// Index of the collider.
    pub wall: u32,
    pub rub: Rub,
}

/// Adds the square of a limit's change, and of the limit, N2.
fn change(sum: &mut [f64; 2], from: f64, to: f64) {
    sum[0] += (to - from).powi(2);
    sum[1] += to * to;
}

impl Rubs {
    /// Particles a chunk.
    pub const CHUNK: usize = 1024;

    pub fn new(world: &World) -> Self {
        let has_walls = is_spring(world) && !world.colliders.is_empty();
        let chunks = if has_walls { world.particles.len().div_ceil(Self::CHUNK) } else { 0 };
        Self { walls: vec![Vec::new(); chunks], ..Self::default() }
    }

    /// Whether it may be that of `pairs` in `world`.
    pub(super) fn is_sound(&self, world: &World, pairs: usize) -> bool {
        let wanted = if is_spring(world) && rub_each_other(world) { pairs } else { 0 };
        let belongs = |(chunk, rub): (usize, &WallRub)| {
            let (i, wall) = (rub.particle as usize, rub.wall as usize);
            i / Self::CHUNK == chunk && i < world.particles.len() && wall < world.colliders.len()
        };
        let mut on_walls =
            self.walls.iter().enumerate().flat_map(|(chunk, rubs)| rubs.iter().map(move |rub| (chunk, rub)));
        self.pairs.len() == wanted && self.walls.len() == Self::new(world).walls.len() && on_walls.all(belongs)
    }

    /// Whether anything rubs anything.
    pub fn are_loaded(&self) -> bool {
        self.on_walls().any(|on| on.rub.is_loaded()) || self.pairs.iter().any(Rub::is_loaded)
    }

    /// All friction on walls, sorted by particle.
    pub fn on_walls(&self) -> impl Iterator<Item = &WallRub> {
        self.walls.iter().flatten()
    }

    /// Sets all friction on walls, sorted by particle and wall.
    pub(super) fn set_on_walls(&mut self, on_walls: impl Iterator<Item = WallRub>) {
        self.walls.iter_mut().for_each(Vec::clear);
        on_walls.for_each(|on| self.walls[on.particle as usize / Self::CHUNK].push(on));
    }

    /// Friction of `particle` on walls.
    pub fn on_walls_of(&self, particle: usize) -> &[WallRub] {
        let Some(rubs) = self.walls.get(particle / Self::CHUNK).filter(|rubs| !rubs.is_empty()) else { return &[] };
        let first = rubs.partition_point(|rub| (rub.particle as usize) < particle);
        let count = rubs[first..].partition_point(|rub| rub.particle as usize == particle);
        &rubs[first..first + count]
    }

    /// Takes over what `old` pairs remember for `new` ones, both sorted.
    pub(super) fn follow(&mut self, world: &World, old: &[ContactPair], new: &[ContactPair]) {
        if !is_spring(world) || !rub_each_other(world) {
            return;
        }
        let memory: Vec<_> = old.iter().zip(&self.pairs).filter(|(_, rub)| **rub != Rub::default()).collect();
        let mut rubs = vec![Rub::default(); new.len()];
        for (pair, rub) in memory {
            if let Ok(at) = new.binary_search_by_key(&pair.ends(), Pair::ends) {
                rubs[at] = *rub;
            }
        }
        self.pairs = rubs;
    }

    /// Looks at the contacts in `x` after `slip`: how hard they are pressed together, and along which normals. Returns
    /// by how much the limits changed, as a share of them.
    pub(super) fn load(
        &mut self,
        world: &World,
        pairs: &[ContactPair],
        rubbing: Rubbing,
        x: &State,
        slip: Slip,
    ) -> f64 {
        self.set_rubbing(rubbing.pairs);
        let Self { pairs: rubs, walls, changes, rubbing: which, .. } = self;
        let pair_chunks = rubs.len().div_ceil(Self::CHUNK);
        changes.clear();
        changes.resize(pair_chunks + walls.len(), [0.0; 2]);
        let (of_pairs, of_walls) = changes.split_at_mut(pair_chunks);
        let chunks = rubs.par_chunks_mut(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK)).zip(of_pairs).enumerate();
        chunks.for_each(|(chunk, ((rubs, pairs), sum))| {
            for k in of_chunk(which.as_deref(), chunk, rubs.len()) {
                let before = rubs[k].limit;
                load_pair(&mut rubs[k], world, &pairs[k], x, slip);
                change(sum, before, rubs[k].limit);
            }
        });
        let steps = &slip.walls(world, x);
        walls.par_iter_mut().zip(of_walls).enumerate().for_each(|(chunk, (rubs, sum))| {
            let first = chunk * Self::CHUNK;
            let count = Self::CHUNK.min(x.len() - first);
            let particles = of_chunk(rubbing.on_walls, chunk, count).map(|k| first + k);
            load_walls(rubs, (world, steps), particles, x, slip, sum);
        });
        let [changed, whole] = changes.iter().fold([0.0; 2], |sum, c| [sum[0] + c[0], sum[1] + c[1]]);
        if changed == 0.0 { 0.0 } else { (changed / whole).sqrt() }
    }

    /// Lists the pairs that may rub in a step.
    fn set_rubbing(&mut self, pairs: Option<[&PairSubset; 2]>) {
        let mut list = self.rubbing.take().unwrap_or_else(|| std::mem::take(&mut self.spare));
        list.clear();
        // steps to come allocate nothing
        list.reserve(self.pairs.len());
        // nothing to list where pairs have no friction
        let Some([now, before]) = pairs.filter(|_| !self.pairs.is_empty()) else {
            self.spare = list;
            return;
        };
        merge(now.indices(), before.indices(), |k| list.push(k as u32));
        self.rubbing = Some(list);
    }

    /// Result of [`Self::settle`], without its effect.
    pub(super) fn work(
        &self,
        world: &World,
        pairs: &[ContactPair],
        x: &State,
        slip: Slip,
        rule: FrictionForce,
    ) -> FrictionWork {
        let which = self.rubbing.as_deref();
        let chunks = self.pairs.par_chunks(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK)).enumerate();
        let of_pairs = sum_parts(chunks, |(chunk, (rubs, pairs))| {
            let known = of_chunk(which, chunk, rubs.len()).filter(|&k| rubs[k] != Rub::default());
            known.map(|k| settle_pair(&mut rubs[k].clone(), &pairs[k], x, slip, rule)).sum::<f64>()
        });
        let steps = &slip.walls(world, x);
        let of_walls = sum_parts(self.walls.par_iter(), |rubs| {
            let mut sum = FrictionWork::default();
            rubs.iter().for_each(|on| sum += on.clone().settle((world, steps), x, slip, rule));
            sum
        });
        FrictionWork { lost: of_pairs + of_walls.lost, ..of_walls }
    }

    /// The step that made `slip` stands: springs are drawn, or slip. Returns what friction took, and what moving walls did.
    pub(super) fn settle(
        &mut self,
        world: &World,
        pairs: &[ContactPair],
        x: &State,
        slip: Slip,
        rule: FrictionForce,
    ) -> FrictionWork {
        let which = self.rubbing.as_deref();
        let chunks = self.pairs.par_chunks_mut(Self::CHUNK).zip(pairs.par_chunks(Self::CHUNK)).enumerate();
        let of_pairs = sum_parts(chunks, |(chunk, (rubs, pairs))| {
            let mut sum = 0.0;
            for k in of_chunk(which, chunk, rubs.len()) {
                if rubs[k] != Rub::default() {
                    sum += settle_pair(&mut rubs[k], &pairs[k], x, slip, rule);
                }
            }
            sum
        });
        let steps = &slip.walls(world, x);
        let of_walls = sum_parts(self.walls.par_iter_mut(), |rubs| {
            let mut sum = FrictionWork::default();
            rubs.iter_mut().for_each(|on| sum += on.settle((world, steps), x, slip, rule));
            rubs.retain(|wall| wall.rub.is_loaded());
            sum
        });
        FrictionWork { lost: of_pairs + of_walls.lost, ..of_walls }
    }
}

/// Whether friction is a matter of springs.
fn is_spring(world: &World) -> bool {
    world.friction_rule == FrictionRule::TangentialSpring
        && (rub_each_other(world) || world.colliders.iter().any(|c| c.friction.is_some_and(|mu| mu > 0.0)))
}

/// Whether particles have friction with each other.
fn rub_each_other(world: &World) -> bool {
    world.materials.iter().any(|m| m.static_friction > 0.0)
}

/// See [`Rub::settle_by`].
fn settle_pair(rub: &mut Rub, pair: &ContactPair, x: &State, slip: Slip, rule: FrictionForce) -> f64 {
    let u = slip.of_pair(x, pair.ends(), &rub.n, rub.arms);
    rub.settle_by(rule, TANGENTIAL * pair.spring.k, &u).0
}

fn load_pair(rub: &mut Rub, world: &World, pair: &ContactPair, x: &State, slip: Slip) {
    let ends = pair.ends();
    let along = x.p[ends[1]] - x.p[ends[0]];
    let l = along.norm();
    if l >= pair.reach || l == 0.0 {
        rub.unload();
        return;
    }
    let (n, overlap) = (along / l, pair.reach - l);
    let arms = ends.map(|i| world.particles.radius[i] - 0.5 * overlap);
    let touch = Touch { n, arms, push: slip.pair_spring(pair, x).push(overlap), k: pair.spring.k };
    rub.load(&touch, &Coefficients::between(world, ends), &slip.of_pair(x, ends, &n, arms));
}

/// Which of the `count` entries of a chunk are in a list of all chunks' (ascending), or all of them, as they stand in the
/// chunk.
fn of_chunk(list: Option<&[u32]>, chunk: usize, count: usize) -> impl Iterator<Item = usize> {
    let first = chunk * Rubs::CHUNK;
    let known = list.map(|list| {
        let start = list.partition_point(|&k| (k as usize) < first);
        list[start..].iter().map(move |&k| k as usize - first).take_while(move |&k| k < count)
    });
    let all = if known.is_some() { 0..0 } else { 0..count };
    known.into_iter().flatten().chain(all)
}

/// Visits the union of two ascending sequences in order.
fn merge(a: impl Iterator<Item = usize>, b: impl Iterator<Item = usize>, mut visit: impl FnMut(usize)) {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    while let Some(k) = a.peek().copied().into_iter().chain(b.peek().copied()).min() {
        a.next_if_eq(&k);
        b.next_if_eq(&k);
        visit(k);
    }
}

/// Brings the list of a chunk's `particles` up to date: those that touch are added, those that do not touch any more
/// are kept.
fn load_walls(
    rubs: &mut Vec<WallRub>,
    (world, walls): (&World, &[WallStep]),
    particles: impl Iterator<Item = usize>,
    x: &State,
    slip: Slip,
    sum: &mut [f64; 2],
) {
    let known = rubs.len();
    let mut next = 0;
    for (key, depth, n) in touching(world, walls, particles, x) {
        next += apart(&mut rubs[next..known], |rub| rub.key() < key, sum);
        let is_known = next < known && rubs[next].key() == key;
        let at = if is_known { next } else { rubs.len() };
        if !is_known {
            rubs.push(WallRub { particle: key.0, wall: key.1, rub: Rub::default() });
        }
        next += usize::from(is_known);
        rubs[at].load((world, walls), x, slip, (depth, n), sum);
    }
    apart(&mut rubs[next..known], |_| true, sum);
    rubs.sort_unstable_by_key(WallRub::key);
}

/// Which of `particles` are in which walls, how deep (m), and the wall's normal there.
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

/// Unloads the first of `rubs`, as long as they are `before` something; returns how many those are.
fn apart(rubs: &mut [WallRub], before: impl Fn(&WallRub) -> bool, sum: &mut [f64; 2]) -> usize {
    let count = rubs.iter().take_while(|rub| before(rub)).count();
    for WallRub { rub, .. } in &mut rubs[..count] {
        change(sum, rub.limit, 0.0);
        rub.unload();
    }
    count
}

impl WallRub {
    fn key(&self) -> (u32, u32) {
        (self.particle, self.wall)
    }

    /// See [`Rub::settle_by`].
    fn settle(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        slip: Slip,
        rule: FrictionForce,
    ) -> FrictionWork {
        let (i, wall) = (self.particle as usize, &walls[self.wall as usize]);
        let (n, arm) = (self.rub.n, self.rub.arms[0]);
        let u = slip.on_wall(x, i, &n, arm, wall);
        let (lost, force) = self.rub.settle_by(rule, TANGENTIAL * world.contact_stiffness_of(i), &u);
        FrictionWork { lost, walls: -force.dot(&slip.carried(x, i, &n, arm, wall)), held: 0.0 }
    }

    fn load(
        &mut self,
        (world, walls): (&World, &[WallStep]),
        x: &State,
        slip: Slip,
        (depth, n): (f64, Vec3),
        sum: &mut [f64; 2],
    ) {
        let (i, wall) = (self.particle as usize, self.wall as usize);
        let k = world.contact_stiffness_of(i);
        let arms = [world.particles.radius[i] - depth, 0.0];
        let u = slip.on_wall(x, i, &n, arms[0], &walls[wall]);
        let before = self.rub.limit;
        let elastic = world.wall_spring(i);
        let closing = slip.wall_closing(&elastic, &walls[wall], x, (i, world.particles.radius[i]));
        let push = ClosingSpring { spring: &elastic, closing }.push(depth);
        let touch = Touch { n, arms, push, k };
        self.rub.load(&touch, &Coefficients::on_wall(world, i, wall), &u);
        change(sum, before, self.rub.limit);
    }
}
