use crate::contact::friction::FrictionForce;
use crate::contact::springs::{FrictionWork, TangentialSprings};
use crate::contact::{LimitChange, NearWalls, SurfaceMotion};
use crate::geometry::{Quat, Vec3};
use crate::model::{State, World};
use crate::neighbours::ContactPair;
use crate::parallel::{self, CHUNK};
use crate::simd::Row8;

use super::pairs::{List, PairStep, batches};
use super::walls::{WallFriction, update_walls};

/// Friction of an implicit step by limits, normals and contact points of an earlier state of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaggedFriction {
    /// Rows of the near pairs: the numbers of a [`LaggedPoint`] in their order. Empty where pairs have no friction, and between steps.
    pub pairs: Vec<Row8>,
    /// Contacts with walls, sorted, by chunks of particles.
    pub walls: Vec<Vec<WallFriction>>,
    /// Orientations up to which they have the slip by rotations; empty between steps.
    pub reference: Vec<Quat>,
    /// Springs at the end of the step.
    ends: TangentialSprings,
}

/// Contact point of an earlier state of a step, and the friction limit there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LaggedPoint {
    /// Unit normal from i to the other.
    pub n: Vec3,
    /// Friction limit, N. Zero without contact.
    pub limit: f64,
    /// Slip by the rotations of particles in the step to that state, m.
    pub shift: Vec3,
    /// See [`TangentialSpring::depth`](crate::contact::TangentialSpring::depth), m.
    pub depth: f64,
}

/// World, near pairs, and near walls.
pub(crate) type Near<'a> = (&'a World, &'a [ContactPair], &'a NearWalls);

impl LaggedFriction {
    /// Whether no step has begun.
    pub(crate) fn is_empty(&self) -> bool {
        self.reference.is_empty()
    }

    /// Forgets the step.
    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
        self.reference.clear();
    }

    /// Updates normals, contact points and friction limits to the state `x` after `motion`, for friction by this `rule`, of
    /// `springs` at the start. Returns the change of the limits.
    pub(crate) fn update(
        &mut self,
        springs: &TangentialSprings,
        (world, pairs, near): Near,
        x: &State,
        (motion, rule): (SurfaceMotion, FrictionForce),
    ) -> LimitChange {
        if self.is_empty() {
            self.begin(springs);
        }
        let step = PairStep::new(world, motion, x);
        let rows = (
            parallel::chunks_mut(&mut self.pairs, CHUNK),
            parallel::chunks(&springs.pairs, CHUNK),
            parallel::chunks(pairs, CHUNK),
        );
        let mut sum = parallel::sum(rows, |_, (lagged, springs, pairs)| {
            let mut sum = LimitChange::default();
            let is_loaded = |k: u32| lagged[k as usize].0[3] != 0.0;
            let step = step.of(pairs, springs, &[]);
            let active: List = (0..pairs.len() as u32).filter(|&k| step.is_active(k, 0.0) || is_loaded(k)).collect();
            batches(active.into_iter(), |batch, count| {
                let points = step.limits(rule, batch);
                for (&k, point) in batch[..count].iter().zip(&points) {
                    let lagged = &mut lagged[k as usize];
                    sum.add(pairs[k as usize].i, lagged.0[3], point.0[3]);
                    *lagged = *point;
                }
            });
            sum
        });
        let steps = &motion.walls(world, x);
        sum += parallel::sum(parallel::each_mut(&mut self.walls), |chunk, walls| {
            let mut sum = LimitChange::default();
            let particles = near.particles().in_chunk(chunk, x.len());
            update_walls(walls, (world, steps, near), particles, x, (motion, rule), &mut sum);
            sum
        });
        if !self.pairs.is_empty() || !self.walls.is_empty() {
            self.reference.clone_from(&x.q);
        }
        sum
    }

    /// Begins a step with `springs` at the start: their limits are the first ones.
    fn begin(&mut self, springs: &TangentialSprings) {
        let limit = |row: &Row8| Row8([0.0, 0.0, 0.0, row.0[7].abs(), 0.0, 0.0, 0.0, 0.0]);
        self.pairs.clear();
        self.pairs.extend(springs.pairs.iter().map(limit));
        self.walls.resize_with(springs.walls.len(), Vec::new);
        for (walls, springs) in self.walls.iter_mut().zip(&springs.walls) {
            walls.clear();
            walls.extend(springs.iter().map(WallFriction::of));
        }
    }

    /// Friction after the step of `motion`, of `springs` at the start: they stretch or slide. Returns their work.
    pub(crate) fn settle(
        &mut self,
        springs: &TangentialSprings,
        (world, pairs, near): Near,
        x: &State,
        (motion, rule): (SurfaceMotion, FrictionForce),
    ) -> FrictionWork {
        let Self { pairs: lagged, walls, reference, ends } = self;
        let step = PairStep::new(world, motion, x).turned_from(reference);
        ends.pairs.clear();
        ends.pairs.resize(springs.pairs.len(), Row8::ZERO);
        let rows = (
            parallel::chunks(lagged, CHUNK),
            parallel::chunks(&springs.pairs, CHUNK),
            parallel::chunks(pairs, CHUNK),
            parallel::chunks_mut(&mut ends.pairs, CHUNK),
        );
        let mut work = parallel::sum(rows, |_, (lagged, springs, pairs, ends)| {
            let (step, mut sum) = (step.of(pairs, springs, lagged), FrictionWork::default());
            batches(stretched(springs, lagged), |batch, count| {
                let (settled, work) = step.settled(rule, batch, count);
                sum += work;
                batch[..count].iter().zip(&settled).for_each(|(&k, settled)| ends[k as usize] = *settled);
            });
            sum
        });
        let steps = &motion.walls(world, x);
        ends.walls.resize_with(walls.len(), Vec::new);
        let on_walls = (parallel::each(walls), parallel::each_mut(&mut ends.walls));
        work += parallel::sum(on_walls, |_, (walls, ends)| {
            let mut sum = FrictionWork::default();
            ends.clear();
            for on in walls {
                let (spring, work) = on.settled((world, steps, near), x, motion, (rule, reference));
                sum += work;
                ends.extend(spring);
            }
            sum
        });
        work
    }

    /// Ends the step: `springs` become those of the last [`Self::settle`].
    pub(crate) fn commit(&mut self, springs: &mut TangentialSprings) {
        std::mem::swap(springs, &mut self.ends);
        self.clear();
    }
}

/// Pairs of a chunk whose tangential springs do work in a step.
fn stretched<'a>(springs: &'a [Row8], lagged: &'a [Row8]) -> impl Iterator<Item = u32> + 'a {
    let acts = |(_, (spring, lagged)): &(u32, (&Row8, &Row8))| spring.0[7] != 0.0 || lagged.0[3] != 0.0;
    (0..).zip(springs.iter().zip(lagged)).filter(acts).map(|(k, _)| k)
}
