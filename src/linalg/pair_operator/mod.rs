//! A symmetric operator that is a sum over pairs of nodes, kept as a few numbers a pair instead of blocks.
//!
//! ```text
//! pattern    which pairs are worked on together: chunks, tiles of eight nodes, groups of eight pairs
//! kernel     what the pairs of a chunk add to a product
//! relief     directions in which a pair resists less
//! diagonal   the diagonal blocks
//! rows       the rows of the matrix, when asked for
//! ```
//!
//! A product runs in two phases. Each chunk of nodes works out the pairs that begin in it, every pair once, and adds to
//! sums of its own: those of its nodes, and those of a halo, the nodes of other chunks that its pairs end at. Then each
//! chunk gathers, in a fixed order, its own sums and what halos hold for it. So there is no race, nothing is worked out
//! twice, and a result has the same bits on any number of threads.

mod diagonal;
mod kernel;
mod pattern;
mod relief;
mod rows;

use std::sync::{Mutex, TryLockError};

use rayon::prelude::*;

use super::block::Block;
use super::operator::Operator;
use super::vector::{LANES, Vec6};
use crate::simd::{Level, Singles};
use diagonal::EndSums;
use pattern::{CHUNK, Incoming, lanes};

pub(crate) use pattern::Chunk;

pub use rows::PairRows;

/// What couples a pair of nodes i < j with unknowns (u, psi) each: with the arm e, the energy
///
/// ```text
/// 1/2 across |D + e x (psi_i + psi_j)|^2 + 1/2 plain |D|^2 + 1/2 along (e.D)^2       D = u_j - u_i
///   + 1/2 bend |U|^2 + 1/2 twist (e.U)^2                                             U = psi_i - psi_j
/// ```
///
/// The arm is half the way from i to j, over the length that makes psi of a rotation vector. So `across` resists what a rigid
/// motion of both leaves alone. `T` is a number, or several: of as many pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTerm<T = f32> {
    pub arm: [T; 3],
    pub across: T,
    pub plain: T,
    pub along: T,
    pub bend: T,
    pub twist: T,
}

impl<S: Singles> PairTerm<S> {
    /// The term of one of eight pairs.
    pub(crate) fn lane(&self, lane: usize) -> PairTerm {
        let number = |of: S| {
            let mut all = [0.0; LANES];
            of.store(&mut all);
            all[lane]
        };
        PairTerm {
            arm: self.arm.map(number),
            across: number(self.across),
            plain: number(self.plain),
            along: number(self.along),
            bend: number(self.bend),
            twist: number(self.twist),
        }
    }
}

/// What acts on one node alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeTerm {
    /// Times the identity, on its translation and on its rotation.
    pub diagonal: [f32; 2],
    /// More on both.
    pub extra: Option<Block<f32>>,
}

/// A sum of [`PairTerm`]s and [`NodeTerm`]s. Nodes that are held are coupled to nothing: a pair with a held end acts on
/// the free one alone.
#[derive(Debug)]
pub struct PairOperator {
    chunks: Vec<Chunk>,
    nodes: Vec<[f32; 2]>,
    held: Vec<bool>,
    /// Pairs with one held end, by chunk of the free one.
    anchors: Vec<Vec<Anchor>>,
    /// What acts on some nodes alone and is more than [`Self::nodes`], by chunk.
    blocks: Vec<Vec<(u32, Block<f32>)>>,
    /// By how much the terms' psi are greater than the vectors', for each node; none if by nothing.
    scales: Vec<f32>,
    /// Rows of a chunk's sums.
    stride: usize,
    level: Level,
    scratch: Mutex<Scratch>,
}

/// Room for a product, and for the diagonal.
#[derive(Debug, Default)]
struct Scratch {
    sums: Vec<Vec6<f32>>,
    scaled: Vec<Vec6<f32>>,
    ends: Vec<EndSums>,
}

/// The free end of a pair whose other end is held.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    node: u32,
    pair: u32,
    is_second: bool,
}

impl PairOperator {
    /// An operator of zeros that couples `pairs`, `i < j`, sorted by i; `held` has an entry for each node. The pairs'
    /// terms are in psi that are `scales[node]` times those of vectors (none: the same).
    ///
    /// # Panics
    /// If the pairs are not so.
    pub fn new(pairs: &[[u32; 2]], held: &[bool], scales: Vec<f32>) -> Self {
        let nodes = held.len();
        assert!(scales.is_empty() || scales.len() == nodes, "one scale a node, or none");
        let is_pair = |&[i, j]: &[u32; 2]| i < j && (j as usize) < nodes;
        assert!(pairs.iter().all(is_pair) && pairs.is_sorted_by_key(|pair| pair[0]), "pairs of these nodes, sorted");
        let starts: Vec<usize> =
            (0..=nodes.div_ceil(CHUNK)).map(|c| pairs.partition_point(|pair| (pair[0] as usize) < c * CHUNK)).collect();
        let is_held = |k: usize| pairs[k].iter().any(|&node| held[node as usize]);
        let mut chunks: Vec<Chunk> = starts
            .par_windows(2)
            .enumerate()
            .map(|(c, ends)| Chunk::new(range(c, nodes), ends[0]..ends[1], pairs, &is_held))
            .collect();
        link(&mut chunks);
        let stride = chunks.iter().map(Chunk::rows).max();
        Self {
            blocks: vec![Vec::new(); chunks.len()],
            anchors: anchors(pairs, held, chunks.len()),
            chunks,
            nodes: vec![[0.0; 2]; nodes],
            held: held.to_vec(),
            scales,
            stride: stride.unwrap_or(1),
            level: Level::best(),
            scratch: Mutex::default(),
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Which nodes are held.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    /// Bytes that a product reads, but for vectors.
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| size_of_val(&chunk.groups[..])).sum::<usize>() + size_of_val(&self.nodes[..])
    }

    /// The same operator, computed with the instructions of `level`; for tests.
    pub fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Sets all terms: `pair(k)` for the pair that was the k-th of [`Self::new`], `node(i)` for every node.
    pub fn fill(&mut self, pair: impl Fn(usize) -> PairTerm + Sync, node: impl Fn(usize) -> NodeTerm + Sync) {
        let each = |_, chunk: &mut Chunk| {
            chunk.forget_reliefs();
            let Chunk { groups, pairs, .. } = chunk;
            for (group, lane, k) in lanes(pairs) {
                groups[group].set_lane(lane, &pair(k));
            }
        };
        self.fill_chunks(each, &pair, node);
    }

    /// The same; `fill(c, chunk)` sets the terms of chunk `c`, and `pair(k)` is asked for pairs with one held end only.
    pub(crate) fn fill_chunks(
        &mut self,
        fill: impl Fn(usize, &mut Chunk) + Sync,
        pair: impl Fn(usize) -> PairTerm + Sync,
        node: impl Fn(usize) -> NodeTerm + Sync,
    ) {
        let Self { chunks, nodes, anchors, blocks, scales, .. } = self;
        let work = chunks.par_iter_mut().zip(nodes.par_chunks_mut(CHUNK)).zip(anchors).zip(blocks).enumerate();
        work.for_each(|(c, (((chunk, nodes), anchors), blocks))| {
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
    fn product(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>], finish: impl Fn(usize, &mut Vec6<f32>, Vec6<f32>) + Sync) {
        assert_eq!([x.len(), y.len()], [self.nodes(); 2]);
        self.with_scratch(|Scratch { sums, scaled, .. }| {
            sums.resize(self.stride * self.chunks.len(), Vec6::ZERO);
            self.add_pairs(self.scaled(x, scaled), sums);
            for_each_part(y, CHUNK, |c, y| self.gather(c, x, sums, y, &finish));
        });
    }

    /// Does `work` in the operator's own room; if that is taken, in other.
    fn with_scratch(&self, work: impl FnOnce(&mut Scratch)) {
        match self.scratch.try_lock() {
            Ok(mut kept) => work(&mut kept),
            Err(TryLockError::Poisoned(kept)) => work(&mut kept.into_inner()),
            Err(TryLockError::WouldBlock) => work(&mut Scratch::default()),
        }
    }

    /// `x` in the psi of the terms.
    fn scaled<'a>(&self, x: &'a [Vec6<f32>], room: &'a mut Vec<Vec6<f32>>) -> &'a [Vec6<f32>] {
        if self.scales.is_empty() {
            return x;
        }
        room.clear();
        room.extend(x.iter().zip(&self.scales).map(|(x, &scale)| rescaled(x, scale)));
        room
    }

    /// The first phase: the sums of all chunks.
    fn add_pairs(&self, x: &[Vec6<f32>], sums: &mut [Vec6<f32>]) {
        for_each_part(sums, self.stride, |c, sums| {
            let chunk = &self.chunks[c];
            let sums = &mut sums[..chunk.rows()];
            sums.fill(Vec6::ZERO);
            kernel::product(self.level, chunk, x, sums);
            chunk.relieve_product(x, sums);
        });
    }

    /// The second phase: what the nodes of chunk `c` have come to.
    fn gather(
        &self,
        c: usize,
        x: &[Vec6<f32>],
        sums: &[Vec6<f32>],
        y: &mut [Vec6<f32>],
        finish: &impl Fn(usize, &mut Vec6<f32>, Vec6<f32>),
    ) {
        let first = c * CHUNK;
        // sums that wait for more: few enough for the nearest cache
        let mut whole = [Vec6::ZERO; CHUNK];
        let whole = &mut whole[..y.len()];
        whole.copy_from_slice(&sums[c * self.stride..][..y.len()]);
        for at in &self.chunks[c].incoming {
            add(&mut whole[at.node as usize], &sums[at.chunk as usize * self.stride + at.row as usize]);
        }
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

impl Operator<f32> for PairOperator {
    fn apply(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.product(x, y, |_, y, ax| *y = ax);
    }

    fn residual(&self, b: &[Vec6<f32>], x: &[Vec6<f32>], r: &mut [Vec6<f32>]) {
        self.product(x, r, |i, r, ax| (0..LANES).for_each(|lane| r.0[lane] = b[i].0[lane] - ax.0[lane]));
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

/// `work(k, part)` for parts of `len`, in parallel if there is more than one thread to do it.
fn for_each_part<A: Send>(out: &mut [A], len: usize, work: impl Fn(usize, &mut [A]) + Sync) {
    if out.len() <= len || rayon::current_num_threads() == 1 {
        out.chunks_mut(len).enumerate().for_each(|(k, part)| work(k, part));
    } else {
        out.par_chunks_mut(len).enumerate().for_each(|(k, part)| work(k, part));
    }
}

/// Tells every chunk where halos hold something for it.
fn link(chunks: &mut [Chunk]) {
    let mut incoming = vec![Vec::new(); chunks.len()];
    for (c, chunk) in chunks.iter().enumerate() {
        for (k, &node) in chunk.halo.iter().enumerate() {
            // only the last chunk may be shorter, and it has no halo
            let at = Incoming { chunk: c as u32, row: (CHUNK + k) as u32, node: node % CHUNK as u32 };
            incoming[node as usize / CHUNK].push(at);
        }
    }
    chunks.iter_mut().zip(incoming).for_each(|(chunk, incoming)| chunk.incoming = incoming);
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
