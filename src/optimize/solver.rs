//! Conjugate gradients on Newton's linear systems, in single precision or, where that is not enough, in double.

use rayon::prelude::*;

use crate::energy::Curvature;
use crate::geometry::Vec3;
use crate::linalg::vector::dot;
use crate::linalg::{BlockJacobi, Cg, CgOutcome, CgStop, Operator, Vec6};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::preconditioner::Preconditioner;
use super::rigid::{Effort, RigidMotions};
use super::{Objective, SolverSettings};

/// Particles a task at least.
const CHUNK: usize = 1024;

/// `Hess Phi dx = -grad Phi` at `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub objective: &'a Objective<'a>,
    pub x: &'a State,
    pub curvature: Curvature,
    pub gradient: &'a [Wrench],
    pub settings: &'a SolverSettings,
    /// What its rigid bodies can do.
    pub motions: &'a RigidMotions,
}

impl Problem<'_> {
    pub fn effort(&self) -> Effort {
        let max_iterations = self.settings.cg_iterations as usize;
        Effort { tolerance: self.settings.cg_tolerance, max_iterations }
    }
}

/// What a solve is calculated in. The preconditioner is in single precision always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    /// For residuals that single precision cannot tell, and for systems as badly conditioned as a long chain at rest
    /// (1e8 and more), where it loses the soft motions in the rounding of the stiff ones.
    Double,
}

impl Precision {
    /// The one that a relative residual asks for.
    pub fn for_tolerance(tolerance: f64) -> Self {
        /// What a solve in single precision gets to, more or less, whatever the matrix.
        const LEAST: f64 = 1e-4;
        if tolerance < LEAST { Self::Double } else { Self::Single }
    }
}

/// The right-hand side, the solution, and room for the way from one to the other.
#[derive(Debug, Default)]
pub(super) struct Solver {
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
    double: Double,
}

/// What a solve in double precision needs besides.
#[derive(Debug, Default)]
struct Double {
    assembly: Option<Assembly<f64>>,
    cg: Cg<f64>,
}

impl Solver {
    /// g^T D^-1 g, J, with D^-1 as `inverse`.
    pub fn local_decrement(&mut self, objective: &Objective, gradient: &[Wrench], inverse: &BlockJacobi<f32>) -> f64 {
        self.take(objective, gradient);
        inverse.multiply(&self.rhs, &mut self.solution);
        dot(&self.rhs, &self.solution)
    }

    /// Solves, with an operator that is the matrix of the `problem`, in single precision.
    pub fn solve(
        &mut self,
        operator: &impl Operator<f32>,
        preconditioner: &mut Preconditioner,
        problem: &Problem,
        precision: Precision,
    ) -> CgOutcome {
        self.take(problem.objective, problem.gradient);
        match precision {
            Precision::Single => {
                let (rhs, solution) = (&self.rhs, &mut self.solution);
                preconditioner.solve(&mut self.cg, operator, rhs, solution, problem)
            }
            Precision::Double => self.double.solve(operator, preconditioner, problem, &mut self.solution),
        }
    }

    /// The solution, into `step` (m, rad).
    pub fn put(&self, objective: &Objective, step: &mut [Wrench]) {
        let radius = &objective.potential.world.particles.radius;
        step.par_iter_mut().zip(&self.solution).zip(radius).with_min_len(CHUNK).for_each(|((step, s), r)| {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            *step = Wrench { force: Vec3::new(a, b, c), torque: Vec3::new(d, e, f) / *r };
        });
    }

    fn take(&mut self, objective: &Objective, gradient: &[Wrench]) {
        let radius = &objective.potential.world.particles.radius;
        self.rhs.resize(gradient.len(), Vec6::ZERO);
        self.solution.resize(gradient.len(), Vec6::ZERO);
        let rhs = self.rhs.par_iter_mut().zip(gradient).zip(radius).with_min_len(CHUNK);
        rhs.for_each(|((rhs, g), r)| *rhs = right_hand_side(g, *r).cast());
    }
}

impl Double {
    /// Solves the assembled matrix: with the preconditioner as far as that is positive, and if it is not with the
    /// diagonal blocks.
    fn solve(
        &mut self,
        operator: &impl Operator<f32>,
        preconditioner: &mut Preconditioner,
        problem: &Problem,
        solution: &mut [Vec6<f32>],
    ) -> CgOutcome {
        let Problem { objective, x, curvature, gradient, motions, .. } = *problem;
        let assembly = match self.assembly.take() {
            Some(assembly) if assembly.fits(objective) => assembly,
            _ => Assembly::new(objective),
        };
        let assembly = self.assembly.insert(assembly);
        assembly.fill(objective, x, curvature);
        let radius = &objective.potential.world.particles.radius;
        let rhs: Vec<Vec6<f64>> = gradient.iter().zip(radius).map(|(g, r)| right_hand_side(g, *r)).collect();
        let mut found = vec![Vec6::ZERO; rhs.len()];
        let effort = problem.effort();
        let (matrix, cg) = (&assembly.matrix, &mut self.cg);
        let by_cycle = preconditioner.hierarchy(problem).map(|amg| {
            let mut cycle = amg.on(operator);
            motions.solve(cg, matrix, &mut cycle, &rhs, &mut found, effort)
        });
        let served = by_cycle.filter(|outcome| outcome.stop != CgStop::IndefinitePreconditioner);
        let outcome = served.unwrap_or_else(|| {
            found.fill(Vec6::ZERO);
            motions.solve(cg, matrix, &mut BlockJacobi::new(matrix), &rhs, &mut found, effort)
        });
        solution.iter_mut().zip(&found).for_each(|(solution, found)| *solution = found.cast());
        outcome
    }
}

/// The unknowns' forces: what a particle's translation (m) and its radius times its rotation (m) are pushed by.
fn right_hand_side(gradient: &Wrench, radius: f64) -> Vec6<f64> {
    let (f, t) = (-gradient.force, -gradient.torque / radius);
    Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z])
}
