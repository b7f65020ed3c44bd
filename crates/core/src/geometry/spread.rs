//! Low-discrepancy point sets, equal at every call.

use std::f64::consts::PI;

use super::Vec3;

/// The n-th point of a low-discrepancy sequence in the unit cube (M. Roberts 2018, "The unreasonable effectiveness of
/// quasirandom sequences", R3).
pub(super) fn in_cube(n: u32) -> Vec3 {
    /// The root of x^4 = x + 1.
    const ROOT: f64 = 1.220_744_084_605_759_6;
    recurrence(n, ROOT).into()
}

/// The same in the unit hypercube of four dimensions, R4.
pub(super) fn in_hypercube(n: u32) -> [f64; 4] {
    /// The root of x^5 = x + 1.
    const ROOT: f64 = 1.167_303_978_261_418_7;
    recurrence(n, ROOT)
}

fn recurrence<const N: usize>(n: u32, root: f64) -> [f64; N] {
    std::array::from_fn(|axis| (0.5 + f64::from(n) * libm::pow(root, -(axis as f64 + 1.0))).fract())
}

/// The n-th of `count` points spread evenly over the unit sphere (a spherical Fibonacci lattice).
pub(crate) fn on_sphere(n: u32, count: u32) -> Vec3 {
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    let z = 1.0 - (2.0 * f64::from(n) + 1.0) / f64::from(count);
    let across = (1.0 - z * z).sqrt();
    let (sin, cos) = libm::sincos(golden_angle * f64::from(n));
    Vec3::new(across * cos, across * sin, z)
}
