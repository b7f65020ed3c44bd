use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Pose, Vec3, rotation};
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
    is_convex: bool,
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
        Self { shape: shape.clone(), pose, around, is_convex: is_convex(shape) }
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

/// Whether each segment between two points of such a solid is in it.
fn is_convex(shape: &Shape) -> bool {
    match shape {
        Shape::Moved { shape, .. } => is_convex(shape),
        Shape::Torus { .. } | Shape::Revolve(_) => false,
        solid => is_traced(solid),
    }
}

impl<'a> Thing for &'a Wall {
    /// Wall with its bounding ball in the view's axes.
    type Seen = (&'a Wall, Ball);

    fn seen(&self, view: &impl View) -> Option<(Self::Seen, Outline)> {
        let around = self.around.seen_by(view);
        let outline = if view.reaches_behind(&around) { Outline::all(view.size()) } else { view.outline(&around)? };
        Some(((self, around), outline))
    }

    /// Sphere tracing: the distance to the wall is a step that misses nothing (J. Hart, 1996). A convex wall is behind the plane
    /// through its nearest point: the step ends there, so that flat sides take one, also at a grazing angle.
    fn depth((wall, around): &Self::Seen, view: &impl View, [x, y]: [usize; 2], limit: f64) -> Option<f64> {
        const STEPS: u32 = 64;
        /// Tolerance, over the radius of the bounding ball.
        const NEAR: f64 = 1e-4;
        /// The same of convex walls, on whose surface steps end.
        const ON: f64 = 1e-8;
        let (from, way) = view.sight(x, y);
        let (is_around, length) = (view.reaches_behind(around), way.norm());
        let (start, beyond) = match is_around {
            true => (0.0, around.centre.norm() + around.radius),
            false => (view.depth(around, [x, y], limit)?, 2.0 * around.radius),
        };
        let (from, way) = (wall.pose.undo(&from), rotation::rotate(&wall.pose.turn.conjugate(), &way));
        let end = start + beyond / length;
        let near = around.radius * if wall.is_convex { ON } else { NEAR };
        let mut depth = start;
        for _ in 0..STEPS {
            let place = from + way * depth;
            let distance = wall.shape.distance(&place);
            if distance < near {
                // an eye within the wall sees nothing of it
                return (depth > 0.0 || !is_around).then_some(depth);
            }
            let speed = if wall.is_convex { -wall.shape.normal(&place).dot(&way) } else { length };
            depth += distance / speed;
            if speed <= 0.0 || depth > end {
                return None;
            }
        }
        None
    }
}
