/// Step length by Armijo's rule: the first of `first`, `first`/2, `first`/4, ... with a sufficient decrease. `value`
/// is the function along the step, `from` its value at zero, `slope` its derivative there. None if no such length is
/// found.
pub(super) fn line_search(from: f64, slope: f64, first: f64, value: impl Fn(f64) -> f64) -> Option<f64> {
    const SUFFICIENT_DECREASE: f64 = 1e-4;
    const HALVINGS: usize = 40;
    /// Rounding error of the function, as a share of it.
    const ROUNDING: f64 = 1e-13;
    let lengths = std::iter::successors(Some(first), |length| Some(0.5 * length)).take(HALVINGS);
    let mut lengths = lengths.filter(|_| slope < 0.0);
    lengths.find(|length| value(*length) <= from + SUFFICIENT_DECREASE * length * slope + ROUNDING * from.abs())
}
