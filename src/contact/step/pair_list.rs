use std::ops::Range;

use crate::contact::ContactPair;
use crate::parallel::Halo;

use super::pair_blocks::{BLOCK, LawBlock, PairBlock};

/// Close pairs whose first particle is in a chunk, in blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct PairList {
    /// Particles of the pairs, and their rows in the chunk's sums. One more row is spare.
    pub halo: Halo,
    /// Indices in the list of near pairs, ascending.
    pub indices: Vec<u32>,
    pub blocks: Vec<PairBlock>,
    /// One for each block, or one alone if they are all equal.
    laws: Vec<LawBlock>,
}

impl PairList {
    /// Laws of a block.
    #[inline(always)]
    pub(super) fn law(&self, block: usize) -> &LawBlock {
        self.laws.get(block).unwrap_or(&self.laws[0])
    }

    /// Lanes of a block that have a pair of their own, as bits.
    #[inline(always)]
    pub(super) fn valid(&self, block: usize) -> u32 {
        (1 << (self.indices.len() - BLOCK * block).min(BLOCK)) - 1
    }

    /// Empties the list, and keeps its room.
    pub(super) fn clear(&mut self) {
        self.indices.clear();
        self.blocks.clear();
    }

    /// Sets the list to `close` pairs, indices of `near` ones; the first particles are `own`.
    pub(super) fn set(
        &mut self,
        own: Range<usize>,
        close: impl Iterator<Item = u32>,
        near: &[ContactPair],
        radius: &[f64],
    ) {
        self.clear();
        self.laws.clear();
        self.indices.extend(close);
        self.halo.set(own, self.indices.iter().map(|&k| near[k as usize].j));
        let (halo, spare) = (&self.halo, self.halo.rows() as u32);
        let rows = |pair: &ContactPair| [pair.i, pair.j].map(|particle| halo.row_of(particle));
        let law = |k: u32| {
            let ContactPair { i, j, reach, spring, mu } = &near[k as usize];
            (reach, spring, mu, radius[*i as usize], radius[*j as usize])
        };
        let are_equal = self.indices.iter().all(|&k| law(k) == law(self.indices[0]));
        for block in self.indices.chunks(BLOCK) {
            let pairs: [&ContactPair; BLOCK] = std::array::from_fn(|k| &near[block[k.min(block.len() - 1)] as usize]);
            let pairs = &pairs[..block.len()];
            self.blocks.push(PairBlock::new(pairs, rows, spare));
            if self.laws.is_empty() || !are_equal {
                self.laws.push(LawBlock::new(pairs, radius));
            }
        }
    }

    /// Makes room for this many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        self.indices.reserve(pairs.saturating_sub(self.indices.len()));
        self.blocks.reserve(pairs.div_ceil(BLOCK).saturating_sub(self.blocks.len()));
        self.halo.reserve(pairs);
    }
}
