//! Row access to symmetric matrices, a few rows at a time.

use std::borrow::Cow;
use std::ops::Range;

use super::block::Block;
use super::block_matrix::BlockMatrix;
use super::operator::Operator;

/// A symmetric matrix with row access, for stored and matrix-free operators.
pub trait RowSource: Operator<f32> + Sync {
    /// Number of rows, in nodes.
    fn nodes(&self) -> usize;

    /// Upper bound on the number of blocks in all rows.
    fn blocks(&self) -> usize;

    /// The diagonal block of a row.
    fn diagonal(&self, row: usize) -> &Block<f32>;

    /// Consecutive rows.
    fn rows(&self, rows: Range<usize>) -> Rows<'_>;

    /// The rows of a chunk, in parts that fit a core's cache.
    fn pieces(&self, chunk: Range<usize>) -> impl Iterator<Item = Rows<'_>> {
        /// Rows a part.
        const PIECE: usize = 256;
        let end = chunk.end;
        chunk.step_by(PIECE).map(move |first| self.rows(first..(first + PIECE).min(end)))
    }
}

/// Consecutive rows of a matrix: columns ascend within a row and include the diagonal.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    range: Range<usize>,
    /// Start of each row, relative to any base, then the end of the last row.
    start: Cow<'a, [u32]>,
    column: Cow<'a, [u32]>,
    block: Cow<'a, [Block<f32>]>,
}

impl<'a> Rows<'a> {
    /// Rows of these arrays; `start` has one entry more than `range`.
    pub(super) fn new(
        range: Range<usize>,
        start: impl Into<Cow<'a, [u32]>>,
        column: impl Into<Cow<'a, [u32]>>,
        block: impl Into<Cow<'a, [Block<f32>]>>,
    ) -> Self {
        Self { range, start: start.into(), column: column.into(), block: block.into() }
    }

    /// Indices of the rows.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Column and block of each entry of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Block<f32>)> + '_ {
        let place = row - self.range.start;
        let slot = |end: u32| (end - self.start[0]) as usize;
        let slots = slot(self.start[place])..slot(self.start[place + 1]);
        self.column[slots.clone()].iter().map(|&column| column as usize).zip(&self.block[slots])
    }
}

impl RowSource for BlockMatrix<f32> {
    fn nodes(&self) -> usize {
        BlockMatrix::nodes(self)
    }

    fn blocks(&self) -> usize {
        BlockMatrix::rows(self).blocks().len()
    }

    fn diagonal(&self, row: usize) -> &Block<f32> {
        BlockMatrix::diagonal(self, row)
    }

    fn rows(&self, rows: Range<usize>) -> Rows<'_> {
        let csr = BlockMatrix::rows(self);
        let slots = csr.slots_of(rows.clone());
        let start = &csr.row_starts()[rows.start..=rows.end];
        Rows::new(rows, start, &csr.column_indices()[slots.clone()], &csr.blocks()[slots])
    }
}
