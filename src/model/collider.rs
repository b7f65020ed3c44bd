use crate::geometry::{Vec3, shape::Shape};

use super::Motion;

/// A rigid wall in contact with particles.
#[derive(Clone, Debug)]
pub struct Collider {
    /// The solid part, at time 0.
    shape: Shape,
    pub motion: Motion,
    /// Bounding box of the shape, m; infinite for an unbounded shape.
    bounds: [Vec3; 2],
    /// Coefficient of sliding friction mu_d; the particle's if `None`.
    pub friction: Option<f64>,
    /// Coefficient of static friction mu_s >= mu_d; present with `friction`.
    pub static_friction: Option<f64>,
}

impl Collider {
    /// A fixed wall without own friction.
    pub fn new(shape: Shape) -> Self {
        let bounds = shape.bounds().into();
        Self { shape, motion: Motion::Fixed, bounds, friction: None, static_friction: None }
    }

    /// The wall with its meshes sampled, for distances in constant time.
    pub fn sampled(self) -> Self {
        Self { shape: self.shape.sampled(), ..self }
    }

    /// The solid part, at time 0.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Signed distance (m) at `time` (s) of a point from the wall, positive outside.
    pub fn distance(&self, p: &Vec3, time: f64) -> f64 {
        self.shape.distance(&self.motion.pose(time).undo(p))
    }

    /// Gap (m, < 0) between the wall at `time` (s) and an overlapping sphere of `radius` (m) about `p`, and the wall's
    /// outward normal there.
    #[inline]
    pub fn touch(&self, p: &Vec3, radius: f64, time: f64) -> Option<(f64, Vec3)> {
        if let (Shape::HalfSpace(plane), Motion::Fixed) = (&self.shape, &self.motion) {
            let gap = plane.normal.dot(p) - plane.offset - radius;
            return (gap < 0.0).then_some((gap, plane.normal));
        }
        self.touch_moving(p, radius, time)
    }

    /// [`Self::touch`] for any shape and motion.
    fn touch_moving(&self, p: &Vec3, radius: f64, time: f64) -> Option<(f64, Vec3)> {
        let pose = self.motion.pose(time);
        let seen = pose.undo(p);
        let [low, high] = &self.bounds;
        if (0..3).any(|k| seen[k] <= low[k] - radius || seen[k] >= high[k] + radius) {
            return None;
        }
        let gap = self.shape.distance(&seen) - radius;
        (gap < 0.0).then(|| (gap, pose.rotate(&self.shape.normal(&seen))))
    }

    /// Whether a sphere of `radius` (m) on a straight path between two positions (m) at two times (s) may tunnel
    /// through the wall. Its path relative to the wall is longer than its radius, and its centre comes near or inside.
    /// Unbounded walls cannot be tunnelled through.
    pub fn may_pass(&self, [from, to]: [&Vec3; 2], [start, end]: [f64; 2], radius: f64) -> bool {
        /// Distance of a centre from the wall that counts as near, and spacing of the samples on the path; over the
        /// radius.
        const NEAR: f64 = 0.5;
        if !self.bounds.iter().all(|corner| corner.sum().is_finite()) {
            return false;
        }
        let (from, to) = (self.motion.pose(start).undo(from), self.motion.pose(end).undo(to));
        let path = to - from;
        let length = path.norm();
        if length <= radius || self.shape.distance(&from) > length + NEAR * radius {
            return false;
        }
        let places = (length / (NEAR * radius)).ceil();
        let at = |k: u32| from + path * (f64::from(k) / places);
        (1..=places as u32).any(|k| self.shape.distance(&at(k)) < NEAR * radius)
    }

    /// Velocity (m/s) at `time` (s) of the wall's point at `p` (m).
    pub fn velocity(&self, p: &Vec3, time: f64) -> Vec3 {
        self.motion.twist(time).at(p)
    }

    /// Displacement (m) between two times (s) of the wall's point that is at `p` (m) in the end.
    pub fn moved(&self, p: &Vec3, from: f64, to: f64) -> Vec3 {
        let before = self.motion.pose(from).after(&self.motion.pose(to));
        p - before.apply(p)
    }
}
