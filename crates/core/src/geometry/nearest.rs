//! Distance between two point sets.

use super::Vec3;

/// Number of points below which all pairs are compared.
const DIRECT_BELOW: usize = 16;

/// Smallest distance (m) between points of the two sets; infinite if one is empty.
pub fn distance([a, b]: [&[Vec3]; 2]) -> f64 {
    let mut nearest = f64::INFINITY;
    search([&mut a.to_vec(), &mut b.to_vec()], &mut nearest);
    nearest.sqrt()
}

/// Halves the larger set and searches both halves. Prunes sets whose bounding boxes are further apart than the root of
/// `nearest` (m2).
fn search([a, b]: [&mut [Vec3]; 2], nearest: &mut f64) {
    if a.is_empty() || b.is_empty() || between_boxes(a, b) >= *nearest {
        return;
    }
    let [less, more] = if a.len() < b.len() { [a, b] } else { [b, a] };
    if more.len() <= DIRECT_BELOW {
        let all = less.iter().flat_map(|p| more.iter().map(move |q| (p - q).norm_squared()));
        *nearest = all.fold(*nearest, f64::min);
        return;
    }
    let (low, high) = bounds(more);
    let axis = (high - low).imax();
    more.select_nth_unstable_by(more.len() / 2, |p, q| p[axis].total_cmp(&q[axis]));
    let (lower, upper) = more.split_at_mut(more.len() / 2);
    let mut halves = [lower, upper];
    halves.sort_by(|p, q| between_boxes(p, less).total_cmp(&between_boxes(q, less)));
    for half in halves {
        search([half, &mut *less], nearest);
    }
}

/// Squared distance (m2) between the axis-aligned bounding boxes of two sets.
fn between_boxes(a: &[Vec3], b: &[Vec3]) -> f64 {
    let ((low_a, high_a), (low_b, high_b)) = (bounds(a), bounds(b));
    (low_a - high_b).sup(&(low_b - high_a)).sup(&Vec3::zeros()).norm_squared()
}

fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    points.iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)))
}
