//! Nearest point of an ellipsoid.

use crate::geometry::Vec3;

/// Relative offset from planes of symmetry, on which the root would be degenerate.
const OFFSET: f64 = 1e-12;

/// Lower bound on the distance (m) from `p` to the ellipsoid of half axes `e`, negative inside, and its upper bound: the
/// level `|p/e|` grows by at most `1/min e` a metre, and the ray from the centre through `p` meets the surface.
pub(super) fn bounds(e: &Vec3, p: &Vec3) -> [f64; 2] {
    let level = p.component_div(e).norm();
    let steep = (level - 1.0) * e.min();
    let along_ray = if level > 0.0 { p.norm() * (1.0 - 1.0 / level) } else { -e.min() };
    if level > 1.0 { [steep, along_ray] } else { [along_ray, steep] }
}

/// Distance from `p` to the ellipsoid of half axes `e`, negative inside, and the normal at its nearest point x.
///
/// x_i = e_i^2 p_i/(t + e_i^2), with the root t above -min e_i^2 of |x/e| = 1 (D. Eberly, "Distance from a point to an
/// ellipse, an ellipsoid, or a hyperellipsoid", 2013). Newton's iteration solves 1/|x/e| = 1, which is concave in t and
/// nearly linear: from the left of the root it rises to it (J. More, D. Sorensen, "Computing a trust region step", 1983).
pub(super) fn nearest(e: &Vec3, p: &Vec3) -> (f64, Vec3) {
    /// Maximum number of iterations; about four are needed.
    const ITERATIONS: usize = 60;
    // in units of the shortest half axis, so that the root is above -1
    let least = e.min();
    let (e, q) = (e / least, p.abs() / least);
    let q = q.sup(&(e * OFFSET));
    let squares = e.component_mul(&e);
    let beyond = squares.add_scalar(-1.0);
    let product = e.component_mul(&q);
    // t + 1, for near the middle t is too close to -1; each axis alone bounds it from below
    let mut root = (product - beyond).max();
    for _ in 0..ITERATIONS {
        let denominators = beyond.add_scalar(root);
        let scaled = product.component_div(&denominators);
        let squared = scaled.norm_squared();
        let fall = scaled.component_mul(&scaled).component_div(&denominators).sum();
        let step = squared / fall * (squared.sqrt() - 1.0);
        root += step;
        // also where rounding makes it turn back
        if step <= f64::EPSILON * root {
            break;
        }
    }
    let x = squares.component_mul(&q).component_div(&beyond.add_scalar(root));
    let normal = x.component_div(&squares).zip_map(p, f64::copysign).normalize();
    let distance = (x - q).norm() * least;
    (if q.component_div(&e).norm_squared() > 1.0 { distance } else { -distance }, normal)
}
