//! Multi-indices (a, b, c) of Cartesian expansions up to an order p, and tables over them.
//!
//! By degree n = a + b + c, then by c, then by b. All derivatives of 1/r follow from those with c < 2, since its
//! Laplacian is zero. These are the first 2n + 1 of degree n: the "harmonic" ones, n^2 + 2n + 1 up to degree n.

/// Highest order.
pub(crate) const MAX_ORDER: usize = 12;

/// Tables of expansions of an order p.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) p: usize,
    /// All multi-indices.
    pub(super) all: Vec<[usize; 3]>,
    /// Parent of each multi-index n but the first, n - e_axis: place of the parent, axis, and 1/n_axis.
    pub(super) parent: Vec<(usize, usize, f64)>,
    /// Place in `all` of each harmonic multi-index.
    pub(super) harmonic: Vec<usize>,
    /// Places of n + e_x, n + e_y and n + e_z, for each multi-index n below degree p.
    pub(super) raised: Vec<[usize; 3]>,
    /// Places of (a, b, c), (a + 2, b, c - 2) and (a, b + 2, c - 2) for each multi-index with c > 1, by rising degree and c.
    /// As the Laplacian is zero, the first derivative is minus the sum of the two others.
    pub(super) folds: Vec<[usize; 3]>,
    /// Weights |n|! n! of the squared moments in a tensor's norm, for each multi-index n.
    pub(super) weight: Vec<f64>,
    /// Places of n, j and n - j, for each pair of multi-indices with j <= n in every axis.
    pub(super) below: Vec<[usize; 3]>,
    /// Recurrences of the derivatives of 1/r, and the derivatives of each translation.
    pub(super) derivatives: super::derivatives::DerivativeTables,
    /// Binomials (p over n).
    pub(super) binomial: Vec<f64>,
}

impl Order {
    pub(super) fn new(p: usize) -> Self {
        assert!((1..=MAX_ORDER).contains(&p), "order {p}");
        let all: Vec<[usize; 3]> = (0..=p).flat_map(of_degree).collect();
        let lower = |index: &[usize; 3]| {
            let axis = (0..3).find(|&axis| index[axis] > 0)?;
            Some((place(minus(*index, axis, 1)), axis, 1.0 / index[axis] as f64))
        };
        let parent = all.iter().map(|index| lower(index).unwrap_or((0, 0, 1.0))).collect();
        let harmonic: Vec<usize> = (0..all.len()).filter(|&k| all[k][2] < 2).collect();
        let raised = all.iter().filter(|index| index.iter().sum::<usize>() < p);
        let raised = raised.map(|&index| [0, 1, 2].map(|axis| place(plus(index, axis, 1)))).collect();
        let folds = all.iter().filter(|index| index[2] > 1).map(|&index| {
            let less = minus(index, 2, 2);
            [place(index), place(plus(less, 0, 2)), place(plus(less, 1, 2))]
        });
        let folds = folds.collect();
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        let weight = all
            .iter()
            .map(|index| factorial(index.iter().sum()) * index.iter().map(|&n| factorial(n)).product::<f64>());
        let weight = weight.collect();
        let below = all.iter().flat_map(|&n| {
            let lower = all.iter().filter(move |j| (0..3).all(|axis| j[axis] <= n[axis]));
            lower.map(move |&j| [place(n), place(j), place([n[0] - j[0], n[1] - j[1], n[2] - j[2]])])
        });
        let below = below.collect();
        let binomial = (0..=p).map(|n| factorial(p) / (factorial(n) * factorial(p - n))).collect();
        let derivatives = super::derivatives::DerivativeTables::new(p);
        Self { p, all, parent, harmonic, raised, folds, weight, below, derivatives, binomial }
    }

    /// Number of harmonic multi-indices.
    pub(super) fn harmonics(&self) -> usize {
        self.harmonic.len()
    }

    /// `x^n/n!` for all multi-indices n.
    pub(super) fn monomials(&self, x: [f64; 3], out: &mut Vec<f64>) {
        out.clear();
        out.push(1.0);
        for &(lower, axis, inverse) in &self.parent[1..] {
            out.push(out[lower] * x[axis] * inverse);
        }
    }
}

/// Multi-indices of degree n, in order.
fn of_degree(n: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..=n).flat_map(move |c| (0..=n - c).map(move |b| [n - b - c, b, c]))
}

/// Place among all multi-indices.
pub(super) fn place([a, b, c]: [usize; 3]) -> usize {
    let n = a + b + c;
    n * (n + 1) * (n + 2) / 6 + (0..c).map(|c| n - c + 1).sum::<usize>() + b
}

pub(super) fn plus(mut index: [usize; 3], axis: usize, by: usize) -> [usize; 3] {
    index[axis] += by;
    index
}

pub(super) fn minus(mut index: [usize; 3], axis: usize, by: usize) -> [usize; 3] {
    index[axis] -= by;
    index
}
