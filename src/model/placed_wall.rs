use smallvec::SmallVec;

use crate::geometry::{Pose, Vec3, shape::HalfSpace, shape::Shape};

use super::{Collider, Motion, Twist};

/// A wall at one time, with its pose and velocities there.
#[derive(Clone, Copy, Debug)]
pub struct PlacedWall<'a> {
    /// The wall.
    pub wall: &'a Collider,
    pose: Pose,
    twist: Twist,
}

/// A wall at the start and at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct WallStep<'a> {
    /// The wall at the start.
    pub start: PlacedWall<'a>,
    /// The wall at the end.
    pub end: PlacedWall<'a>,
}

/// The walls of a world at one time; a few without allocation.
pub type PlacedWalls<'a> = SmallVec<[PlacedWall<'a>; 4]>;

/// The walls of a world in a step; a few without allocation.
pub type WallSteps<'a> = SmallVec<[WallStep<'a>; 4]>;

impl<'a> PlacedWall<'a> {
    /// `wall` at `time` (s).
    pub(super) fn new(wall: &'a Collider, time: f64) -> Self {
        Self { wall, pose: wall.motion.pose(time), twist: wall.motion.twist(time) }
    }

    /// Signed distance (m) of a point from the wall, positive outside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        self.wall.shape().distance(&self.pose.undo(p))
    }

    /// Gap (m, < 0) between the wall and an overlapping sphere of `radius` (m) about `p`, and the wall's outward normal
    /// there.
    #[inline]
    pub fn touch(&self, p: &Vec3, radius: f64) -> Option<(f64, Vec3)> {
        match self.fixed_plane() {
            Some(plane) => gap_to_plane(plane, p, radius).map(|gap| (gap, plane.normal)),
            None => self.touch_any(p, radius),
        }
    }

    /// [`Self::touch`] without the normal, which costs more than the gap.
    #[inline]
    pub fn gap(&self, p: &Vec3, radius: f64) -> Option<f64> {
        match self.fixed_plane() {
            Some(plane) => gap_to_plane(plane, p, radius),
            None => self.gap_in_body(p, radius).map(|(gap, _)| gap),
        }
    }

    /// Velocity (m/s) of the wall's point at `p` (m).
    pub fn velocity(&self, p: &Vec3) -> Vec3 {
        self.twist.at(p)
    }

    /// The half space of a wall that is one and does not move: no change of frame.
    #[inline]
    fn fixed_plane(&self) -> Option<&'a HalfSpace> {
        match (self.wall.shape(), &self.wall.motion) {
            (Shape::HalfSpace(plane), Motion::Fixed) => Some(plane),
            _ => None,
        }
    }

    /// [`Self::touch`] for any shape and motion.
    fn touch_any(&self, p: &Vec3, radius: f64) -> Option<(f64, Vec3)> {
        let (gap, seen) = self.gap_in_body(p, radius)?;
        Some((gap, self.pose.rotate(&self.wall.shape().normal(&seen))))
    }

    /// Gap (m, < 0) of an overlapping sphere, and the body coordinates (m) of its centre.
    fn gap_in_body(&self, p: &Vec3, radius: f64) -> Option<(f64, Vec3)> {
        let seen = self.pose.undo(p);
        let [low, high] = self.wall.bounds();
        if (0..3).any(|k| seen[k] <= low[k] - radius || seen[k] >= high[k] + radius) {
            return None;
        }
        let gap = self.wall.shape().distance(&seen) - radius;
        (gap < 0.0).then_some((gap, seen))
    }
}

impl WallStep<'_> {
    /// Displacement (m) in the step of the wall's point that is at `p` (m) in the end.
    pub fn moved(&self, p: &Vec3) -> Vec3 {
        if self.end.wall.motion == Motion::Fixed {
            return Vec3::zeros();
        }
        let back = self.start.pose.after(&self.end.pose);
        p - back.apply(p)
    }

    /// Upper bound (m) of the displacement in the step of points within `margin` (m) of the wall's bounding box;
    /// infinite for an unbounded wall that turns.
    pub fn displacement(&self, margin: f64) -> f64 {
        let [start, end] = [&self.start.pose, &self.end.pose];
        if start.turn == end.turn {
            return (end.shift - start.shift).norm();
        }
        if !self.end.wall.is_bounded() {
            return f64::INFINITY;
        }
        // a convex function of the point, greatest at a corner
        let [low, high] = self.end.wall.bounds();
        let (low, high) = (low.add_scalar(-margin), high.add_scalar(margin));
        let corners = (0..8).map(|k| Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { low[axis] } else { high[axis] }));
        corners.map(|corner| (end.apply(&corner) - start.apply(&corner)).norm()).fold(0.0, f64::max)
    }

    /// Whether a sphere of `radius` (m) on a straight path between two positions (m) may tunnel through the wall. Its
    /// path relative to the wall is longer than its radius, and its centre comes near or inside. Unbounded walls cannot
    /// be tunnelled through.
    pub(crate) fn may_pass(&self, [from, to]: [&Vec3; 2], radius: f64) -> bool {
        /// Distance of a centre from the wall that counts as near, and spacing of the samples on the path; over the
        /// radius.
        const NEAR: f64 = 0.5;
        let wall = self.end.wall;
        if !wall.is_bounded() {
            return false;
        }
        let (from, to) = (self.start.pose.undo(from), self.end.pose.undo(to));
        let path = to - from;
        let length = path.norm();
        if length <= radius || wall.shape().distance(&from) > length + NEAR * radius {
            return false;
        }
        let places = (length / (NEAR * radius)).ceil();
        let at = |k: u32| from + path * (f64::from(k) / places);
        (1..=places as u32).any(|k| wall.shape().distance(&at(k)) < NEAR * radius)
    }
}

/// Gap (m, < 0) between a half space and an overlapping sphere.
#[inline]
fn gap_to_plane(plane: &HalfSpace, p: &Vec3, radius: f64) -> Option<f64> {
    let gap = plane.normal.dot(p) - plane.offset - radius;
    (gap < 0.0).then_some(gap)
}
