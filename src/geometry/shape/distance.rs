//! Distances to the surfaces of single solids, negative inside.

use crate::geometry::Vec3;

/// Distance to a convex right-angled corner, from the distances to its sides.
pub(super) fn from_sides(d: Vec3) -> f64 {
    d.sup(&Vec3::zeros()).norm() + d.max().min(0.0)
}

/// Distance to a convex right-angled corner in a plane.
pub(super) fn from_rectangle([a, b]: [f64; 2]) -> f64 {
    from_sides(Vec3::new(a, b, f64::NEG_INFINITY))
}

/// Distance to a frustum about z with these radii at z = -half and z = half, from a point `from_axis` off the axis at
/// height `z`: the nearer of its ends and its side (I. Quilez, "Distance functions", capped cone).
pub(super) fn from_frustum(radius: f64, top_radius: f64, half: f64, from_axis: f64, z: f64) -> f64 {
    let end = if z < 0.0 { radius } else { top_radius };
    let to_end = [from_axis - from_axis.min(end), z.abs() - half];
    let side = [top_radius - radius, 2.0 * half];
    let along = ((top_radius - from_axis) * side[0] + (half - z) * side[1]) / (side[0] * side[0] + side[1] * side[1]);
    let along = along.clamp(0.0, 1.0);
    let to_side = [from_axis - top_radius + side[0] * along, z - half + side[1] * along];
    let distance = libm::hypot(to_end[0], to_end[1]).min(libm::hypot(to_side[0], to_side[1]));
    if to_side[0] < 0.0 && to_end[1] < 0.0 { -distance } else { distance }
}

/// Distance to an ellipsoid of half axes `e`. Its nearest point is x_i = e_i^2 p_i/(t + e_i^2), with the root t of sum
/// (e_i p_i/(t + e_i^2))^2 = 1 above -min e_i^2, by bisection (D. Eberly, "Distance from a point to an ellipse, an
/// ellipsoid, or a hyperellipsoid", 2013).
pub(super) fn from_ellipsoid(e: &Vec3, p: &Vec3) -> f64 {
    /// Relative offset from planes of symmetry, on which the root would be degenerate.
    const OFFSET: f64 = 1e-12;
    /// Maximum number of halvings: enough for full precision.
    const HALVINGS: usize = 100;
    // in units of the shortest half axis, so that the root is above -1
    let least = e.min();
    let (e, p) = (e / least, p.abs() / least);
    let p = p.sup(&(e * OFFSET));
    let squares = e.component_mul(&e);
    // t + 1, for near the middle t is too close to -1
    let at = |s: f64| squares.component_mul(&p).component_div(&squares.add_scalar(-1.0).add_scalar(s));
    let outside = |s: f64| at(s).component_div(&e).norm_squared() > 1.0;
    let (mut low, mut high) = (0.0, e.component_mul(&p).norm());
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if outside(middle) { low = middle } else { high = middle }
    }
    let distance = (at(high) - p).norm() * least;
    if p.component_div(&e).norm_squared() > 1.0 { distance } else { -distance }
}
