//! Winding number of a mesh around a point.

use std::f64::consts::PI;

use super::tree::Node;
use super::{Mesh, Triangle};
use crate::geometry::Vec3;

/// Distance over a node's radius beyond which its triangles count as one.
const FAR_FIELD_RADII: f64 = 3.0;

impl Mesh {
    /// The winding number about `p` (m): 1 in the interior of a closed mesh, 0 outside, the sum over overlapping parts,
    /// and a fraction near a hole. Accurate to a few hundredths: distant triangles are clustered (G. Barill et al.
    /// 2018, "Fast Winding Numbers for Soups and Clouds", eq 13, first order).
    pub fn winding_number(&self, p: &Vec3) -> f64 {
        self.solid_angle(0, p) / (4.0 * PI)
    }

    /// Solid angle of the triangles below a node.
    fn solid_angle(&self, node: usize, p: &Vec3) -> f64 {
        let whole = self.tree.node(node);
        let away = whole.middle - p;
        if away.norm_squared() > FAR_FIELD_RADII * FAR_FIELD_RADII * whole.squared_radius() {
            return whole.area.dot(&away) / away.norm().powi(3);
        }
        match self.tree.leaf(node) {
            Some(leaf) => self.triangles[leaf].iter().map(|t| solid_angle(t, p)).sum(),
            None => self.solid_angle(2 * node + 1, p) + self.solid_angle(2 * node + 2, p),
        }
    }
}

impl Node {
    /// Squared bound on the distance of its triangles from their middle, m2.
    fn squared_radius(&self) -> f64 {
        (self.high - self.middle).sup(&(self.middle - self.low)).norm_squared()
    }
}

/// Solid angle of a triangle at `p`, positive from behind (A. van Oosterom, J. Strackee 1983, "The Solid Angle of a
/// Plane Triangle").
fn solid_angle(triangle: &Triangle, p: &Vec3) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner - p);
    let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
    let under = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * libm::atan2(a.dot(&b.cross(&c)), under)
}
