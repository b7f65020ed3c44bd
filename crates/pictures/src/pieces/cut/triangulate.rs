use bdem_core::geometry::Vec3;

/// Triangles of a polygon, by clipping ears, the roundest first. Quadrilaterals, which may not be plane, are divided from their
/// first corner, as packings and other programs do. Indices are those of its corners.
pub(crate) fn triangulate(polygon: &[Vec3]) -> Vec<[usize; 3]> {
    if polygon.len() == 3 {
        return vec![[0, 1, 2]];
    }
    let normal = area_vector(polygon).try_normalize(0.0).unwrap_or_default();
    let halves = [[0, 1, 2], [0, 2, 3]];
    if polygon.len() == 4 && halves.iter().all(|half| area_vector(&half.map(|k| polygon[k])).dot(&normal) > 0.0) {
        return halves.to_vec();
    }
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    let mut triangles = Vec::with_capacity(polygon.len() - 2);
    while left.len() > 3 {
        let count = left.len();
        let corners = |k: usize| [left[(k + count - 1) % count], left[k], left[(k + 1) % count]];
        let best = (0..count).map(|k| (roundness(polygon, &left, corners(k), &normal), k));
        // a polygon without an ear, which crosses itself, still becomes closed triangles
        let (_, ear) = best.fold((0.0, 1), |best, next| if next.0 > best.0 { next } else { best });
        triangles.push(corners(ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// Newell's area vector of a polygon, m2: its normal times its area.
pub(in crate::pieces) fn area_vector(polygon: &[Vec3]) -> Vec3 {
    let from = polygon[0];
    let parts = polygon.windows(2).map(|pair| (pair[0] - from).cross(&(pair[1] - from)));
    parts.sum::<Vec3>() * 0.5
}

/// Area over squared longest side of an ear; zero if it is none.
fn roundness(polygon: &[Vec3], left: &[usize], ear: [usize; 3], normal: &Vec3) -> f64 {
    let [a, b, c] = ear.map(|k| polygon[k]);
    let area = (b - a).cross(&(c - a)).dot(normal);
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    if area <= 1e-12 * longest {
        return 0.0;
    }
    let is_inside = |p: &Vec3| {
        [(a, b), (b, c), (c, a)].iter().all(|(from, to)| (to - from).cross(&(p - from)).dot(normal) >= -1e-12 * longest)
    };
    let blocked = left.iter().any(|k| !ear.contains(k) && is_inside(&polygon[*k]));
    if blocked { 0.0 } else { area / longest }
}
