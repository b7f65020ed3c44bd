//! Positions and lengths of a level's nodes, and their rigid motions.

use nalgebra::Vector3;

use super::aggregate::Aggregates;
use crate::linalg::Block;

/// Positions of a level's nodes, and the lengths (m) that make rotation vectors comparable with translations.
#[derive(Clone, Debug, Default)]
pub struct NodeGeometry {
    /// Position of each node, m.
    pub positions: Vec<Vector3<f64>>,
    /// Length of each node, m: its unknowns are a translation and this length times a rotation vector.
    pub lengths: Vec<f64>,
    /// Whether each node is left to the smoother.
    pub skip: Vec<bool>,
}

impl NodeGeometry {
    /// The geometry of aggregates: their centroids and root mean square sizes.
    pub fn of_aggregates(&self, aggregates: &Aggregates) -> Self {
        let count = aggregates.count;
        let mut geometry =
            Self { positions: vec![Vector3::zeros(); count], lengths: vec![0.0; count], skip: vec![false; count] };
        let mut members = vec![0.0; count];
        let taken = || aggregates.of.iter().enumerate().filter_map(|(i, &a)| Some((i, a? as usize)));
        for (i, a) in taken() {
            geometry.positions[a] += self.positions[i];
            members[a] += 1.0;
        }
        geometry.positions.iter_mut().zip(&members).for_each(|(position, &members)| *position /= members);
        for (i, a) in taken() {
            let arm = self.positions[i] - geometry.positions[a];
            geometry.lengths[a] += (arm.norm_squared() + self.lengths[i].powi(2)) / members[a];
        }
        geometry.lengths.iter_mut().for_each(|length| *length = length.sqrt());
        geometry
    }

    /// Rigid motion of node `node` of another geometry, driven by node `from` of this one.
    #[inline(always)]
    pub(super) fn rigid_from(&self, from: u32, other: &NodeGeometry, node: u32) -> Rigid {
        let (from, node) = (from as usize, node as usize);
        let length = self.lengths[from];
        let arm = (other.positions[node] - self.positions[from]) / length;
        let arm = [arm.x, arm.y, arm.z].map(|component| component as f32);
        Rigid { arm, scale: (other.lengths[node] / length) as f32 }
    }
}

/// Rigid motion of a node at x_i of length l_i, driven by one at x_a of length l_a:
///
/// ```text
/// P_ia = | I   -[x_i - x_a]x / l_a |
///        | 0     (l_i / l_a) I     |
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Rigid {
    /// (x_i - x_a)/l_a.
    arm: [f32; 3],
    /// l_i/l_a.
    scale: f32,
}

impl Rigid {
    /// `to += a P`, P being this block.
    #[inline(always)]
    pub(super) fn add_product(&self, a: &Block<f32>, to: &mut Block<f32>) {
        let [x, y, z] = self.arm;
        for k in 0..3 {
            to.add_column(k, 1.0, a, k);
            to.add_column(k + 3, self.scale, a, k + 3);
        }
        // -[arm]x, column by column
        for (column, weights) in [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]].into_iter().enumerate() {
            (0..3).filter(|&k| k != column).for_each(|k| to.add_column(column + 3, weights[k], a, k));
        }
    }
}
