//! Diagonal blocks of a sum over pairs.

use std::array::from_fn;

use super::pattern::Chunk;
use super::{PairOperator, PairTerm, PairWorkspace};
use crate::linalg::block::Block;
use crate::linalg::vector::LANES;
use crate::parallel::{self, CHUNK};
use crate::simd::dispatch;
use crate::simd::{Lanes, Number, Singles};

/// Sums over the pairs of a node, with arms e, on its diagonal:
///
/// ```text
/// | U      [k]x |    U = sum (shear + geometric) I + axial e e^T        k = -sum shear e at i, and sum shear e at j
/// | [k]x^T P    |    P = sum (shear |e|^2 + bend) I + (twist - shear) e e^T
/// ```
///
/// In the order U (xx, yy, zz, yz, zx, xy), k, P, and a zero.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct EndSums([[f32; LANES]; 2]);

/// Entries of [`EndSums`] that are k.
const K: std::ops::Range<usize> = 6..9;

impl EndSums {
    pub(super) const ZERO: Self = Self([[0.0; LANES]; 2]);

    fn add(&mut self, other: &Self) {
        for (mine, other) in self.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()) {
            *mine += other;
        }
    }

    /// The block of these sums for vectors whose psi are smaller by `scale`, plus `diagonal` times the identity on each
    /// half.
    #[inline(always)]
    fn block(&self, scale: f32, [t, r]: [f32; 2]) -> Block<f32> {
        let [[xx, yy, zz, yz, zx, xy, x, y], [z, p @ .., _]] = self.0;
        let [x, y, z] = [x, y, z].map(|k| scale * k);
        let [pxx, pyy, pzz, pyz, pzx, pxy] = p.map(|p| scale * scale * p);
        Block([
            [xx + t, xy, zx, 0.0, -z, y, 0.0, 0.0],
            [xy, yy + t, yz, z, 0.0, -x, 0.0, 0.0],
            [zx, yz, zz + t, -y, x, 0.0, 0.0, 0.0],
            [0.0, z, -y, pxx + r, pxy, pzx, 0.0, 0.0],
            [-z, 0.0, x, pxy, pyy + r, pyz, 0.0, 0.0],
            [y, -x, 0.0, pzx, pyz, pzz + r, 0.0, 0.0],
        ])
    }
}

/// The sums of one pair, or of one each of eight nodes, at j.
#[inline(always)]
fn sums<T: Number>(term: &PairTerm<T>, zero: T) -> [T; 2 * LANES] {
    let [x, y, z] = term.arm;
    let squares = [x * x, y * y, z * z, y * z, z * x, x * y];
    let symmetric = |unit: T, scale: T| {
        let [a, b, c, d, e, f] = squares.map(|square| scale * square);
        [unit + a, unit + b, unit + c, d, e, f]
    };
    let [a, b, c, d, e, f] = symmetric(term.shear + term.geometric, term.axial);
    let turn = term.shear * (squares[0] + squares[1] + squares[2]) + term.bend;
    let [g, h, i, j, k, l] = symmetric(turn, term.twist - term.shear);
    [a, b, c, d, e, f, term.shear * x, term.shear * y, term.shear * z, g, h, i, j, k, l, zero]
}

impl PairTerm {
    /// The diagonal block at i, or at j, for vectors whose psi are smaller by `scale`.
    pub(super) fn end_block(&self, is_second: bool, scale: f32) -> Block<f32> {
        let mut ends = EndSums::ZERO;
        ends.0.as_flattened_mut().copy_from_slice(&sums(self, 0.0));
        if !is_second {
            ends.0.as_flattened_mut()[K].iter_mut().for_each(|k| *k = -*k);
        }
        ends.block(scale, [0.0; 2])
    }
}

impl PairOperator {
    /// The diagonal blocks, into `out`, with new work arrays.
    pub fn diagonal(&self, out: &mut Vec<Block<f32>>) {
        self.diagonal_with(&mut PairWorkspace::default(), out);
    }

    /// The diagonal blocks, into `out`.
    pub fn diagonal_with(&self, work: &mut PairWorkspace, out: &mut Vec<Block<f32>>) {
        let ends = &mut work.ends;
        ends.resize(self.stride * self.chunks.len(), EndSums::ZERO);
        parallel::for_each(parallel::chunks_mut(ends, self.stride), |c, ends| {
            let ends = &mut ends[..self.chunks[c].halo.rows()];
            ends.fill(EndSums::ZERO);
            add_ends(self.instructions, &self.chunks[c], ends);
        });
        out.resize(self.nodes(), Block::ZERO);
        parallel::for_each(parallel::chunks_mut(out, CHUNK), |c, out| self.gather_diagonal(c, ends, out));
        self.downdate_diagonal(out);
    }

    /// The diagonal blocks of chunk `c`: its own sums and those of other chunks' halos.
    fn gather_diagonal(&self, c: usize, ends: &[EndSums], out: &mut [Block<f32>]) {
        let first = c * CHUNK;
        let mut whole = [EndSums::ZERO; CHUNK];
        let whole = &mut whole[..out.len()];
        whole.copy_from_slice(&ends[c * self.stride..][..out.len()]);
        let halo = |from: usize| &self.chunks[from].halo;
        halo(c).gather(halo, |k, from, row| whole[k].add(&ends[from * self.stride + row]));
        for (node, (out, sums)) in (first..).zip(out.iter_mut().zip(whole)) {
            *out = sums.block(self.scales.get(node).copied().unwrap_or(1.0), self.nodes[node]);
        }
        for (node, extra) in &self.blocks[c] {
            out[*node as usize - first] += extra;
        }
    }
}

dispatch! {
    /// Adds to `out` (own nodes, then halo) the sums of the chunk's pairs.
    fn add_ends(chunk: &Chunk, out: &mut [EndSums]) = ends_kernel
}

#[inline(always)]
fn ends_kernel<L: Lanes>(chunk: &Chunk, out: &mut [EndSums]) {
    for k in chunk.tiles() {
        add_tile::<L::Singles>(chunk, k, out);
    }
}

#[inline(always)]
fn add_tile<S: Singles>(chunk: &Chunk, k: usize, out: &mut [EndSums]) {
    let zero = S::splat(0.0);
    let mut at_i = [zero; 2 * LANES];
    for group in &chunk.groups[chunk.groups_of(k)] {
        let at_j = sums(&group.term::<S>(), zero);
        for k in 0..2 * LANES {
            at_i[k] = if K.contains(&k) { at_i[k] - at_j[k] } else { at_i[k] + at_j[k] };
        }
        let rows = rows(at_j);
        for lane in 0..LANES {
            add_row(&rows, lane, &mut out[group.write[lane] as usize]);
        }
    }
    let rows = rows(at_i);
    for (lane, out) in out[..chunk.halo.own.len()][k * LANES..].iter_mut().enumerate().take(LANES) {
        add_row(&rows, lane, out);
    }
}

#[inline(always)]
fn rows<S: Singles>(columns: [S; 2 * LANES]) -> [[S; LANES]; 2] {
    [S::rows(from_fn(|k| columns[k])), S::rows(from_fn(|k| columns[LANES + k]))]
}

#[inline(always)]
fn add_row<S: Singles>([head, tail]: &[[S; LANES]; 2], lane: usize, to: &mut EndSums) {
    head[lane].add_to(&mut to.0[0]);
    tail[lane].add_to(&mut to.0[1]);
}
