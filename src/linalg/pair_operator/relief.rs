//! Directions in which pairs resist less than they do in others across their arms: what slips along a surface.

use super::pattern::Chunk;
use super::{PairOperator, rescaled};
use crate::linalg::Vec6;
use crate::linalg::block::Block;

/// With the unit vector d, less by the energy
///
/// ```text
/// 1/2 less (d.(D + e x (psi_i + psi_j)))^2      less <= across, d e = 0
/// ```
///
/// in the notation of [`super::PairTerm`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relief {
    /// The pair's ends: in vectors, and in the chunk's sums.
    nodes: [u32; 2],
    rows: [u32; 2],
    less: f32,
    /// By u_j, and by either psi: d, and d x e.
    by: Vec6<f32>,
}

impl Relief {
    /// d as the first end has it: its translation goes the other way.
    fn at(&self, is_second: bool) -> Vec6<f32> {
        if is_second {
            return self.by;
        }
        let [a, b, c, d, e, f] = self.by.to_array();
        Vec6::new([-a, -b, -c, d, e, f])
    }
}

impl Chunk {
    /// Lets the pair in lane `lane` of group `group`, whose term is set, resist by so much `less` along the unit vector `direction`.
    pub fn relieve(&mut self, [group, lane]: [usize; 2], direction: [f32; 3], less: f32) {
        let tile = self.tile_of(group);
        let node = self.nodes_of(tile)[lane];
        let at = &self.groups[group];
        let ([x, y, z], [a, b, c]) = (direction, at.lane(lane).arm);
        self.reliefs.push(Relief {
            nodes: [node as u32, at.read[lane]],
            rows: [(node - self.own.start) as u32, at.write[lane]],
            less,
            by: Vec6::new([x, y, z, y * c - z * b, z * a - x * c, x * b - y * a]),
        });
    }

    /// Takes from `out` (the chunk's own nodes, then its halo) what its reliefs make of `x`.
    pub(super) fn relieve_product(&self, x: &[Vec6<f32>], out: &mut [Vec6<f32>]) {
        for relief in &self.reliefs {
            let ends = [false, true].map(|is_second| relief.at(is_second));
            let slip: f32 = relief.nodes.iter().zip(&ends).map(|(&node, by)| dot(by, &x[node as usize])).sum();
            for (&row, by) in relief.rows.iter().zip(&ends) {
                let out = &mut out[row as usize].0;
                out.iter_mut().zip(&by.0).for_each(|(out, by)| *out -= relief.less * slip * by);
            }
        }
    }
}

fn dot(a: &Vec6<f32>, b: &Vec6<f32>) -> f32 {
    a.0.iter().zip(&b.0).map(|(a, b)| a * b).sum()
}

impl PairOperator {
    /// Takes the reliefs' part from the diagonal blocks `out`.
    pub(super) fn relieve_diagonal(&self, out: &mut [Block<f32>]) {
        for relief in self.chunks.iter().flat_map(|chunk| &chunk.reliefs) {
            for (&node, is_second) in relief.nodes.iter().zip([false, true]) {
                let scale = self.scales.get(node as usize).copied().unwrap_or(1.0);
                let by = rescaled(&relief.at(is_second), scale).to_array();
                let block = Block::from_fn(|row, column| -relief.less * by[row] * by[column]);
                out[node as usize] += &block;
            }
        }
    }
}
