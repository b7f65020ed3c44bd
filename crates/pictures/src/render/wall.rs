use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Pose, Vec3};
use bdem_core::model::Collider;

use crate::surface::{Triangles, shown_parts, solid_triangles};

use super::Ball;
use super::facets::Facets;
use super::raster::Thing;
use super::view::{Outline, View};

/// Single bounded solid whose inside is not free.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    shape: Shape,
    pose: Pose,
    around: Ball,
}

/// Colliders in their poses at `time` (s), as far as they are shown: solids, and facets of meshes and of solids that are cut.
pub(super) fn walls_at(colliders: &[Collider], time: f64) -> (Vec<Wall>, Facets) {
    let (mut solids, mut triangles) = (Vec::new(), Triangles::default());
    for collider in colliders {
        let pose = collider.motion.pose(time);
        for part in shown_parts(collider.shape()) {
            if is_traced(part) {
                solids.push(Wall::new(part, pose));
            } else {
                triangles.add(&solid_triangles(part), &pose);
            }
        }
    }
    (solids, Facets::new(triangles.places, triangles.triangles))
}

impl Wall {
    fn new(shape: &Shape, pose: Pose) -> Self {
        let (low, high) = shape.bounds();
        let around = Ball { centre: pose.apply(&(0.5 * (low + high))), radius: 0.5 * (high - low).norm() };
        Self { shape: shape.clone(), pose, around }
    }

    fn distance(&self, place: &Vec3) -> f64 {
        self.shape.distance(&self.pose.undo(place))
    }

    /// Outward unit normal at a point (m) on it.
    pub(super) fn normal(&self, place: &Vec3) -> Vec3 {
        self.pose.rotate(&self.shape.normal(&self.pose.undo(place)))
    }
}

/// Whether rays are traced through the solid: its distance is exact, and fast.
fn is_traced(shape: &Shape) -> bool {
    match shape {
        Shape::Moved { shape, .. } => is_traced(shape),
        Shape::Box { .. } | Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Torus { .. } => true,
        Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Capsule { .. } | Shape::Revolve(_) => true,
        _ => false,
    }
}

impl<'a> Thing for &'a Wall {
    /// Wall with its bounding ball in the view's axes.
    type Seen = (&'a Wall, Ball);

    fn seen(&self, view: &impl View) -> Option<(Self::Seen, Outline)> {
        let around = self.around.seen_by(view);
        Some(((self, around), view.outline(&around)?))
    }

    /// Sphere tracing: the distance to the wall is a step that misses nothing (J. Hart, 1996).
    fn depth((wall, around): &Self::Seen, view: &impl View, [x, y]: [usize; 2], limit: f64) -> Option<f64> {
        const STEPS: u32 = 64;
        /// Tolerance, over the radius of the bounding ball.
        const NEAR: f64 = 1e-4;
        let (from, way) = view.sight(x, y);
        let (start, length) = (view.depth(around, [x, y], limit)?, way.norm());
        let end = start + 2.0 * around.radius / length;
        let mut depth = start;
        for _ in 0..STEPS {
            let distance = wall.distance(&(from + way * depth));
            if distance < NEAR * around.radius {
                return Some(depth);
            }
            depth += distance / length;
            if depth > end {
                return None;
            }
        }
        None
    }
}
