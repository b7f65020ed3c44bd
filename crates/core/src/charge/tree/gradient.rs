use super::octree::{Cell, Octree};
use crate::charge::{COULOMB_CONSTANT, Charges};
use crate::parallel;

/// Maximum number of charges in a leaf. A leaf's charges share the sums of far cells.
const LEAF: usize = 8;

/// Radii of two cells over the distance of their centres, from which on pairs are summed. A far cell is overestimated by 1/(1 -
/// 0.5)^3 at most.
const NEAR: f64 = 0.5;

/// Bounds on the gradient of the field of charges, and on their distances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GradientBounds {
    /// Bound on the gradient of the field of the others at each charge, V/m2, in the spectral norm:
    ///
    /// ```text
    /// |de_i/dx_i| <= 2 k_c sum over j of |q_j|/(r_ij^2 + a^2)^(3/2).
    /// ```
    pub gradient: Vec<f64>,
    /// Lower bound on the least softened distance (r^2 + a^2)^(1/2) of two charges, m. Infinite of one charge.
    pub distance: f64,
}

/// Bounds of `charges`. Far ones count by cells of an octree, by the least distance of their points. Of up to
/// eight charges the bounds are the sums over all pairs.
pub fn gradient_bounds(charges: &Charges) -> GradientBounds {
    if charges.x.is_empty() {
        return GradientBounds { gradient: Vec::new(), distance: f64::INFINITY };
    }
    let tree = Octree::new(charges.x, |_| 1.0, LEAF);
    let q: Vec<f64> = tree.order.iter().map(|&i| charges.q[i as usize].abs()).collect();
    let of_cell = |cell: &Cell| q[cell.points.clone()].iter().sum::<f64>();
    let totals = parallel::map(tree.cells.len(), 1, |k| of_cell(&tree.cells[k]));
    let walk = Walk { tree: &tree, q: &q, totals: &totals, softening: charges.softening * charges.softening };
    let leaves: Vec<&Cell> = tree.cells.iter().filter(|cell| cell.is_leaf()).collect();
    let parts = parallel::map(leaves.len(), 1, |k| walk.leaf(leaves[k]));
    let mut bounds = GradientBounds { gradient: vec![0.0; q.len()], distance: f64::INFINITY };
    for (leaf, (sums, distance)) in leaves.iter().zip(parts) {
        bounds.distance = bounds.distance.min(distance);
        for (&i, sum) in tree.order[leaf.points.clone()].iter().zip(sums) {
            bounds.gradient[i as usize] = 2.0 * COULOMB_CONSTANT * sum;
        }
    }
    bounds
}

struct Walk<'a> {
    tree: &'a Octree,
    /// Charges without their signs in the order of the tree, C, and the sum in each cell.
    q: &'a [f64],
    totals: &'a [f64],
    /// Softening length squared, m2.
    softening: f64,
}

impl Walk<'_> {
    /// Sums of |q|/d^3 at the charges of `leaf`, C/m3, and the least distance d to another, m.
    fn leaf(&self, leaf: &Cell) -> (Vec<f64>, f64) {
        let (mut far, mut least) = (0.0, f64::INFINITY);
        let mut sums = vec![0.0; leaf.points.len()];
        let mut stack = vec![0];
        while let Some(index) = stack.pop() {
            let cell: &Cell = &self.tree.cells[index];
            let between = (cell.centre - leaf.centre).norm();
            let radii = cell.radius + leaf.radius;
            if radii < NEAR * between {
                let distance = ((between - radii).powi(2) + self.softening).sqrt();
                far += self.totals[index] / distance.powi(3);
                least = least.min(distance);
            } else if cell.is_leaf() {
                self.add_pairs(leaf, cell, &mut sums, &mut least);
            } else {
                stack.extend(cell.children.clone());
            }
        }
        sums.iter_mut().for_each(|sum| *sum += far);
        (sums, least)
    }

    fn add_pairs(&self, leaf: &Cell, cell: &Cell, sums: &mut [f64], least: &mut f64) {
        for (i, sum) in leaf.points.clone().zip(sums) {
            for j in cell.points.clone().filter(|j| *j != i) {
                let squared = (self.tree.x[i] - self.tree.x[j]).norm_squared() + self.softening;
                let distance = squared.sqrt();
                *sum += self.q[j] / (squared * distance);
                *least = least.min(distance);
            }
        }
    }
}
