//! Triangles of polygons.

use bdem_core::geometry::Vec3;
use earcut::Earcut;

/// Tolerance of areas that are rounding, as a share of the polygon's.
const ROUNDING: f64 = 1e-9;

/// Triangles of a polygon whose corners are these indices of `places`.
///
/// A fan around the first corner, where it lies in the polygon, as in every convex one. Others are cut by their ears (J. D.
/// Eberly, "Triangulation by Ear Clipping"): a fan would reach across their notches.
pub(super) fn triangles(places: &[Vec3], polygon: &[u32]) -> Vec<[u32; 3]> {
    let rest = polygon.get(1..).unwrap_or_default();
    let fan: Vec<[u32; 3]> = rest.windows(2).map(|pair| [polygon[0], pair[0], pair[1]]).collect();
    let corners: Option<Vec<Vec3>> = polygon.iter().map(|&i| places.get(i as usize).copied()).collect();
    // indices out of range are told by the mesh
    let Some(corners) = corners.filter(|_| fan.len() > 1) else { return fan };
    let areas: Vec<Vec3> = corners[1..].windows(2).map(|pair| area(&corners[0], &pair[0], &pair[1])).collect();
    let whole: Vec3 = areas.iter().sum();
    if areas.iter().all(|area| area.dot(&whole) >= -ROUNDING * whole.norm_squared()) {
        return fan;
    }
    let of_polygon = |triangle: [usize; 3]| triangle.map(|k| polygon[k]);
    ears(&corners, &whole).map_or(fan, |ears| ears.into_iter().map(of_polygon).collect())
}

/// Area vector of a triangle.
fn area(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    (b - a).cross(&(c - a)) * 0.5
}

/// Triangles, as indices of the `corners`, of a polygon with the area vector `whole`. None where it crosses itself, so that
/// they do not add up to its area.
fn ears(corners: &[Vec3], whole: &Vec3) -> Option<Vec<[usize; 3]>> {
    // seen along the axis nearest to its normal
    let axis = whole.iamax();
    let flat: Vec<[f64; 2]> = corners.iter().map(|p| [p[(axis + 1) % 3], p[(axis + 2) % 3]]).collect();
    let mut indices: Vec<usize> = Vec::new();
    Earcut::new().earcut(flat.iter().copied(), &[], &mut indices);
    let size = |&[a, b, c]: &[usize; 3]| area(&corners[a], &corners[b], &corners[c])[axis];
    let turned = |&[a, b, c]: &[usize; 3]| {
        let is_reversed = (size(&[a, b, c]) < 0.0) != (whole[axis] < 0.0);
        if is_reversed { [a, c, b] } else { [a, b, c] }
    };
    let ears: Vec<[usize; 3]> = indices.as_chunks().0.iter().map(turned).collect();
    let sum: f64 = ears.iter().map(size).sum();
    ((sum - whole[axis]).abs() <= 1e-6 * whole[axis].abs()).then_some(ears)
}
