//! Accumulator of a row of blocks.

use crate::linalg::Block;

/// A row of blocks, filled in any order.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRow {
    pub column: Vec<u32>,
    pub block: Vec<Block<f32>>,
}

impl SparseRow {
    pub(super) fn with_capacity(entries: usize) -> Self {
        Self { column: Vec::with_capacity(entries), block: Vec::with_capacity(entries) }
    }

    pub(super) fn clear(&mut self) {
        self.column.clear();
        self.block.clear();
    }

    /// The block of a column, inserted as zeros if absent. Linear search: rows are short.
    #[inline(always)]
    pub(super) fn at(&mut self, column: u32) -> &mut Block<f32> {
        let place = self.column.iter().position(|&c| c == column).unwrap_or_else(|| {
            self.column.push(column);
            self.block.push(Block::ZERO);
            self.column.len() - 1
        });
        &mut self.block[place]
    }

    /// Sorts the entries by column.
    pub(super) fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.column.len()).collect();
        order.sort_unstable_by_key(|&k| self.column[k]);
        self.column = order.iter().map(|&k| self.column[k]).collect();
        self.block = order.iter().map(|&k| self.block[k]).collect();
    }
}
