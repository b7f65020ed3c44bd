use std::ops::Range;

use crate::contact::ContactPair;
use crate::geometry::Vec3;
use crate::parallel::Halo;
use crate::simd::dispatch;
use crate::simd::{Lanes, Level};

use super::pair_blocks::{BLOCK, LawBlock, PairBlock, WatchBlock};
use super::set_bits;

/// Close pairs whose first particle is in a chunk: active ones, in blocks of the kernel, and the others, which are watched.
///
/// Active are all pairs in contact at the start or at the end of the step, and some that were. A pair out of contact adds zeros.
/// So results do not depend on which pairs are active, and their order is that of the near pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct PairList {
    /// Particles of the pairs, and their rows in the chunk's sums. One more row is spare.
    pub halo: Halo,
    /// Indices of the close pairs in the list of near pairs, ascending.
    pub indices: Vec<u32>,
    /// Rows of their particles.
    rows: Vec<[u32; 2]>,
    /// Places in `indices` of the active pairs, ascending, and their blocks.
    pub active: Vec<u32>,
    pub blocks: Vec<PairBlock>,
    /// Laws of each block, or of all blocks if all pairs have one law.
    laws: Vec<LawBlock>,
    has_one_law: bool,
    /// Places of the other pairs, ascending, and their blocks.
    passive: Vec<u32>,
    watched: Vec<WatchBlock>,
}

/// Near pairs, and the radii of particles (m).
#[derive(Clone, Copy)]
pub(super) struct NearPairs<'a> {
    pub pairs: &'a [ContactPair],
    pub radius: &'a [f64],
}

impl PairList {
    /// Laws of a block.
    #[inline(always)]
    pub(super) fn law(&self, block: usize) -> &LawBlock {
        &self.laws[if self.has_one_law { 0 } else { block }]
    }

    /// Lanes of a block that have a pair of their own, as bits.
    #[inline(always)]
    pub(super) fn valid(&self, block: usize) -> u32 {
        (1 << (self.active.len() - BLOCK * block).min(BLOCK)) - 1
    }

    /// The near pair at a place.
    pub(super) fn pair<'a>(&self, near: &NearPairs<'a>, place: u32) -> &'a ContactPair {
        &near.pairs[self.indices[place as usize] as usize]
    }

    /// Empties the list, and keeps its room.
    pub(super) fn clear(&mut self) {
        self.indices.clear();
        self.active.clear();
        self.blocks.clear();
        self.passive.clear();
        self.watched.clear();
    }

    /// Sets the list to `close` pairs, indices of near ones, none of them active; the first particles are `own`.
    pub(super) fn set(&mut self, own: Range<usize>, close: impl Iterator<Item = u32>, near: &NearPairs) {
        self.clear();
        self.indices.extend(close);
        let pairs = self.indices.iter().map(|&k| &near.pairs[k as usize]);
        self.halo.set(own, pairs.clone().map(|pair| pair.j));
        self.rows.clear();
        self.rows.extend(pairs.clone().map(|pair| [pair.i, pair.j].map(|particle| self.halo.row_of(particle))));
        let law = |&ContactPair { i, j, reach, spring, mu }: &ContactPair| {
            (reach, spring, mu, near.radius[i as usize], near.radius[j as usize])
        };
        let mut laws = pairs.map(law);
        let first = laws.next();
        self.has_one_law = laws.all(|law| Some(law) == first);
    }

    /// Sets the damping (N s/m) of an active pair whose block has laws of its own.
    pub(super) fn set_damping(&mut self, active: usize, damping: f64) {
        let (block, lane) = (active / BLOCK, active % BLOCK);
        // copies of the last pair follow it: all of them write its spring
        let end = if active + 1 == self.active.len() { BLOCK } else { lane + 1 };
        self.laws[block].set_damping(lane..end, damping);
    }

    /// Gives each block laws of its own.
    pub(super) fn part_laws(&mut self) {
        self.has_one_law = false;
    }

    /// Makes the pairs at these places, ascending, the active ones.
    pub(super) fn activate(&mut self, places: &[u32], near: &NearPairs) {
        self.active.clear();
        self.active.extend(places);
        self.blocks.clear();
        self.laws.clear();
        let spare = self.halo.rows() as u32;
        for places in self.active.chunks(BLOCK) {
            let filled: [u32; BLOCK] = std::array::from_fn(|lane| places[lane.min(places.len() - 1)]);
            let pairs = filled.map(|place| self.pair(near, place));
            let rows = std::array::from_fn(|lane| places.get(lane).map_or([spare; 2], |&at| self.rows[at as usize]));
            self.blocks.push(PairBlock::new(filled, &pairs, &rows));
            if self.laws.is_empty() || !self.has_one_law {
                self.laws.push(LawBlock::new(&pairs, near.radius));
            }
        }
        self.set_passive(near);
    }

    /// Makes all pairs passive that are not active.
    fn set_passive(&mut self, near: &NearPairs) {
        self.passive.clear();
        let mut active = self.active.iter().peekable();
        self.passive.extend((0..self.indices.len() as u32).filter(|place| active.next_if_eq(&place).is_none()));
        self.watched.clear();
        for places in self.passive.chunks(BLOCK) {
            let pair = |lane: usize| self.pair(near, places[lane.min(places.len() - 1)]);
            self.watched.push(WatchBlock::new(std::array::from_fn(pair)));
        }
    }

    /// Adds the places of the passive pairs nearer at `p` (m) than `factor` times the distance at which they begin to touch.
    pub(super) fn find_nearer(&self, level: Level, factor: f64, p: &[Vec3], found: &mut Vec<u32>) {
        dispatch! { fn find<'a>(list: &PairList, factor: f64, p: &'a [Vec3], found: &mut Vec<u32>) = find_lanes }
        find(level, self, factor, p, found);
    }

    /// Whether the pair at a place is nearer than that.
    pub(super) fn is_nearer(&self, near: &NearPairs, place: u32, factor: f64, p: &[Vec3]) -> bool {
        let pair = self.pair(near, place);
        pair.is_nearer((factor - 1.0) * pair.reach, p)
    }

    /// Makes room for this many pairs.
    pub(super) fn reserve(&mut self, pairs: usize) {
        fn reserve<T>(list: &mut Vec<T>, most: usize) {
            list.reserve(most.saturating_sub(list.len()));
        }
        let blocks = pairs.div_ceil(BLOCK);
        reserve(&mut self.indices, pairs);
        reserve(&mut self.rows, pairs);
        reserve(&mut self.active, pairs);
        reserve(&mut self.blocks, blocks);
        reserve(&mut self.passive, pairs);
        reserve(&mut self.watched, blocks);
        reserve(&mut self.laws, if self.has_one_law { 1 } else { blocks });
        self.halo.reserve(pairs);
    }
}

#[inline(always)]
fn find_lanes<L: Lanes>(list: &PairList, factor: f64, p: &[Vec3], found: &mut Vec<u32>) {
    for (block, places) in list.watched.iter().zip(list.passive.chunks(BLOCK)) {
        let bits = block.nearer::<L>(factor, p);
        if bits != 0 {
            found.extend(set_bits(bits.into()).filter_map(|lane| places.get(lane)));
        }
    }
}
