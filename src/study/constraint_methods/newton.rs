use nalgebra::SVector;

use crate::model::State;

use super::blocks::{SymmetricBlocks, dot, norm, scaled};
use super::line_search::line_search;
use super::minres::{Jacobi, Minres, minres};
use super::series::{SeriesRecorder, StopReason};
use super::{Problem, Series, Until};

/// What Newton's method is to find: N unknowns a particle for which as many residuals vanish.
pub trait Formulation<const N: usize> {
    type Point: Clone;

    fn state<'x>(&self, x: &'x Self::Point) -> &'x State;

    /// N.
    fn residual(&self, x: &Self::Point) -> Vec<SVector<f64, N>>;

    /// The residual's derivative, which is symmetric, N/m.
    fn matrix(&self, x: &Self::Point) -> SymmetricBlocks<N>;

    /// `length` times the step (m) from `x`.
    fn moved(&self, x: &Self::Point, step: &[SVector<f64, N>], length: f64) -> Self::Point;

    /// The function whose gradient the residual is, J, if steps are to go downhill on it. If there is none the residual
    /// is to shrink.
    fn energy(&self, x: &Self::Point) -> Option<f64>;

    /// Changes the formulation where its residual is down to `left` (N) and `goal` is small: whether it did.
    fn settle(&mut self, _x: &Self::Point, _left: f64, _goal: f64) -> bool {
        false
    }
}

/// Iterations of the linear solver, over the number of particles.
const MOST_LINEAR: usize = 100;

/// Newton's method with a line search, its linear systems solved as well as they are worth.
pub fn newton<const N: usize, F: Formulation<N>>(
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
            most_iterations: MOST_LINEAR * matrix.diagonal.len(),
            is_downhill: f.energy(&x).is_some(),
        };
        let (step, iterations) = minres(&matrix, &jacobi, &scaled(&residual, -1.0), effort);
        let Some(length) = search(&f, &x, &residual, &step, &jacobi) else {
            log.stop(StopReason::Stalled);
            break;
        };
        x = f.moved(&x, &step, length);
        residual = f.residual(&x);
        if f.settle(&x, norm(&residual), log.goal()) {
            residual = f.residual(&x);
        }
        linear = iterations;
    }
    log.finish()
}

/// How well a linear system is to be solved when the residual is down to a `share` of the first: \[IBDEM\] eq 31, made
/// relative.
fn forcing(share: f64) -> f64 {
    /// What double precision can tell.
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
