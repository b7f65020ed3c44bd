use std::sync::Arc;

use smallvec::SmallVec;

use crate::geometry::{Pose, Vec3, shape::Shape};
use crate::simd::{Lanes, Vec3x};

use super::deformation::Deformed;
use super::{Twist, Wall};

/// A wall at one time, with its pose or shape, and velocities there.
#[derive(Clone, Debug)]
pub struct PlacedWall<'a> {
    /// The wall.
    pub wall: &'a Wall,
    pub(super) pose: Pose,
    twist: Twist,
    solid: Option<PlacedSolid<'a>>,
    /// Of a deforming wall.
    deformed: Option<Arc<Deformed>>,
}

/// Solid with a closed form, or its complement, at one time.
#[derive(Clone, Copy, Debug)]
struct PlacedSolid<'a> {
    shape: &'a Shape,
    /// -1 for the complement.
    sign: f64,
    /// Origin, m, and axes.
    origin: Vec3,
    axes: [Vec3; 3],
}

/// A wall at the start and at the end of a step.
#[derive(Clone, Debug)]
pub struct WallStep<'a> {
    /// The wall at the start.
    pub start: PlacedWall<'a>,
    /// The wall at the end.
    pub end: PlacedWall<'a>,
}

/// The walls of a world at one time; a few without allocation.
pub(crate) type PlacedWalls<'a> = SmallVec<[PlacedWall<'a>; 4]>;

/// The walls of a world in a step; a few without allocation.
pub(crate) type WallSteps<'a> = SmallVec<[WallStep<'a>; 4]>;

impl<'a> PlacedSolid<'a> {
    /// `shape` at `pose`, if it has a closed form.
    fn new(mut shape: &'a Shape, mut pose: Pose) -> Option<Self> {
        let mut sign = 1.0;
        loop {
            match shape {
                Shape::Placed { shape: inner, position, rotation } => {
                    pose = Pose { turn: pose.turn * rotation, shift: pose.apply(position) };
                    shape = inner;
                }
                Shape::Complement(inner) => (shape, sign) = (inner, -sign),
                _ => break,
            }
        }
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| pose.rotate(&axis));
        shape.has_closed_form().then_some(Self { shape, sign, origin: pose.shift, axes })
    }

    /// Coordinates (m) of points in its frame. Products and sums are rounded apart: see the closed forms.
    #[inline(always)]
    fn seen<L: Lanes>(&self, p: Vec3x<L>) -> Vec3x<L> {
        let off = p - lanes(&self.origin);
        let [x, y, z] = [lanes(&self.axes[0]), lanes(&self.axes[1]), lanes(&self.axes[2])];
        Vec3x::new(dot(x, off), dot(y, off), dot(z, off))
    }

    #[inline(always)]
    fn distances<L: Lanes>(&self, p: Vec3x<L>) -> L {
        self.shape.closed_distance(self.seen(p)) * L::splat(self.sign)
    }

    #[inline(always)]
    fn normals<L: Lanes>(&self, p: Vec3x<L>) -> Vec3x<L> {
        let n = self.shape.closed_normal(self.seen(p)) * L::splat(self.sign);
        lanes(&self.axes[0]) * n.x + lanes(&self.axes[1]) * n.y + lanes(&self.axes[2]) * n.z
    }
}

/// The same vector in all lanes.
#[inline(always)]
fn lanes<L: Lanes>(v: &Vec3) -> Vec3x<L> {
    Vec3x::new(L::splat(v.x), L::splat(v.y), L::splat(v.z))
}

#[inline(always)]
fn dot<L: Lanes>(a: Vec3x<L>, b: Vec3x<L>) -> L {
    a.x * b.x + a.y * b.y + a.z * b.z
}

impl<'a> PlacedWall<'a> {
    /// `wall` at `time` (s).
    pub(super) fn new(wall: &'a Wall, time: f64) -> Self {
        let pose = wall.motion.pose(time);
        let deformed = wall.deformation().map(|deformation| deformation.at(time));
        let solid = if deformed.is_none() { PlacedSolid::new(wall.shape(), pose) } else { None };
        Self { wall, pose, twist: wall.motion.twist(time), solid, deformed }
    }

    /// The solid part, in its frame.
    pub(super) fn shape(&self) -> &Shape {
        self.deformed.as_ref().map_or(self.wall.shape(), |deformed| &deformed.shape)
    }

    /// The solid part as a union of parts, in its frame.
    pub(super) fn surface(&self) -> &Shape {
        self.deformed.as_ref().map_or(self.wall.surface(), |deformed| &deformed.surface)
    }

    /// Low and high corner (m) of the bounding box in its frame; infinite for an unbounded wall.
    fn bounds(&self) -> &[Vec3; 2] {
        self.deformed.as_ref().map_or(self.wall.bounds(), |deformed| &deformed.bounds)
    }

    /// Signed distance (m) of a point from the wall, positive outside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        match &self.solid {
            Some(solid) => solid.distances(Vec3x::from(p)),
            None => self.shape().distance(&self.pose.undo(p)),
        }
    }

    /// Gap (m, < 0) between the wall and an overlapping sphere of `radius` (m) about `p`, and the wall's outward normal
    /// there.
    #[inline]
    pub fn touch(&self, p: &Vec3, radius: f64) -> Option<(f64, Vec3)> {
        self.gap(p, radius).map(|gap| (gap, self.normal(p)))
    }

    /// [`Self::touch`] without the normal, which costs more than the gap.
    #[inline]
    pub fn gap(&self, p: &Vec3, radius: f64) -> Option<f64> {
        let gap = self.distance_within(p, radius) - radius;
        (gap < 0.0).then_some(gap)
    }

    /// Velocity (m/s) of the wall's point at `p` (m).
    pub fn velocity(&self, p: &Vec3) -> Vec3 {
        match (self.wall.deformation(), &self.deformed) {
            (Some(deformation), Some(deformed)) => deformation.velocity(deformed, p),
            _ => self.twist.at(p),
        }
    }

    /// Angular velocity (rad/s) of a rigid wall. Of a deforming one it is zero.
    pub fn spin(&self) -> Vec3 {
        self.twist.spin
    }

    /// [`Self::distance`] (m) where it is below `within` (m), and a number that is not elsewhere.
    pub(super) fn distance_within(&self, p: &Vec3, within: f64) -> f64 {
        if let Some(solid) = &self.solid {
            return solid.distances(Vec3x::from(p));
        }
        let seen = self.pose.undo(p);
        let [low, high] = self.bounds();
        if (0..3).any(|k| seen[k] <= low[k] - within || seen[k] >= high[k] + within) {
            return f64::INFINITY;
        }
        self.shape().distance_below(&seen, within)
    }

    /// Outward normal at `p` (m).
    pub(super) fn normal(&self, p: &Vec3) -> Vec3 {
        match &self.solid {
            Some(solid) => solid.normals(Vec3x::<f64>::from(p)).into(),
            None => self.pose.rotate(&self.shape().normal(&self.pose.undo(p))),
        }
    }

    /// [`Self::distance`] (m) of several points where it is below `within` (m), and numbers that are not elsewhere. Lanes and
    /// single points have the same bits.
    #[inline(always)]
    pub(crate) fn distances<L: Lanes>(&self, p: Vec3x<L>, within: f64) -> L {
        match &self.solid {
            Some(solid) => solid.distances(p),
            None => {
                let (points, mut distances) = (points(p), [0.0; MOST]);
                for (distance, p) in distances[..L::COUNT].iter_mut().zip(&points) {
                    *distance = self.distance_within(p, within);
                }
                L::load(&distances)
            }
        }
    }
}

/// Lanes at most.
const MOST: usize = 8;

/// The points of lanes, the first ones of these.
#[inline(always)]
fn points<L: Lanes>(p: Vec3x<L>) -> [Vec3; MOST] {
    let mut columns = [[0.0; MOST]; 3];
    p.x.store(&mut columns[0]);
    p.y.store(&mut columns[1]);
    p.z.store(&mut columns[2]);
    std::array::from_fn(|lane| Vec3::new(columns[0][lane], columns[1][lane], columns[2][lane]))
}

impl WallStep<'_> {
    /// Displacement (m) in the step of the wall's point that is at `p` (m) in the end.
    pub fn moved(&self, p: &Vec3) -> Vec3 {
        match (&self.start.deformed, &self.end.deformed) {
            (Some(start), Some(end)) => end.moved(start, p),
            _ if self.is_fixed() => Vec3::zeros(),
            _ => p - self.back().apply(p),
        }
    }

    /// Positions (m) at the start and at the end in the frame of the wall as it is at the end, so that their difference is the motion
    /// relative to the wall.
    pub(super) fn seen(&self, [from, to]: [&Vec3; 2]) -> [Vec3; 2] {
        match (&self.start.deformed, &self.end.deformed) {
            (Some(start), Some(end)) => [from + end.moved(start, from), *to],
            _ => [self.start.pose.undo(from), self.end.pose.undo(to)],
        }
    }

    /// Whether distances have a closed form, and are exact everywhere.
    #[inline(always)]
    pub(crate) fn has_closed_form(&self) -> bool {
        self.end.solid.is_some()
    }

    /// Whether the wall is at rest.
    #[inline(always)]
    pub(crate) fn is_fixed(&self) -> bool {
        self.end.wall.is_fixed()
    }

    /// Rigid motion of the wall from the end back to the start. It leaves deformations out.
    pub(crate) fn back(&self) -> Pose {
        self.start.pose.after(&self.end.pose)
    }

    /// Upper bound (m) of the displacement in the step of points within `margin` (m) of the wall's bounding box;
    /// infinite for an unbounded wall that turns.
    pub(crate) fn displacement(&self, margin: f64) -> f64 {
        if let (Some(start), Some(end)) = (&self.start.deformed, &self.end.deformed) {
            return self.end.wall.deforming_mesh().map_or(0.0, |mesh| mesh.way(start.time..end.time));
        }
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
        if !self.end.wall.is_bounded() {
            return false;
        }
        let (shape, [from, to]) = (self.end.shape(), self.seen([from, to]));
        let path = to - from;
        let length = path.norm();
        if length <= radius || shape.distance(&from) > length + NEAR * radius {
            return false;
        }
        let places = (length / (NEAR * radius)).ceil();
        let at = |k: u32| from + path * (f64::from(k) / places);
        (1..=places as u32).any(|k| shape.distance(&at(k)) < NEAR * radius)
    }
}
