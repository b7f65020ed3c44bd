use bdem_core::model::State;

use super::blocks::SymmetricBlocks;
use super::euclidean::Vector7;
use super::newton::{Formulation, newton};
use super::penalty::Penalised;
use super::{Method, Problem, Series, Until};

/// Unit length by the augmented Lagrangian, lambda^T C + 1/2 kappa C^2 (\[IBDEM\] eq 38). The multipliers take over
/// the constraint forces, so that the penalty may be moderate.
#[derive(Clone, Copy, Debug)]
pub struct Augmented {
    /// Penalty: kappa over k (2r)^2, with k the stiffness of a particle's contacts.
    pub stiffness: f64,
}

impl Default for Augmented {
    fn default() -> Self {
        Self { stiffness: 10.0 }
    }
}

impl Method for Augmented {
    fn name(&self) -> &'static str {
        "augmented"
    }

    fn minimise(&self, problem: &Problem, until: &Until) -> Series {
        let multiplied = Multiplied(Penalised::new(problem, self.stiffness));
        newton(self.name(), multiplied, problem.start.clone(), problem, until)
    }
}

struct Multiplied<'a>(Penalised<'a>);

impl Formulation<7> for Multiplied<'_> {
    type Point = State;

    fn state<'x>(&self, x: &'x State) -> &'x State {
        x
    }

    fn residual(&self, x: &State) -> Vec<Vector7> {
        self.0.residual(x)
    }

    fn matrix(&self, x: &State) -> SymmetricBlocks<7> {
        self.0.matrix(x)
    }

    fn moved(&self, x: &State, step: &[Vector7], length: f64) -> State {
        self.0.moved(x, step, length)
    }

    fn energy(&self, x: &State) -> Option<f64> {
        self.0.energy(x)
    }

    /// Update lambda <- lambda + kappa C, once the residual `left` (N) is below the norm of the penalty's own forces.
    fn update_multipliers(&mut self, x: &State, left: f64, goal: f64) -> bool {
        let problem = self.0.problem;
        let penalty_force = |i: usize| self.0.kappa[i] * problem.constraint(x, i) / problem.size(i);
        let penalty_forces = (0..x.len()).map(|i| penalty_force(i).powi(2)).sum::<f64>().sqrt();
        let is_due = left <= penalty_forces && penalty_forces > goal;
        if is_due {
            self.0.multipliers = (0..x.len()).map(|i| self.0.multiplier(x, i)).collect();
        }
        is_due
    }
}
