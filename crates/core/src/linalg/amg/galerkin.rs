//! The Galerkin coarse matrix, P^T A P.

use std::ops::Range;

use super::sparse_row::SparseRow;
use super::transfer::Transfer;
use crate::linalg::{Block, BlockMatrix, RowSource, Rows};
use crate::parallel::{self, chunk_ranges};
use crate::simd::{InstructionSet, Lanes, dispatch};

/// P^T A P, with the prolongator P. Each row of A P is added at once to the sums of its chunk: neither A nor A P
/// is stored. The chunks' sums are added in order, batch by batch.
pub fn coarse_matrix(matrix: &impl RowSource, prolongator: &Transfer) -> BlockMatrix<f32> {
    /// Chunks whose sums are held at a time.
    const BATCH: usize = 32;
    let chunks: Vec<Range<usize>> = chunk_ranges(matrix.nodes()).collect();
    let mut upper = vec![SparseRow::default(); prolongator.columns()];
    for batch in chunks.chunks(BATCH) {
        let sums = parallel::map(batch.len(), 1, |k| chunk_sums(matrix, prolongator, batch[k].clone()));
        parallel::for_each(parallel::each_mut(&mut upper), |node, row| {
            sums.iter().for_each(|sums| sums.add_to(node, row));
        });
    }
    symmetric_matrix(&mut upper)
}

fn chunk_sums(matrix: &impl RowSource, prolongator: &Transfer, nodes: Range<usize>) -> Sums {
    let mut sums = Sums::new(prolongator.columns());
    matrix.pieces(nodes).for_each(|rows| add_rows(InstructionSet::best(), &rows, prolongator, &mut sums));
    sums
}

/// Contribution of some rows of the fine matrix to the upper triangle of the coarse matrix.
#[derive(Debug)]
struct Sums {
    /// Index in `rows` of each coarse node's row, or [`NONE`].
    place: Vec<u32>,
    rows: Vec<SparseRow>,
}

/// A coarse node without a row.
const NONE: u32 = u32::MAX;

impl Sums {
    fn new(count: usize) -> Self {
        Self { place: vec![NONE; count], rows: Vec::new() }
    }

    /// Adds the row of coarse node `node` to another.
    fn add_to(&self, node: usize, to: &mut SparseRow) {
        if self.place[node] != NONE {
            let row = &self.rows[self.place[node] as usize];
            row.column.iter().zip(&row.block).for_each(|(&column, block)| *to.at(column) += block);
        }
    }

    #[inline(always)]
    fn row(&mut self, node: u32) -> &mut SparseRow {
        /// Typical number of entries of a row above the diagonal; a capacity.
        const TYPICAL_ENTRIES: usize = 20;
        let place = &mut self.place[node as usize];
        if *place == NONE {
            *place = self.rows.len() as u32;
            self.rows.push(SparseRow::with_capacity(TYPICAL_ENTRIES));
        }
        &mut self.rows[*place as usize]
    }
}

dispatch! {
    /// Adds the products of fine rows; the bits are the same at any level.
    fn add_rows<'a>(rows: &Rows<'a>, prolongator: &'a Transfer, sums: &'a mut Sums) = add_rows_of
}

/// [`add_rows`]; the compiler finds the lanes.
#[expect(clippy::extra_unused_type_parameters)]
#[inline(always)]
fn add_rows_of<L: Lanes>(rows: &Rows, prolongator: &Transfer, sums: &mut Sums) {
    let mut product = SparseRow::default();
    for i in rows.range().filter(|&i| !prolongator.is_empty(i)) {
        product.clear();
        for (j, a) in rows.row(i) {
            for (node, p) in prolongator.row(j) {
                product.at(node).add_product(a, &p);
            }
        }
        for (node, p) in prolongator.row(i) {
            let (row, p) = (sums.row(node), p.transpose());
            for (&column, ap) in product.column.iter().zip(&product.block).filter(|(column, _)| **column >= node) {
                row.at(column).add_product(&p, ap);
            }
        }
    }
}

/// The symmetric matrix with this upper triangle, whose rows get sorted.
fn symmetric_matrix(upper: &mut [SparseRow]) -> BlockMatrix<f32> {
    parallel::for_each(parallel::each_mut(upper), |_, row| row.sort());
    let upper = &*upper;
    let pairs = (0..).zip(upper).flat_map(|(i, row)| row.column.iter().map(move |&j| [i, j]).filter(|[i, j]| i < j));
    let (mut matrix, slots) = BlockMatrix::from_pairs(upper.len(), pairs);
    let mut slots = slots.into_iter();
    for (i, row) in upper.iter().enumerate() {
        for (&j, block) in row.column.iter().zip(&row.block) {
            if j as usize == i {
                *matrix.diagonal_mut(i) = symmetric(block);
            } else {
                let [upper, lower] = slots.next().expect("a pair each");
                matrix.blocks_mut()[upper as usize] = *block;
                matrix.blocks_mut()[lower as usize] = block.transpose();
            }
        }
    }
    matrix
}

/// The symmetric part of a diagonal block, which rounding makes unsymmetric.
fn symmetric(block: &Block<f32>) -> Block<f32> {
    Block::from_fn(|row, column| 0.5 * (block[(row, column)] + block[(column, row)]))
}
