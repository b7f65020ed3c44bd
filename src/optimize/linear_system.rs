use crate::energy::Curvature;
use crate::linalg::{BlockJacobi, Cg, Preconditioner, Vec6};
use crate::model::{State, Wrench};

use super::assembly::Assembly;
use super::{Objective, SolverSettings};

/// Newton's linear systems, `Hess Phi dx = -grad Phi`: the matrix, its preconditioner, and what is kept from one to the next.
#[derive(Debug, Default)]
pub struct LinearSystem {
    assembly: Option<Assembly<f32>>,
    rhs: Vec<Vec6<f32>>,
    solution: Vec<Vec6<f32>>,
    cg: Cg<f32>,
}

struct Jacobi(BlockJacobi<f32>);

impl Preconditioner<f32> for Jacobi {
    fn apply(&mut self, r: &[Vec6<f32>], z: &mut [Vec6<f32>]) {
        self.0.multiply(r, z);
    }
}

impl LinearSystem {
    /// Solves for the Newton step at `x`, where the gradient is `gradient`, into `step` (m, rad). Returns what conjugate
    /// gradients came to.
    pub fn solve(
        &mut self,
        objective: &Objective,
        x: &State,
        curvature: Curvature,
        gradient: &[Wrench],
        settings: &SolverSettings,
        step: &mut [Wrench],
    ) -> crate::linalg::CgOutcome {
        let radius = &objective.potential.world.particles.radius;
        let assembly = match self.assembly.take() {
            Some(assembly) if assembly.fits(objective) => assembly,
            _ => Assembly::new(objective),
        };
        let assembly = self.assembly.insert(assembly);
        assembly.fill(objective, x, curvature);
        self.rhs.clear();
        self.rhs.extend(gradient.iter().zip(radius).map(|(g, r)| {
            let (f, t) = (-g.force, -g.torque / *r);
            Vec6::new([f.x, f.y, f.z, t.x, t.y, t.z].map(|v| v as f32))
        }));
        self.solution.clear();
        self.solution.resize(x.len(), Vec6::ZERO);
        let mut jacobi = Jacobi(BlockJacobi::new(&assembly.matrix));
        let outcome = self.cg.solve(
            &assembly.matrix,
            &mut jacobi,
            &self.rhs,
            &mut self.solution,
            settings.cg_tolerance,
            settings.cg_iterations as usize,
        );
        for ((step, s), r) in step.iter_mut().zip(&self.solution).zip(radius) {
            let [a, b, c, d, e, f] = s.to_array().map(f64::from);
            step.force = [a, b, c].into();
            step.torque = crate::geometry::Vec3::new(d, e, f) / *r;
        }
        outcome
    }
}
