use crate::geometry::shape::Shape;
use crate::geometry::{Pose, Vec3};
use crate::model::Collider;

use super::Ball;
use super::raster::Thing;
use super::view::{Outline, View};

/// Collider that is shown: a single bounded solid whose inside is not free.
#[derive(Clone, Debug)]
pub(super) struct Wall {
    shape: Shape,
    pose: Pose,
    around: Ball,
}

impl Wall {
    /// Collider in its pose at `time` (s), if it is shown.
    pub fn of(collider: &Collider, time: f64) -> Option<Self> {
        let (shape, pose) = (collider.shape(), collider.motion.pose(time));
        let (low, high) = is_shown(shape).then(|| shape.bounds())?;
        let around = Ball { centre: pose.apply(&(0.5 * (low + high))), radius: 0.5 * (high - low).norm() };
        Some(Self { shape: shape.clone(), pose, around })
    }

    fn distance(&self, place: &Vec3) -> f64 {
        self.shape.distance(&self.pose.undo(place))
    }

    /// Outward unit normal at a point (m) on it.
    pub fn normal(&self, place: &Vec3) -> Vec3 {
        self.pose.rotate(&self.shape.normal(&self.pose.undo(place)))
    }
}

fn is_shown(shape: &Shape) -> bool {
    match shape {
        Shape::Moved { shape, .. } => is_shown(shape),
        Shape::Box { .. } | Shape::Sphere { .. } | Shape::Ellipsoid { .. } => true,
        Shape::Cylinder { .. } | Shape::Cone { .. } | Shape::Capsule { .. } => true,
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
    fn depth((wall, around): &Self::Seen, view: &impl View, x: usize, y: usize) -> Option<f64> {
        const STEPS: u32 = 64;
        /// Tolerance, over the radius of the bounding ball.
        const NEAR: f64 = 1e-4;
        let (from, way) = view.sight(x, y);
        let (start, length) = (view.depth(around, x, y)?, way.norm());
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
