//! Hexagonal close packings of equal spheres in shapes.

use std::f64::consts::SQRT_2;
use std::ops::RangeInclusive;

use rayon::slice::ParallelSliceMut;

use crate::geometry::rotation::rotation_matrix;
use crate::geometry::{Quat, Vec3, shape::Shape};
use crate::parallel;

/// Estimated number of spheres of `radius` (m) of [`hexagonal`] in a shape of this `volume` (m3): it over 4 sqrt2 r^3.
/// An overestimate, since the lattice is less dense at the surface.
pub fn estimate(volume: f64, radius: f64) -> f64 {
    volume / (4.0 * SQRT_2 * radius.powi(3))
}

/// Centres (m) of hexagonally close-packed spheres of `radius` (m) inside `shape`. They are sorted by x, y and z, so that
/// neighbours are near in memory.
///
/// The lattice has a point at the centre of a sphere, ellipsoid or torus. In a box it has a sphere in the corner, in
/// other single shapes a layer on the bottom with a point on the axis. The spheres in the shape are then shifted so
/// that the outermost centres are symmetric about the origin in x, y and z. A cone, whose tip is empty, and a solid of
/// revolution keep their lowest layer. Placed and combined shapes have a lattice point in the corner of their bounding box, and are not shifted.
pub fn hexagonal(shape: &Shape, radius: f64) -> Vec<Vec3> {
    hexagonal_turned(shape, radius, &Quat::identity())
}

/// [`hexagonal`] on a lattice rotated by the unit quaternion `turn` about its anchor point.
pub fn hexagonal_turned(shape: &Shape, radius: f64, turn: &Quat) -> Vec<Vec3> {
    let (low, high) = shape.bounds();
    let [first, last] = [low.add_scalar(radius), high.add_scalar(-radius)];
    let (anchor, is_even) = anchor(shape, &first);
    // bounding box of the centres, in the lattice's frame
    let frame = rotation_matrix(turn);
    let middle = frame.tr_mul(&((first + last) * 0.5 - anchor));
    let reach = frame.abs().tr_mul(&((last - first) * 0.5));
    let layers = layers(radius, middle - reach, middle + reach);
    let at = |p: Vec3| anchor + frame * p;
    let mut centres = parallel::flat_map(layers.len(), 1, |range, centres| {
        let points = layers[range].iter().cloned().flatten();
        centres.extend(points.map(at).filter(|centre| shape.holds(centre, radius)));
    });
    centre(&mut centres, &is_even);
    centres.par_sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    centres
}

/// Moves the layers of spheres of `radius` (m) at `centres`, packed in `shape`, apart until the outermost touch its
/// faces: those of a box, and the ends of a cylinder or tube. The lattice of another shape has no layers along its
/// surface, and a single layer, or few layers which leave a gap of more than a quarter of their extent, stay.
pub fn fit_layers(shape: &Shape, radius: f64, centres: &mut [Vec3]) {
    /// Maximum factor on the distance of layers. Wider ones would be apart by more than half of a radius.
    const MAX_STRETCH: f64 = 1.25;
    let infinite = f64::INFINITY;
    let faces = match *shape {
        Shape::Box { size } => Vec3::from(size),
        Shape::Cylinder { height, .. } | Shape::Tube { height, .. } => Vec3::new(infinite, infinite, height),
        _ => return,
    };
    let (low, high) = bounds(centres);
    let stretch = (faces.add_scalar(-2.0 * radius)).zip_map(&(high - low), |room, extent| {
        let stretch = room / extent;
        if (1.0..=MAX_STRETCH).contains(&stretch) { stretch } else { 1.0 }
    });
    let middle = (low + high) * 0.5;
    centres.iter_mut().for_each(|p| *p = middle + (*p - middle).component_mul(&stretch));
}

/// The hexagonal lattice of touching spheres of `radius` (m), x = r (2i + (j+k) mod 2), y = r sqrt3 (j + (k mod 2)/3),
/// z = r (2 sqrt6/3) k, by layers of equal z. Its points (m) in the box from `low` to `high`, and at most one further
/// row on either side.
fn layers(radius: f64, low: Vec3, high: Vec3) -> Vec<impl Iterator<Item = Vec3> + Clone> {
    let pitch = Vec3::new(2.0, 3f64.sqrt(), 2.0 / 3.0 * 6f64.sqrt()) * radius;
    let row = move |j: i64, k: i64| {
        let x0 = radius * (j + k).rem_euclid(2) as f64;
        let (y, z) = (pitch.y * (j as f64 + k.rem_euclid(2) as f64 / 3.0), pitch.z * k as f64);
        steps(pitch.x, low.x - x0, high.x - x0).map(move |i| Vec3::new(x0 + pitch.x * i as f64, y, z))
    };
    let layer = move |k: i64| {
        let y0 = pitch.y * k.rem_euclid(2) as f64 / 3.0;
        steps(pitch.y, low.y - y0, high.y - y0).flat_map(move |j| row(j, k))
    };
    steps(pitch.z, low.z, high.z).map(layer).collect()
}

/// A lattice point in `shape`, whose lowest spheres are centred in the planes through `first`; and 1 for each axis to
/// be centred.
fn anchor(shape: &Shape, first: &Vec3) -> (Vec3, Vec3) {
    let on_axis = Vec3::new(0.0, 0.0, first.z);
    match shape {
        Shape::Box { .. } => (*first, Vec3::repeat(1.0)),
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Torus { .. } => (Vec3::zeros(), Vec3::repeat(1.0)),
        Shape::Cylinder { .. } | Shape::Tube { .. } | Shape::Capsule { .. } => (on_axis, Vec3::repeat(1.0)),
        Shape::Cone { .. } | Shape::Revolve(_) => (on_axis, Vec3::new(1.0, 1.0, 0.0)),
        Shape::HalfSpace(_)
        | Shape::Mesh(_)
        | Shape::Placed { .. }
        | Shape::Complement(_)
        | Shape::Union(_)
        | Shape::Group(_)
        | Shape::Intersection(_) => (*first, Vec3::zeros()),
    }
}

/// The integers n with `n pitch` between `low` and `high`, and at most one further on either side.
fn steps(pitch: f64, low: f64, high: f64) -> RangeInclusive<i64> {
    let rounding = 1e-3;
    (low / pitch - rounding).ceil() as i64..=(high / pitch + rounding).floor() as i64
}

/// Centres the bounding box of `points` at the origin, along the axes that are 1 in `along`.
fn centre(points: &mut [Vec3], along: &Vec3) {
    if points.is_empty() {
        return;
    }
    let (low, high) = bounds(points);
    let middle = ((low + high) * 0.5).component_mul(along);
    points.iter_mut().for_each(|p| *p -= middle);
}

/// Low and high corners of the bounding box of `points`, at least one.
fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    points.iter().fold((points[0], points[0]), |(low, high), p| (low.inf(p), high.sup(p)))
}
