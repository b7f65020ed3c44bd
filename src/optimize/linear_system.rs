use crate::energy::Curvature;
use crate::geometry::Vec3;
use crate::linalg::amg::Amg;
use crate::linalg::{BlockMatrix, Cg, CgOutcome, CgStop, Vec6};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::{Objective, SolverSettings};

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and what is kept from one to the next.
#[derive(Debug, Default)]
pub struct LinearSystem {
    assembly: Option<Assembly<f32>>,
    preconditioner: Option<Built>,
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
}

/// A multigrid hierarchy, which costs as much as many solves and serves for as long as it is good enough.
#[derive(Debug)]
struct Built {
    amg: Amg,
    /// Step that it was built for, s.
    dt: f64,
    /// Iterations of the first solve with it.
    first: Option<usize>,
}

impl LinearSystem {
    /// Solves for the Newton step at `x`, where the gradient is `gradient`, into `step` (m, rad).
    pub fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        curvature: Curvature,
        gradient: &[Wrench],
        settings: &SolverSettings,
        step: &mut [Wrench],
    ) -> CgOutcome {
        let radius = &objective.potential.world.particles.radius;
        self.rhs.clear();
        self.rhs.extend(gradient.iter().zip(radius).map(|(g, r)| {
            let (f, t) = (-g.force, -g.torque / *r);
            Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z].map(|v| v as f32))
        }));
        let assembly = match self.assembly.take() {
            Some(assembly) if assembly.fits(objective) => assembly,
            _ => Assembly::new(objective),
        };
        self.assembly.insert(assembly).fill(objective, x, curvature);
        let outcome = self.precondition_and_solve(objective, x, settings);
        for ((step, s), r) in step.iter_mut().zip(&self.solution).zip(radius) {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            *step = Wrench { force: Vec3::new(a, b, c), torque: Vec3::new(d, e, f) / *r };
        }
        outcome
    }

    /// Solves with the hierarchy at hand, and with a new one if that fails it.
    fn precondition_and_solve(&mut self, objective: &Objective, x: &State, settings: &SolverSettings) -> CgOutcome {
        let matrix = &self.assembly.as_ref().expect("the matrix is filled before it is solved").matrix;
        let kept = self.preconditioner.take().filter(|built| built.serves(objective.dt));
        let fresh = kept.is_none();
        let mut built = match kept {
            Some(mut built) => {
                built.amg.refresh_smoother(matrix);
                built
            }
            None => Built::new(matrix, objective, x, settings),
        };
        let mut outcome = run(&mut self.cg, matrix, &mut built.amg, &self.rhs, &mut self.solution, settings);
        let failed = matches!(outcome.stop, CgStop::IndefinitePreconditioner | CgStop::NotConverged);
        if failed && !fresh {
            built = Built::new(matrix, objective, x, settings);
            outcome = run(&mut self.cg, matrix, &mut built.amg, &self.rhs, &mut self.solution, settings);
        }
        let first = *built.first.get_or_insert(outcome.iterations);
        // a tired hierarchy is dropped: the next solve builds another
        self.preconditioner = (outcome.iterations <= first + first / 2 + 6).then_some(built);
        outcome
    }
}

impl Built {
    /// Whether a step of `dt` is near enough to the one that it was built for.
    fn serves(&self, dt: f64) -> bool {
        (0.2..5.0).contains(&(dt / self.dt))
    }

    /// Held particles, and those without bonds, are left to the smoother.
    fn new(matrix: &BlockMatrix<f32>, objective: &Objective, x: &State, settings: &SolverSettings) -> Self {
        let world = objective.potential.world;
        let mut alone = objective.held.to_vec();
        let mut bonded = vec![false; x.len()];
        for bond in world.bonds() {
            bonded[bond.i as usize] = true;
            bonded[bond.j as usize] = true;
        }
        alone.iter_mut().zip(&bonded).for_each(|(alone, bonded)| *alone |= !bonded);
        let amg = Amg::build(matrix, &x.p, &world.particles.radius, &alone, &settings.amg);
        Self { amg, dt: objective.dt, first: None }
    }
}

fn run(
    cg: &mut Cg<f32>,
    matrix: &BlockMatrix<f32>,
    amg: &mut Amg,
    rhs: &[Vec6<f32>],
    solution: &mut Vec<Vec6<f32>>,
    settings: &SolverSettings,
) -> CgOutcome {
    solution.clear();
    solution.resize(rhs.len(), Vec6::ZERO);
    cg.solve(matrix, &mut amg.on(matrix), rhs, solution, settings.cg_tolerance, settings.cg_iterations as usize)
}
