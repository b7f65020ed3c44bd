//! A level of the hierarchy and all below it: how they are built, and the V-cycle.

use nalgebra::Matrix3;

use super::AmgSettings;
use super::aggregate::{aggregate, coupling_graph};
use super::coarse::DenseSolver;
use super::frame::Frame;
use super::galerkin::coarse_matrix;
use super::prolongator::{Tentative, smoothed};
use super::transfer::Transfer;
use crate::interrupt::is_requested;
use crate::linalg::vector::{axpy, zip_apply};
use crate::linalg::{BlockJacobi, BlockMatrix, Operator, RowSource, Vec6, greatest_eigenvalue};

/// The smoother of a level, and what corrects the errors that it leaves.
///
/// The matrix is not in it: on the finest level it is whatever the caller solves by now.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub smoother: BlockJacobi<f32>,
    /// Damping of the smoother.
    pub omega: f64,
    pub sweeps: u32,
    residual: Vec<Vec6<f32>>,
    /// How far each node has turned since the build; empty for not at all.
    pub turned: Vec<Matrix3<f32>>,
    /// `None` where it could not be coarsened: then the smoother is all there is.
    pub below: Option<Box<Below>>,
}

/// The next coarser system and the way to it and back.
#[derive(Clone, Debug)]
pub(super) struct Below {
    pub prolongator: Transfer,
    pub restrictor: Transfer,
    pub matrix: BlockMatrix<f32>,
    pub solver: Solver,
    right: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
}

/// How a coarse system is solved.
#[derive(Clone, Debug)]
pub(super) enum Solver {
    Cycle(Level),
    Dense(DenseSolver),
}

impl Level {
    /// The hierarchy for `matrix` on at most `levels` levels. Nodes for which `skip` is true are left to the smoother.
    pub fn build(matrix: &impl RowSource, frame: &Frame, skip: &[bool], levels: u32, settings: &AmgSettings) -> Self {
        /// Damping of the smoother times the greatest eigenvalue of D^-1 A: what took the fewest iterations of 1, 4/3 and 1.6; a
        /// sweep diverges at 2.
        const SMOOTHING: f64 = 1.6;
        /// A sum of positive semidefinite terms of two nodes each has eigenvalues of at most 2, and so this damping stays good
        /// whatever bonds break, or particles touch, after the build.
        const MOST_OMEGA: f64 = 0.95;
        let smoother = BlockJacobi::of(matrix.nodes(), |node| *matrix.diagonal(node));
        let greatest = spectral_radius(matrix, &smoother);
        let below = (levels > 1).then(|| Below::build(matrix, &smoother, greatest, frame, skip, levels - 1, settings));
        let omega = (SMOOTHING / greatest).min(MOST_OMEGA);
        Self::new(smoother, matrix.nodes(), omega, settings.sweeps.max(1), below.flatten())
    }

    /// A level of `nodes` whose smoother is made already, or, on the finest, yet to be.
    pub fn new(smoother: BlockJacobi<f32>, nodes: usize, omega: f64, sweeps: u32, below: Option<Below>) -> Self {
        let residual = vec![Vec6::ZERO; nodes];
        Self { smoother, omega, sweeps, residual, turned: Vec::new(), below: below.map(Box::new) }
    }

    /// `z = M^-1 r`, a V-cycle for `matrix` from zero. Symmetric: as many sweeps after the coarse correction as before it.
    pub fn cycle(&mut self, matrix: &impl Operator<f32>, r: &[Vec6<f32>], z: &mut [Vec6<f32>]) {
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
    /// The system that Galerkin's condition gives for aggregates of `matrix`'s nodes, `greatest` the greatest eigenvalue of D^-1 A;
    /// `None` if it would be hardly smaller, or a stop is requested.
    fn build(
        matrix: &impl RowSource,
        smoother: &BlockJacobi<f32>,
        greatest: f64,
        frame: &Frame,
        skip: &[bool],
        levels: u32,
        settings: &AmgSettings,
    ) -> Option<Self> {
        /// Aggregates must be fewer than the nodes in them by this factor, or levels cost more than they gain.
        const LEAST_RATIO: f64 = 1.5;
        /// Damping of the prolongator times the greatest eigenvalue of D^-1 A, as Vanek et al. have it.
        const SMOOTHING: f64 = 4.0 / 3.0;
        let aggregates = aggregate(&coupling_graph(matrix, skip));
        let taken = aggregates.of.iter().flatten().count();
        if is_requested() || aggregates.count == 0 || (taken as f64) < LEAST_RATIO * aggregates.count as f64 {
            return None;
        }
        let coarse_frame = frame.of_aggregates(&aggregates);
        let tentative = Tentative { fine: frame, coarse: &coarse_frame, aggregates: &aggregates };
        let prolongator = smoothed(matrix, smoother, SMOOTHING / greatest, &tentative);
        if is_requested() {
            return None;
        }
        let coarse = coarse_matrix(matrix, &prolongator);
        if is_requested() {
            return None;
        }
        let solver = Solver::build(&coarse, &coarse_frame, levels, settings);
        Some(Self::new(prolongator, coarse, solver))
    }

    /// The coarser system `matrix`, and the way up from it.
    pub fn new(prolongator: Transfer, matrix: BlockMatrix<f32>, solver: Solver) -> Self {
        let zeros = vec![Vec6::ZERO; matrix.nodes()];
        let restrictor = prolongator.transpose();
        Self { prolongator, restrictor, matrix, solver, right: zeros.clone(), solution: zeros }
    }

    /// Adds to `z` the coarse correction `R P A_c^-1 P^T R^T r` for its residual, which is overwritten. `R` are the rotations
    /// `turned`, of every node or, if there are none, none.
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
    fn build(matrix: &BlockMatrix<f32>, frame: &Frame, levels: u32, settings: &AmgSettings) -> Self {
        let small = 6 * matrix.nodes() <= settings.dense_size as usize;
        let dense = if small { DenseSolver::new(matrix) } else { None };
        dense.map_or_else(
            || Self::Cycle(Level::build(matrix, frame, &vec![false; matrix.nodes()], levels, settings)),
            Self::Dense,
        )
    }
}

/// The greatest eigenvalue of D^-1 A, rather above than below.
fn spectral_radius(matrix: &impl RowSource, inverse: &BlockJacobi<f32>) -> f64 {
    const TOLERANCE: f64 = 0.03;
    const MOST_ITERATIONS: usize = 12;
    let found = greatest_eigenvalue(
        matrix.nodes(),
        |x, y| matrix.apply(x, y),
        |x, y| inverse.multiply(x, y),
        TOLERANCE,
        MOST_ITERATIONS,
    );
    found.value + found.bound.min(0.1 * found.value)
}
