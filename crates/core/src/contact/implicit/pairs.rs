use nalgebra::Vector2;
use smallvec::SmallVec;

use super::kernels::{PairForce, PairStiffness};
use super::pair_lanes::MOST;
use crate::contact::SurfaceMotion;
use crate::geometry::Quat;
use crate::model::{ContactLaw, Gradient, Pair, PairChunks, State, World};
use crate::neighbours::ContactPair;
use crate::parallel::{self, CHUNK};
use crate::simd::{InstructionSet, Row8};

/// Near pairs in the step that leads to a state.
#[derive(Clone, Copy, Debug)]
pub struct PairStep<'a> {
    /// The pairs.
    pub pairs: &'a [ContactPair],
    /// Rows of their tangential springs at the start: see [`TangentialSpring`](crate::contact::TangentialSpring). Empty without
    /// friction.
    pub(super) springs: &'a [Row8],
    /// Rows of their contact points: see [`LaggedPoint`](super::LaggedPoint). Empty between steps.
    pub(super) lagged: &'a [Row8],
    pub(super) law: ContactLaw,
    pub(super) radius: &'a [f64],
    pub(super) before: &'a State,
    pub(super) after: &'a State,
    /// Orientations that rotations are counted from.
    pub(super) reference: &'a [Quat],
    /// Whether surfaces move: otherwise they do not slip.
    pub(super) moves: bool,
    /// Inverse of the step, 1/s; zero without damping.
    pub(super) rate: f64,
    pub(super) instructions: InstructionSet,
}

impl<'a> PairStep<'a> {
    /// Step of no pairs yet, to the state `after`.
    pub fn new(world: &'a World, motion: SurfaceMotion<'a>, after: &'a State) -> Self {
        let (before, rate) = (motion.start(after), motion.rate(world, after));
        let (law, radius) = (world.contact_law, &world.particles.radius[..]);
        let (reference, moves) = (&before.q[..], !matches!(motion, SurfaceMotion::None));
        Self {
            pairs: &[],
            springs: &[],
            lagged: &[],
            law,
            radius,
            before,
            after,
            reference,
            moves,
            rate,
            instructions: world.instructions,
        }
    }

    /// The step of these pairs, of their tangential springs at the start, and of their contact points.
    pub(crate) fn of(self, pairs: &'a [ContactPair], springs: &'a [Row8], lagged: &'a [Row8]) -> Self {
        Self { pairs, springs, lagged, ..self }
    }

    /// The step whose springs have the slip by rotations up to the orientations `reference`; by none where that is empty.
    pub(crate) fn turned_from(self, reference: &'a [Quat]) -> Self {
        Self { reference: if self.moves && !reference.is_empty() { reference } else { self.reference }, ..self }
    }

    /// Whether the pair `k` has a force: from an overlap, or from friction with a limit of an earlier state. Gaps below
    /// `margin`, a share of the reach, count as closed.
    #[inline(always)]
    pub(crate) fn is_active(&self, k: u32, margin: f64) -> bool {
        let pair = &self.pairs[k as usize];
        pair.is_nearer(margin * pair.reach, &self.after.p) || self.limit(k) > 0.0
    }

    /// Friction limit of the pair `k`, N.
    #[inline(always)]
    pub(super) fn limit(&self, k: u32) -> f64 {
        match self.lagged.get(k as usize) {
            Some(Row8([_, _, _, limit, ..])) => *limit,
            None => self.springs.get(k as usize).map_or(0.0, |Row8([.., limit])| limit.abs()),
        }
    }

    /// Writes the gradients of the pairs to `out`. Returns the sums of their energies (J), and of the powers of their dashpots
    /// (W).
    pub fn scatter(&self, chunks: &PairChunks, out: &mut [Gradient]) -> [f64; 2] {
        let sums = chunks.fill_chunks(out, |chunk, out| {
            let (mut sums, first) = (Vector2::zeros(), chunk * parallel::CHUNK);
            out.fill(Gradient::default());
            let owned = chunks.owned(chunk).map(|k| k as u32);
            self.each(owned, |k, force| {
                let [i, j] = self.pairs[k as usize].ends();
                let [on_i, on_j] = force.gradient;
                sums += Vector2::new(force.energy, force.power);
                out[i - first] += on_i;
                if let Some(out) = out.get_mut(j - first) {
                    *out += on_j;
                }
            });
            self.each(chunks.incoming(chunk).iter().copied(), |k, force| {
                out[self.pairs[k as usize].ends()[1] - first] += force.gradient[1];
            });
            sums
        });
        sums.into()
    }

    /// The sum of energies, J.
    pub(crate) fn energy(&self, chunks: &PairChunks) -> f64 {
        parallel::sum(0..chunks.len(), |_, chunk| {
            let mut sum = 0.0;
            self.each(chunks.owned(chunk).map(|k| k as u32), |_, force| sum += force.energy);
            sum
        })
    }

    /// dV/dx of the particles of the pair `k`, N and N m.
    pub(crate) fn gradient(&self, k: usize) -> [Gradient; 2] {
        let mut gradient = [Gradient::default(); 2];
        self.each(std::iter::once(k as u32), |_, force| gradient = force.gradient);
        gradient
    }

    /// [`Self::stiffnesses`] of the pair `k`.
    pub(crate) fn stiffness(&self, k: u32, margin: f64) -> PairStiffness {
        self.stiffnesses(&[k; MOST], margin)[0]
    }

    /// Calls `visit` for those of `pairs` that have a force, in order.
    #[inline(always)]
    fn each(&self, pairs: impl Iterator<Item = u32>, mut visit: impl FnMut(u32, &PairForce)) {
        let mut forces = [PairForce::default(); MOST];
        batches(pairs.filter(|&k| self.is_active(k, 0.0)), |batch, count| {
            self.forces(batch, count, &mut forces);
            batch[..count].iter().zip(&forces).for_each(|(&k, force)| visit(k, force));
        });
    }
}

/// Pairs of a chunk.
pub(super) type List = SmallVec<[u32; CHUNK]>;

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
