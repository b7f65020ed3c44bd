//! Smoothed prolongator between two levels.

use super::aggregate::Aggregates;
use super::geometry::{NodeGeometry, Rigid};
use super::sparse_row::SparseRow;
use super::transfer::{Part, Transfer};
use crate::linalg::{Block, BlockJacobi, RowSource, Rows};
use crate::parallel::map_chunks;

/// The tentative prolongator, which moves each aggregate as a rigid body.
///
/// Its coarse unknowns are again a translation and a length times a rotation vector. So rigid modes have the same form
/// on every level, and aggregates of one node need no special case. It needs no QR factorization as in Vanek et al.
#[derive(Clone, Copy, Debug)]
pub struct Tentative<'a> {
    /// Nodes of the fine level.
    pub fine: &'a NodeGeometry,
    /// Nodes of the coarse level.
    pub coarse: &'a NodeGeometry,
    /// Aggregate of each fine node.
    pub aggregates: &'a Aggregates,
}

impl Tentative<'_> {
    /// Aggregate of a node and their block, if it has one.
    pub fn block(&self, node: usize) -> Option<(u32, Block<f32>)> {
        let (aggregate, rigid) = self.rigid(node)?;
        let mut block = Block::ZERO;
        rigid.add_product(&Block::diagonal(1.0), &mut block);
        Some((aggregate, block))
    }

    #[inline(always)]
    fn rigid(&self, node: usize) -> Option<(u32, Rigid)> {
        let aggregate = self.aggregates.of[node]?;
        Some((aggregate, self.coarse.rigid_from(aggregate, self.fine, node as u32)))
    }
}

/// P = (I - omega D^-1 A) P0: a damped Jacobi sweep on every column of the tentative prolongator P0. Rows of nodes
/// without aggregate stay empty.
pub fn smoothed(matrix: &impl RowSource, inverse: &BlockJacobi<f32>, omega: f64, tentative: &Tentative) -> Transfer {
    /// Mean number of other aggregates in a row; a capacity.
    const OTHERS: usize = 3;
    let parts = map_chunks(matrix.nodes(), |nodes| {
        let (mut part, mut row) = (Part::with_capacity(nodes.len(), OTHERS), SparseRow::default());
        for rows in matrix.pieces(nodes) {
            for i in rows.range() {
                let Some((aggregate, rigid)) = tentative.rigid(i) else {
                    part.push_empty();
                    continue;
                };
                row.clear();
                add_product(&rows, i, tentative, &mut row);
                for sum in &mut row.block {
                    let mut correction = Block::ZERO;
                    correction.add_product(inverse.inverse(i), sum);
                    *sum = Block::ZERO;
                    sum.add_scaled(-omega as f32, &correction);
                }
                rigid.add_product(&Block::diagonal(1.0), row.at(aggregate));
                row.sort();
                part.push_row(tentative.coarse, aggregate, &row);
            }
        }
        part
    });
    Transfer::new(tentative.aggregates.count, parts)
}

/// Adds row `i` of A P0 to `row`.
#[inline(always)]
fn add_product(rows: &Rows, i: usize, tentative: &Tentative, row: &mut SparseRow) {
    for (j, a) in rows.row(i) {
        if let Some((aggregate, rigid)) = tentative.rigid(j) {
            rigid.add_product(a, row.at(aggregate));
        }
    }
}
