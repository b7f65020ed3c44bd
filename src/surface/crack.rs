use crate::geometry::Vec3;

use super::Rest;
use super::ties::Ties;

/// Where a crack between the particles `i` and `j` crosses the edge from `low` to `high` (m), which are theirs.
///
/// First where both particles are as far, in radii; then moved onto the surface around which the fracture points nearby
/// lie: F = 0 of \[BDEM21\] eq 19. A broken bond's point is where its particles touched, its normal the bond's direction,
/// here from the side of `i` to that of `j` for both particles alike, so that both sides of a crack are one surface.
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
    // normals that cancel each other say nothing
    if normal.norm() < 0.5 * weights || weights == 0.0 {
        return x;
    }
    x - normal * (f / normal.norm_squared())
}

/// How far `x` (m) is from a particle, in radii.
fn far(rest: &Rest, i: u32, x: &Vec3) -> f64 {
    (x - rest.p[i as usize]).norm() / rest.radius[i as usize]
}

/// Where on the way from `low` to `high` a value that is `a` and `b` there is zero; a little off the ends, lest triangles
/// have no area.
pub(super) fn between(low: &Vec3, high: &Vec3, a: f64, b: f64) -> Vec3 {
    const OFF: f64 = 0.02;
    let share = a / (a - b);
    let share = if share.is_finite() { share.clamp(OFF, 1.0 - OFF) } else { 0.5 };
    low + (high - low) * share
}
