use crate::geometry::{Vec3, shape::Shape};

use super::Motion;

/// A wall that particles rest on and bounce off.
#[derive(Clone, Debug)]
pub struct Collider {
    /// What is not free, where it is at time 0.
    shape: Shape,
    pub motion: Motion,
    /// The corners of a box about the shape, m; infinite where the shape is.
    bounds: [Vec3; 2],
    /// Its own coefficient of sliding friction, mu_d; without one the particle's counts.
    pub friction: Option<f64>,
    /// Its own coefficient of static friction, mu_s: given where `friction` is, and at least as much.
    pub static_friction: Option<f64>,
}

impl Collider {
    /// At rest, and without friction of its own.
    pub fn new(shape: Shape) -> Self {
        let bounds = shape.bounds().into();
        Self { shape, motion: Motion::Fixed, bounds, friction: None, static_friction: None }
    }

    /// The same with its meshes sampled, so that distances are as quick everywhere.
    pub fn sampled(self) -> Self {
        Self { shape: self.shape.sampled(), ..self }
    }

    /// What is not free, where it is at time 0.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Signed distance (m) at `time` (s) of a point from the wall, positive on the free side.
    pub fn distance(&self, p: &Vec3, time: f64) -> f64 {
        self.shape.distance(&self.motion.pose(time).undo(p))
    }

    /// The gap (m, below zero) between the wall at `time` (s) and a sphere of `radius` (m) about `p` that it overlaps,
    /// and the wall's normal there, into the free side.
    #[inline]
    pub fn touch(&self, p: &Vec3, radius: f64, time: f64) -> Option<(f64, Vec3)> {
        if let (Shape::HalfSpace(plane), Motion::Fixed) = (&self.shape, &self.motion) {
            let gap = plane.normal.dot(p) - plane.offset - radius;
            return (gap < 0.0).then_some((gap, plane.normal));
        }
        self.touch_moving(p, radius, time)
    }

    /// The same for any shape and motion.
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

    /// Whether a sphere of `radius` (m) that goes straight from one place (m) to another, from one time (s) to another,
    /// may pass through the wall: it goes further than its radius as the wall sees it, and its centre comes near or
    /// into the wall on its way. Through what has no end nothing passes.
    pub fn may_pass(&self, [from, to]: [&Vec3; 2], [start, end]: [f64; 2], radius: f64) -> bool {
        /// Over the radius: how near to the wall a centre comes, and the way between two places that are looked at.
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

    /// Velocity (m/s) at `time` (s) of the wall where it passes `p` (m).
    pub fn velocity(&self, p: &Vec3, time: f64) -> Vec3 {
        self.motion.twist(time).at(p)
    }

    /// How far (m) the wall has moved from one time (s) to another where it is at `p` (m) in the end.
    pub fn moved(&self, p: &Vec3, from: f64, to: f64) -> Vec3 {
        let before = self.motion.pose(from).after(&self.motion.pose(to));
        p - before.apply(p)
    }
}
