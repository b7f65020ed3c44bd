//! Points of a mesh that are locally nearest to a point.

use smallvec::SmallVec;

use super::Mesh;
use super::nearest::nearest_in;
use crate::geometry::Vec3;
use crate::geometry::shape::{SEAM, Touch, Touches};

/// Nearest point of a triangle.
#[derive(Clone, Copy, Debug)]
struct Foot {
    triangle: usize,
    /// m.
    at: Vec3,
    /// m.
    distance: f64,
}

type Feet = SmallVec<[Foot; 64]>;

/// Distance over the reach within which two points count as one.
const SAME: f64 = 1e-6;

impl Mesh {
    /// Adds the locally nearest points within `reach` (m) of `p`, of the interior (`sign` = 1) or of its complement (-1). Inside of
    /// the solid the nearest point alone.
    pub(in crate::geometry) fn add_touches(&self, part: u32, p: &Vec3, (reach, sign): (f64, f64), found: &mut Touches) {
        let mut feet = Feet::new();
        self.add_feet(0, p, reach, &mut feet);
        if feet.is_empty() {
            return;
        }
        feet.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle)));
        let side = if self.contains(p) { -sign } else { sign };
        let touch = |foot: &Foot| {
            let away = (p - foot.at) * side;
            let facing = || self.facing(foot.triangle) * sign;
            let normal = away.try_normalize(1e-12 * self.tree.size()).unwrap_or_else(facing);
            Touch { part, distance: side * foot.distance, normal }
        };
        found.push(touch(&feet[0]));
        if side > 0.0 {
            let others = (1..feet.len()).filter(|&k| self.is_locally_nearest(p, &feet, k, (reach, sign)));
            found.extend(others.map(|k| touch(&feet[k])));
        }
    }

    /// Adds the nearest points of the triangles below a node that are within `reach` (m).
    fn add_feet(&self, node: usize, p: &Vec3, reach: f64, feet: &mut Feet) {
        if self.tree.squared_distance(node, p) >= reach * reach {
            return;
        }
        let Some(leaf) = self.tree.leaf(node) else {
            return [1, 2].into_iter().for_each(|side| self.add_feet(2 * node + side, p, reach, feet));
        };
        for triangle in leaf {
            let at = nearest_in(&self.triangles[triangle], p);
            let distance = (at - p).norm();
            if distance < reach {
                feet.push(Foot { triangle, at, distance });
            }
        }
    }

    /// Whether the point `feet[k]` is locally nearest. No triangle with a nearer point contains it, its triangle faces `p`, and it
    /// does not lie within the solid.
    fn is_locally_nearest(&self, p: &Vec3, feet: &[Foot], k: usize, (reach, sign): (f64, f64)) -> bool {
        let foot = &feet[k];
        let [same, seam] = [SAME, SEAM].map(|share| share * reach);
        // a face whose back is towards `p`, straight below it
        let normal = self.facing(foot.triangle) * sign;
        let height = (p - foot.at).dot(&normal);
        if height < -(1.0 - SAME) * foot.distance {
            return false;
        }
        let hides = |nearer: &Foot| {
            let gap = (nearest_in(&self.triangles[nearer.triangle], &foot.at) - foot.at).norm();
            (nearer.at - foot.at).norm() < seam
                || gap < same
                || gap < seam && nearer.distance < foot.distance * (1.0 - SAME)
        };
        // a sample before the surface: in the interior where parts overlap
        let before = foot.at + (p - foot.at) * SEAM;
        !feet[..k].iter().any(hides) && self.contains(&before) == (sign < 0.0)
    }
}
