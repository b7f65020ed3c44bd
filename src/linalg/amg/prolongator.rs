//! How the nodes of a level follow those of the next.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::aggregate::Aggregates;
use crate::linalg::parallel::chunk_ranges;
use crate::linalg::{Block, BlockCsr, BlockJacobi, BlockMatrix};

/// Where the nodes of a level are, and the length that makes a rotation vector of each comparable with its translation, m.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Position of each node, m.
    pub positions: Vec<Vector3<f64>>,
    /// Length of each node, m: its unknowns are a translation and this length times a rotation vector.
    pub lengths: Vec<f64>,
}

impl Frame {
    /// The frame of aggregates: their centroids, and their root mean square size.
    pub fn of_aggregates(&self, aggregates: &Aggregates) -> Self {
        let count = aggregates.count;
        let mut frame = Self { positions: vec![Vector3::zeros(); count], lengths: vec![0.0; count] };
        let mut members = vec![0.0; count];
        let taken = || aggregates.of.iter().enumerate().filter_map(|(i, &a)| Some((i, a? as usize)));
        for (i, a) in taken() {
            frame.positions[a] += self.positions[i];
            members[a] += 1.0;
        }
        frame.positions.iter_mut().zip(&members).for_each(|(position, &members)| *position /= members);
        for (i, a) in taken() {
            let arm = self.positions[i] - frame.positions[a];
            frame.lengths[a] += (arm.norm_squared() + self.lengths[i].powi(2)) / members[a];
        }
        frame.lengths.iter_mut().for_each(|length| *length = length.sqrt());
        frame
    }
}

/// The prolongator that moves each aggregate as a rigid body. Node i at x_i of length l_i, in an aggregate at x_a of length l_a:
///
/// ```text
/// P_ia = | I   -[x_i - x_a]x / l_a |
///        | 0     (l_i / l_a) I     |
/// ```
///
/// Its coarse unknowns are again a translation and a length times a rotation vector, so rigid modes have the same form on every
/// level, and an aggregate of a single node is as good as any: no QR factorization as in Vanek et al., nothing singular.
pub fn tentative(fine: &Frame, coarse: &Frame, aggregates: &Aggregates) -> BlockCsr<f32> {
    let mut row_start = vec![0];
    let (mut column, mut blocks) = (Vec::new(), Vec::new());
    for (i, aggregate) in aggregates.of.iter().enumerate() {
        if let &Some(a) = aggregate {
            let arm = fine.positions[i] - coarse.positions[a as usize];
            column.push(a);
            blocks.push(rigid_block(&arm, fine.lengths[i], coarse.lengths[a as usize]));
        }
        row_start.push(column.len() as u32);
    }
    BlockCsr::new(aggregates.count, row_start, column, blocks)
}

fn rigid_block(arm: &Vector3<f64>, fine_length: f64, coarse_length: f64) -> Block<f32> {
    let turn = -arm.cross_matrix() / coarse_length;
    Block::from_fn(|row, column| match (row / 3, column / 3) {
        (0, 1) => turn[(row, column - 3)] as f32,
        (0, 0) if row == column => 1.0,
        (1, 1) if row == column => (fine_length / coarse_length) as f32,
        _ => 0.0,
    })
}

/// P = (I - omega D^-1 A) P0: a damped Jacobi sweep on every column of the tentative prolongator. Rows of nodes in no aggregate
/// stay empty.
pub fn smoothed(
    matrix: &BlockMatrix<f32>,
    inverse: &BlockJacobi<f32>,
    omega: f64,
    tentative: &BlockCsr<f32>,
) -> BlockCsr<f32> {
    let keep = |row: usize| !tentative.slots(row).is_empty();
    let mut smoothed = matrix.rows().product_where(tentative, keep);
    let rows = smoothed.rows_mut(chunk_ranges(matrix.nodes()));
    rows.into_par_iter().for_each(|part| {
        for row in part.rows.clone() {
            let slots = part.slots(row);
            for slot in slots.clone() {
                let mut block = Block::ZERO;
                block.add_product(inverse.inverse(row), &part.blocks[slot]);
                part.blocks[slot] = Block::ZERO;
                part.blocks[slot].add_scaled(-omega as f32, &block);
            }
            for (aggregate, rigid) in tentative.row(row) {
                let place = part.columns()[slots.clone()].binary_search(&(aggregate as u32));
                let slot = slots.start + place.expect("the diagonal block couples a node to its own aggregate");
                part.blocks[slot] += rigid;
            }
        }
    });
    smoothed
}
