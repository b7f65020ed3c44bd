//! Distances of spheres from the surface of a shape, kept while the spheres move.

use super::relaxation::keep;
use crate::geometry::Vec3;
use crate::geometry::shape::{Shape, Window};
use crate::parallel;

/// Surface of a shape, with the distance of each sphere from it.
///
/// A distance is Lipschitz with the constant 1: it changes by no more than its point moves. So a sphere far inside stays inside
/// for a while, and the search for the surface begins with bounds on the distance.
pub(super) struct Container<'a> {
    shape: &'a Shape,
    /// Radii of the spheres, m.
    radii: Vec<f64>,
    /// Depth (m) below the surface down to which each sphere is followed: its radius at least.
    followed: Vec<f64>,
    seen: Vec<Seen>,
}

/// Nearest surface at a position of a sphere's centre.
#[derive(Clone, Copy)]
struct Seen {
    /// Position of the centre, m.
    at: Vec3,
    /// Distance, m, negative inside. An upper bound for spheres that are out of reach.
    distance: f64,
    /// Normal, for spheres that touch, or may soon.
    normal: Vec3,
}

/// Maximum displacement over the radius up to which a surface counts as a plane.
pub(super) const MAX_PLANE_WITHIN: f64 = 0.02;

/// Spheres per task.
const CHUNK: usize = 512;

impl<'a> Container<'a> {
    /// Container of `shape` for spheres with `radii` (m), of which those that touch it are followed.
    pub(super) fn new(shape: &'a Shape, radii: Vec<f64>) -> Self {
        let never = Seen { at: Vec3::repeat(f64::INFINITY), distance: 0.0, normal: Vec3::zeros() };
        Self { shape, seen: vec![never; radii.len()], followed: radii.clone(), radii }
    }

    /// Follows the spheres that keep a depth (m) also from somewhat below it.
    pub(super) fn follow(&mut self, depths: &[Option<f64>]) {
        /// Distance below that depth, over the radius: layers are less than half of it apart.
        const BELOW: f64 = 4.0;
        let radii = self.radii.iter().zip(depths);
        self.followed = radii.map(|(&radius, depth)| depth.map_or(radius, |depth| depth + BELOW * radius)).collect();
    }

    pub(super) fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Looks again where spheres at `centres` may touch, and have moved by more than `plane_within` times their radius.
    /// Up to there the surface counts as a plane: an error of as much in a corner, and of its square over the radius of
    /// curvature elsewhere.
    pub(super) fn update(&mut self, centres: &[Vec3], plane_within: f64) {
        let shape = self.shape;
        let parts = (
            parallel::chunks_mut(&mut self.seen, CHUNK),
            parallel::chunks(centres, CHUNK),
            parallel::chunks(&self.radii, CHUNK),
            parallel::chunks(&self.followed, CHUNK),
        );
        parallel::for_each(parts, |_, (seen, centres, radii, followed)| {
            let sizes = radii.iter().zip(followed);
            for ((seen, centre), (&radius, &touch)) in seen.iter_mut().zip(centres).zip(sizes) {
                let moved = (centre - seen.at).norm();
                if moved > plane_within * radius && seen.distance + moved > -touch {
                    *seen = seen.moved_to(centre, moved, shape, radius, touch);
                }
            }
        });
    }

    /// Distance (m) of `p`, near the centre of sphere `i`, from the surface, and the surface's normal.
    pub(super) fn distance_and_normal(&self, i: usize, p: &Vec3) -> (f64, Vec3) {
        let Seen { at, distance, normal } = &self.seen[i];
        (distance + normal.dot(&(p - at)), *normal)
    }

    /// Depth (m, >= 0) of sphere `i` about `centre` in the container's surface, and its normal.
    pub(super) fn overlap(&self, i: usize, centre: &Vec3) -> (f64, Vec3) {
        let (distance, normal) = self.distance_and_normal(i, centre);
        ((distance + self.radii[i]).max(0.0), normal)
    }

    /// Removes the spheres that are `gone`.
    pub(super) fn remove(&mut self, gone: &[bool]) {
        keep(&mut self.radii, gone);
        keep(&mut self.followed, gone);
        keep(&mut self.seen, gone);
    }
}

impl Seen {
    /// The surface as found from `centre`, `moved` (m) away. Spheres are out of reach some way beyond `touch` (m).
    fn moved_to(&self, centre: &Vec3, moved: f64, shape: &Shape, radius: f64, touch: f64) -> Self {
        /// Reach beyond touch, over the radius.
        const REACH: f64 = 0.5;
        let out_of_reach = -(touch + REACH * radius);
        let window = self.window(centre, moved, radius);
        let window = Window { low: window.low.max(out_of_reach), ..window };
        let (mut distance, mut normal) = shape.search(centre, window);
        // in a union the nearest member may be another one, and at a hole of a mesh the distance may jump
        if distance >= window.high || (distance <= window.low && window.low > out_of_reach) {
            (distance, normal) = shape.search(centre, Window::between(out_of_reach, f64::INFINITY));
        }
        let may_touch = distance + touch + MAX_PLANE_WITHIN * radius > 0.0;
        let normal = if may_touch { normal.unwrap_or_else(|| shape.normal(centre)) } else { Vec3::zeros() };
        Self { at: *centre, distance, normal }
    }

    /// Bounds on the distance (m) of `centre`, `moved` (m) away: it changes by no more than that, and is no more than
    /// that of the nearest point so far.
    fn window(&self, centre: &Vec3, moved: f64, radius: f64) -> Window {
        /// Widening, over the radius, against rounding.
        const ROUNDING: f64 = 1e-6;
        let change = moved * (1.0 + ROUNDING) + ROUNDING * radius;
        let high = self.distance + change;
        let is_inside = Some(self.distance < 0.0).filter(|_| self.distance.abs() > change);
        // a distance without a normal is a bound itself
        if self.normal == Vec3::zeros() {
            return Window { low: f64::NEG_INFINITY, high, is_inside };
        }
        let nearest = self.at - self.normal * self.distance;
        let furthest = (centre - nearest).norm() * (1.0 + ROUNDING) + ROUNDING * radius;
        Window { low: (self.distance - change).max(-furthest), high: high.min(furthest), is_inside }
    }
}
