use bdem_core::geometry::Vec3;

use super::Rest;
use super::ties::Ties;

/// Crossing of a crack between the particles `i` and `j` with the edge from `low` to `high` (m).
///
/// The first guess is equally far from both particles, in radii. It is then moved onto the surface around the fracture
/// points nearby: F = 0 of \[BDEM21\] eq 19. The point of a broken bond is where its particles touched, its normal the
/// bond's direction. Normals point here from the side of `i` to that of `j`, for both particles alike. So both sides
/// of a crack are one surface.
pub(super) fn crossing(rest: &Rest, ties: &Ties, [i, j]: [u32; 2], [low, high]: [Vec3; 2]) -> Vec3 {
    let nearer = |x: &Vec3| far(rest, i, x) - far(rest, j, x);
    let x = between(&low, &high, nearer(&low), nearer(&high));
    let (mut weights, mut f, mut normal) = (0.0, 0.0, Vec3::zeros());
    for (a, b) in ties.cut(i).map(|k| (i, k)).chain(ties.cut(j).map(|k| (k, j))) {
        let [p_a, p_b] = [a, b].map(|k| rest.p[k as usize]);
        let [r_a, r_b] = [a, b].map(|k| rest.radius[k as usize]);
        let n = (p_b - p_a).normalize();
        let arm = x - (p_a + (p_b - p_a) * (r_a / (r_a + r_b)));
        let weight = libm::exp(-arm.norm_squared() / (r_a * r_b));
        weights += weight;
        f += weight * arm.dot(&n);
        normal += n * weight;
    }
    // normals that cancel each other give no direction
    if normal.norm() < 0.5 * weights || weights == 0.0 {
        return x;
    }
    x - normal * (f / normal.norm_squared())
}

/// Distance of `x` (m) from a particle, in radii.
fn far(rest: &Rest, i: u32, x: &Vec3) -> f64 {
    (x - rest.p[i as usize]).norm() / rest.radius[i as usize]
}

/// Zero between `low` and `high` of a value that is `a` and `b` there. It keeps off the ends, where triangles would
/// have no area.
pub(super) fn between(low: &Vec3, high: &Vec3, a: f64, b: f64) -> Vec3 {
    const OFF: f64 = 0.02;
    let share = a / (a - b);
    let share = if share.is_finite() { share.clamp(OFF, 1.0 - OFF) } else { 0.5 };
    low + (high - low) * share
}
