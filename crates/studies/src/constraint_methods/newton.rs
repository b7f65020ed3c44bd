use bdem_core::model::State;
use nalgebra::SVector;

use super::blocks::{SymmetricBlocks, dot, norm, scaled};
use super::line_search::line_search;
use super::minres::{Jacobi, Minres, minres};
use super::series::{SeriesRecorder, StopReason};
use super::{Problem, Series, Until};

/// Equations of Newton's method, with N unknowns and N residuals for each particle.
pub(super) trait Formulation<const N: usize> {
    type Point: Clone;

    fn state<'x>(&self, x: &'x Self::Point) -> &'x State;

    /// Residuals, N.
    fn residual(&self, x: &Self::Point) -> Vec<SVector<f64, N>>;

    /// Derivative of the residual, which is symmetric, N/m.
    fn matrix(&self, x: &Self::Point) -> SymmetricBlocks<N>;

    /// Point `length` times the step (m) from `x`.
    fn moved(&self, x: &Self::Point, step: &[SVector<f64, N>], length: f64) -> Self::Point;

    /// Function with the residual as gradient, J, if the line search is to decrease it. Without one it decreases the
    /// residual.
    fn energy(&self, x: &Self::Point) -> Option<f64>;

    /// Update of the multipliers, where the residual is down to `left` (N) and the goal is `goal`. Returns whether it
    /// changed them.
    fn update_multipliers(&mut self, _x: &Self::Point, _left: f64, _goal: f64) -> bool {
        false
    }
}

/// Limit on iterations of the linear solver, over the number of particles.
const MAX_LINEAR_ITERATIONS: usize = 100;

/// Newton's method with a line search. Its linear systems are solved inexactly.
pub(super) fn newton<const N: usize, F: Formulation<N>>(
    method: &'static str,
    mut f: F,
    start: F::Point,
    problem: &Problem,
    until: &Until,
) -> Series {
    let mut log = SeriesRecorder::new(method, problem, until);
    let mut x = start;
    let mut residual = f.residual(&x);
    let first = norm(&residual);
    let mut linear = 0;
    while log.note(f.state(&x), linear) {
        let left = norm(&residual);
        if left <= log.goal() {
            log.stop(StopReason::Settled);
            break;
        }
        let matrix = f.matrix(&x);
        let jacobi = Jacobi::new(&matrix);
        let effort = Minres {
            tolerance: forcing(left / first),
            max_iterations: MAX_LINEAR_ITERATIONS * matrix.diagonal.len(),
            is_downhill: f.energy(&x).is_some(),
        };
        let (step, iterations) = minres(&matrix, &jacobi, &scaled(&residual, -1.0), effort);
        let Some(length) = search(&f, &x, &residual, &step, &jacobi) else {
            log.stop(StopReason::Stalled);
            break;
        };
        x = f.moved(&x, &step, length);
        residual = f.residual(&x);
        if f.update_multipliers(&x, norm(&residual), log.goal()) {
            residual = f.residual(&x);
        }
        linear = iterations;
    }
    log.finish()
}

/// Forcing term: tolerance of a linear system when the residual is down to a `share` of the first. \[IBDEM\] eq 31,
/// made relative.
fn forcing(share: f64) -> f64 {
    /// Limit of double precision.
    const LEAST: f64 = 1e-9;
    share.sqrt().clamp(LEAST, 0.5)
}

fn search<const N: usize, F: Formulation<N>>(
    f: &F,
    x: &F::Point,
    residual: &[SVector<f64, N>],
    step: &[SVector<f64, N>],
    jacobi: &Jacobi<N>,
) -> Option<f64> {
    let moved = |length: f64| f.moved(x, step, length);
    if let Some(energy) = f.energy(x) {
        let value = |length: f64| f.energy(&moved(length)).unwrap_or(f64::INFINITY);
        return line_search(energy, dot(residual, step), 1.0, value);
    }
    let from = jacobi.norm(residual);
    line_search(from, -from, 1.0, |length| jacobi.norm(&f.residual(&moved(length))))
}
