//! Winding number of a mesh around a point.

use std::f64::consts::PI;

use super::{Mesh, Triangle};
use crate::geometry::Vec3;

/// Distance over a node's radius beyond which its triangles count as one.
const FAR_FIELD_RADII: f64 = 3.0;

impl Mesh {
    /// The winding number about `p` (m): 1 in the interior of a closed mesh, 0 outside, the sum over overlapping parts,
    /// and a fraction near a hole. Accurate to a few hundredths: distant triangles are clustered (G. Barill et al.
    /// 2018, "Fast Winding Numbers for Soups and Clouds", eq 13, first order).
    pub fn winding_number(&self, p: &Vec3) -> f64 {
        let mut angle = SolidAngle::default();
        self.add_solid_angle(0, p, &mut angle);
        angle.sum() / (4.0 * PI)
    }

    /// Adds the solid angle of the triangles below a node.
    fn add_solid_angle(&self, node: usize, p: &Vec3, sum: &mut SolidAngle) {
        let whole = self.tree.moments_of(node);
        let away = whole.middle - p;
        let squared = away.norm_squared();
        if squared > FAR_FIELD_RADII * FAR_FIELD_RADII * whole.squared_radius {
            sum.clusters += whole.area.dot(&away) / (squared * squared.sqrt());
            return;
        }
        match self.tree.leaf(node) {
            Some(leaf) => self.triangles[leaf].iter().for_each(|t| sum.add(t, p)),
            None => [1, 2].into_iter().for_each(|side| self.add_solid_angle(2 * node + side, p, sum)),
        }
    }
}

/// Winding number of `triangles` (m) about `p` (m), exact.
pub fn winding_number(triangles: &[[Vec3; 3]], p: &Vec3) -> f64 {
    let mut angle = SolidAngle::default();
    triangles.iter().for_each(|triangle| angle.add(triangle, p));
    angle.sum() / (4.0 * PI)
}

/// Sum of solid angles. Those of triangles are twice the arguments of complex numbers, whose product is kept, with the
/// number of times that its argument has passed pi.
struct SolidAngle {
    clusters: f64,
    product: [f64; 2],
    turns: f64,
}

impl Default for SolidAngle {
    fn default() -> Self {
        Self { clusters: 0.0, product: [1.0, 0.0], turns: 0.0 }
    }
}

impl SolidAngle {
    /// Adds a triangle seen from `p`, positive from behind (A. van Oosterom, J. Strackee 1983, "The Solid Angle of a
    /// Plane Triangle").
    fn add(&mut self, triangle: &Triangle, p: &Vec3) {
        let [a, b, c] = triangle.map(|corner| corner - p);
        let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
        let x = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        let y = a.dot(&b.cross(&c));
        // neither overflow nor underflow of the product: of its argument alone counts
        let length = x.abs() + y.abs();
        if length == 0.0 {
            return;
        }
        let (x, y) = (x / length, y / length);
        let [px, py] = self.product;
        // the sum turns -0.0 into 0.0
        let [qx, qy] = [px * x - py * y, px * y + py * x + 0.0];
        // arguments of one sign whose sum has the other have passed pi
        if (py >= 0.0) == (y >= 0.0) && (qy >= 0.0) != (py >= 0.0) {
            self.turns += f64::from(if py >= 0.0 { 1 } else { -1 });
        }
        let size = qx.abs() + qy.abs();
        self.product = [qx / size, qy / size];
    }

    fn sum(&self) -> f64 {
        let [x, y] = self.product;
        self.clusters + 2.0 * (libm::atan2(y, x) + 2.0 * PI * self.turns)
    }
}
