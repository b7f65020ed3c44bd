//! A symmetric matrix-free operator: a sum over pairs of nodes with a few coefficients a pair instead of blocks.
//!
//! ```text
//! pattern    grouping of pairs: chunks, tiles of eight nodes, groups of eight pairs
//! kernel     product of a chunk's pairs
//! downdate   lower stiffness of a pair in one direction
//! diagonal   diagonal blocks
//! rows       rows of the matrix, on demand
//! product    products with work arrays of the caller
//! ```
//!
//! A product runs in two phases. First, each chunk of nodes computes the pairs that begin in it, every pair once. It
//! adds them to sums of its own nodes and of a halo, the nodes of other chunks at its pairs' ends. Then each chunk
//! gathers, in a fixed order, its own sums and its entries of other halos. So there is no race and no repeated work,
//! and the bits do not depend on the number of threads.

mod diagonal;
mod downdate;
mod kernel;
mod pattern;
mod product;
mod rows;

use super::block::Block;
use super::vector::{LANES, Vec6};
use crate::parallel::{self, CHUNK, Halo};
use crate::simd::{InstructionSet, Singles};
use pattern::lanes;

pub(crate) use pattern::Chunk;

pub use product::{PairProduct, PairWorkspace};
pub use rows::PairRows;

/// Coupling of a pair of nodes i < j with unknowns (u, psi) each: with the arm e, the energy
///
/// ```text
/// 1/2 shear |D + e x (psi_i + psi_j)|^2 + 1/2 geometric |D|^2 + 1/2 axial (e.D)^2       D = u_j - u_i
///   + 1/2 bend |U|^2 + 1/2 twist (e.U)^2                                                 U = psi_i - psi_j
/// ```
///
/// The arm is half the vector from i to j, over the length that scales psi. So `shear` does not resist a rigid motion
/// of both. `T` is a number, or a vector of lanes, one a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTerm<T = f32> {
    /// e.
    pub arm: [T; 3],
    /// Stiffness against shear.
    pub shear: T,
    /// Stiffness by the pair's tension.
    pub geometric: T,
    /// Stiffness along the arm.
    pub axial: T,
    /// Stiffness against differences of rotation.
    pub bend: T,
    /// Further stiffness against those about the arm.
    pub twist: T,
}

impl<S: Singles> PairTerm<S> {
    /// The term of one of eight pairs, by lane.
    pub(crate) fn lane(&self, lane: usize) -> PairTerm {
        let number = |of: S| {
            let mut all = [0.0; LANES];
            of.store(&mut all);
            all[lane]
        };
        PairTerm {
            arm: self.arm.map(number),
            shear: number(self.shear),
            geometric: number(self.geometric),
            axial: number(self.axial),
            bend: number(self.bend),
            twist: number(self.twist),
        }
    }
}

/// Diagonal term of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeTerm {
    /// Multiple of the identity, on its translation and on its rotation.
    pub diagonal: [f32; 2],
    /// Further block.
    pub extra: Option<Block<f32>>,
}

/// A sum of [`PairTerm`]s and [`NodeTerm`]s. Held nodes are coupled to none: a pair with a held end acts on the free
/// end alone.
#[derive(Debug)]
pub struct PairOperator {
    chunks: Vec<Chunk>,
    nodes: Vec<[f32; 2]>,
    held: Vec<bool>,
    /// Pairs with one held end, by chunk of the free one.
    anchors: Vec<Vec<Anchor>>,
    /// Further blocks of single nodes, by chunk.
    blocks: Vec<Vec<(u32, Block<f32>)>>,
    /// Ratio of the terms' psi to the vectors', for each node; empty for 1.
    scales: Vec<f32>,
    /// Rows of a chunk's sums, its halo included.
    stride: usize,
    instructions: InstructionSet,
}

/// The free end of a pair whose other end is held.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    node: u32,
    pair: u32,
    is_second: bool,
}

impl PairOperator {
    /// A zero operator that couples `pairs`, `i < j`, sorted by i; `held` has an entry per node. The terms' psi are
    /// `scales[node]` times those of vectors; empty for 1.
    ///
    /// # Panics
    /// If the pairs are unsorted or not `i < j < nodes`, or `scales` has another length.
    pub fn new(pairs: &[[u32; 2]], held: &[bool], scales: Vec<f32>) -> Self {
        let nodes = held.len();
        assert!(scales.is_empty() || scales.len() == nodes, "one scale a node, or none");
        let is_pair = |&[i, j]: &[u32; 2]| i < j && (j as usize) < nodes;
        assert!(pairs.iter().all(is_pair) && pairs.is_sorted_by_key(|pair| pair[0]), "pairs of these nodes, sorted");
        let starts: Vec<usize> =
            (0..=nodes.div_ceil(CHUNK)).map(|c| pairs.partition_point(|pair| (pair[0] as usize) < c * CHUNK)).collect();
        let is_held = |k: usize| pairs[k].iter().any(|&node| held[node as usize]);
        let mut chunks = parallel::map(starts.len() - 1, 1, |c| {
            Chunk::new(range(c, nodes), starts[c]..starts[c + 1], pairs, &is_held)
        });
        Halo::link(&mut chunks, CHUNK, |chunk| &mut chunk.halo);
        let stride = chunks.iter().map(|chunk| chunk.halo.rows()).max();
        Self {
            blocks: vec![Vec::new(); chunks.len()],
            anchors: anchors(pairs, held, chunks.len()),
            chunks,
            nodes: vec![[0.0; 2]; nodes],
            held: held.to_vec(),
            scales,
            stride: stride.unwrap_or(1),
            instructions: InstructionSet::default(),
        }
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Whether each node is held.
    pub(crate) fn held(&self) -> &[bool] {
        &self.held
    }

    /// Bytes read by a product, without vectors.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| size_of_val(&chunk.groups[..])).sum::<usize>() + size_of_val(&self.nodes[..])
    }

    /// The same operator, computed with these `instructions`.
    pub fn at(mut self, instructions: InstructionSet) -> Self {
        self.instructions = instructions;
        self
    }

    pub(crate) fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Sets all terms: `pair(k)` for the k-th pair of [`Self::new`], `node(i)` for every node.
    pub fn fill(&mut self, pair: impl Fn(usize) -> PairTerm + Sync, node: impl Fn(usize) -> NodeTerm + Sync) {
        let each = |_, chunk: &mut Chunk| {
            chunk.clear_downdates();
            let Chunk { groups, pairs, .. } = chunk;
            for (group, lane, k) in lanes(pairs) {
                groups[group].set_lane(lane, &pair(k));
            }
        };
        self.fill_chunks(each, &pair, node);
    }

    /// [`Self::fill`] by chunk: `fill(c, chunk)` sets the terms of chunk `c`. `pair(k)` is called for pairs with one
    /// held end only.
    pub(crate) fn fill_chunks(
        &mut self,
        fill: impl Fn(usize, &mut Chunk) + Sync,
        pair: impl Fn(usize) -> PairTerm + Sync,
        node: impl Fn(usize) -> NodeTerm + Sync,
    ) {
        let Self { chunks, nodes, anchors, blocks, scales, .. } = self;
        let parts = (
            parallel::each_mut(chunks),
            parallel::chunks_mut(nodes, CHUNK),
            parallel::each(anchors),
            parallel::each_mut(blocks),
        );
        parallel::for_each(parts, |c, (chunk, nodes, anchors, blocks)| {
            fill(c, chunk);
            blocks.clear();
            for (k, at) in nodes.iter_mut().enumerate() {
                let term = node(c * CHUNK + k);
                *at = term.diagonal;
                if let Some(extra) = term.extra {
                    blocks.push(((c * CHUNK + k) as u32, extra));
                }
            }
            for anchor in anchors.iter() {
                let scale = scales.get(anchor.node as usize).copied().unwrap_or(1.0);
                blocks.push((anchor.node, pair(anchor.pair as usize).end_block(anchor.is_second, scale)));
            }
        });
    }

    /// Calls `finish(i, y_i, (A x)_i)` for every node.
    pub(crate) fn product(
        &self,
        PairWorkspace { sums, scaled, .. }: &mut PairWorkspace,
        x: &[Vec6<f32>],
        y: &mut [Vec6<f32>],
        finish: impl Fn(usize, &mut Vec6<f32>, Vec6<f32>) + Sync,
    ) {
        assert_eq!([x.len(), y.len()], [self.nodes(); 2]);
        sums.resize(self.stride * self.chunks.len(), Vec6::ZERO);
        self.add_pairs(self.scaled(x, scaled), sums);
        parallel::for_each(parallel::chunks_mut(y, CHUNK), |c, y| self.gather(c, x, sums, y, &finish));
    }

    /// `x` with psi scaled to the terms'.
    fn scaled<'a>(&self, x: &'a [Vec6<f32>], room: &'a mut Vec<Vec6<f32>>) -> &'a [Vec6<f32>] {
        if self.scales.is_empty() {
            return x;
        }
        room.clear();
        room.extend(x.iter().zip(&self.scales).map(|(x, &scale)| rescaled(x, scale)));
        room
    }

    /// First phase: the sums of all chunks.
    fn add_pairs(&self, x: &[Vec6<f32>], sums: &mut [Vec6<f32>]) {
        parallel::for_each(parallel::chunks_mut(sums, self.stride), |c, sums| {
            let chunk = &self.chunks[c];
            let sums = &mut sums[..chunk.halo.rows()];
            sums.fill(Vec6::ZERO);
            kernel::product(self.instructions, chunk, x, sums);
            chunk.downdate_product(x, sums);
        });
    }

    /// Second phase: the results of chunk `c`'s nodes.
    fn gather(
        &self,
        c: usize,
        x: &[Vec6<f32>],
        sums: &[Vec6<f32>],
        y: &mut [Vec6<f32>],
        finish: &impl Fn(usize, &mut Vec6<f32>, Vec6<f32>),
    ) {
        let first = c * CHUNK;
        // final sums, small enough for the first-level cache
        let mut whole = [Vec6::ZERO; CHUNK];
        let whole = &mut whole[..y.len()];
        whole.copy_from_slice(&sums[c * self.stride..][..y.len()]);
        let halo = |from: usize| &self.chunks[from].halo;
        halo(c).gather(halo, |k, from, row| add(&mut whole[k], &sums[from * self.stride + row]));
        if !self.scales.is_empty() {
            let scales = &self.scales[first..];
            whole.iter_mut().zip(scales).for_each(|(sum, &scale)| *sum = rescaled(sum, scale));
        }
        for (node, block) in &self.blocks[c] {
            add(&mut whole[*node as usize - first], &block.times(&x[*node as usize]));
        }
        for (k, (y, sum)) in y.iter_mut().zip(whole).enumerate() {
            let ([t, r], x) = (self.nodes[first + k], &x[first + k].0);
            let inertia = [t, t, t, r, r, r, 0.0, 0.0];
            (0..LANES).for_each(|lane| sum.0[lane] += inertia[lane] * x[lane]);
            finish(first + k, y, *sum);
        }
    }
}

/// The nodes of chunk `c`.
fn range(c: usize, nodes: usize) -> std::ops::Range<usize> {
    c * CHUNK..((c + 1) * CHUNK).min(nodes)
}

#[inline(always)]
fn add(sum: &mut Vec6<f32>, term: &Vec6<f32>) {
    (0..LANES).for_each(|lane| sum.0[lane] += term.0[lane]);
}

/// `x` with its second half times `scale`.
#[inline(always)]
fn rescaled(x: &Vec6<f32>, scale: f32) -> Vec6<f32> {
    let [a, b, c, d, e, f] = x.to_array();
    Vec6::new([a, b, c, d * scale, e * scale, f * scale])
}

/// The pairs with one held end, by chunk of the free one.
fn anchors(pairs: &[[u32; 2]], held: &[bool], chunks: usize) -> Vec<Vec<Anchor>> {
    let mut anchors = vec![Vec::new(); chunks];
    for (k, pair) in pairs.iter().enumerate() {
        let [is_i_held, is_j_held] = pair.map(|node| held[node as usize]);
        if is_i_held != is_j_held {
            let node = pair[usize::from(is_i_held)];
            anchors[node as usize / CHUNK].push(Anchor { node, pair: k as u32, is_second: is_i_held });
        }
    }
    anchors
}
