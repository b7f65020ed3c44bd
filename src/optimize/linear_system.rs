use rayon::prelude::*;

use crate::energy::Curvature;
use crate::geometry::Vec3;
use crate::linalg::vector::dot;
use crate::linalg::{Block, BlockJacobi, Cg, CgOutcome, CgStop, Vec6};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::pairs::PairHessian;
use super::preconditioner::{Built, Preconditioner, is_short};
use super::{Objective, SolverSettings};

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and what is kept from one to the next.
///
/// Gauss-Newton's matrix is a sum over pairs ([`PairHessian`]); it is assembled only to set multigrid up. The other Hessians have
/// no such form and are assembled every time.
#[derive(Debug, Default)]
pub struct LinearSystem {
    /// Curvature that was filled in last.
    curvature: Option<Curvature>,
    pairs: Option<PairHessian>,
    assembly: Option<Assembly<f32>>,
    preconditioner: Option<Preconditioner>,
    diagonal: Vec<Block<f32>>,
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
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
        self.set_rhs(objective, gradient);
        let radius = &objective.potential.world.particles.radius;
        let outcome = self.precondition_and_solve(objective, x, settings);
        step.par_iter_mut().zip(&self.solution).zip(radius).with_min_len(CHUNK).for_each(|((step, s), r)| {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            *step = Wrench { force: Vec3::new(a, b, c), torque: Vec3::new(d, e, f) / *r };
        });
        outcome
    }

    /// What every particle could still win on its own, g^T D^-1 g (J), D being the diagonal blocks. Contacts that opened or
    /// closed within the last step show here, whatever the linear model promised.
    pub fn local_decrement(&mut self, objective: &Objective, gradient: &[Wrench]) -> f64 {
        self.set_rhs(objective, gradient);
        let Some(preconditioner) = &mut self.preconditioner else { return f64::INFINITY };
        self.solution.resize(self.rhs.len(), Vec6::ZERO);
        preconditioner.diagonal_mut().multiply(&self.rhs, &mut self.solution);
        dot(&self.rhs, &self.solution)
    }

    fn set_rhs(&mut self, objective: &Objective, gradient: &[Wrench]) {
        let radius = &objective.potential.world.particles.radius;
        self.rhs.resize(gradient.len(), Vec6::ZERO);
        self.rhs.par_iter_mut().zip(gradient).zip(radius).with_min_len(CHUNK).for_each(|((rhs, g), r)| {
            let (f, t) = (-g.force, -g.torque / *r);
            *rhs = Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z].map(|v| v as f32));
        });
    }

    /// Solves with the preconditioner at hand, and with a new one if that fails.
    fn precondition_and_solve(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> CgOutcome {
        let kept = self.preconditioner.take().filter(|kept| kept.serves(objective, settings));
        let fresh = kept.is_none();
        let mut preconditioner = kept.unwrap_or_else(|| self.build(objective, x, settings));
        let mut outcome = self.solve_with(&mut preconditioner, x, settings);
        if matches!(outcome.stop, CgStop::IndefinitePreconditioner | CgStop::NotConverged) && !fresh {
            preconditioner = self.build(objective, x, settings);
            outcome = self.solve_with(&mut preconditioner, x, settings);
        }
        preconditioner.watch(outcome.iterations);
        self.preconditioner = Some(preconditioner);
        outcome
    }

    fn solve_with(&mut self, preconditioner: &mut Preconditioner, x: &State, settings: &SolverSettings) -> CgOutcome {
        preconditioner.follow(x);
        self.solution.resize(self.rhs.len(), Vec6::ZERO);
        let (cg, b, solution) = (&mut self.cg, &self.rhs, &mut self.solution);
        match (self.curvature, &self.pairs, &self.assembly) {
            (Some(Curvature::GaussNewton), Some(pairs), _) => {
                preconditioner.solve(cg, &pairs.operator, b, solution, settings)
            }
            (Some(_), _, Some(assembly)) => preconditioner.solve(cg, &assembly.matrix, b, solution, settings),
            _ => unreachable!("the matrix is filled before it is solved"),
        }
    }

    /// A new preconditioner for the matrix that was filled last.
    fn build(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> Preconditioner {
        let mut preconditioner = if is_short(objective, settings) {
            Preconditioner::Jacobi(BlockJacobi::default())
        } else {
            if self.curvature == Some(Curvature::GaussNewton) {
                self.assemble(objective, x, Curvature::GaussNewton);
            }
            let matrix = &self.assembly.as_ref().expect("it has just been assembled").matrix;
            Preconditioner::Amg(Box::new(Built::new(matrix, objective, x, settings)))
        };
        self.refresh(preconditioner.diagonal_mut());
        preconditioner
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
