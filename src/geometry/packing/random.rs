use std::f64::consts::PI;

use super::relaxation::Relaxation;
use super::strewn;
use crate::geometry::keyed::{mix, uniform};
use crate::geometry::{Vec3, shape::Shape};

/// Share of its volume by which a shape is filled to begin with: a little more than it can hold.
const FILLED: f64 = 0.66;

/// About how many spheres with radii (m) uniform in `range` [`random`] puts into `shape`; it is some tenth less, for along
/// the surface they lie less densely.
pub fn estimate_random(shape: &Shape, range: [f64; 2]) -> f64 {
    shape.volume() / share(range)
}

/// Centres and radii (m) of a random close packing in `shape`, sorted by x: radii uniform in `range` (m), no two spheres
/// overlap, and most gaps are below a hundredth of a radius. It depends on `seed` alone.
///
/// Points are strewn at random and too many, and pushed apart as overlapping spheres, as in the force-biased algorithm
/// (Moscinski, Bargiel, Rycerz, Jacobs 1989); but where that shrinks the spheres until they fit, here they keep their
/// radii and those under the highest pressure are taken out, a few at a time. So the shape itself finds how many it
/// holds, walls and all.
pub fn random(shape: &Shape, range: [f64; 2], seed: u64) -> (Vec<Vec3>, Vec<f64>) {
    let [low, high] = range;
    let mut points = strewn(shape, share(range), seed, |p| shape.distance(p) < 0.0);
    points.sort_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
    // a seed that no place was drawn with
    let radius = |id: u64| low + (high - low) * uniform(mix(seed), id);
    let (radii, centres) = points.into_iter().map(|(id, p)| (radius(id), p)).unzip();
    Relaxation::new(shape, centres, radii).run()
}

/// Volume (m3) of the shape for each sphere to begin with.
fn share([low, high]: [f64; 2]) -> f64 {
    let mean_cube = 0.25 * (low + high) * (low * low + high * high);
    4.0 / 3.0 * PI * mean_cube / FILLED
}
