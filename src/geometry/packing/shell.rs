use super::relaxation::Relaxation;
use super::scattered;
use crate::geometry::{Vec3, shape::Shape};

/// Area per sphere of a hexagonal plane, in squared radii: 2 sqrt(3).
const CELL: f64 = 3.464_101_615_137_754_6;

/// Estimated number of spheres of `radius` (m) of [`shell`] in `shape`.
pub fn estimate_shell(shape: &Shape, layers: u32, radius: f64) -> f64 {
    /// Number of points that sample the layers.
    const POINTS: f64 = 131_072.0;
    let (low, high) = shape.bounds();
    let share = (high - low).product() / POINTS;
    let depth = 2.0 * radius * f64::from(layers);
    let hits = scattered(shape, share, 0, |p| shape.is_between(p, -depth, 0.0)).len();
    share * hits as f64 / (2.0 * CELL * radius.powi(3))
}

/// Centres (m) of spheres of `radius` (m) in `layers` under the surface of `shape`, sorted by x. The outermost spheres
/// touch it, each layer is a diameter below the last, and most spheres have six neighbours within a layer. None
/// overlap. It depends on `seed` alone.
pub fn shell(shape: &Shape, layers: u32, radius: f64, seed: u64) -> Vec<Vec3> {
    shell_with(shape, layers, radius, seed, &mut |_| {})
}

/// [`shell`], where `progress` is told the share that is done, now and then.
pub fn shell_with(shape: &Shape, layers: u32, radius: f64, seed: u64, progress: &mut dyn FnMut(f64)) -> Vec<Vec3> {
    /// Initial points per sphere of a full layer.
    const CROWD: f64 = 1.1;
    let share = 2.0 * radius.powi(3) * CELL / CROWD;
    let mut spheres: Vec<(Vec3, u32)> = Vec::new();
    for layer in 0..layers {
        let depth = radius * f64::from(2 * layer + 1);
        let near = |p: &Vec3| shape.is_between(p, -depth - radius, -depth + radius);
        let points = scattered(shape, share, seed.wrapping_add(layer.into()), near);
        spheres.extend(points.into_iter().map(|(_, p)| (p, layer)));
    }
    spheres.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x));
    let (centres, layers): (Vec<_>, Vec<_>) = spheres.into_iter().unzip();
    let radii = vec![radius; centres.len()];
    Relaxation::on_layers(shape, centres, radii, &layers).run(progress).0
}
