//! The diagonal blocks of a sum over pairs.

use super::pattern::{CHUNK, Group};
use super::{PairOperator, PairTerm, for_each_part, range};
use crate::linalg::block::Block;
use crate::linalg::vector::LANES;

/// What pairs with arms e add up to on a node's diagonal:
///
/// ```text
/// | s_u I + Q_u    [k]x          |    s_u = sum across + plain             Q_u   = sum along e e^T
/// | [k]x^T         s_psi I + Q_psi|    s_psi = sum across |e|^2 + bend     Q_psi = sum (twist - across) e e^T
/// ```
///
/// with k = -sum across e at i, and sum across e at j. In the order s_u, Q_u (xx, yy, zz, yz, zx, xy), k, s_psi, Q_psi.
type Sums = [f32; 17];

/// The sums of one pair, with k as at j.
#[inline(always)]
fn sums(arm: [f32; 3], across: f32, plain: f32, along: f32, bend: f32, twist: f32) -> Sums {
    let [x, y, z] = arm;
    let squares = [x * x, y * y, z * z, y * z, z * x, x * y];
    let turn = twist - across;
    let [a, b, c, d, e, f] = squares.map(|square| along * square);
    let [p, q, r, s, t, u] = squares.map(|square| turn * square);
    let rotation = across * (squares[0] + squares[1] + squares[2]) + bend;
    [across + plain, a, b, c, d, e, f, across * x, across * y, across * z, rotation, p, q, r, s, t, u]
}

/// Adds the sums of a pair to those of i (`is_second` false) or j.
#[inline(always)]
fn add(to: &mut Sums, pair: &Sums, is_second: bool) {
    for (k, (to, pair)) in to.iter_mut().zip(pair).enumerate() {
        *to += if (7..10).contains(&k) && !is_second { -pair } else { *pair };
    }
}

/// The block of `sums` in vectors whose psi are smaller by `scale`.
#[inline(always)]
fn block(sums: &Sums, scale: f32) -> Block<f32> {
    let symmetric = |s: f32, q: &[f32]| [[s + q[0], q[5], q[4]], [q[5], s + q[1], q[3]], [q[4], q[3], s + q[2]]];
    let (uu, psi) = (symmetric(sums[0], &sums[1..7]), symmetric(sums[10], &sums[11..17]));
    let [x, y, z] = [sums[7], sums[8], sums[9]].map(|k| k * scale);
    let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    Block::from_fn(|row, column| match (row / 3, column / 3) {
        (0, 0) => uu[row][column],
        (1, 1) => scale * scale * psi[row - 3][column - 3],
        (0, _) => cross[row][column - 3],
        _ => cross[column][row - 3],
    })
}

impl PairTerm {
    /// The diagonal block at i, or at j, in vectors whose psi are smaller by `scale`.
    pub(super) fn end_block(&self, is_second: bool, scale: f32) -> Block<f32> {
        let mut at_end = [0.0; 17];
        let pair = sums(self.arm, self.across, self.plain, self.along, self.bend, self.twist);
        add(&mut at_end, &pair, is_second);
        block(&at_end, scale)
    }
}

impl PairOperator {
    /// The diagonal blocks, into `out`.
    pub fn diagonal(&self, out: &mut Vec<Block<f32>>) {
        let nodes = self.nodes();
        let mut sums = vec![[0.0; 17]; self.stride * self.chunks.len()];
        for_each_part(&mut sums, self.stride, |c, sums| self.add_diagonals(c, sums));
        out.resize(nodes, Block::ZERO);
        for_each_part(out, CHUNK, |c, out| {
            let mut own = sums[c * self.stride..][..out.len()].to_vec();
            for at in &self.chunks[c].incoming {
                let row = &sums[at.chunk as usize * self.stride + at.row as usize];
                add(&mut own[at.node as usize], row, true);
            }
            for (k, (out, sums)) in out.iter_mut().zip(&own).enumerate() {
                let node = c * CHUNK + k;
                *out = block(sums, self.scales.get(node).copied().unwrap_or(1.0));
                (0..6).for_each(|d| out[(d, d)] += self.nodes[node][d / 3]);
            }
            for (node, extra) in &self.blocks[c] {
                out[*node as usize - c * CHUNK] += extra;
            }
        });
    }

    fn add_diagonals(&self, c: usize, out: &mut [[f32; 17]]) {
        let chunk = &self.chunks[c];
        let own = range(c, self.nodes()).len();
        for (tile, ends) in chunk.starts.windows(2).enumerate() {
            for group in &chunk.groups[ends[0] as usize..ends[1] as usize] {
                for lane in 0..LANES.min(own - tile * LANES) {
                    let pair = lane_sums(group, lane);
                    add(&mut out[tile * LANES + lane], &pair, false);
                    add(&mut out[group.write[lane] as usize], &pair, true);
                }
            }
        }
    }
}

#[inline(always)]
fn lane_sums(group: &Group, lane: usize) -> Sums {
    let arm = group.arm.map(|component| component[lane]);
    sums(arm, group.across[lane], group.plain[lane], group.along[lane], group.bend[lane], group.twist[lane])
}
