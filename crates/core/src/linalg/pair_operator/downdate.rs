//! Rank-one downdates: lower stiffness of a pair in one direction across its arm, for sliding contacts.

use super::pattern::Chunk;
use super::{PairOperator, rescaled};
use crate::linalg::Vec6;
use crate::linalg::block::Block;

/// Energy subtracted from a pair's, with the unit vector d:
///
/// ```text
/// 1/2 stiffness (d.(D + e x (psi_i + psi_j)))^2      stiffness <= shear, d.e = 0
/// ```
///
/// in the notation of [`super::PairTerm`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankOneDowndate {
    /// The pair's ends, as indices of vectors and as rows of the chunk's sums.
    nodes: [u32; 2],
    rows: [u32; 2],
    stiffness: f32,
    /// Derivative of the displacement by u_j, and by either psi: d, and d x e.
    direction: Vec6<f32>,
}

impl RankOneDowndate {
    /// The derivative at an end: the first has the opposite sign by its translation.
    fn at(&self, is_second: bool) -> Vec6<f32> {
        if is_second {
            return self.direction;
        }
        let [a, b, c, d, e, f] = self.direction.to_array();
        Vec6::new([-a, -b, -c, d, e, f])
    }
}

impl Chunk {
    /// Subtracts `stiffness` along the unit vector `direction` from the pair in lane `lane` of group `group`, whose
    /// term is set.
    pub(crate) fn downdate(&mut self, [group, lane]: [usize; 2], direction: [f32; 3], stiffness: f32) {
        let tile = self.tile_of(group);
        let node = self.nodes_of(tile)[lane];
        let at = &self.groups[group];
        let ([x, y, z], [a, b, c]) = (direction, at.lane(lane).arm);
        self.downdates.push(RankOneDowndate {
            nodes: [node as u32, at.read[lane]],
            rows: [(node - self.halo.own.start) as u32, at.write[lane]],
            stiffness,
            direction: Vec6::new([x, y, z, y * c - z * b, z * a - x * c, x * b - y * a]),
        });
    }

    /// Subtracts the downdates' product with `x` from `out` (own nodes, then halo).
    pub(super) fn downdate_product(&self, x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
        for downdate in &self.downdates {
            let ends = [false, true].map(|is_second| downdate.at(is_second));
            let slip: f32 = downdate.nodes.iter().zip(&ends).map(|(&node, by)| dot(by, &x[node as usize])).sum();
            for (&row, by) in downdate.rows.iter().zip(&ends) {
                let out = &mut out[row as usize].0;
                out.iter_mut().zip(&by.0).for_each(|(out, by)| *out -= downdate.stiffness * slip * by);
            }
        }
    }
}

fn dot(a: &Vec6<f32>, b: &Vec6<f32>) -> f32 {
    a.0.iter().zip(&b.0).map(|(a, b)| a * b).sum()
}

impl PairOperator {
    /// Subtracts the downdates from the diagonal blocks `out`.
    pub(super) fn downdate_diagonal(&self, out: &mut [Block<f32>]) {
        for downdate in self.chunks.iter().flat_map(|chunk| &chunk.downdates) {
            for (&node, is_second) in downdate.nodes.iter().zip([false, true]) {
                let scale = self.scales.get(node as usize).copied().unwrap_or(1.0);
                let by = rescaled(&downdate.at(is_second), scale).to_array();
                let block = Block::from_fn(|row, column| -downdate.stiffness * by[row] * by[column]);
                out[node as usize] += &block;
            }
        }
    }
}
