use std::ops::Range;

use super::{Mesh, MeshError, Triangle, check, in_order, triangles};
use crate::geometry::Vec3;

/// A solid whose vertices move uniformly from each pose to the next, at rest before the first and after the last.
#[derive(Clone, Debug)]
pub struct DeformingMesh {
    /// Corners of the triangles, in the order of the first pose's tree.
    faces: Vec<[u32; 3]>,
    /// Times of the poses, s, ascending.
    times: Vec<f64>,
    /// Vertices in each, m.
    poses: Vec<Vec<Vec3>>,
    /// Greatest speed of a vertex from each pose to the next, m/s.
    speeds: Vec<f64>,
}

impl DeformingMesh {
    /// The solid bounded by `faces`, with these vertices (m) at each time (s): one at least, ascending, with as many vertices each.
    ///
    /// # Errors
    /// The index of a pose that bounds no solid, and why: see [`MeshError`].
    pub fn new(poses: Vec<(f64, Vec<Vec3>)>, faces: &[[u32; 3]]) -> Result<Self, (usize, MeshError)> {
        for (index, (_, vertices)) in poses.iter().enumerate() {
            check::numbers(vertices, faces)
                .and_then(|()| Mesh::new(vertices, faces))
                .map_err(|error| (index, error))?;
        }
        let (times, poses): (Vec<f64>, Vec<Vec<Vec3>>) = poses.into_iter().unzip();
        let first = poses.first().ok_or((0, MeshError::Empty))?;
        let faces = in_order(first, faces).map_err(|error| (0, error))?;
        let speed = |k: usize| {
            let moved = poses[k].iter().zip(&poses[k + 1]).map(|(a, b)| (b - a).norm());
            moved.fold(0.0, f64::max) / (times[k + 1] - times[k])
        };
        let speeds = (0..times.len() - 1).map(speed).collect();
        Ok(Self { faces, times, poses, speeds })
    }

    /// Times of the poses, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Greatest speed of a vertex, m/s.
    pub fn fastest(&self) -> f64 {
        self.speeds.iter().copied().fold(0.0, f64::max)
    }

    /// The solid at a time (s).
    pub fn at(&self, time: f64) -> Mesh {
        Mesh::of_triangles(triangles(&self.vertices(time), &self.faces))
    }

    /// Vertices at a time (s), m, in the order of those given.
    pub fn vertices(&self, time: f64) -> Vec<Vec3> {
        let (from, share) = self.place(time);
        let [from, to] = [from, from + 1].map(|k| &self.poses[k.min(self.poses.len() - 1)]);
        from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect()
    }

    /// Velocity (m/s), from this time (s) on, of the point of triangle `k` with these `weights` of its corners.
    pub(crate) fn velocity(&self, time: f64, k: usize, weights: &[f64; 3]) -> Vec3 {
        if !(self.times[0]..self.times[self.times.len() - 1]).contains(&time) {
            return Vec3::zeros();
        }
        let (from, _) = self.place(time);
        let speed = |&i: &u32| (self.poses[from + 1][i as usize] - self.poses[from][i as usize]).into_owned();
        let moved: Vec3 = self.faces[k].iter().zip(weights).map(|(i, weight)| speed(i) * *weight).sum();
        moved / (self.times[from + 1] - self.times[from])
    }

    /// Upper bound (m) on the way of any point in a range of times (s).
    pub(crate) fn way(&self, range: Range<f64>) -> f64 {
        let way = |k: usize| {
            let during = self.times[k + 1].min(range.end) - self.times[k].max(range.start);
            self.speeds[k] * during.max(0.0)
        };
        (0..self.speeds.len()).map(way).sum()
    }

    /// Pose before a time (s), and the share of the way to the next that has passed.
    fn place(&self, time: f64) -> (usize, f64) {
        let from = self.times.partition_point(|pose| *pose <= time).saturating_sub(1);
        match self.times[from..] {
            [start, end, ..] => (from, ((time - start) / (end - start)).max(0.0)),
            _ => (from, 0.0),
        }
    }
}

impl Mesh {
    /// Triangle of the surface that is nearest to `p` (m), and weights of its corners at the nearest point.
    pub(crate) fn weights_at(&self, p: &Vec3) -> (usize, [f64; 3]) {
        let (nearest, triangle) = self.nearest(p);
        (triangle, weights(&self.triangles[triangle], &nearest))
    }

    /// Point (m) of a triangle with these weights of its corners.
    pub(crate) fn point(&self, triangle: usize, weights: &[f64; 3]) -> Vec3 {
        self.triangles[triangle].iter().zip(weights).map(|(corner, weight)| corner * *weight).sum()
    }
}

/// Weights of a triangle's corners at a point in its plane.
fn weights([a, b, c]: &Triangle, p: &Vec3) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let [bb, bc, cc] = [ab.dot(&ab), ab.dot(&ac), ac.dot(&ac)];
    let [bp, cp] = [ab.dot(&ap), ac.dot(&ap)];
    let determinant = bb * cc - bc * bc;
    let [v, w] = [(cc * bp - bc * cp) / determinant, (bb * cp - bc * bp) / determinant];
    // without an area any point of it will do
    if v.is_finite() && w.is_finite() { [1.0 - v - w, v, w] } else { [1.0, 0.0, 0.0] }
}
