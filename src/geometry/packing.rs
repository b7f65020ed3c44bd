//! Packings of equal spheres in shapes, and which of them touch.

use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

use rayon::prelude::*;

use super::{Vec3, grid::pairs_within, shape::Shape};

/// About how many spheres of `radius` (m) [`hexagonal`] puts into `shape`: its volume over 4 sqrt2 r^3, which is more than
/// it really is, for no surface is filled as densely as the bulk.
pub fn estimate(shape: &Shape, radius: f64) -> f64 {
    shape.volume() / (4.0 * SQRT_2 * radius.powi(3))
}

/// Centres (m) of hexagonally close-packed spheres of `radius` (m) that lie inside `shape`, sorted by x, y and z so that
/// neighbours are near in memory.
///
/// The lattice has a point in the box's corner (a sphere that touches three sides), at the centre of a sphere, ellipsoid or torus,
/// and on the axis of the other single shapes in a layer that touches the bottom. What fits is then moved so that in x, y and z
/// the outermost centres lie evenly about the origin; but a cone, whose tip holds none, stays on its base. Shapes that are
/// moved or combined keep their place: their lattice has a point in the corner of the box around them.
pub fn hexagonal(shape: &Shape, radius: f64) -> Vec<Vec3> {
    let (low, high) = shape.bounds();
    let (anchor, is_even) = anchor(shape, &low.add_scalar(radius));
    let mut centres = Vec::new();
    // The lattice: x = r (2i + (j+k) mod 2), y = r sqrt3 (j + (k mod 2)/3), z = r (2 sqrt6/3) k.
    let pitch = Vec3::new(2.0, 3f64.sqrt(), 2.0 / 3.0 * 6f64.sqrt()) * radius;
    let [first, last] = [low.add_scalar(radius), high.add_scalar(-radius)];
    for k in steps(pitch.z, anchor.z, first.z..=last.z) {
        let y0 = anchor.y + pitch.y * k.rem_euclid(2) as f64 / 3.0;
        for j in steps(pitch.y, y0, first.y..=last.y) {
            let x0 = anchor.x + radius * (j + k).rem_euclid(2) as f64;
            centres.extend(
                steps(pitch.x, x0, first.x..=last.x)
                    .map(|i| Vec3::new(x0 + pitch.x * i as f64, y0 + pitch.y * j as f64, anchor.z + pitch.z * k as f64))
                    .filter(|centre| shape.holds(centre, radius)),
            );
        }
    }
    centre(&mut centres, &is_even);
    centres.par_sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    centres
}

/// Pairs `i < j` of spheres that touch, sorted: centres (m) nearer than `(ri + rj)(1 + tolerance)`.
pub fn touching_pairs(centres: &[Vec3], radii: &[f64], tolerance: f64) -> Vec<[u32; 2]> {
    let stretch = 1.0 + tolerance;
    let largest = radii.iter().copied().fold(0.0, f64::max);
    pairs_within(centres, |i, j| (radii[i] + radii[j]) * stretch, 2.0 * largest * stretch)
}

/// A point of the lattice in `shape`, whose lowest spheres are centred in the planes through `first`; and 1 for each axis
/// along which what fits is centred.
fn anchor(shape: &Shape, first: &Vec3) -> (Vec3, Vec3) {
    let on_axis = Vec3::new(0.0, 0.0, first.z);
    match shape {
        Shape::Box { .. } => (*first, Vec3::repeat(1.0)),
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Torus { .. } => (Vec3::zeros(), Vec3::repeat(1.0)),
        Shape::Cylinder { .. } | Shape::Tube { .. } | Shape::Capsule { .. } => (on_axis, Vec3::repeat(1.0)),
        Shape::Cone { .. } => (on_axis, Vec3::new(1.0, 1.0, 0.0)),
        _ => (*first, Vec3::zeros()),
    }
}

/// The whole numbers n for which `start + n pitch` is in the range, and perhaps one more on either side.
fn steps(pitch: f64, start: f64, range: RangeInclusive<f64>) -> RangeInclusive<i64> {
    let rounding = 1e-3;
    let first = ((range.start() - start) / pitch - rounding).ceil();
    let last = ((range.end() - start) / pitch + rounding).floor();
    first as i64..=last as i64
}

/// Moves `points` so that the middle of their smallest upright box is the origin, along the axes that are 1 in `along`.
fn centre(points: &mut [Vec3], along: &Vec3) {
    let Some(&first) = points.first() else { return };
    let (low, high) = points.iter().fold((first, first), |(low, high), p| (low.inf(p), high.sup(p)));
    let middle = ((low + high) * 0.5).component_mul(along);
    points.iter_mut().for_each(|p| *p -= middle);
}
