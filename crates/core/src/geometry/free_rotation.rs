//! Rotation of a rigid body without torque.
//!
//! In a frame that rotates with the body its angular momentum y obeys `y' = y x w`, `w = J y`, with the inverse J of the moment of
//! inertia. A stage of length h rotates the body by the mean of both ends,
//!
//! ```text
//! y_1 = exp(-h w) y,    w = J (y + y_1)/2.
//! ```
//!
//! |y| and so the momentum in the world are conserved, because y_1 is a rotation of y. The energy y.J y/2 is conserved, because
//! y_1 - y is normal to w, and w is parallel to J (y + y_1). A rotation about a principal axis is exact. So only the position on
//! the orbit has an error. It is the midpoint rule of Austin, Krishnaprasad, Wang, "Almost Poisson integration of rigid body
//! systems" (1993), with the exponential map in place of Cayley's. Five symmetric stages by Suzuki (1990) make it of fourth order.

use super::rotation::{self, Mat3, Quat, Vec3, cross_matrix};

/// Lengths of the stages over that of a part: g, g, 1 - 4g, g, g with g = 1/(4 - 4^(1/3)).
const STAGES: [f64; 5] = {
    const G: f64 = 0.414_490_771_794_375_7;
    [G, G, 1.0 - 4.0 * G, G, G]
};

/// Limit on the rotation of a part, rad. The error is 5e-6 rad a turn, and 1e-5 for a rod of a length of 30 diameters.
const PART: f64 = 0.25;

/// Limit on the number of parts: bounds the work for a rotation of more than 160 turns, of which no digit of the angle is known.
const MAX_PARTS: f64 = 4096.0;

/// Rotation of a free body in a time `dt` (s) of either sign. Input: the inverse of its moment of inertia (1/(kg m2)) and its angular
/// momentum (kg m2/s).
pub(crate) fn free_rotation(inverse: &Mat3, momentum: &Vec3, dt: f64) -> Quat {
    let angle = (inverse * momentum).norm() * dt.abs();
    let parts = (angle / PART).ceil().clamp(1.0, MAX_PARTS);
    let (mut turn, mut seen) = (Quat::identity(), *momentum);
    if angle > 0.0 {
        for stage in (0..parts as u32).flat_map(|_| STAGES) {
            let by = rotation::exp(&(mean_spin(inverse, &seen, stage * dt / parts) * (0.5 * stage * dt / parts)));
            seen = rotation::rotate(&by.conjugate(), &seen);
            turn *= by;
        }
    }
    turn / turn.norm()
}

/// Angular velocity w (rad/s) of a stage of length `h` (s) from the momentum `y`. Newton's method with the derivative of Cayley's
/// map, whose error falls by the square of the rotation in an iteration.
fn mean_spin(inverse: &Mat3, y: &Vec3, h: f64) -> Vec3 {
    /// Limit on the number of iterations: six are usual at the largest part, two in short steps.
    const ITERATIONS: usize = 12;
    let mut u = y + y.cross(&(inverse * y)) * (0.5 * h);
    for _ in 0..ITERATIONS {
        let w = inverse * u;
        let lack = (y + rotation::rotate(&rotation::exp(&(w * (-0.5 * h))), y)) * 0.5 - u;
        let derivative = Mat3::identity() - (cross_matrix(&u) * inverse - cross_matrix(&w)) * (0.5 * h);
        let Some(solution) = derivative.try_inverse() else { break };
        u += solution * lack;
        if lack.norm_squared() <= f64::EPSILON * f64::EPSILON * y.norm_squared() {
            break;
        }
    }
    inverse * u
}
