use crate::energy::Curvature;
use crate::linalg::{Block, BlockJacobi, CgOutcome, CgStop};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::pairs::PairHessian;
use super::preconditioner::{Built, Preconditioner, is_short};
use super::solver::{Precision, Problem, Solver};
use super::{Objective, SolverSettings};

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and what is kept from one to the next.
///
/// Gauss-Newton's matrix is a sum over pairs ([`PairHessian`]) and never assembled. The other Hessians have no such form.
#[derive(Debug, Default)]
pub struct LinearSystem {
    /// Curvature that was filled in last.
    curvature: Option<Curvature>,
    pairs: Option<PairHessian>,
    assembly: Option<Assembly<f32>>,
    preconditioner: Option<Preconditioner>,
    diagonal: Vec<Block<f32>>,
    solver: Solver,
}

impl LinearSystem {
    /// Fills the matrix with second derivatives at `x`.
    pub fn fill(&mut self, objective: &Objective, x: &State, curvature: Curvature) {
        self.curvature = Some(curvature);
        if curvature == Curvature::GaussNewton {
            let pairs = match self.pairs.take() {
                Some(pairs) if pairs.fits(objective) => pairs,
                _ => PairHessian::new(objective),
            };
            self.pairs.insert(pairs).fill(objective, x);
        } else {
            self.assemble(objective, x, curvature);
        }
        if let Some(mut preconditioner) = self.preconditioner.take() {
            self.refresh(preconditioner.diagonal_mut());
            self.preconditioner = Some(preconditioner);
        }
    }

    /// Solves for the Newton step at `x`, where the gradient is `gradient`, into `step` (m, rad), with the matrix that was
    /// filled last.
    pub fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        gradient: &[Wrench],
        settings: &SolverSettings,
        step: &mut [Wrench],
    ) -> CgOutcome {
        let curvature = self.curvature.expect("the matrix is filled before it is solved");
        let outcome = self.precondition_and_solve(&Problem { objective, x, curvature, gradient, settings });
        self.solver.put(objective, step);
        outcome
    }

    /// What every particle could still win on its own, g^T D^-1 g (J), D being the diagonal blocks. Contacts that opened or
    /// closed within the last step show here, whatever the linear model promised.
    pub fn local_decrement(&mut self, objective: &Objective, gradient: &[Wrench]) -> f64 {
        let Some(preconditioner) = &mut self.preconditioner else { return f64::INFINITY };
        self.solver.local_decrement(objective, gradient, preconditioner.diagonal_mut())
    }

    /// Solves with the preconditioner at hand, with a new one if that fails, and in double precision where single is not enough.
    fn precondition_and_solve(&mut self, problem: &Problem) -> CgOutcome {
        let Problem { objective, x, settings, .. } = *problem;
        let precision = Precision::for_tolerance(settings.cg_tolerance);
        let kept = self.preconditioner.take().filter(|kept| kept.serves(objective, settings));
        let fresh = kept.is_none();
        let mut preconditioner = kept.unwrap_or_else(|| self.build(objective, x, settings));
        preconditioner.follow(x);
        let mut outcome = self.solve_with(&mut preconditioner, problem, precision);
        if matches!(outcome.stop, CgStop::IndefinitePreconditioner | CgStop::NotConverged) && !fresh {
            preconditioner = self.build(objective, x, settings);
            outcome = self.solve_with(&mut preconditioner, problem, precision);
        }
        if precision == Precision::Single && is_lost(&outcome, problem.curvature) {
            outcome = self.solve_with(&mut preconditioner, problem, Precision::Double);
        }
        preconditioner.watch(outcome.iterations);
        self.preconditioner = Some(preconditioner);
        outcome
    }

    fn solve_with(
        &mut self,
        preconditioner: &mut Preconditioner,
        problem: &Problem,
        precision: Precision,
    ) -> CgOutcome {
        match (problem.curvature, &self.pairs, &self.assembly) {
            (Curvature::GaussNewton, Some(pairs), _) => {
                self.solver.solve(&pairs.operator, preconditioner, problem, precision)
            }
            (_, _, Some(assembly)) => self.solver.solve(&assembly.matrix, preconditioner, problem, precision),
            _ => unreachable!("the matrix is filled before it is solved"),
        }
    }

    /// A new preconditioner for the matrix that was filled last.
    fn build(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> Preconditioner {
        let mut preconditioner = if is_short(objective, settings) {
            Preconditioner::Jacobi(BlockJacobi::default())
        } else {
            Preconditioner::Amg(Box::new(self.build_amg(objective, x, settings)))
        };
        self.refresh(preconditioner.diagonal_mut());
        preconditioner
    }

    fn build_amg(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> Built {
        match (self.curvature, &self.pairs, &self.assembly) {
            (Some(Curvature::GaussNewton), Some(pairs), _) => {
                pairs.operator.diagonal(&mut self.diagonal);
                Built::new(&pairs.operator.rows(&self.diagonal), objective, x, settings)
            }
            (Some(_), _, Some(assembly)) => Built::new(&assembly.matrix, objective, x, settings),
            _ => unreachable!("a matrix has been filled"),
        }
    }

    fn assemble(&mut self, objective: &Objective, x: &State, curvature: Curvature) {
        let assembly = match self.assembly.take() {
            Some(assembly) if assembly.fits(objective) => assembly,
            _ => Assembly::new(objective),
        };
        self.assembly.insert(assembly).fill(objective, x, curvature);
    }

    /// Inverts the diagonal blocks of the matrix that was filled last.
    fn refresh(&mut self, inverse: &mut BlockJacobi<f32>) {
        match (self.curvature, &self.pairs, &self.assembly) {
            (Some(Curvature::GaussNewton), Some(pairs), _) => {
                pairs.operator.diagonal(&mut self.diagonal);
                inverse.update_single(&self.diagonal);
            }
            (Some(_), _, Some(assembly)) => inverse.update(&assembly.matrix),
            _ => unreachable!("a matrix has been filled"),
        }
    }
}

/// Whether single precision was not enough. The exact Hessian alone may have negative curvature of its own.
fn is_lost(outcome: &CgOutcome, curvature: Curvature) -> bool {
    match outcome.stop {
        CgStop::IndefinitePreconditioner | CgStop::NotConverged => true,
        CgStop::NegativeCurvature => curvature != Curvature::Exact,
        CgStop::Converged | CgStop::NotFinite => false,
    }
}
