//! Distances to the surfaces of single solids, negative inside.

use crate::geometry::Vec3;

/// Distance to a convex right-angled corner, from the distances to its sides.
pub(super) fn from_sides(d: Vec3) -> f64 {
    d.sup(&Vec3::zeros()).norm() + d.max().min(0.0)
}

/// Gradient of [`from_sides`]: outside to the nearest point of the corner, inside of the nearest side.
pub(super) fn normal_from_sides(d: Vec3) -> Vec3 {
    d.sup(&Vec3::zeros()).try_normalize(0.0).unwrap_or_else(|| Vec3::ith(d.imax(), 1.0))
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
