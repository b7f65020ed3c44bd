//! Closed polygons in the half plane of radius and height, which bound solids of revolution.

use std::f64::consts::PI;
use std::fmt::{self, Debug, Formatter};
use std::ops::Range;

use thiserror::Error;

use super::surface::{Found, Window};
use crate::geometry::Vec3;

/// Simple closed polygon of corners (r, z), m, with r >= 0: the section of a solid of revolution about z.
#[derive(Clone, PartialEq)]
pub struct Profile {
    corners: Vec<[f64; 2]>,
    /// Edges that are a surface: all but those on the axis.
    surface: Vec<Edge>,
    runs: Vec<Run>,
}

/// Consecutive edges of a surface, and the rectangle around them.
#[derive(Clone, PartialEq)]
struct Run {
    edges: Range<usize>,
    /// Corners (r, z), m.
    low: [f64; 2],
    high: [f64; 2],
}

/// Reason that a list of corners is no profile. Corners are numbered from 0; edge i runs from corner i to the next.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum ProfileError {
    /// Too few corners for an area.
    #[error("the profile has {0} corners: give at least 3")]
    TooFew(usize),
    /// More corners than [`Profile::MAX_CORNERS`].
    #[error("the profile has {0} corners: give at most {most}", most = Profile::MAX_CORNERS)]
    TooMany(usize),
    /// The corner is not finite, or has a negative radius.
    #[error(
        "corner {0} of the profile is not finite, or its radius is negative: give a finite one of radius 0 or more"
    )]
    Corner(usize),
    /// Two edges meet outside of a common corner.
    #[error("edges {first} and {second} of the profile meet: move their corners apart", first = _0[0], second = _0[1])]
    Crossing([usize; 2]),
    /// The corners enclose no area.
    #[error("the profile encloses no area: its corners must not lie on one line")]
    Flat,
}

type Edge = [[f64; 2]; 2];

impl Profile {
    /// Limit on the corners. Distances cost as many operations.
    pub const MAX_CORNERS: usize = 1000;

    /// The polygon of these corners (r, z), m, in either direction. The last is joined to the first.
    ///
    /// # Errors
    /// If they bound no solid: see [`ProfileError`].
    pub fn new(corners: Vec<[f64; 2]>) -> Result<Self, ProfileError> {
        match corners.len() {
            count @ 0..3 => return Err(ProfileError::TooFew(count)),
            count if count > Self::MAX_CORNERS => return Err(ProfileError::TooMany(count)),
            _ => (),
        }
        let is_wrong = |&[r, z]: &[f64; 2]| !(r >= 0.0 && r.is_finite() && z.is_finite());
        if let Some(corner) = corners.iter().position(is_wrong) {
            return Err(ProfileError::Corner(corner));
        }
        let mut profile = Self { corners, surface: Vec::new(), runs: Vec::new() };
        if let Some(edges) = profile.crossing() {
            return Err(ProfileError::Crossing(edges));
        }
        if profile.volume() <= 0.0 {
            return Err(ProfileError::Flat);
        }
        profile.surface = profile.edges().filter(|[a, b]| a[0] > 0.0 || b[0] > 0.0).collect();
        profile.runs = Run::all(&profile.surface);
        Ok(profile)
    }

    /// Edges in their order, the last to the first corner.
    fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(a, b)| [*a, *b])
    }

    /// The first two edges that meet although they have no common corner, or that double back on each other.
    fn crossing(&self) -> Option<[usize; 2]> {
        let edges: Vec<Edge> = self.edges().collect();
        let n = edges.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
        let meet = |&[i, j]: &[usize; 2]| {
            let (a, b) = (&edges[i], &edges[j]);
            match (j == i + 1, i == 0 && j == n - 1) {
                (true, _) => doubles_back(a[0], a[1], b[1]),
                (_, true) => doubles_back(b[0], b[1], a[1]),
                _ => crosses(a, b),
            }
        };
        pairs.into_iter().find(meet)
    }

    /// Volume of the solid, m3, by Pappus's second theorem: the area times the path of its centroid.
    pub(super) fn volume(&self) -> f64 {
        let moment = |[[r, z], [s, y]]: Edge| (r + s) * (r * y - s * z);
        (PI / 3.0 * self.edges().map(moment).sum::<f64>()).abs()
    }

    /// Distance (m) from `p` to the surface of the solid, negative inside, and its gradient, where the distance lies in the
    /// `window`; else a bound on it. The nearest point lies in the same half plane.
    pub(super) fn search(&self, p: &Vec3, window: Window) -> Found {
        let from_axis = libm::hypot(p.x, p.y);
        let is_inside = window.is_inside.unwrap_or_else(|| self.contains(from_axis, p.z));
        let (sign, furthest) = if is_inside { (-1.0, -window.low) } else { (1.0, window.high) };
        let Some((distance, off)) = self.nearest([from_axis, p.z], furthest.max(0.0)) else {
            return (sign * furthest.max(0.0), None);
        };
        // too near for a direction
        if distance <= ON_SURFACE * libm::hypot(from_axis, p.z) {
            return (sign * distance, None);
        }
        let radial = Vec3::new(p.x, p.y, 0.0).try_normalize(0.0).unwrap_or_else(Vec3::x);
        (sign * distance, Some((radial * off[0] + Vec3::z() * off[1]) * (sign / distance)))
    }

    /// Whether a point `from_axis` off the axis at height `z` (m) is in the interior.
    pub(super) fn contains(&self, from_axis: f64, z: f64) -> bool {
        // rays away from the axis cross an odd number of edges from inside
        let is_crossed =
            |[a, b]: &&Edge| (a[1] > z) != (b[1] > z) && from_axis < a[0] + (b[0] - a[0]) * (z - a[1]) / (b[1] - a[1]);
        let runs = self.runs.iter().filter(|run| run.low[1] <= z && z <= run.high[1] && from_axis <= run.high[0]);
        runs.flat_map(|run| &self.surface[run.edges.clone()]).filter(is_crossed).count() % 2 == 1
    }

    /// Distance (m) of `p` from the surface, if it is below `furthest` (m), and the vector from the nearest point.
    fn nearest(&self, p: [f64; 2], furthest: f64) -> Option<(f64, [f64; 2])> {
        let mut best = (furthest * furthest, None);
        for run in &self.runs {
            if run.squared_distance(p) >= best.0 {
                continue;
            }
            for edge in &self.surface[run.edges.clone()] {
                let off = from_edge(edge, p);
                let squared = off[0] * off[0] + off[1] * off[1];
                if squared < best.0 {
                    best = (squared, Some(off));
                }
            }
        }
        best.1.map(|off| (best.0.sqrt(), off))
    }

    /// Support function of the solid, m, for a direction with the components `across` the axis and `up` along it.
    pub(super) fn support(&self, across: f64, up: f64) -> f64 {
        self.corners.iter().map(|[r, z]| r * across + z * up).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Twice the signed area of a triangle.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether two edges have a common point.
fn crosses(a: &Edge, b: &Edge) -> bool {
    let sides = |edge: &Edge, other: &Edge| other.map(|p| turn(edge[0], edge[1], p));
    let apart = |[p, q]: [f64; 2]| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    if apart(sides(a, b)) || apart(sides(b, a)) {
        return false;
    }
    // of edges on one line the extents decide
    let ends = |edge: &Edge, k: usize| (edge[0][k].min(edge[1][k]), edge[0][k].max(edge[1][k]));
    (0..2).all(|k| {
        let ((a_low, a_high), (b_low, b_high)) = (ends(a, k), ends(b, k));
        a_low <= b_high && b_low <= a_high
    })
}

/// Whether the edges from `a` to `b` and from `b` to `c` overlap, or one of them has no length.
fn doubles_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    let forwards = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
    a == b || b == c || (turn(a, b, c) == 0.0 && forwards < 0.0)
}

/// Vector (m) to `p` from the nearest point of an edge.
fn from_edge([a, b]: &Edge, p: [f64; 2]) -> [f64; 2] {
    let (along, from) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = along[0] * along[0] + along[1] * along[1];
    let share = ((from[0] * along[0] + from[1] * along[1]) / length).clamp(0.0, 1.0);
    [from[0] - along[0] * share, from[1] - along[1] * share]
}

impl Run {
    /// Cuts `edges` into runs of equal length, the square root of their number.
    fn all(edges: &[Edge]) -> Vec<Self> {
        let length = (edges.len() as f64).sqrt().ceil() as usize;
        (0..edges.len())
            .step_by(length)
            .map(|first| Self::of(edges, first..(first + length).min(edges.len())))
            .collect()
    }

    fn of(edges: &[Edge], range: Range<usize>) -> Self {
        let corners = || edges[range.clone()].iter().flatten();
        let low = [0, 1].map(|k| corners().map(|corner| corner[k]).fold(f64::INFINITY, f64::min));
        let high = [0, 1].map(|k| corners().map(|corner| corner[k]).fold(f64::NEG_INFINITY, f64::max));
        Self { edges: range, low, high }
    }

    /// Squared distance (m2) of `p` from the rectangle.
    fn squared_distance(&self, p: [f64; 2]) -> f64 {
        let [r, z] = [0, 1].map(|k| p[k] - p[k].clamp(self.low[k], self.high[k]));
        r * r + z * z
    }
}

/// Distance over that from the origin up to which a point lies on the surface.
const ON_SURFACE: f64 = 1e-9;

impl Debug for Profile {
    /// The corners, with all their digits: packings are kept by this text.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Profile").field(&self.corners).finish()
    }
}
