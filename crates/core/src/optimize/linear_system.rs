use crate::energy::Curvature;
use crate::linalg::{CgOutcome, CgStop, PairWorkspace};
use crate::model::{Displacement, Gradient, State};

use super::assembly::Assembly;
use super::pairs::PairHessian;
use super::preconditioner::{Hierarchy, Preconditioner, SavedPreconditioner, is_short};
use super::rigid::RigidMotions;
use super::solver::{Problem, Solver, needs_double};
use super::{Objective, SolverSettings};

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and their reuse between solves.
///
/// The semidefinite matrix is a sum over pairs ([`PairHessian`]) and never assembled, except where its systems are solved
/// in double precision. The other Hessians have no such form.
#[derive(Debug, Default)]
pub(super) struct LinearSystem {
    /// Curvature of the last fill.
    curvature: Option<Curvature>,
    pairs: Option<PairHessian>,
    work: PairWorkspace,
    assembly: Option<Assembly<f32>>,
    preconditioner: Preconditioner,
    solver: Solver,
}

impl LinearSystem {
    /// State of the preconditioner, for a checkpoint.
    pub(super) fn save(&self) -> SavedPreconditioner<'_> {
        self.preconditioner.save()
    }

    /// See [`super::Newton::restore`].
    pub(super) fn restore(
        &mut self,
        saved: SavedPreconditioner,
        particles: usize,
        settings: &SolverSettings,
    ) -> Option<()> {
        *self = Self { preconditioner: Preconditioner::restore(saved, particles, settings)?, ..Self::default() };
        Some(())
    }

    /// See [`super::Newton::begin_trial`].
    pub(super) fn begin_trial(&mut self) {
        self.preconditioner.begin_trial();
    }

    /// See [`super::Newton::abandon_trial`].
    pub(super) fn abandon_trial(&mut self) {
        self.preconditioner.abandon_trial();
    }

    /// Sets the matrix to the second derivatives at `x`; for `margin` see [`PairHessian::fill`].
    pub(super) fn fill(&mut self, objective: &Objective, x: &State, curvature: Curvature, margin: f64) {
        self.curvature = Some(curvature);
        self.solver.drop_unfit(objective);
        if curvature == Curvature::Semidefinite {
            let pairs = self.pairs.take().filter(|pairs| pairs.fits(objective));
            let pairs = pairs.unwrap_or_else(|| PairHessian::new(objective));
            self.pairs.insert(pairs).fill(objective, x, margin);
        } else {
            self.assemble(objective, x, curvature);
        }
        self.refresh();
    }

    /// Newton step at `x` with gradient `gradient`, by the matrix of the last fill, into `step` (m, rad).
    pub(super) fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        gradient: &[Gradient],
        settings: &SolverSettings,
        tolerance: f64,
        step: &mut [Displacement],
    ) -> CgOutcome {
        let curvature = self.curvature.expect("the matrix is filled before it is solved");
        let motions = RigidMotions::new(objective.potential.world, x);
        let problem = Problem { objective, x, curvature, gradient, settings, tolerance, motions: &motions };
        let outcome = self.precondition_and_solve(&problem);
        self.solver.put(objective, step);
        outcome
    }

    /// Block Jacobi's decrement g^T D^-1 g (J), with the diagonal blocks D. It shows contacts that opened or closed
    /// within the last step, which the linear model does not.
    pub(super) fn local_decrement(&mut self, objective: &Objective, gradient: &[Gradient]) -> f64 {
        self.solver.local_decrement(objective, gradient, self.preconditioner.diagonal_mut())
    }

    /// Solves with the current preconditioner. If that fails it builds a new hierarchy, and then uses double precision.
    fn precondition_and_solve(&mut self, problem: &Problem) -> CgOutcome {
        let Problem { objective, x, settings, .. } = *problem;
        let in_double = needs_double(problem.tolerance);
        self.preconditioner.update_fragments(objective.potential.world);
        let fresh = self.preconditioner.needs_hierarchy(objective, settings);
        if fresh {
            self.build(problem);
        }
        self.preconditioner.rotate_to(x);
        let mut outcome = self.solve_with(problem, in_double);
        let failed = matches!(outcome.stop, CgStop::IndefinitePreconditioner | CgStop::NotConverged);
        if failed && !fresh && !is_short(objective, settings) {
            self.build(problem);
            outcome = self.solve_with(problem, in_double);
        }
        if !in_double && single_failed(&outcome, problem.curvature) {
            outcome = self.solve_with(problem, true);
        }
        self.preconditioner.record(problem, outcome.iterations);
        outcome
    }

    fn solve_with(&mut self, problem: &Problem, in_double: bool) -> CgOutcome {
        let Self { solver, preconditioner, work, .. } = self;
        match (problem.curvature, &self.pairs, &self.assembly) {
            (Curvature::Semidefinite, Some(pairs), _) => {
                solver.solve(&pairs.operator.with(work), preconditioner, problem, in_double)
            }
            (_, _, Some(assembly)) => solver.solve(&assembly.matrix, preconditioner, problem, in_double),
            _ => unreachable!("the matrix is filled before it is solved"),
        }
    }

    /// Builds a hierarchy for the matrix of the last fill.
    fn build(&mut self, problem: &Problem) {
        let Problem { objective, x, settings, .. } = *problem;
        self.preconditioner.clear(objective);
        let hierarchy = match (problem.curvature, &self.pairs, &self.assembly) {
            (Curvature::Semidefinite, Some(pairs), _) => {
                let mut diagonal = Vec::new();
                pairs.operator.diagonal_with(&mut self.work, &mut diagonal);
                Hierarchy::new(&pairs.operator.rows(&diagonal), objective, x, settings)
            }
            (_, _, Some(assembly)) => Hierarchy::new(&assembly.matrix, objective, x, settings),
            _ => unreachable!("the matrix is filled before it is solved"),
        };
        self.preconditioner.set_hierarchy(hierarchy);
        self.refresh();
    }

    fn assemble(&mut self, objective: &Objective, x: &State, curvature: Curvature) {
        // the one of another pattern goes first
        let assembly = self.assembly.take().filter(|assembly| assembly.fits(objective));
        let assembly = assembly.unwrap_or_else(|| Assembly::new(objective));
        self.assembly.insert(assembly).fill(objective, x, curvature);
    }

    /// Inverts the diagonal blocks of the matrix of the last fill.
    fn refresh(&mut self) {
        let inverse = self.preconditioner.diagonal_mut();
        match (self.curvature, &self.pairs, &self.assembly) {
            (Some(Curvature::Semidefinite), Some(pairs), _) => {
                inverse.update_single(|blocks| pairs.operator.diagonal_with(&mut self.work, blocks));
            }
            (Some(_), _, Some(assembly)) => inverse.update(&assembly.matrix),
            _ => unreachable!("a matrix has been filled"),
        }
    }
}

/// Whether single precision failed. Only the exact Hessian may have negative curvature without rounding.
fn single_failed(outcome: &CgOutcome, curvature: Curvature) -> bool {
    match outcome.stop {
        CgStop::IndefinitePreconditioner | CgStop::NotConverged => true,
        CgStop::NegativeCurvature => curvature != Curvature::Exact,
        CgStop::Converged | CgStop::Interrupted | CgStop::NotFinite => false,
    }
}
