use bdem_fit::error::FitError;
use bdem_fit::minimize::{Method, Minimum, Problem};

use super::problem::SceneLoss;
/// Share of the way between the bounds within which a parameter is at one of them.
const AT_BOUND: f64 = 1e-3;

/// Change of a parameter, as a share of it, by which the loss has to change.
const CHANGE: f64 = 0.1;

/// Least change of the loss over the least loss: less hides in what the fit leaves.
const LEAST_RISE: f64 = 1e-2;

/// Least change of the loss over that of a run in which nothing happens.
const LEAST_CHANGE: f64 = 1e-8;

/// Reasons why the parameters of a minimum may be wrong: one is at its bound, the loss does not depend on it, or targets go on
/// beyond the run.
pub(super) fn about(problem: &SceneLoss, minimum: &Minimum) -> Result<Vec<String>, FitError> {
    let mut doubts = Vec::new();
    for (k, parameter) in problem.runs.file.tables.parameters.iter().enumerate() {
        let (name, value, bounds) = (parameter.key.get_ref().name(), minimum.parameters[k], parameter.bounds());
        let share = bounds.share(value);
        if share.min(1.0 - share) < AT_BOUND {
            let (which, bound) = if share < 0.5 { ("lower", bounds.low) } else { ("upper", bounds.high) };
            doubts.push(format!(
                "{name} is at its {which} bound, {bound:?}: widen the bounds, or look whether the scene is that of the target"
            ));
        } else if is_flat(problem, minimum, k)? {
            doubts.push(format!(
                "the loss hardly depends on {name}: a tenth of it more or less changes the loss by less than a hundredth. \
                 Take a target that shows it, or leave the parameter out"
            ));
        }
    }
    match problem.rows_beyond(&minimum.parameters) {
        0 => {}
        rows => doubts.push(format!(
            "{rows} rows of the targets are beyond the run's curve, and were compared with its end: raise time.frames, take \
             away time.until, or take the rows out"
        )),
    }
    Ok(doubts)
}

/// Whether the loss hardly rises from its minimum with a change of parameter `k` to either side.
fn is_flat(problem: &SceneLoss, minimum: &Minimum, k: usize) -> Result<bool, FitError> {
    let parameter = &problem.runs.file.tables.parameters[k];
    let (bounds, value) = (parameter.bounds(), minimum.parameters[k]);
    let change = if value == 0.0 { CHANGE * (bounds.high - bounds.low) } else { CHANGE * value };
    let sides = [value - change, value + change].into_iter().filter(|value| bounds.contain(*value));
    let points: Vec<Vec<f64>> = sides
        .map(|value| {
            let mut point = minimum.parameters.clone();
            point[k] = value;
            point
        })
        .collect();
    let losses: Result<Vec<f64>, FitError> = match problem.runs.file.method() {
        Method::Lbfgs { .. } => points.iter().map(|point| Ok(problem.gradient(point)?.0)).collect(),
        Method::GaussNewton | Method::NelderMead { .. } => problem.losses(&points),
    };
    let least = (LEAST_RISE * minimum.loss).max(LEAST_CHANGE * problem.runs.targets.weight());
    match losses {
        Ok(losses) => Ok(losses.iter().all(|loss| (loss - minimum.loss).abs() < least)),
        Err(error) if problem.runs.options.interrupt.signal().is_some() => Err(error),
        // a run that cannot be made is another one
        Err(_) => Ok(false),
    }
}
