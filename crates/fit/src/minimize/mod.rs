//! Minimisation of a loss within bounds.
//!
//! ```text
//! bounds         parameters within bounds as functions of unbounded ones
//! lbfgs          L-BFGS of the crate argmin, with gradients
//! gauss_newton   Levenberg and Marquardt's damped Gauss-Newton, with differences of runs side by side
//! simplex        Nelder and Mead's simplex of the crate argmin, from the best of a sample of runs side by side
//! record         the evaluations so far, and the best of them
//! ```

mod bounds;
mod gauss_newton;
mod lbfgs;
mod record;
mod simplex;

use crate::error::FitError;

pub use bounds::Bounds;
pub use record::Evaluation;

use record::Evaluations;

/// Optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// L-BFGS, by gradients, with a line search of More and Thuente: Nocedal and Wright, algorithm 7.5.
    Lbfgs {
        /// Pairs of steps and changes of the gradient that it keeps.
        memory: usize,
    },
    /// Gauss-Newton with the damping of Levenberg and Marquardt, by central differences of runs. For few parameters and a loss
    /// that is a sum of squares.
    GaussNewton,
    /// Nelder and Mead's simplex, without derivatives: for losses that jump.
    NelderMead {
        /// Runs of a first sample within the bounds, evenly spread. The best of them and the start begin the simplex.
        samples: usize,
    },
}

/// Limits of a minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Most evaluations of the loss.
    pub evaluations: usize,
    /// Loss at which it ends.
    pub loss: f64,
}

/// Loss as a function of parameters. A method calls one of these.
pub trait Problem {
    /// Loss and gradient.
    ///
    /// # Errors
    /// When there is none.
    fn gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), FitError>;

    /// Residuals at several points, side by side: the loss is the sum of their squares.
    ///
    /// # Errors
    /// When there are none at a point.
    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError>;

    /// Losses at several points, side by side.
    ///
    /// # Errors
    /// When there is none at a point.
    fn losses(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, FitError> {
        let residuals = self.residuals(points)?;
        Ok(residuals.iter().map(|residuals| residuals.iter().map(|r| r * r).sum()).collect())
    }
}

/// A function of loss and gradient, for [`Method::Lbfgs`]. Other methods get a single residual, the root of the loss.
impl<F: Fn(&[f64]) -> Result<(f64, Vec<f64>), FitError>> Problem for F {
    fn gradient(&self, parameters: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        self(parameters)
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        points.iter().map(|point| Ok(vec![self(point)?.0.sqrt()])).collect()
    }
}

/// Result of a minimisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// Parameters of the least loss.
    pub parameters: Vec<f64>,
    /// The least loss.
    pub loss: f64,
    /// Evaluations of the loss.
    pub evaluations: usize,
    /// Reason for its end.
    pub why: String,
}

/// Least loss found from `start` within `bounds`. `progress` gets every evaluation. The same evaluations give the same points,
/// so that a minimisation goes on where another was stopped if it gets that one's evaluations again.
///
/// # Errors
/// When an evaluation fails, or a stop is requested.
///
/// # Panics
/// When the start is not within the bounds.
pub fn minimize(
    method: Method,
    start: &[f64],
    bounds: &[Bounds],
    limits: Limits,
    progress: &mut dyn FnMut(&Evaluation),
    problem: &dyn Problem,
) -> Result<Minimum, FitError> {
    let evaluations = Evaluations::new(problem, bounds, limits, progress);
    let start: Vec<f64> = start.iter().zip(bounds).map(|(x, bounds)| bounds.to_free(*x)).collect();
    let ended = match method {
        Method::Lbfgs { memory } => lbfgs::run(&evaluations, start, memory),
        Method::GaussNewton => gauss_newton::run(&evaluations, start),
        Method::NelderMead { samples } => {
            simplex::run(&evaluations, start, samples.min(limits.evaluations.saturating_sub(1)))
        }
    };
    evaluations.finish(ended)
}
