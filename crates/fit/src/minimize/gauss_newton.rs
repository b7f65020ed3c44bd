use nalgebra::{DMatrix, DVector};

use super::record::{Evaluations, HAS_CONVERGED};

/// Difference of a free parameter for a derivative: the cube root of a run's relative error of 1e-9, about.
const DIFFERENCE: f64 = 1e-3;

/// First damping over the largest diagonal entry of J^T J, and its changes after a good and a bad step.
const DAMPING: f64 = 1e-3;
const LESS: f64 = 0.2;
const MORE: f64 = 4.0;

/// Damping over the largest diagonal entry of J^T J up to which short steps are those of a minimum.
const UNDAMPED: f64 = 1e-2;

/// Most bad steps in a row.
const MAX_BAD_STEPS: usize = 12;

/// Longest step of a free parameter.
const LONGEST_STEP: f64 = 2.0;

/// Minimises from `start`. Returns why it ended. Nocedal and Wright, section 10.3.
pub(super) fn run(evaluations: &Evaluations, start: Vec<f64>) -> Result<String, String> {
    let mut x = start;
    let mut r = evaluations.residuals(std::slice::from_ref(&x))?.remove(0);
    let mut damping = None;
    loop {
        let j = jacobian(evaluations, &x, r.len())?;
        let (matrix, gradient) = (j.transpose() * &j, j.transpose() * DVector::from_vec(r.clone()));
        let largest = matrix.diagonal().max();
        if largest == 0.0 {
            return Ok("no residual changes with any parameter".to_owned());
        }
        let mut lambda = damping.unwrap_or(DAMPING * largest);
        let mut bad = 0;
        loop {
            let damped = &matrix + DMatrix::identity(x.len(), x.len()) * lambda;
            let Some(factor) = damped.cholesky() else { return Ok("the normal equations are singular".to_owned()) };
            let step = -factor.solve(&gradient);
            let next: Vec<f64> =
                x.iter().zip(step.iter()).map(|(x, step)| x + step.clamp(-LONGEST_STEP, LONGEST_STEP)).collect();
            let has_converged = lambda <= UNDAMPED * largest && evaluations.has_converged(&x, &next);
            // the last step too is made: its error is the square of its length
            let residuals = evaluations.residuals(std::slice::from_ref(&next))?.remove(0);
            if has_converged {
                return Ok(HAS_CONVERGED.to_owned());
            }
            if squares(&residuals) < squares(&r) {
                (x, r) = (next, residuals);
                damping = Some(lambda * LESS);
                break;
            }
            lambda *= MORE;
            bad += 1;
            if bad > MAX_BAD_STEPS {
                return Ok("no step lowers the loss".to_owned());
            }
        }
    }
}

fn squares(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum()
}

/// Derivatives of the residuals by central differences, all runs side by side.
fn jacobian(evaluations: &Evaluations, x: &[f64], rows: usize) -> Result<DMatrix<f64>, String> {
    let moved = |axis: usize, by: f64| {
        let mut x = x.to_vec();
        x[axis] += by;
        x
    };
    let points: Vec<_> = (0..x.len()).flat_map(|axis| [moved(axis, -DIFFERENCE), moved(axis, DIFFERENCE)]).collect();
    let residuals = evaluations.residuals(&points)?;
    Ok(DMatrix::from_fn(rows, x.len(), |row, axis| {
        (residuals[2 * axis + 1][row] - residuals[2 * axis][row]) / (2.0 * DIFFERENCE)
    }))
}
