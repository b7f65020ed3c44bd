//! Small linear systems.

use super::{Mat3, Vec3};

/// Solution x of A x = b for a symmetric positive definite `a`, as L D L^T; `None` if it is not positive definite.
///
/// Without roots: where units of lengths or times are changed by powers of two, only the exponents of x change.
pub(crate) fn solve_positive(a: &Mat3, b: &Vec3) -> Option<Vec3> {
    let d0 = a[(0, 0)];
    let (l10, l20) = (a[(1, 0)] / d0, a[(2, 0)] / d0);
    let d1 = a[(1, 1)] - l10 * a[(1, 0)];
    let below = a[(2, 1)] - l20 * a[(1, 0)];
    let l21 = below / d1;
    let d2 = a[(2, 2)] - l20 * a[(2, 0)] - l21 * below;
    let y1 = b.y - l10 * b.x;
    let y2 = b.z - l20 * b.x - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    let x = b.x / d0 - l10 * y - l20 * z;
    [d0, d1, d2].iter().all(|d| *d > 0.0).then(|| Vec3::new(x, y, z))
}
