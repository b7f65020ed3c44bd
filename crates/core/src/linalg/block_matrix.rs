//! The assembled square matrix.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sprs::CsMat;

use super::block::Block;
use super::block_csr::{BlockCsr, RowsMut, accumulate};
use super::operator::Operator;
use super::vector::{Real, Vec6};

/// A square block matrix of symmetric pattern: both triangles are stored, and every diagonal block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockMatrix<T> {
    csr: BlockCsr<T>,
    /// Slot of each diagonal block.
    diagonal: Vec<u32>,
}

impl<T: Real> BlockMatrix<T> {
    /// The zero matrix of `nodes` rows that couples the given pairs: sorted, unique, `i < j`. Returns also the slots of
    /// the blocks `(i, j)` and `(j, i)` of each pair, so that assembly needs no search. Linear time.
    ///
    /// # Panics
    /// If the pairs are unsorted, repeated, or not `i < j < nodes`.
    pub fn from_pairs(nodes: usize, pairs: impl Iterator<Item = [u32; 2]> + Clone) -> (Self, Vec<[u32; 2]>) {
        let row_start = row_starts(nodes, pairs.clone());
        let mut column = vec![0; row_start[nodes] as usize];
        let mut slots = Vec::with_capacity((column.len() - nodes) / 2);
        let mut next = row_start.clone();
        let mut put = |row: u32, at: u32| {
            let slot = next[row as usize];
            column[slot as usize] = at;
            next[row as usize] += 1;
            slot
        };
        // Row i starts with its lower part: the pairs (k, i), k < i, precede i's own in the sorted order.
        let mut diagonal = Vec::with_capacity(nodes);
        let mut last = None;
        for [i, j] in pairs {
            assert!(last < Some([i, j]) && i < j && (j as usize) < nodes, "pairs are sorted, unique, and i < j");
            last = Some([i, j]);
            while diagonal.len() <= i as usize {
                diagonal.push(put(diagonal.len() as u32, diagonal.len() as u32));
            }
            slots.push([put(i, j), put(j, i)]);
        }
        while diagonal.len() < nodes {
            diagonal.push(put(diagonal.len() as u32, diagonal.len() as u32));
        }
        let block = vec![Block::ZERO; column.len()];
        (Self { csr: BlockCsr::new(nodes, row_start, column, block), diagonal }, slots)
    }

    /// Consistency of shape and diagonal slots, for data from a file.
    pub(crate) fn is_sound(&self) -> bool {
        let nodes = self.nodes();
        let lies_there = |(row, &slot): (usize, &u32)| {
            self.csr.slots(row).contains(&(slot as usize)) && self.csr.column_indices()[slot as usize] as usize == row
        };
        self.csr.is_sound()
            && [self.csr.rows(), self.csr.columns()] == [nodes; 2]
            && self.diagonal.iter().enumerate().all(lies_there)
    }

    /// Number of rows, in nodes.
    pub fn nodes(&self) -> usize {
        self.diagonal.len()
    }

    /// The sparse rows.
    pub fn rows(&self) -> &BlockCsr<T> {
        &self.csr
    }

    /// Mutable stored blocks; see [`Self::from_pairs`] and [`Self::diagonal_slots`] for their slots.
    pub fn blocks_mut(&mut self) -> &mut [Block<T>] {
        self.csr.blocks_mut()
    }

    /// Mutable blocks of consecutive row ranges, one part a thread: see [`BlockCsr::rows_mut`].
    pub fn rows_mut(&mut self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<RowsMut<'_, T>> {
        self.csr.rows_mut(ranges)
    }

    /// Slot of each diagonal block.
    pub fn diagonal_slots(&self) -> &[u32] {
        &self.diagonal
    }

    /// The diagonal block of a row.
    #[inline(always)]
    pub fn diagonal(&self, row: usize) -> &Block<T> {
        &self.csr.blocks()[self.diagonal[row] as usize]
    }

    /// The mutable diagonal block of a row.
    #[inline(always)]
    pub fn diagonal_mut(&mut self, row: usize) -> &mut Block<T> {
        &mut self.csr.blocks_mut()[self.diagonal[row] as usize]
    }

    /// `y = A x`.
    pub fn multiply(&self, x: &[Vec6<T>], y: &mut [Vec6<T>]) {
        self.csr.multiply(x, y);
    }

    /// The same matrix in another precision.
    pub fn cast<U: Real>(&self) -> BlockMatrix<U> {
        BlockMatrix { csr: self.csr.cast(), diagonal: self.diagonal.clone() }
    }

    /// The scalar matrix, for `sprs::io::write_matrix_market` and for checks. Explicit zeros of the blocks are kept.
    pub fn to_csmat(&self) -> CsMat<f64> {
        self.csr.to_csmat()
    }
}

impl<T: Real> Operator<T> for BlockMatrix<T> {
    fn apply(&self, x: &[Vec6<T>], y: &mut [Vec6<T>]) {
        self.csr.multiply(x, y);
    }

    fn residual(&self, b: &[Vec6<T>], x: &[Vec6<T>], r: &mut [Vec6<T>]) {
        self.csr.residual(b, x, r);
    }
}

/// Row starts of the matrix that couples the pairs: a diagonal block a row, and two blocks a pair.
fn row_starts(nodes: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<u32> {
    let mut starts = vec![1; nodes + 1];
    starts[0] = 0;
    for node in pairs.flatten() {
        starts[node as usize + 1] += 1;
    }
    accumulate(&mut starts);
    starts
}
