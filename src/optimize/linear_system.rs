use crate::energy::Curvature;
use crate::geometry::Vec3;
use crate::linalg::amg::Amg;
use crate::linalg::vector::dot;
use crate::linalg::{BlockJacobi, BlockMatrix, Cg, CgOutcome, CgStop, Vec6};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::{Objective, SolverSettings};

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and what is kept from one to the next.
#[derive(Debug, Default)]
pub struct LinearSystem {
    assembly: Option<Assembly<f32>>,
    preconditioner: Option<Preconditioner>,
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
}

#[derive(Debug)]
enum Preconditioner {
    Jacobi(BlockJacobi<f32>),
    Amg(Box<Built>),
}

/// A multigrid hierarchy, which costs as much as many solves and serves for as long as it is good enough.
#[derive(Debug)]
struct Built {
    amg: Amg,
    /// Step that it was built for, s.
    dt: f64,
    /// Iterations of the first solve with it.
    first: Option<usize>,
    /// Whether the last took far more.
    is_tired: bool,
}

impl LinearSystem {
    /// Fills the matrix with second derivatives at `x`.
    pub fn fill(&mut self, objective: &Objective, x: &State, curvature: Curvature) {
        let assembly = match self.assembly.take() {
            Some(assembly) if assembly.fits(objective) => assembly,
            _ => Assembly::new(objective),
        };
        let assembly = self.assembly.insert(assembly);
        assembly.fill(objective, x, curvature);
        match &mut self.preconditioner {
            Some(Preconditioner::Amg(built)) => built.amg.refresh_smoother(&assembly.matrix),
            Some(Preconditioner::Jacobi(jacobi)) => jacobi.update(&assembly.matrix),
            None => {}
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
        for ((step, s), r) in step.iter_mut().zip(&self.solution).zip(radius) {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            *step = Wrench { force: Vec3::new(a, b, c), torque: Vec3::new(d, e, f) / *r };
        }
        outcome
    }

    /// What every particle could still win on its own, g^T D^-1 g (J), D being the diagonal blocks. Contacts that opened or
    /// closed within the last step show here, whatever the linear model promised.
    pub fn local_decrement(&mut self, objective: &Objective, gradient: &[Wrench]) -> f64 {
        self.set_rhs(objective, gradient);
        let diagonal = match &mut self.preconditioner {
            Some(Preconditioner::Jacobi(jacobi)) => jacobi,
            Some(Preconditioner::Amg(built)) => built.amg.smoother_mut(),
            None => return f64::INFINITY,
        };
        diagonal.multiply(&self.rhs, &mut self.solution);
        dot(&self.rhs, &self.solution)
    }

    fn set_rhs(&mut self, objective: &Objective, gradient: &[Wrench]) {
        let radius = &objective.potential.world.particles.radius;
        self.rhs.clear();
        self.rhs.extend(gradient.iter().zip(radius).map(|(g, r)| {
            let (f, t) = (-g.force, -g.torque / *r);
            Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z].map(|v| v as f32))
        }));
    }

    /// Solves with the preconditioner at hand, and with a new one if that fails.
    fn precondition_and_solve(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> CgOutcome {
        let matrix = &self.assembly.as_ref().expect("the matrix is filled before it is solved").matrix;
        let kept = self.preconditioner.take().filter(|kept| kept.serves(objective, settings));
        let fresh = kept.is_none();
        let mut preconditioner = kept.unwrap_or_else(|| Preconditioner::new(matrix, objective, x, settings));
        let mut solve = |preconditioner: &mut Preconditioner| {
            self.solution.clear();
            self.solution.resize(x.len(), Vec6::ZERO);
            let (cg, b, x) = (&mut self.cg, &self.rhs, &mut self.solution);
            let (tolerance, most) = (settings.cg_tolerance, settings.cg_iterations as usize);
            match preconditioner {
                Preconditioner::Amg(built) => cg.solve(matrix, &mut built.amg.on(matrix), b, x, tolerance, most),
                Preconditioner::Jacobi(jacobi) => cg.solve(matrix, jacobi, b, x, tolerance, most),
            }
        };
        let mut outcome = solve(&mut preconditioner);
        if matches!(outcome.stop, CgStop::IndefinitePreconditioner | CgStop::NotConverged) && !fresh {
            preconditioner = Preconditioner::new(matrix, objective, x, settings);
            outcome = solve(&mut preconditioner);
        }
        preconditioner.watch(outcome.iterations);
        self.preconditioner = Some(preconditioner);
        outcome
    }
}

impl Preconditioner {
    fn new(matrix: &BlockMatrix<f32>, objective: &Objective, x: &State, settings: &SolverSettings) -> Self {
        if objective.periods() < settings.jacobi_below {
            return Self::Jacobi(BlockJacobi::new(matrix));
        }
        let radius = &objective.potential.world.particles.radius;
        let amg = Amg::build(matrix, &x.p, radius, objective.held, &settings.amg);
        Self::Amg(Box::new(Built { amg, dt: objective.dt, first: None, is_tired: false }))
    }

    /// Whether it is of the right kind for the step, and was made for one near enough.
    fn serves(&self, objective: &Objective, settings: &SolverSettings) -> bool {
        let short = objective.periods() < settings.jacobi_below;
        match self {
            Self::Jacobi(_) => short,
            Self::Amg(built) => !built.is_tired && !short && (0.2..5.0).contains(&(objective.dt / built.dt)),
        }
    }

    /// Notes how many iterations a solve took: a hierarchy that has become so much worse than when it was new is due to be
    /// replaced.
    fn watch(&mut self, iterations: usize) {
        if let Self::Amg(built) = self {
            let first = *built.first.get_or_insert(iterations);
            built.is_tired = iterations > first + first / 2 + 6;
        }
    }
}
