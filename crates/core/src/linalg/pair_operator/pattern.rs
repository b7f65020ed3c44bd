//! Grouping of pairs, and the rows that they add to.

use std::ops::Range;

use crate::linalg::vector::LANES;

use super::PairTerm;
use super::downdate::RankOneDowndate;
use crate::parallel::Halo;
use crate::simd::Singles;

/// A lane without pair.
pub(super) const NONE: u32 = u32::MAX;

/// One pair each of eight consecutive nodes. An empty lane has zero terms and couples its node to itself.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    arm: [[f32; LANES]; 3],
    shear: [f32; LANES],
    geometric: [f32; LANES],
    axial: [f32; LANES],
    bend: [f32; LANES],
    twist: [f32; LANES],
    /// The pair's second node, as an index of the multiplied vector.
    pub read: [u32; LANES],
    /// The pair's second node, as a row of the chunk's sums: own nodes, then halo.
    pub(super) write: [u32; LANES],
}

impl Group {
    /// The terms of all lanes.
    #[inline(always)]
    pub(crate) fn term<S: Singles>(&self) -> PairTerm<S> {
        PairTerm {
            arm: [S::load(&self.arm[0]), S::load(&self.arm[1]), S::load(&self.arm[2])],
            shear: S::load(&self.shear),
            geometric: S::load(&self.geometric),
            axial: S::load(&self.axial),
            bend: S::load(&self.bend),
            twist: S::load(&self.twist),
        }
    }

    /// Sets the terms of all lanes.
    #[inline(always)]
    pub(crate) fn set<S: Singles>(&mut self, term: &PairTerm<S>) {
        (0..3).for_each(|k| term.arm[k].store(&mut self.arm[k]));
        term.shear.store(&mut self.shear);
        term.geometric.store(&mut self.geometric);
        term.axial.store(&mut self.axial);
        term.bend.store(&mut self.bend);
        term.twist.store(&mut self.twist);
    }

    /// Sets the term of one lane.
    #[inline(always)]
    pub(crate) fn set_lane(&mut self, lane: usize, term: &PairTerm) {
        (0..3).for_each(|k| self.arm[k][lane] = term.arm[k]);
        self.shear[lane] = term.shear;
        self.geometric[lane] = term.geometric;
        self.axial[lane] = term.axial;
        self.bend[lane] = term.bend;
        self.twist[lane] = term.twist;
    }

    /// The term of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, lane: usize) -> PairTerm {
        PairTerm {
            arm: self.arm.map(|component| component[lane]),
            shear: self.shear[lane],
            geometric: self.geometric[lane],
            axial: self.axial[lane],
            bend: self.bend[lane],
            twist: self.twist[lane],
        }
    }
}

/// The pairs that begin in a chunk of consecutive nodes. They lie in tiles of eight nodes, and a tile in groups of one
/// pair a node. Pairs that end in another chunk add to a halo, which that chunk adds to its own sums.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Its nodes, and the rows of its pairs' sums.
    pub halo: Halo,
    pub groups: Vec<Group>,
    /// Pair of each lane of each group, or [`NONE`].
    pub pairs: Vec<[u32; LANES]>,
    /// First group of each tile, then the end of the last tile.
    starts: Vec<u32>,
    /// Downdates of its pairs.
    pub(super) downdates: Vec<RankOneDowndate>,
}

impl Chunk {
    /// Group, lane and number of every pair.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        lanes(&self.pairs)
    }

    /// The chunk of the nodes `own` with the pairs `ends[k]`, k in `pairs`, except those with `left_out(k)`.
    pub(crate) fn new(
        own: Range<usize>,
        pairs: Range<usize>,
        ends: &[[u32; 2]],
        left_out: &impl Fn(usize) -> bool,
    ) -> Self {
        let mut chunk = Self {
            halo: Halo::new(own.clone(), ends[pairs.clone()].iter().map(|pair| pair[1])),
            groups: Vec::new(),
            pairs: Vec::new(),
            starts: vec![0],
            downdates: Vec::new(),
        };
        let mut next = pairs.start;
        for tile in own.clone().step_by(LANES) {
            let nodes = tile..(tile + LANES).min(own.end);
            next = chunk.add_tile(nodes, next..pairs.end, ends, left_out);
        }
        chunk.groups.shrink_to_fit();
        chunk.pairs.shrink_to_fit();
        chunk
    }

    /// The node in each lane of tile `k`; the last node is repeated in lanes beyond the end.
    #[inline(always)]
    pub(crate) fn nodes_of(&self, k: usize) -> [usize; LANES] {
        std::array::from_fn(|lane| (self.halo.own.start + k * LANES + lane).min(self.halo.own.end - 1))
    }

    pub(crate) fn tiles(&self) -> Range<usize> {
        0..self.starts.len() - 1
    }

    /// The groups of tile `k`.
    #[inline(always)]
    pub(crate) fn groups_of(&self, k: usize) -> Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    /// The tile of a group.
    pub(super) fn tile_of(&self, group: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= group) - 1
    }

    /// Removes all downdates.
    pub(crate) fn clear_downdates(&mut self) {
        self.downdates.clear();
    }

    /// Adds the pairs of up to eight nodes, the first of `pairs`; returns the start of the rest.
    fn add_tile(
        &mut self,
        nodes: Range<usize>,
        pairs: Range<usize>,
        ends: &[[u32; 2]],
        left_out: &impl Fn(usize) -> bool,
    ) -> usize {
        let first = self.groups.len();
        let mut k = pairs.start;
        for (lane, node) in nodes.clone().enumerate() {
            let mut place = first;
            while k < pairs.end && ends[k][0] as usize == node {
                if !left_out(k) {
                    if place == self.groups.len() {
                        self.add_group(&nodes);
                    }
                    let j = ends[k][1];
                    self.pairs[place][lane] = k as u32;
                    self.groups[place].read[lane] = j;
                    self.groups[place].write[lane] = self.halo.row_of(j);
                    place += 1;
                }
                k += 1;
            }
        }
        self.starts.push(self.groups.len() as u32);
        k
    }

    fn add_group(&mut self, nodes: &Range<usize>) {
        let node = |lane: usize| (nodes.start + lane).min(nodes.end - 1) as u32;
        let read = std::array::from_fn(node);
        self.groups.push(Group { read, write: read.map(|i| i - self.halo.own.start as u32), ..Group::default() });
        self.pairs.push([NONE; LANES]);
    }
}

/// Group, lane and number of every pair in `pairs`.
pub(super) fn lanes(pairs: &[[u32; LANES]]) -> impl Iterator<Item = (usize, usize, usize)> {
    let all = pairs.as_flattened().iter().enumerate().filter(|(_, k)| **k != NONE);
    all.map(|(lane, &k)| (lane / LANES, lane % LANES, k as usize))
}
