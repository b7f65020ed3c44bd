use super::octree::{Cell, Octree};
use super::order::Order;
use crate::geometry::Vec3;
use crate::parallel;
use crate::simd::Row8;

/// Multipoles of all cells of an octree: the sums of `q (-x)^n/n!` over a cell's charges, x from its centre.
#[derive(Debug)]
pub(super) struct Multipoles {
    /// For each eight harmonic moments a row a cell, and a row of zeros at the end.
    pub(super) rows: Vec<Vec<Row8>>,
    /// Centres of the cells as rows, and one far from all.
    pub(super) centres: Vec<Row8>,
    /// Of each cell its p + 1 norms of moments, times binomials: see [`Multipoles::error`].
    norms: Vec<f64>,
    /// Sum of the charges' absolute values, C.
    magnitude: Vec<f64>,
    /// Softening length squared, m2.
    softening: f64,
}

impl Multipoles {
    /// Multipoles of charges (x, y, z, q), in the order of the tree.
    pub(super) fn new(tree: &Octree, charges: &[[f64; 4]], order: &Order, softening: f64) -> Self {
        let moments = moments(tree, charges, order);
        let cells = &tree.cells;
        let centres =
            cells.iter().map(|cell| Row8([cell.centre.x, cell.centre.y, cell.centre.z, 0.0, 0.0, 0.0, 0.0, 0.0]));
        let far = cells[0].centre + Vec3::repeat(100.0 * cells[0].radius.max(f64::MIN_POSITIVE.sqrt()));
        let centres = centres.chain([Row8([far.x, far.y, far.z, 0.0, 0.0, 0.0, 0.0, 0.0])]).collect();
        let mut rows = vec![vec![Row8::ZERO; cells.len() + 1]; order.harmonics().div_ceil(8)];
        for (cell, moments) in moments.iter().enumerate() {
            for (k, moment) in folded(moments, order).into_iter().enumerate() {
                rows[k / 8][cell].0[k % 8] = moment;
            }
        }
        let norms = moments.iter().flat_map(|moments| norms(moments, order)).collect();
        let magnitude = cells.iter().map(|cell| charges[cell.points.clone()].iter().map(|row| row[3].abs()).sum());
        let magnitude = magnitude.collect();
        Self { rows, centres, norms, magnitude, softening }
    }

    /// Estimate from above of the field's error (in units of k_c) in `target` when the expansion about `source` ends at
    /// order p: infinite where they are not apart.
    ///
    /// With a and b the radii and R the distance of the centres, the first term left out is at most
    /// (p + 1)/R^(p+2) sum_n (p over n) P_n b^(p-n), P_n the norm of the n-th moment, since the tensor of m derivatives of
    /// 1/r has the norm m!/r^(m+1). Those that follow are taken as of a series in (a + b)/R. Softening, which the
    /// expansion leaves out, is added in its leading term 3/2 |q| (softening)^2/R^4.
    pub(super) fn error(&self, source: usize, (from, to): (&Cell, &Cell), order: &Order) -> f64 {
        let squared = (from.centre - to.centre).norm_squared();
        let radii = from.radius + to.radius;
        if radii * radii >= 0.81 * squared {
            return f64::INFINITY;
        }
        let inverse = 1.0 / squared.sqrt();
        let norms = &self.norms[source * (order.p + 1)..(source + 1) * (order.p + 1)];
        // of n moments and p - n powers of b, each over R
        let (b, mut power) = (to.radius * inverse, 1.0);
        let mut sum = 0.0;
        for norm in norms {
            sum = sum * b + norm * power;
            power *= inverse;
        }
        let apart = 1.0 - radii * inverse;
        let truncated = (order.p + 1) as f64 * sum * inverse * inverse / (apart * apart);
        truncated + 1.5 * self.magnitude[source] * self.softening / (squared * squared)
    }
}

/// Moments of all cells, for all multi-indices.
fn moments(tree: &Octree, charges: &[[f64; 4]], order: &Order) -> Vec<Vec<f64>> {
    let leaf = |cell: &Cell| if cell.is_leaf() { of_charges(cell, charges, order) } else { Vec::new() };
    let mut moments = parallel::map(tree.cells.len(), 1, |k| leaf(&tree.cells[k]));
    // children follow their parents
    for (k, cell) in tree.cells.iter().enumerate().rev().filter(|(_, cell)| !cell.is_leaf()) {
        let mut sum = vec![0.0; order.all.len()];
        let mut monomials = Vec::new();
        for child in cell.children.clone() {
            let shift = cell.centre - tree.cells[child].centre;
            order.monomials(shift.into(), &mut monomials);
            let moments = &moments[child];
            for &[n, j, rest] in &order.below {
                sum[n] += moments[j] * monomials[rest];
            }
        }
        moments[k] = sum;
    }
    moments
}

fn of_charges(cell: &Cell, charges: &[[f64; 4]], order: &Order) -> Vec<f64> {
    let (mut sum, mut monomials) = (vec![0.0; order.all.len()], Vec::new());
    for &[x, y, z, q] in &charges[cell.points.clone()] {
        order.monomials((cell.centre - Vec3::new(x, y, z)).into(), &mut monomials);
        for (sum, monomial) in sum.iter_mut().zip(&monomials) {
            *sum += q * monomial;
        }
    }
    sum
}

/// Harmonic moments of the same potential.
fn folded(moments: &[f64], order: &Order) -> Vec<f64> {
    let mut moments = moments.to_vec();
    for &[from, a, b] in order.folds.iter().rev() {
        moments[a] -= moments[from];
        moments[b] -= moments[from];
    }
    order.harmonic.iter().map(|&k| moments[k]).collect()
}

/// Norms of the tensors of moments by degree, times (p over n).
fn norms(moments: &[f64], order: &Order) -> Vec<f64> {
    let mut norms = vec![0.0; order.p + 1];
    for ((moment, index), weight) in moments.iter().zip(&order.all).zip(&order.weight) {
        norms[index.iter().sum::<usize>()] += weight * moment * moment;
    }
    norms.iter().zip(&order.binomial).map(|(norm, binomial)| norm.sqrt() * binomial).collect()
}
