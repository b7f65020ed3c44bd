//! Nearest triangle to a point.

use super::{Mesh, Triangle};
use crate::geometry::Vec3;
use crate::geometry::shape::Window;

impl Mesh {
    /// The point of the surface nearest to `p` (m), and its triangle.
    pub(super) fn nearest(&self, p: &Vec3) -> (Vec3, usize) {
        let mut best = (f64::INFINITY, *p, 0);
        self.nearest_below(0, p, &mut best);
        (best.1, best.2)
    }

    /// Distance (m) from `p` to the surface, negative inside, and its gradient, where the distance lies in the `window`;
    /// else a bound on it.
    pub(in crate::geometry) fn search(&self, p: &Vec3, window: Window) -> (f64, Option<Vec3>) {
        let is_inside = window.is_inside.unwrap_or_else(|| self.contains(p));
        let (sign, furthest) = if is_inside { (-1.0, -window.low) } else { (1.0, window.high) };
        let furthest = furthest.max(0.0);
        let mut best = (furthest * furthest, *p, usize::MAX);
        self.nearest_below(0, p, &mut best);
        let (squared, nearest, triangle) = best;
        if triangle == usize::MAX {
            return (sign * furthest, None);
        }
        (sign * squared.sqrt(), Some(self.gradient(&((p - nearest) * sign), triangle)))
    }

    /// Whether the distance of `p` lies between `low` and `high` (m). Far points need no winding number.
    pub(in crate::geometry) fn is_between(&self, p: &Vec3, low: f64, high: f64) -> bool {
        let furthest = low.abs().max(high.abs());
        let mut best = (furthest * furthest, *p, usize::MAX);
        self.nearest_below(0, p, &mut best);
        let (distance, fits) = (best.0.sqrt(), |distance: f64| low < distance && distance < high);
        match [distance, -distance].map(fits) {
            _ if best.2 == usize::MAX => false,
            [false, false] => false,
            [true, true] => true,
            [outside, _] => self.contains(p) != outside,
        }
    }

    /// Whether no triangle is nearer to `p` than `distance` (both m).
    pub(in crate::geometry) fn is_clear(&self, p: &Vec3, distance: f64) -> bool {
        let near = distance * distance;
        let mut best = (near, *p, 0);
        self.nearest_below(0, p, &mut best);
        best.0 >= near
    }

    /// Searches below a node for a nearer triangle than the best: squared distance, point and triangle.
    fn nearest_below(&self, node: usize, p: &Vec3, best: &mut (f64, Vec3, usize)) {
        if let Some(leaf) = self.tree.leaf(node) {
            for triangle in leaf {
                let q = nearest_in(&self.triangles[triangle], p);
                let distance = (q - p).norm_squared();
                if distance < best.0 {
                    *best = (distance, q, triangle);
                }
            }
            return;
        }
        let mut children =
            [1, 2].map(|side| 2 * node + side).map(|child| (self.tree.squared_distance(child, p), child));
        if children[1].0 < children[0].0 {
            children.swap(0, 1);
        }
        for (distance, child) in children {
            if distance < best.0 {
                self.nearest_below(child, p, best);
            }
        }
    }
}

/// The point of a triangle nearest to `p` (C. Ericson, "Real-Time Collision Detection", 5.1.5).
pub(super) fn nearest_in([a, b, c]: &Triangle, p: &Vec3) -> Vec3 {
    let (ab, ac) = (b - a, c - a);
    let [d1, d2] = [ab.dot(&(p - a)), ac.dot(&(p - a))];
    let [d3, d4] = [ab.dot(&(p - b)), ac.dot(&(p - b))];
    let [d5, d6] = [ab.dot(&(p - c)), ac.dot(&(p - c))];
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        *a
    } else if d3 >= 0.0 && d4 <= d3 {
        *b
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        a + ab * (d1 / (d1 - d3))
    } else if d6 >= 0.0 && d5 <= d6 {
        *c
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        a + ac * (d2 / (d2 - d6))
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
    } else {
        a + (ab * vb + ac * vc) / (va + vb + vc)
    }
}
