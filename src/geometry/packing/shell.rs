use super::relaxation::Relaxation;
use super::strewn;
use crate::geometry::{Vec3, shape::Shape};

/// Area that each sphere of a hexagonal plane covers, in squares of its radius: 2 sqrt(3).
const CELL: f64 = 3.464_101_615_137_754_6;

/// About how many spheres of `radius` (m) [`shell`] puts under the surface of `shape`.
pub fn estimate_shell(shape: &Shape, layers: u32, radius: f64) -> f64 {
    /// Points by which the layers are measured.
    const POINTS: f64 = 131_072.0;
    let (low, high) = shape.bounds();
    let share = (high - low).product() / POINTS;
    let depth = 2.0 * radius * f64::from(layers);
    let hits = strewn(shape, share, 0, |p| (-depth..0.0).contains(&shape.distance(p))).len();
    share * hits as f64 / (2.0 * CELL * radius.powi(3))
}

/// Centres (m) of spheres of `radius` (m) that cover the surface of `shape` from within in so many `layers`, sorted by x: the
/// outermost spheres touch it, each layer lies a diameter below the last, and within a layer most spheres have six
/// neighbours. No two overlap. It depends on `seed` alone.
pub fn shell(shape: &Shape, layers: u32, radius: f64, seed: u64) -> Vec<Vec3> {
    /// Points for each sphere that there is room for.
    const CROWD: f64 = 1.1;
    let share = 2.0 * radius.powi(3) * CELL / CROWD;
    let mut spheres: Vec<(Vec3, u32)> = Vec::new();
    for layer in 0..layers {
        let depth = radius * f64::from(2 * layer + 1);
        let near = |p: &Vec3| (shape.distance(p) + depth).abs() < radius;
        let points = strewn(shape, share, seed.wrapping_add(layer.into()), near);
        spheres.extend(points.into_iter().map(|(_, p)| (p, layer)));
    }
    spheres.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x));
    let (centres, layers): (Vec<_>, Vec<_>) = spheres.into_iter().unzip();
    let radii = vec![radius; centres.len()];
    Relaxation::on_layers(shape, centres, radii, &layers).run().0
}
