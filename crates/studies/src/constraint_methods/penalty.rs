use bdem_core::model::State;
use nalgebra::Matrix4;

use super::Problem;
use super::blocks::SymmetricBlocks;
use super::euclidean::Vector7;
use super::newton::Formulation;

/// Augmented objective Phi + lambda^T C + 1/2 kappa |C|^2 (\[IBDEM\] eq 38) in seven unknowns for each particle.
pub(super) struct Penalised<'a> {
    problem: &'a Problem<'a>,
    /// Penalty kappa of each particle, J.
    kappa: Vec<f64>,
    /// Multiplier lambda of each particle, J.
    multipliers: Vec<f64>,
    /// Whether the multipliers take over the constraint forces: the augmented Lagrangian. Otherwise they stay zero.
    updates: bool,
}

impl<'a> Penalised<'a> {
    /// Objective with zero multipliers. `stiffness` is kappa over k (2r)^2, with k the stiffness of a particle's contacts.
    pub(super) fn new(problem: &'a Problem<'a>, stiffness: f64, updates: bool) -> Self {
        let particles = problem.start.len();
        let kappa = |i: usize| stiffness * problem.stiffness(i) * problem.size(i).powi(2);
        Self { problem, kappa: (0..particles).map(kappa).collect(), multipliers: vec![0.0; particles], updates }
    }

    /// Effective multiplier lambda + kappa C, J.
    fn multiplier(&self, x: &State, i: usize) -> f64 {
        self.multipliers[i] + self.kappa[i] * self.problem.constraint(x, i)
    }
}

impl Formulation<7> for Penalised<'_> {
    type Point = State;

    fn state<'x>(&self, x: &'x State) -> &'x State {
        x
    }

    fn residual(&self, x: &State) -> Vec<Vector7> {
        let mut residual = self.problem.gradient(x);
        for (i, residual) in residual.iter_mut().enumerate().filter(|(i, _)| !self.problem.is_held(*i)) {
            *residual += self.problem.constraint_gradient(x, i) * self.multiplier(x, i);
        }
        residual
    }

    fn matrix(&self, x: &State) -> SymmetricBlocks<7> {
        let mut matrix = self.problem.hessian(x);
        for (i, block) in matrix.diagonal.iter_mut().enumerate().filter(|(i, _)| !self.problem.is_held(*i)) {
            let gradient = self.problem.constraint_gradient(x, i);
            *block += gradient * gradient.transpose() * self.kappa[i];
            let mut on_q = block.fixed_view_mut::<4, 4>(3, 3);
            on_q += Matrix4::identity() * (self.multiplier(x, i) / self.problem.size(i).powi(2));
        }
        matrix
    }

    fn moved(&self, x: &State, step: &[Vector7], length: f64) -> State {
        self.problem.along_line(x, step, length)
    }

    fn energy(&self, x: &State) -> Option<f64> {
        let constraints: f64 = (0..x.len())
            .map(|i| (self.multipliers[i] + self.multiplier(x, i)) * 0.5 * self.problem.constraint(x, i))
            .sum();
        Some(self.problem.value(x) + constraints)
    }

    /// Update lambda <- lambda + kappa C, once the residual `left` (N) is below the norm of the penalty's own forces.
    fn update_multipliers(&mut self, x: &State, left: f64, goal: f64) -> bool {
        let problem = self.problem;
        let penalty_force = |i: usize| self.kappa[i] * problem.constraint(x, i) / problem.size(i);
        let penalty_forces = (0..x.len()).map(|i| penalty_force(i).powi(2)).sum::<f64>().sqrt();
        let is_due = self.updates && left <= penalty_forces && penalty_forces > goal;
        if is_due {
            self.multipliers = (0..x.len()).map(|i| self.multiplier(x, i)).collect();
        }
        is_due
    }
}
