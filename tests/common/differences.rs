//! Derivatives by finite differences.

/// The slope at zero of `f`, to fourth order in the step `h`.
pub fn slope<const N: usize>(f: impl Fn(f64) -> SVector<f64, N>, h: f64) -> SVector<f64, N> {
    ((f(h) - f(-h)) * 8.0 - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}
