use rayon::prelude::*;

use crate::geometry::Vec3;
use crate::model::{Pair, PairChunks};

use super::ContactPair;

/// Near pairs that may overlap soon, in the chunks of the list of near pairs. Each step reads all of them, so they have their
/// own compact list.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosePairs {
    /// Own and incoming pairs of each chunk, ascending.
    chunks: Vec<[Vec<ClosePair>; 2]>,
}

/// A close pair, with its index in the list of near pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosePair {
    index: u32,
    i: u32,
    j: u32,
    /// See [`ContactPair::reach`].
    reach: f64,
}

impl ClosePair {
    fn new(index: u32, pair: &ContactPair) -> Self {
        Self { index, i: pair.i, j: pair.j, reach: pair.reach }
    }

    /// Whether the two overlap at `p` (m).
    #[inline(always)]
    fn overlaps(&self, p: &[Vec3]) -> bool {
        (p[self.j as usize] - p[self.i as usize]).norm_squared() < self.reach * self.reach
    }
}

impl Pair for ClosePair {
    #[inline(always)]
    fn ends(&self) -> [usize; 2] {
        [self.i as usize, self.j as usize]
    }
}

impl ClosePairs {
    /// Finds the close ones of `pairs`, by `is_close`.
    pub fn find(&mut self, chunks: &PairChunks, pairs: &[ContactPair], is_close: impl Fn(&ContactPair) -> bool + Sync) {
        self.chunks.resize_with(chunks.len(), Default::default);
        self.chunks.par_iter_mut().enumerate().for_each(|(c, [owned, incoming])| {
            let close =
                |k: u32| Some(&pairs[k as usize]).filter(|pair| is_close(pair)).map(|pair| ClosePair::new(k, pair));
            // steps to come allocate nothing
            owned.clear();
            owned.reserve(chunks.owned(c).len());
            owned.extend(chunks.owned(c).filter_map(|k| close(k as u32)));
            incoming.clear();
            incoming.reserve(chunks.incoming(c).len());
            incoming.extend(chunks.incoming(c).iter().filter_map(|&k| close(k)));
        });
    }

    /// Own and incoming pairs of `chunk`.
    pub fn of_chunk(&self, chunk: usize) -> impl Iterator<Item = &ClosePair> {
        self.chunks[chunk].iter().flatten()
    }

    /// Indices of the own and of the incoming pairs of `chunk` that overlap at `p` (m).
    pub fn overlapping<'a>(
        &'a self,
        chunk: usize,
        p: &'a [Vec3],
    ) -> (impl Iterator<Item = u32> + 'a, impl Iterator<Item = u32> + 'a) {
        let [owned, incoming] = &self.chunks[chunk];
        let of = |pairs: &'a [ClosePair]| pairs.iter().filter(|pair| pair.overlaps(p)).map(|pair| pair.index);
        (of(owned), of(incoming))
    }
}
