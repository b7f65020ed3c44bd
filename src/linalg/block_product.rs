//! The product of two sparse block matrices.

use rayon::prelude::*;

use super::block::Block;
use super::block_csr::{BlockCsr, RowsMut, accumulate};
use super::parallel::{chunk_ranges, map_chunks};
use super::vector::Real;

impl<T: Real> BlockCsr<T> {
    /// The product `self other`: the pattern first, then the blocks, each summed in the order of this matrix's row.
    ///
    /// # Panics
    /// If the columns of one are not the rows of the other.
    pub fn product(&self, other: &Self) -> Self {
        self.product_where(other, |_| true)
    }

    /// The rows of the product `self other` for which `keep(row)`; the others are empty.
    pub(super) fn product_where(&self, other: &Self, keep: impl Fn(usize) -> bool + Sync) -> Self {
        assert_eq!(self.columns(), other.rows());
        let (row_start, column) = self.product_pattern(other, &keep);
        let blocks = vec![Block::ZERO; column.len()];
        let mut product = Self::new(other.columns(), row_start, column, blocks);
        product.rows_mut(chunk_ranges(self.rows())).into_par_iter().for_each(|rows| self.add_product_rows(other, rows));
        product
    }

    /// Row starts and columns of `self other`.
    fn product_pattern(&self, other: &Self, keep: &(impl Fn(usize) -> bool + Sync)) -> (Vec<u32>, Vec<u32>) {
        let chunks = map_chunks(self.rows(), |rows| {
            let mut seen_in = vec![usize::MAX; other.columns()];
            let (mut lengths, mut columns) = (Vec::with_capacity(rows.len()), Vec::new());
            for row in rows {
                let start = columns.len();
                let slots = if keep(row) { self.slots(row) } else { 0..0 };
                for &k in &self.column_indices()[slots] {
                    for &j in &other.column_indices()[other.slots(k as usize)] {
                        if seen_in[j as usize] != row {
                            seen_in[j as usize] = row;
                            columns.push(j);
                        }
                    }
                }
                columns[start..].sort_unstable();
                lengths.push((columns.len() - start) as u32);
            }
            (lengths, columns)
        });
        let mut row_start = Vec::with_capacity(self.rows() + 1);
        row_start.push(0);
        row_start.extend(chunks.iter().flat_map(|(lengths, _)| lengths));
        accumulate(&mut row_start);
        (row_start, chunks.into_iter().flat_map(|(_, columns)| columns).collect())
    }

    /// Adds to `out` its rows of `self other`, in the widest registers that the machine has; the bits are the same in any.
    fn add_product_rows(&self, other: &Self, out: RowsMut<T>) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx") {
            // SAFETY: the machine can.
            return unsafe { self.add_product_rows_avx(other, out) };
        }
        self.add_product_rows_plain(other, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    fn add_product_rows_avx(&self, other: &Self, out: RowsMut<T>) {
        self.add_product_rows_plain(other, out);
    }

    /// Adds to `out` its rows of `self other`. `slot_of` tells where a column of the current row is; entries of other rows
    /// are stale, and never read because the pattern holds every column met.
    #[inline(always)]
    fn add_product_rows_plain(&self, other: &Self, out: RowsMut<T>) {
        let mut slot_of = vec![0; other.columns()];
        for row in out.rows.clone() {
            let slots = out.slots(row);
            if slots.is_empty() {
                continue;
            }
            for slot in slots {
                slot_of[out.columns()[slot] as usize] = slot;
            }
            for (k, a) in self.row(row) {
                for (j, b) in other.row(k) {
                    out.blocks[slot_of[j]].add_product(a, b);
                }
            }
        }
    }
}
