//! Sparse rows of 6x6 blocks.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sprs::CsMat;

use super::block::Block;
use super::vector::{LANES, Real, Vec6, add_scaled};
use crate::parallel::{SERIAL_ROWS, for_each_chunk};
use crate::simd::{InstructionSet, Kernel, Lanes};

/// A sparse matrix of blocks, row by row, columns ascending within a row.
///
/// ```text
/// row_start  [0,    2, 3,       6]      slots of row i: row_start[i]..row_start[i+1]
/// column     [0, 2, | 1, | 0, 1, 2]
/// block      [B, B, | B, | B, B, B]
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockCsr<T> {
    columns: usize,
    row_start: Vec<u32>,
    column: Vec<u32>,
    block: Vec<Block<T>>,
}

impl<T: Real> BlockCsr<T> {
    /// A matrix from its arrays: `row_start` has one entry more than rows, columns ascend within a row.
    ///
    /// # Panics
    /// If the arrays do not fit together.
    pub(crate) fn new(columns: usize, row_start: Vec<u32>, column: Vec<u32>, block: Vec<Block<T>>) -> Self {
        assert_eq!(
            row_start.last().map(|&end| end as usize),
            Some(column.len()),
            "the last row ends at the last column"
        );
        assert_eq!(column.len(), block.len(), "one block a column index");
        debug_assert!(column.iter().all(|&j| (j as usize) < columns));
        Self { columns, row_start, column, block }
    }

    /// Consistency of the arrays, for data from a file.
    pub(super) fn is_sound(&self) -> bool {
        are_sound(&self.row_start, &self.column, self.columns) && self.column.len() == self.block.len()
    }

    /// Number of rows, in nodes.
    pub(crate) fn rows(&self) -> usize {
        self.row_start.len().saturating_sub(1)
    }

    /// Number of columns, in nodes.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Stored blocks.
    pub fn blocks(&self) -> &[Block<T>] {
        &self.block
    }

    /// Stored blocks, to be written.
    pub(crate) fn blocks_mut(&mut self) -> &mut [Block<T>] {
        &mut self.block
    }

    /// Column of each stored block.
    pub fn column_indices(&self) -> &[u32] {
        &self.column
    }

    /// Slots of a row: positions in [`Self::blocks`] and [`Self::column_indices`].
    #[inline(always)]
    pub fn slots(&self, row: usize) -> Range<usize> {
        self.row_start[row] as usize..self.row_start[row + 1] as usize
    }

    /// Slots of consecutive rows.
    pub(crate) fn slots_of(&self, rows: Range<usize>) -> Range<usize> {
        self.row_start[rows.start] as usize..self.row_start[rows.end] as usize
    }

    /// Slot of each row's first block, then the end of the last row.
    pub fn row_starts(&self) -> &[u32] {
        &self.row_start
    }

    /// Column and block of each slot of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Block<T>)> + '_ {
        let slots = self.slots(row);
        self.column[slots.clone()].iter().map(|&column| column as usize).zip(&self.block[slots])
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.row_start[..]) + size_of_val(&self.column[..]) + size_of_val(&self.block[..])
    }

    /// `y = A x`.
    pub(crate) fn multiply(&self, x: &[Vec6<T>], y: &mut [Vec6<T>]) {
        self.for_each_row(x, y, |_, y, ax| *y = ax);
    }

    /// `r = b - A x`.
    pub(crate) fn residual(&self, b: &[Vec6<T>], x: &[Vec6<T>], r: &mut [Vec6<T>]) {
        assert_eq!(b.len(), self.rows());
        self.for_each_row(x, r, |row, r, ax| (0..LANES).for_each(|lane| r.0[lane] = b[row].0[lane] - ax.0[lane]));
    }

    /// Calls `put(row, y[row], (A x)[row])` for every row; the bits are the same with any instructions.
    fn for_each_row(&self, x: &[Vec6<T>], y: &mut [Vec6<T>], put: impl Fn(usize, &mut Vec6<T>, Vec6<T>) + Sync) {
        assert_eq!((y.len(), x.len()), (self.rows(), self.columns));
        let instructions = InstructionSet::best();
        for_each_chunk(y, SERIAL_ROWS, |first, y| instructions.run(PutRows { matrix: self, first, x, y, put: &put }));
    }

    /// `(A x)[row]`. Even and odd columns have separate sums: one chain of additions would stall on its latency.
    #[inline(always)]
    fn row_times(&self, row: usize, x: &[Vec6<T>]) -> Vec6<T> {
        let mut sums = [[T::ZERO; LANES]; 2];
        for (column, block) in self.row(row) {
            let x = &x[column];
            for k in 0..6 {
                add_scaled(&mut sums[k % 2], x.0[k], &block.0[k]);
            }
        }
        let [mut sum, odd] = sums;
        (0..LANES).for_each(|lane| sum[lane] += odd[lane]);
        Vec6(sum)
    }

    /// The same matrix in another precision.
    pub(crate) fn cast<U: Real>(&self) -> BlockCsr<U> {
        let block = self.block.iter().map(Block::cast).collect();
        BlockCsr { columns: self.columns, row_start: self.row_start.clone(), column: self.column.clone(), block }
    }

    /// The scalar matrix; explicit zeros of the blocks are kept.
    pub(crate) fn to_csmat(&self) -> CsMat<f64> {
        let mut starts = Vec::with_capacity(6 * self.rows() + 1);
        let (mut indices, mut data) = (Vec::new(), Vec::new());
        starts.push(0);
        for row in 0..6 * self.rows() {
            for (j, block) in self.row(row / 6) {
                indices.extend(6 * j..6 * j + 6);
                data.extend((0..6).map(|column| block[(row % 6, column)].to_f64()));
            }
            starts.push(indices.len());
        }
        CsMat::new((6 * self.rows(), 6 * self.columns), starts, indices, data)
    }

    /// Mutable blocks of consecutive row ranges, one part a thread. Ranges ascend; rows between them are left out.
    pub(crate) fn rows_mut(&mut self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<RowsMut<'_, T>> {
        let mut rest = &mut self.block[..];
        let mut done = 0;
        let mut parts = Vec::new();
        for rows in ranges {
            let (start, end) = (self.row_start[rows.start] as usize, self.row_start[rows.end] as usize);
            let (blocks, behind) = rest[start - done..].split_at_mut(end - start);
            (rest, done) = (behind, end);
            parts.push(RowsMut { first_slot: start, blocks, rows });
        }
        parts
    }
}

/// Rows of a product from `first` on; the compiler finds the lanes.
struct PutRows<'a, T, P> {
    matrix: &'a BlockCsr<T>,
    first: usize,
    x: &'a [Vec6<T>],
    y: &'a mut [Vec6<T>],
    put: &'a P,
}

impl<T: Real, P: Fn(usize, &mut Vec6<T>, Vec6<T>)> Kernel for PutRows<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { matrix, first, x, y, put } = self;
        for (row, y) in (first..).zip(y) {
            put(row, y, matrix.row_times(row, x));
        }
    }
}

/// Mutable blocks of consecutive rows of a [`BlockCsr`].
#[derive(Debug)]
pub struct RowsMut<'a, T> {
    /// The rows.
    pub rows: Range<usize>,
    /// Slot, in the whole matrix, of the first of `blocks`.
    pub first_slot: usize,
    /// The blocks of these rows.
    pub blocks: &'a mut [Block<T>],
}

/// Turns lengths, behind a leading zero, into starts: a running sum.
pub(super) fn accumulate(starts: &mut [u32]) {
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
}

/// Consistency of row starts and columns.
pub(super) fn are_sound(row_start: &[u32], column: &[u32], columns: usize) -> bool {
    row_start.first() == Some(&0)
        && row_start.is_sorted()
        && row_start.last().is_some_and(|&end| end as usize == column.len())
        && column.iter().all(|&column| (column as usize) < columns)
}
