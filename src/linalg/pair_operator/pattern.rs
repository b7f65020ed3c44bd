//! Which pairs are worked on together, and where what they add goes.

use std::ops::Range;

use crate::linalg::vector::LANES;

use super::PairTerm;
use super::relief::Relief;
use crate::simd::Singles;

/// Nodes a chunk: enough for a thread's cache, few enough that small systems keep two threads busy.
pub(super) const CHUNK: usize = 1024;

/// No pair in this lane.
pub(super) const NONE: u32 = u32::MAX;

/// One pair each of eight consecutive nodes. A lane without one is zeros and couples the node to itself.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    arm: [[f32; LANES]; 3],
    across: [f32; LANES],
    plain: [f32; LANES],
    along: [f32; LANES],
    bend: [f32; LANES],
    twist: [f32; LANES],
    /// The other node, in the vector that is multiplied.
    pub read: [u32; LANES],
    /// The other node, in the chunk's sums: its own nodes, then its halo.
    pub(super) write: [u32; LANES],
}

impl Group {
    /// The terms of all lanes.
    #[inline(always)]
    pub fn term<S: Singles>(&self) -> PairTerm<S> {
        PairTerm {
            arm: [S::load(&self.arm[0]), S::load(&self.arm[1]), S::load(&self.arm[2])],
            across: S::load(&self.across),
            plain: S::load(&self.plain),
            along: S::load(&self.along),
            bend: S::load(&self.bend),
            twist: S::load(&self.twist),
        }
    }

    /// Sets the terms of all lanes.
    #[inline(always)]
    pub fn set<S: Singles>(&mut self, term: &PairTerm<S>) {
        (0..3).for_each(|k| term.arm[k].store(&mut self.arm[k]));
        term.across.store(&mut self.across);
        term.plain.store(&mut self.plain);
        term.along.store(&mut self.along);
        term.bend.store(&mut self.bend);
        term.twist.store(&mut self.twist);
    }

    /// Sets the term of one.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, term: &PairTerm) {
        (0..3).for_each(|k| self.arm[k][lane] = term.arm[k]);
        self.across[lane] = term.across;
        self.plain[lane] = term.plain;
        self.along[lane] = term.along;
        self.bend[lane] = term.bend;
        self.twist[lane] = term.twist;
    }

    /// The term of one lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> PairTerm {
        PairTerm {
            arm: self.arm.map(|component| component[lane]),
            across: self.across[lane],
            plain: self.plain[lane],
            along: self.along[lane],
            bend: self.bend[lane],
            twist: self.twist[lane],
        }
    }
}

/// The pairs of a chunk of consecutive nodes, those that begin in it: in tiles of eight nodes, a tile in groups of one pair of
/// each. Pairs that end in another chunk add to a halo, and that chunk adds the halo to its own.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Its nodes.
    pub own: Range<usize>,
    pub groups: Vec<Group>,
    /// Which pair each lane of each group holds, or [`NONE`].
    pub pairs: Vec<[u32; LANES]>,
    /// Where the groups of each tile begin, and where the last ends.
    starts: Vec<u32>,
    /// Nodes of the halo, ascending.
    pub halo: Vec<u32>,
    /// What other chunks' halos hold for this one: row of theirs, by chunk, and node here.
    pub incoming: Vec<Incoming>,
    /// Where its pairs resist less in one direction.
    pub(super) reliefs: Vec<Relief>,
}

/// A row of another chunk's halo, and the node of this chunk to which it is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub chunk: u32,
    pub row: u32,
    pub node: u32,
}

impl Chunk {
    /// Rows of its sums.
    pub(super) fn rows(&self) -> usize {
        self.own.len() + self.halo.len()
    }

    /// Group, lane and number of every pair.
    pub fn lanes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        lanes(&self.pairs)
    }

    /// The chunk of the nodes `own`, whose pairs are `ends[k]`, k in `pairs`; `left_out(k)` says which have no part in it.
    pub fn new(own: Range<usize>, pairs: Range<usize>, ends: &[[u32; 2]], left_out: &impl Fn(usize) -> bool) -> Self {
        let mut chunk = Self {
            halo: halo(&own, &ends[pairs.clone()]),
            own: own.clone(),
            groups: Vec::new(),
            pairs: Vec::new(),
            starts: vec![0],
            incoming: Vec::new(),
            reliefs: Vec::new(),
        };
        let mut next = pairs.start;
        for tile in own.clone().step_by(LANES) {
            let nodes = tile..(tile + LANES).min(own.end);
            next = chunk.add_tile(nodes, next..pairs.end, ends, left_out);
        }
        chunk
    }

    /// The node in each lane of tile `k`; the last again where there are no more.
    #[inline(always)]
    pub fn nodes_of(&self, k: usize) -> [usize; LANES] {
        std::array::from_fn(|lane| (self.own.start + k * LANES + lane).min(self.own.end - 1))
    }

    pub fn tiles(&self) -> Range<usize> {
        0..self.starts.len() - 1
    }

    /// The groups of tile `k`.
    #[inline(always)]
    pub fn groups_of(&self, k: usize) -> Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    /// The tile that a group is of.
    pub(super) fn tile_of(&self, group: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= group) - 1
    }

    /// No pair resists less in any direction.
    pub fn forget_reliefs(&mut self) {
        self.reliefs.clear();
    }

    /// Adds the pairs of up to eight nodes, the first of `pairs`; returns where those of the next begin.
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
                    self.groups[place].write[lane] = self.row_of(j);
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
        self.groups.push(Group { read, write: read.map(|i| i - self.own.start as u32), ..Group::default() });
        self.pairs.push([NONE; LANES]);
    }

    fn row_of(&self, node: u32) -> u32 {
        if self.own.contains(&(node as usize)) {
            return node - self.own.start as u32;
        }
        let place = self.halo.binary_search(&node).expect("every node outside is in the halo");
        (self.own.len() + place) as u32
    }
}

/// Group, lane and number of every one of a chunk's `pairs`.
pub(super) fn lanes(pairs: &[[u32; LANES]]) -> impl Iterator<Item = (usize, usize, usize)> {
    let all = pairs.as_flattened().iter().enumerate().filter(|(_, k)| **k != NONE);
    all.map(|(lane, &k)| (lane / LANES, lane % LANES, k as usize))
}

/// The nodes that are at the end of a pair, but not of `own`, ascending.
fn halo(own: &Range<usize>, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut halo: Vec<u32> = pairs.iter().map(|pair| pair[1]).filter(|&j| j as usize >= own.end).collect();
    halo.sort_unstable();
    halo.dedup();
    halo
}
