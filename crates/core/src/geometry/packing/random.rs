use std::f64::consts::PI;

use super::relaxation::Relaxation;
use super::scattered;
use crate::geometry::keyed::{mix, uniform};
use crate::geometry::{Vec3, shape::Shape};

/// Initial volume fraction: slightly above that of a random close packing.
pub(super) const FILLED: f64 = 0.66;

/// Estimated number of spheres of [`random`] in a shape of this `volume` (m3), with radii (m) uniform in `range`. An
/// overestimate of some tenth, since they are less dense at the surface.
pub fn estimate_random(volume: f64, range: [f64; 2]) -> f64 {
    volume / share(range)
}

/// Centres and radii (m) of a random close packing in `shape`, sorted by x. Radii are uniform in `range` (m), no two
/// spheres overlap, and most gaps are below a hundredth of a radius. It depends on `seed` alone.
///
/// Too many random points are pushed apart as overlapping spheres, as in the force-biased algorithm (Moscinski,
/// Bargiel, Rycerz, Jacobs 1989). That one shrinks the spheres until they fit. Here they keep their radii, and those
/// under the highest pressure are removed, a few at a time. So the shape, walls included, determines their number.
pub fn random(shape: &Shape, range: [f64; 2], seed: u64) -> (Vec<Vec3>, Vec<f64>) {
    random_with(shape, range, seed, &mut |_| {})
}

/// [`random`], where `progress` is told the share that is done, now and then.
pub fn random_with(shape: &Shape, range: [f64; 2], seed: u64, progress: &mut dyn FnMut(f64)) -> (Vec<Vec3>, Vec<f64>) {
    let [low, high] = range;
    let mut points = scattered(shape, share(range), |id, from, size| {
        let along = Vec3::from_fn(|axis, _| uniform(seed, 3 * id + axis as u64));
        // a different seed from that of the positions
        let radius = low + (high - low) * uniform(mix(seed), id);
        Some((radius, from + size.component_mul(&along))).filter(|(_, p)| shape.contains(p))
    });
    points.sort_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
    let (radii, centres) = points.into_iter().unzip();
    Relaxation::new(shape, centres, radii).run(progress)
}

/// Initial volume (m3) of the shape per sphere.
fn share([low, high]: [f64; 2]) -> f64 {
    let mean_cube = 0.25 * (low + high) * (low * low + high * high);
    4.0 / 3.0 * PI * mean_cube / FILLED
}
