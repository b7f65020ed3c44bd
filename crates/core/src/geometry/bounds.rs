use super::Vec3;

/// Axis-aligned box from its low to its high corner, m; infinite where it is unbounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub low: Vec3,
    pub high: Vec3,
}

impl Bounds {
    /// Smallest box around both.
    pub(super) fn join(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Signed distance (m) of `p` from the box in the maximum norm: a lower bound on that from any shape in it.
    pub(super) fn distance(&self, p: &Vec3) -> f64 {
        (self.low - p).sup(&(p - self.high)).max()
    }

    /// Squared distance from `p` to the box, m2.
    pub(super) fn squared_distance(&self, p: &Vec3) -> f64 {
        (p - p.sup(&self.low).inf(&self.high)).norm_squared()
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// Bounding box of the box swept along the displacements in `ways`.
    pub(super) fn swept(&self, ways: &Self) -> Self {
        self.join(&Self { low: self.low + ways.low, high: self.high + ways.high })
    }

    /// Box of the differences between points of this box and of `other`.
    pub(super) fn less(&self, other: &Self) -> Self {
        Self { low: self.low - other.high, high: self.high - other.low }
    }

    /// Distance of its farthest point from the origin.
    pub(super) fn reach(&self) -> f64 {
        self.low.abs().sup(&self.high.abs()).norm()
    }
}
