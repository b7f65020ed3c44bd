//! A level of the hierarchy and all coarser ones: setup and V-cycle.

use nalgebra::Matrix3;

use super::AmgSettings;
use super::aggregate::{aggregate, coupling_graph};
use super::coarse::DenseSolver;
use super::galerkin::coarse_matrix;
use super::geometry::NodeGeometry;
use super::prolongator::{Tentative, smoothed};
use super::transfer::Transfer;
use crate::interrupt::Interrupt;
use crate::linalg::vector::{axpy, dot, xpay, zip_apply};
use crate::linalg::{BlockJacobi, BlockMatrix, IterationLimits, Operator, RowSource, Vec6, largest_eigenvalue};

/// The smoother of a level, and its coarse correction.
///
/// The matrix is not stored here: on the finest level it is the caller's current one.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub smoother: BlockJacobi<f32>,
    /// Damping factor of the smoother.
    pub omega: f64,
    pub sweeps: u32,
    residual: Vec<Vec6<f32>>,
    /// Rotation of each node since the setup; empty for none.
    pub turned: Vec<Matrix3<f32>>,
    /// `None` where coarsening stopped: then the smoother acts alone.
    pub below: Option<Box<Below>>,
}

/// The next coarser system and its transfer operators.
#[derive(Clone, Debug)]
pub(super) struct Below {
    pub prolongator: Transfer,
    pub restrictor: Transfer,
    pub matrix: BlockMatrix<f32>,
    pub solver: Solver,
    right: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
}

/// Solver of a coarse system.
#[derive(Clone, Debug)]
pub(super) enum Solver {
    Cycle(Level),
    Dense(DenseSolver),
}

impl Level {
    /// The hierarchy for `matrix` on at most `levels` levels. Nodes to skip are left to the smoother.
    pub(super) fn build(
        matrix: &impl RowSource,
        geometry: &NodeGeometry,
        levels: u32,
        settings: &AmgSettings,
        interrupt: &Interrupt,
    ) -> Self {
        /// Damping factor of the smoother times the largest eigenvalue of D^-1 A. It took the fewest iterations of 1,
        /// 4/3 and 1.6; a sweep diverges at 2.
        const SMOOTHING: f64 = 1.6;
        /// Bound on the damping factor. A sum of positive semidefinite terms of two nodes each has eigenvalues of at
        /// most 2. So the bound holds when bonds break or particles touch after the setup.
        const MAX_OMEGA: f64 = 0.95;
        let smoother = BlockJacobi::of(matrix.nodes(), |node| *matrix.diagonal(node));
        let largest = spectral_radius(matrix, &smoother, interrupt);
        let below =
            (levels > 1).then(|| Below::build(matrix, &smoother, largest, geometry, levels - 1, settings, interrupt));
        let omega = (SMOOTHING / largest).min(MAX_OMEGA);
        Self::new(smoother, matrix.nodes(), omega, settings.sweeps.max(1), below.flatten())
    }

    /// A level of `nodes` with its smoother, which on the finest level may be filled later.
    pub(super) fn new(smoother: BlockJacobi<f32>, nodes: usize, omega: f64, sweeps: u32, below: Option<Below>) -> Self {
        let residual = vec![Vec6::ZERO; nodes];
        Self { smoother, omega, sweeps, residual, turned: Vec::new(), below: below.map(Box::new) }
    }

    /// `z = M^-1 r`: a V-cycle for `matrix` from zero. Symmetric: equally many sweeps before and after the coarse
    /// correction.
    pub(super) fn cycle(&mut self, matrix: &impl Operator<f32>, r: &[Vec6<f32>], z: &mut [Vec6<f32>]) {
        self.smoother.sweep_from_zero(self.omega, r, z);
        (1..self.sweeps).for_each(|_| self.sweep(matrix, r, z));
        if let Some(below) = &mut self.below {
            matrix.residual(r, z, &mut self.residual);
            below.correct(&mut self.residual, &self.turned, z);
        }
        (0..self.sweeps).for_each(|_| self.sweep(matrix, r, z));
    }

    fn sweep(&mut self, matrix: &impl Operator<f32>, r: &[Vec6<f32>], z: &mut [Vec6<f32>]) {
        matrix.residual(r, z, &mut self.residual);
        self.smoother.sweep(self.omega, &self.residual, z);
    }
}

impl Below {
    /// The Galerkin system of aggregates of `matrix`'s nodes. `largest` is the largest eigenvalue of D^-1 A. `None` if
    /// it would hardly be smaller, or a stop is requested.
    fn build(
        matrix: &impl RowSource,
        smoother: &BlockJacobi<f32>,
        largest: f64,
        geometry: &NodeGeometry,
        levels: u32,
        settings: &AmgSettings,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        /// Minimum ratio of aggregated nodes to aggregates; below it a level costs more than it gains.
        const MIN_RATIO: f64 = 1.5;
        /// Damping factor of the prolongator times the largest eigenvalue of D^-1 A (Vanek et al.).
        const SMOOTHING: f64 = 4.0 / 3.0;
        let aggregates = aggregate(&coupling_graph(matrix, &geometry.skip));
        let taken = aggregates.of.iter().flatten().count();
        if interrupt.is_requested() || aggregates.count == 0 || (taken as f64) < MIN_RATIO * aggregates.count as f64 {
            return None;
        }
        let coarse_geometry = geometry.of_aggregates(&aggregates);
        let tentative = Tentative { fine: geometry, coarse: &coarse_geometry, aggregates: &aggregates };
        let prolongator = smoothed(matrix, smoother, SMOOTHING / largest, &tentative);
        if interrupt.is_requested() {
            return None;
        }
        let coarse = coarse_matrix(matrix, &prolongator);
        if interrupt.is_requested() {
            return None;
        }
        let solver = Solver::build(&coarse, &coarse_geometry, levels, settings, interrupt);
        Some(Self::new(prolongator, coarse, solver))
    }

    /// The coarser system `matrix` and its prolongator.
    pub(super) fn new(prolongator: Transfer, matrix: BlockMatrix<f32>, solver: Solver) -> Self {
        let zeros = vec![Vec6::ZERO; matrix.nodes()];
        let restrictor = prolongator.transpose();
        Self { prolongator, restrictor, matrix, solver, right: zeros.clone(), solution: zeros }
    }

    /// Adds to `z` the coarse correction `R P A_c^-1 P^T R^T r` of the residual, which is overwritten. `R` are the
    /// nodes' rotations `turned`, or the identity if empty.
    fn correct(&mut self, residual: &mut [Vec6<f32>], turned: &[Matrix3<f32>], z: &mut [Vec6<f32>]) {
        if !turned.is_empty() {
            zip_apply(residual, turned, |r, turned| *r = r.rotated(&turned.transpose()));
        }
        self.restrictor.multiply(residual, &mut self.right);
        match &mut self.solver {
            Solver::Cycle(level) => level.cycle(&self.matrix, &self.right, &mut self.solution),
            Solver::Dense(dense) => dense.solve(&self.right, &mut self.solution),
        }
        if turned.is_empty() {
            self.prolongator.multiply_add(&self.solution, z);
        } else {
            self.prolongator.multiply(&self.solution, residual);
            zip_apply(residual, turned, |r, turned| *r = r.rotated(turned));
            axpy(1.0, residual, z);
        }
    }
}

impl Solver {
    fn build(
        matrix: &BlockMatrix<f32>,
        geometry: &NodeGeometry,
        levels: u32,
        settings: &AmgSettings,
        interrupt: &Interrupt,
    ) -> Self {
        let small = 6 * matrix.nodes() <= settings.dense_size as usize;
        let dense = if small { DenseSolver::new(matrix) } else { None };
        dense.map_or_else(|| Self::Cycle(Level::build(matrix, geometry, levels, settings, interrupt)), Self::Dense)
    }
}

/// The largest eigenvalue of D^-1 A, estimated from above.
fn spectral_radius(matrix: &impl RowSource, inverse: &BlockJacobi<f32>, interrupt: &Interrupt) -> f64 {
    /// Relative tolerance of the eigenvalue.
    const TOLERANCE: f64 = 0.03;
    const MAX_ITERATIONS: usize = 12;
    let inverted = |x: &[Vec6<f32>]| {
        let mut y = vec![Vec6::ZERO; x.len()];
        inverse.multiply(x, &mut y);
        y
    };
    // A D^-1, self-adjoint by D^-1
    let mut product = vec![Vec6::ZERO; matrix.nodes()];
    let subtract_from = |x: &[Vec6<f32>], y: &mut [Vec6<f32>]| {
        matrix.apply(&inverted(x), &mut product);
        xpay(&product, -1.0, y);
    };
    let inner = |x: &[Vec6<f32>], y: &[Vec6<f32>]| dot(&inverted(x), y);
    let limits = IterationLimits { tolerance: TOLERANCE, max_iterations: MAX_ITERATIONS, interrupt };
    let found = largest_eigenvalue(matrix.nodes(), subtract_from, inner, limits);
    found.value + found.bound.min(0.1 * found.value)
}
