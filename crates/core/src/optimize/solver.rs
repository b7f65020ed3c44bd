//! Conjugate gradients on Newton's linear systems, in single or, where needed, double precision.

use crate::energy::Curvature;
use crate::geometry::Vec3;
use crate::linalg::vector::dot;
use crate::linalg::{BlockJacobi, Cg, CgOutcome, CgStop, IterationLimits, Operator, Vec6};
use crate::model::{Displacement, Gradient, State, Wrench};
use crate::parallel::{self, CHUNK};

use super::assembly::Assembly;
use super::preconditioner::Preconditioner;
use super::rigid::RigidMotions;
use super::{Objective, SolverSettings};

/// `Hess Phi dx = -grad Phi` at `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Problem<'a> {
    pub objective: &'a Objective<'a>,
    pub x: &'a State,
    pub curvature: Curvature,
    pub gradient: &'a [Gradient],
    pub settings: &'a SolverSettings,
    /// Relative residual at which conjugate gradients stop.
    pub tolerance: f64,
    /// Rigid motions of its rigid bodies.
    pub motions: &'a RigidMotions,
}

impl Problem<'_> {
    pub(super) fn limits(&self) -> IterationLimits<'_> {
        let interrupt = &self.objective.potential.world.interrupt;
        let max_iterations = self.settings.cg_iterations as usize;
        IterationLimits { tolerance: self.tolerance, max_iterations, interrupt }
    }
}

/// Whether a solve to a relative residual of `tolerance` is in double precision. The preconditioner is always in single precision.
///
/// Double precision is for residuals below single precision, and for systems as ill-conditioned as a long chain at rest (1e8 and
/// more). There rounding of the stiff modes hides the soft ones.
pub(super) fn needs_double(tolerance: f64) -> bool {
    /// Relative residual that a solve in single precision reaches for most matrices.
    const SINGLE_PRECISION: f64 = 1e-4;
    tolerance < SINGLE_PRECISION
}

/// Right-hand side, solution and work vectors.
#[derive(Debug, Default)]
pub(super) struct Solver {
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
    /// Matrix and work vectors of a solve in double precision.
    double_assembly: Option<Assembly<f64>>,
    double_cg: Cg<f64>,
}

impl Solver {
    /// Drops the matrix in double precision if it has another pattern than the current one of `objective`.
    pub(super) fn drop_unfit(&mut self, objective: &Objective) {
        self.double_assembly.take_if(|assembly| !assembly.fits(objective));
    }

    /// g^T D^-1 g, J, with D^-1 as `inverse`.
    pub(super) fn local_decrement(
        &mut self,
        objective: &Objective,
        gradient: &[Gradient],
        inverse: &BlockJacobi<f32>,
    ) -> f64 {
        self.take(objective, gradient);
        inverse.multiply(&self.rhs, &mut self.solution);
        dot(&self.rhs, &self.solution)
    }

    /// Solves with `operator`, the matrix of `problem`.
    pub(super) fn solve(
        &mut self,
        operator: &impl Operator<f32>,
        preconditioner: &mut Preconditioner,
        problem: &Problem,
        in_double: bool,
    ) -> CgOutcome {
        self.take(problem.objective, problem.gradient);
        if in_double {
            return self.solve_in_double(operator, preconditioner, problem);
        }
        let (rhs, solution) = (&self.rhs, &mut self.solution);
        preconditioner.solve(&mut self.cg, operator, rhs, solution, problem)
    }

    /// Copies the solution into `step` (m, rad).
    pub(super) fn put(&self, objective: &Objective, step: &mut [Displacement]) {
        let radius = &objective.potential.world.particles.radius;
        let entries = (parallel::each_mut(step), parallel::each(&self.solution), parallel::each(radius));
        parallel::for_each_item(entries, CHUNK, |_, (step, s, r)| {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            *step = Displacement { translation: Vec3::new(a, b, c), rotation: Vec3::new(d, e, f) / *r };
        });
    }

    fn take(&mut self, objective: &Objective, gradient: &[Gradient]) {
        let radius = &objective.potential.world.particles.radius;
        self.rhs.resize(gradient.len(), Vec6::ZERO);
        self.solution.resize(gradient.len(), Vec6::ZERO);
        let entries = (parallel::each_mut(&mut self.rhs), parallel::each(gradient), parallel::each(radius));
        parallel::for_each_item(entries, CHUNK, |_, (rhs, g, r)| *rhs = right_hand_side(g, *r).cast());
    }

    /// Solves the assembled matrix with the preconditioner, or with block Jacobi if the preconditioner is indefinite.
    fn solve_in_double(
        &mut self,
        operator: &impl Operator<f32>,
        preconditioner: &mut Preconditioner,
        problem: &Problem,
    ) -> CgOutcome {
        let Problem { objective, x, curvature, gradient, motions, .. } = *problem;
        let assembly = self.double_assembly.get_or_insert_with(|| Assembly::new(objective));
        assembly.fill(objective, x, curvature);
        let radius = &objective.potential.world.particles.radius;
        let rhs: Vec<Vec6<f64>> = gradient.iter().zip(radius).map(|(g, r)| right_hand_side(g, *r)).collect();
        let mut found = vec![Vec6::ZERO; rhs.len()];
        let limits = problem.limits();
        let (matrix, cg) = (&assembly.matrix, &mut self.double_cg);
        let by_cycle = preconditioner.hierarchy(problem).map(|amg| {
            let mut cycle = amg.on(operator);
            motions.solve(cg, matrix, &mut cycle, &rhs, &mut found, limits)
        });
        let served = by_cycle.filter(|outcome| outcome.stop != CgStop::IndefinitePreconditioner);
        let outcome = served.unwrap_or_else(|| {
            found.fill(Vec6::ZERO);
            motions.solve(cg, matrix, &mut BlockJacobi::new(matrix), &rhs, &mut found, limits)
        });
        self.solution.iter_mut().zip(&found).for_each(|(solution, found)| *solution = found.cast());
        outcome
    }
}

/// Negative gradient with respect to a particle's translation (m) and its radius times its rotation (m).
pub fn right_hand_side(gradient: &Gradient, radius: f64) -> Vec6<f64> {
    let Wrench { force: f, torque } = gradient.load();
    let t = torque / radius;
    Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z])
}
