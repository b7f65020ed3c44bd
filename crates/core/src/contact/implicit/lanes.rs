use super::pair_lanes::{MOST, PairLanes};
use crate::contact::particle_lanes::{TurnLanes, rolled, unit, vectors};
use crate::contact::{ContactPair, SurfaceMotion, TangentialLaw, TangentialSpring};
use crate::model::{Closing, ClosingSpring, ContactLaw, Spring, State, World};
use crate::simd::{Lanes, Vec3x};

/// Near pairs in the step that leads to a state.
#[derive(Clone, Copy, Debug)]
pub struct PairStep<'a> {
    /// The pairs.
    pub pairs: &'a [ContactPair],
    /// One for each pair; empty without friction.
    pub springs: &'a [TangentialSpring],
    law: ContactLaw,
    radius: &'a [f64],
    before: &'a State,
    after: &'a State,
    /// Inverse of the step, 1/s; zero without damping.
    rate: f64,
}

impl<'a> PairStep<'a> {
    /// Step of no pairs yet, to the state `after`.
    pub fn new(world: &'a World, motion: SurfaceMotion<'a>, after: &'a State) -> Self {
        let (before, rate) = match motion {
            SurfaceMotion::Since(before) if world.contact_damping > 0.0 => (before, 1.0 / (after.time - before.time)),
            SurfaceMotion::Since(before) => (before, 0.0),
            SurfaceMotion::None => (after, 0.0),
        };
        let (law, radius) = (world.contact_law, &world.particles.radius[..]);
        Self { pairs: &[], springs: &[], law, radius, before, after, rate }
    }

    /// The step of these pairs, and of their tangential springs.
    pub fn of(self, pairs: &'a [ContactPair], springs: &'a [TangentialSpring]) -> Self {
        Self { pairs, springs, ..self }
    }

    /// Whether the pair `k` has a force: from an overlap, or from friction with a limit of an earlier state. Gaps below
    /// `margin`, a share of the reach, count as closed.
    #[inline(always)]
    pub(crate) fn is_active(&self, k: u32, margin: f64) -> bool {
        let pair = &self.pairs[k as usize];
        pair.is_nearer(margin * pair.reach, &self.after.p)
            || self.springs.get(k as usize).is_some_and(TangentialSpring::is_loaded)
    }
}

/// Calls `each(batch, count)` for the first `count` of every `batch` of the `chosen` pairs. Another of them fills a batch up.
#[inline(always)]
pub(crate) fn batches(chosen: impl Iterator<Item = u32>, mut each: impl FnMut(&[u32; MOST], usize)) {
    let (mut batch, mut count) = ([0; MOST], 0);
    chosen.for_each(|k| {
        batch[count] = k;
        count += 1;
        if count == MOST {
            each(&batch, count);
            count = 0;
        }
    });
    if count > 0 {
        let some = batch[0];
        batch[count..].fill(some);
        each(&batch, count);
    }
}

/// A batch from its entry `first` on.
#[inline(always)]
pub(super) fn from(batch: &[u32; MOST], first: usize) -> [u32; MOST] {
    let (mut index, mut lane) = ([0; MOST], 0);
    while lane < MOST {
        index[lane] = batch[(first + lane) % MOST];
        lane += 1;
    }
    index
}

/// Overlaps and motions of the pairs of a register.
pub(super) struct StepLanes<L> {
    pub pair: PairLanes<L>,
    /// Unit normal from i to j.
    pub n: Vec3x<L>,
    /// Distance of the centres, m.
    pub distance: L,
    /// Overlap, zero without contact, m.
    pub overlap: L,
    /// Closing from the start of the step.
    pub closing: Closing<L>,
    /// Displacement of the centre of i over that of j, m.
    moved: Vec3x<L>,
}

impl<L: Lanes> StepLanes<L> {
    #[inline(always)]
    pub(super) fn load(step: &PairStep, index: &[u32; MOST]) -> Self {
        let pair = PairLanes::<L>::load(step.pairs, step.law, index);
        let (p_i, p_j) = (vectors::<L>(&step.after.p, &pair.i), vectors::<L>(&step.after.p, &pair.j));
        let (start_i, start_j) = (vectors::<L>(&step.before.p, &pair.i), vectors::<L>(&step.before.p, &pair.j));
        let branch = p_j - p_i;
        let moved = (p_i - start_i) - (p_j - start_j);
        let start = branch + moved;
        let (distance, distance_0) = (branch.dot(branch).sqrt(), start.dot(start).sqrt());
        let n = unit(branch, distance);
        let zero = L::splat(0.0);
        let closing = Closing { before: (pair.reach - distance_0).max(zero), rate: L::splat(step.rate) };
        let overlap = (pair.reach - distance).max(zero);
        Self { pair, n, distance, overlap, closing, moved }
    }

    /// The normal spring with its dashpot.
    #[inline(always)]
    pub(super) fn spring(&self) -> ClosingSpring<'_, L> {
        ClosingSpring { spring: &self.pair.spring, closing: self.closing }
    }

    /// Tangential stiffness and damping.
    #[inline(always)]
    pub(super) fn shear(&self) -> TangentialLaw<L> {
        let spring = &self.pair.spring;
        TangentialLaw::new(spring.k, spring.damping * self.closing.rate)
    }

    /// Normal force, N.
    #[inline(always)]
    pub(super) fn push(&self) -> L {
        self.spring().push(self.overlap)
    }

    /// Radii of both particles, m.
    #[inline(always)]
    pub(super) fn radii(&self, step: &PairStep) -> [L; 2] {
        [numbers(step.radius, &self.pair.i), numbers(step.radius, &self.pair.j)]
    }

    /// Displacement (m) of the surface of i over that of j: see [`SurfaceMotion::of_pair`].
    #[inline(always)]
    pub(super) fn slid(&self, turns: &[TurnLanes<L>; 2], n: Vec3x<L>, arms: [L; 2]) -> Vec3x<L> {
        self.moved + rolled(turns, arms).cross(n)
    }

    /// Rotations of both particles.
    #[inline(always)]
    pub(super) fn turns(&self, step: &PairStep) -> [TurnLanes<L>; 2] {
        let states = [&step.before.q[..], &step.after.q];
        [TurnLanes::load(states, &self.pair.i), TurnLanes::load(states, &self.pair.j)]
    }
}

#[inline(always)]
fn numbers<L: Lanes>(of: &[f64], index: &[u32; MOST]) -> L {
    let mut column = [0.0; MOST];
    let mut lane = 0;
    while lane < L::COUNT {
        column[lane] = of[index[lane] as usize];
        lane += 1;
    }
    L::load(&column)
}
