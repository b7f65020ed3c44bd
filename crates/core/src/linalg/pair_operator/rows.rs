//! Rows of a sum over pairs, computed on demand.

use std::ops::Range;

use super::pattern::NONE;
use super::{PairOperator, PairTerm};
use crate::linalg::block::Block;
use crate::linalg::block_csr::accumulate;
use crate::linalg::vector::{LANES, Vec6};
use crate::linalg::{Operator, RowSource, Rows};
use crate::parallel::CHUNK;

/// A [`PairOperator`] as a matrix of computed rows, for a multigrid setup without an assembled matrix.
#[derive(Debug)]
pub struct PairRows<'a> {
    operator: &'a PairOperator,
    diagonal: &'a [Block<f32>],
    /// The pairs that end at node j: `lower[start[j]..start[j + 1]]`, ascending by their first node.
    start: Vec<u32>,
    lower: Vec<At>,
    /// Number of pairs.
    pairs: usize,
}

/// Location of a pair in the operator: its first node, and its group in the node's tile.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    node: u32,
    group: u32,
}

impl PairOperator {
    /// The rows; `diagonal` are the diagonal blocks, from [`Self::diagonal`].
    pub fn rows<'a>(&'a self, diagonal: &'a [Block<f32>]) -> PairRows<'a> {
        assert_eq!(diagonal.len(), self.nodes());
        let mut start = vec![0; self.nodes() + 1];
        self.for_each_pair(|_, j| start[j as usize + 1] += 1);
        accumulate(&mut start);
        let (mut next, pairs) = (start.clone(), start[self.nodes()] as usize);
        let mut lower = vec![At::default(); pairs];
        self.for_each_pair(|at, j| {
            lower[next[j as usize] as usize] = at;
            next[j as usize] += 1;
        });
        PairRows { operator: self, diagonal, start, lower, pairs }
    }

    /// Calls `visit(location, second node)` for every pair, first nodes ascending.
    fn for_each_pair(&self, mut visit: impl FnMut(At, u32)) {
        for node in 0..self.nodes() as u32 {
            for (group, j) in self.pairs_from(node) {
                visit(At { node, group }, j);
            }
        }
    }

    /// The pairs that begin at a node: group in its tile, and second node.
    fn pairs_from(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (chunk, tile, lane) = place(node);
        let chunk = &self.chunks[chunk];
        let groups = chunk.groups_of(tile);
        let held = (0u32..).zip(chunk.pairs[groups.clone()].iter().zip(&chunk.groups[groups]));
        held.filter(move |(_, (pairs, _))| pairs[lane] != NONE).map(move |(k, (_, group))| (k, group.read[lane]))
    }

    fn term(&self, at: At) -> PairTerm {
        let (chunk, tile, lane) = place(at.node);
        let chunk = &self.chunks[chunk];
        chunk.groups[chunk.groups_of(tile).start + at.group as usize].lane(lane)
    }

    fn scale(&self, node: usize) -> f32 {
        self.scales.get(node).copied().unwrap_or(1.0)
    }
}

/// Chunk, tile in the chunk, and lane of a node.
fn place(node: u32) -> (usize, usize, usize) {
    let node = node as usize;
    (node / CHUNK, node % CHUNK / LANES, node % LANES)
}

impl PairTerm {
    fn is_zero(&self) -> bool {
        [self.shear, self.geometric, self.axial, self.bend, self.twist] == [0.0; 5]
    }

    /// The block that couples i (rows) to j (columns), for vectors whose psi are smaller by `scales`:
    ///
    /// ```text
    /// | -(shear + geometric) I - axial e e^T    -shear [e]x                                      |
    /// | -shear [e]x                             (shear |e|^2 - bend) I - (shear + twist) e e^T |
    /// ```
    fn coupling(&self, scales: [f32; 2]) -> Block<f32> {
        let e = self.arm;
        let [s_i, s_j] = scales;
        let squared = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        let cross = [[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]];
        let on = |row: usize, column: usize, value: f32| if row == column { value } else { 0.0 };
        Block::from_fn(|row, column| match (row / 3, column / 3) {
            (0, 0) => on(row, column, -self.shear - self.geometric) - self.axial * e[row] * e[column],
            (0, _) => -self.shear * cross[row][column - 3] * s_j,
            (_, 0) => -self.shear * cross[row - 3][column] * s_i,
            _ => {
                let turn = (self.shear + self.twist) * e[row - 3] * e[column - 3];
                (on(row, column, self.shear * squared - self.bend) - turn) * (s_i * s_j)
            }
        })
    }
}

impl PairRows<'_> {
    /// The couplings of row `i`, columns ascending: other node, pair, and whether node `i` is the pair's second.
    fn couplings(&self, i: usize, out: &mut Vec<(u32, At, bool)>) {
        out.clear();
        let lower = &self.lower[self.start[i] as usize..self.start[i + 1] as usize];
        out.extend(lower.iter().map(|&at| (at.node, at, true)));
        let node = i as u32;
        out.extend(self.operator.pairs_from(node).map(|(group, j)| (j, At { node, group }, false)));
        out.sort_unstable_by_key(|entry| entry.0);
    }
}

impl Operator<f32> for PairRows<'_> {
    fn apply(&self, x: &[Vec6<f32>], y: &mut [Vec6<f32>]) {
        self.operator.apply(x, y);
    }

    fn residual(&self, b: &[Vec6<f32>], x: &[Vec6<f32>], r: &mut [Vec6<f32>]) {
        self.operator.residual(b, x, r);
    }
}

impl RowSource for PairRows<'_> {
    fn nodes(&self) -> usize {
        self.operator.nodes()
    }

    fn blocks(&self) -> usize {
        self.nodes() + 2 * self.pairs
    }

    fn diagonal(&self, row: usize) -> &Block<f32> {
        &self.diagonal[row]
    }

    fn rows(&self, rows: Range<usize>) -> Rows<'_> {
        /// Typical number of entries of a row; a capacity.
        const TYPICAL_ENTRIES: usize = 14;
        let capacity = TYPICAL_ENTRIES * rows.len();
        let (mut start, mut column, mut block) = (vec![0], Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        let mut couplings = Vec::new();
        for i in rows.clone() {
            self.couplings(i, &mut couplings);
            let diagonal = couplings.partition_point(|&(j, ..)| (j as usize) < i);
            for (k, &(j, at, is_second)) in couplings.iter().enumerate() {
                if k == diagonal {
                    column.push(i as u32);
                    block.push(self.diagonal[i]);
                }
                let term = self.operator.term(at);
                // an open contact
                if term.is_zero() {
                    continue;
                }
                let [own, other] = [i, j as usize].map(|node| self.operator.scale(node));
                column.push(j);
                block.push(if is_second {
                    term.coupling([other, own]).transpose()
                } else {
                    term.coupling([own, other])
                });
            }
            if diagonal == couplings.len() {
                column.push(i as u32);
                block.push(self.diagonal[i]);
            }
            start.push(column.len() as u32);
        }
        Rows::new(rows, start, column, block)
    }
}
