//! Which pairs are worked on together, and where what they add goes.

use std::ops::Range;

use crate::linalg::vector::LANES;

use super::PairTerm;

/// Nodes a chunk: enough for a thread's cache, few enough that small systems keep two threads busy.
pub(super) const CHUNK: usize = 1024;

/// No pair in this lane.
pub(super) const NONE: u32 = u32::MAX;

/// One pair each of eight consecutive nodes. A lane without one is zeros and couples the node to itself.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub arm: [[f32; LANES]; 3],
    pub across: [f32; LANES],
    pub plain: [f32; LANES],
    pub along: [f32; LANES],
    pub bend: [f32; LANES],
    pub twist: [f32; LANES],
    /// The other node, in the vector that is multiplied.
    pub read: [u32; LANES],
    /// The other node, in the chunk's sums: its own nodes, then its halo.
    pub write: [u32; LANES],
}

impl Group {
    pub fn set(&mut self, lane: usize, term: &PairTerm) {
        (0..3).for_each(|k| self.arm[k][lane] = term.arm[k]);
        self.across[lane] = term.across;
        self.plain[lane] = term.plain;
        self.along[lane] = term.along;
        self.bend[lane] = term.bend;
        self.twist[lane] = term.twist;
    }

    pub fn term(&self, lane: usize) -> PairTerm {
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
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub groups: Vec<Group>,
    /// Which pair each lane of each group holds, or [`NONE`].
    pub pairs: Vec<[u32; LANES]>,
    /// Where the groups of each tile begin, and where the last ends.
    pub starts: Vec<u32>,
    /// Nodes of the halo, ascending.
    pub halo: Vec<u32>,
    /// What other chunks' halos hold for this one: row of theirs, by chunk, and node here.
    pub incoming: Vec<Incoming>,
}

/// A row of another chunk's halo, and the node of this chunk to which it is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming {
    pub chunk: u32,
    pub row: u32,
    pub node: u32,
}

impl Chunk {
    /// The chunk of the nodes `own`, whose pairs are `ends[k]`, k in `pairs`; `left_out(k)` says which have no part in it.
    pub fn new(own: Range<usize>, pairs: Range<usize>, ends: &[[u32; 2]], left_out: &impl Fn(usize) -> bool) -> Self {
        let mut chunk = Self { starts: vec![0], ..Self::default() };
        chunk.halo = halo(&own, &ends[pairs.clone()]);
        let mut next = pairs.start;
        for tile in own.clone().step_by(LANES) {
            let nodes = tile..(tile + LANES).min(own.end);
            next = chunk.add_tile(&own, nodes, next..pairs.end, ends, left_out);
        }
        chunk
    }

    /// Adds the pairs of up to eight nodes, the first of `pairs`; returns where those of the next begin.
    fn add_tile(
        &mut self,
        own: &Range<usize>,
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
                        self.add_group(own, &nodes);
                    }
                    let j = ends[k][1];
                    self.pairs[place][lane] = k as u32;
                    self.groups[place].read[lane] = j;
                    self.groups[place].write[lane] = self.row_of(own, j);
                    place += 1;
                }
                k += 1;
            }
        }
        self.starts.push(self.groups.len() as u32);
        k
    }

    fn add_group(&mut self, own: &Range<usize>, nodes: &Range<usize>) {
        let node = |lane: usize| (nodes.start + lane).min(nodes.end - 1) as u32;
        let read = std::array::from_fn(node);
        self.groups.push(Group { read, write: read.map(|i| i - own.start as u32), ..Group::default() });
        self.pairs.push([NONE; LANES]);
    }

    fn row_of(&self, own: &Range<usize>, node: u32) -> u32 {
        if own.contains(&(node as usize)) {
            return node - own.start as u32;
        }
        let place = self.halo.binary_search(&node).expect("every node outside is in the halo");
        (own.len() + place) as u32
    }
}

/// The nodes that are at the end of a pair, but not of `own`, ascending.
fn halo(own: &Range<usize>, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut halo: Vec<u32> = pairs.iter().map(|pair| pair[1]).filter(|&j| j as usize >= own.end).collect();
    halo.sort_unstable();
    halo.dedup();
    halo
}
