//! Closed polygons in the half plane of radius and height, which bound solids of revolution.

use std::f64::consts::PI;

/// Simple closed polygon of corners (r, z), m, with r >= 0: the section of a solid of revolution about z.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    corners: Vec<[f64; 2]>,
}

/// Reason that a list of corners is no profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProfileError {
    /// Fewer than three corners.
    TooFew,
    /// More than [`Profile::MAX_CORNERS`].
    TooMany,
    /// The corner is not finite, or has a negative radius.
    Corner(usize),
    /// Two edges meet outside of a common corner. Edge i runs from corner i to the next.
    Crossing([usize; 2]),
    /// The corners enclose no area.
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
        if corners.len() < 3 {
            return Err(ProfileError::TooFew);
        }
        if corners.len() > Self::MAX_CORNERS {
            return Err(ProfileError::TooMany);
        }
        let is_wrong = |&[r, z]: &[f64; 2]| !(r >= 0.0 && r.is_finite() && z.is_finite());
        if let Some(corner) = corners.iter().position(is_wrong) {
            return Err(ProfileError::Corner(corner));
        }
        let profile = Self { corners };
        if let Some(edges) = profile.crossing() {
            return Err(ProfileError::Crossing(edges));
        }
        if profile.volume() > 0.0 { Ok(profile) } else { Err(ProfileError::Flat) }
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

    /// Distance (m) from a point `from_axis` off the axis at height `z` to the surface of the solid, negative inside.
    /// The nearest point lies in the same half plane. Edges on the axis are no surface.
    pub(super) fn distance(&self, from_axis: f64, z: f64) -> f64 {
        let p = [from_axis, z];
        let (mut nearest, mut is_inside) = (f64::INFINITY, false);
        for edge in self.edges() {
            let [a, b] = edge;
            if a[0] > 0.0 || b[0] > 0.0 {
                nearest = nearest.min(squared_distance(&edge, p));
            }
            // rays away from the axis cross an odd number of edges from inside
            if (a[1] > z) != (b[1] > z) && from_axis < a[0] + (b[0] - a[0]) * (z - a[1]) / (b[1] - a[1]) {
                is_inside = !is_inside;
            }
        }
        if is_inside { -nearest.sqrt() } else { nearest.sqrt() }
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

/// Squared distance (m2) of `p` from an edge.
fn squared_distance([a, b]: &Edge, p: [f64; 2]) -> f64 {
    let (along, from) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = along[0] * along[0] + along[1] * along[1];
    let share = ((from[0] * along[0] + from[1] * along[1]) / length).clamp(0.0, 1.0);
    let off = [from[0] - along[0] * share, from[1] - along[1] * share];
    off[0] * off[0] + off[1] * off[1]
}
