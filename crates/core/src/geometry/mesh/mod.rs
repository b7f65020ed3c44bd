//! Solids bounded by triangles: inside test and signed distance, also of those whose vertices move.

mod check;
mod deforming;
mod edges;
mod error;
mod face_set;
mod nearest;
mod touch;
mod tree;
mod winding;

pub use deforming::DeformingMesh;
pub use edges::Edges;
pub use error::MeshError;
pub use face_set::FaceSet;
pub use winding::winding_number;

use std::sync::OnceLock;

use super::Vec3;
use super::shape::{Moments, Thicknesses};
use tree::Tree;

/// A solid bounded by triangles, counterclockwise from outside.
///
/// The interior has winding numbers above 1/2, which tolerates small holes and overlapping parts.
#[derive(Debug)]
pub struct Mesh {
    /// Triangles in the order of the tree's leaves.
    triangles: Vec<Triangle>,
    tree: Tree,
    volume: f64,
    thicknesses: OnceLock<Thicknesses>,
}

/// Three corners, m.
type Triangle = [Vec3; 3];

impl Mesh {
    /// The solid bounded by `faces`, each of three `corners` (m). Faces without area are omitted.
    ///
    /// # Errors
    /// If they bound none: see [`MeshError`].
    pub fn new(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<Self, MeshError> {
        check::numbers(corners, faces)?;
        let mesh = Self::of_triangles(triangles(corners, &in_order(corners, faces)?));
        mesh.check()?;
        Ok(mesh)
    }

    /// Mesh of triangles, at least one, [in order](in_order).
    fn of_triangles(triangles: Vec<Triangle>) -> Self {
        let tree = Tree::new(&triangles);
        let volume = volume(&triangles, &tree.middle());
        Self { triangles, tree, volume, thicknesses: OnceLock::new() }
    }

    /// Distance (m) from `p` to the nearest triangle, negative inside. With overlapping parts a triangle may lie in the
    /// interior.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let distance = (p - self.nearest(p).0).norm();
        if self.contains(p) { -distance } else { distance }
    }

    /// Normalised gradient of the distance at `p` (m).
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        let (nearest, triangle) = self.nearest(p);
        let away = if self.contains(p) { nearest - p } else { p - nearest };
        self.gradient(&away, triangle)
    }

    /// Direction of the way from the nearest point, outwards. On the surface it is that of the triangle.
    fn gradient(&self, away: &Vec3, triangle: usize) -> Vec3 {
        away.try_normalize(1e-12 * self.tree.size()).unwrap_or_else(|| self.facing(triangle))
    }

    /// Outward unit normal of a triangle; any direction if a deformation has left it without an area.
    fn facing(&self, triangle: usize) -> Vec3 {
        area(&self.triangles[triangle]).try_normalize(0.0).unwrap_or_else(Vec3::z)
    }

    /// Whether a point (m) is in the interior.
    pub fn contains(&self, p: &Vec3) -> bool {
        let (low, high) = self.bounds();
        (0..3).all(|k| low[k] <= p[k] && p[k] <= high[k]) && self.winding_number(p) > 0.5
    }

    /// Whether the surface point nearest to `p` (m) lies in the interior, as with overlapping parts.
    pub(super) fn is_buried_near(&self, p: &Vec3) -> bool {
        /// Sample position beyond the surface, as a share of the distance to it.
        const BEYOND: f64 = 1e-6;
        let (nearest, _) = self.nearest(p);
        self.contains(&(nearest + (nearest - p) * BEYOND))
    }

    /// Low and high corners (m) of the axis-aligned bounding box.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        self.tree.bounds()
    }

    /// Support function, m: its extent along a unit vector.
    pub(super) fn support(&self, direction: &Vec3) -> f64 {
        self.triangles.iter().flatten().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Rounding of coordinates that a file has in single precision, m.
    pub(super) fn rounding(&self) -> f64 {
        let (low, high) = self.bounds();
        f64::from(f32::EPSILON) * low.amax().max(high.amax())
    }

    /// Corners (m) of all triangles, three each.
    pub fn corners(&self) -> impl Iterator<Item = &Vec3> {
        self.triangles.iter().flatten()
    }

    /// Thickness of its thicknesses, as measured at the first call.
    pub(super) fn thicknesses(&self, measure: impl FnOnce() -> Thicknesses) -> Thicknesses {
        self.thicknesses.get_or_init(measure).clone()
    }

    /// Moments of the volume, by tetrahedra from its middle: of one with the corners 0, a, b, c the mean of x is (a + b +
    /// c)/4, and that of x.x (|a|^2 + |b|^2 + |c|^2 + |a + b + c|^2)/20.
    pub(super) fn moments(&self) -> Moments {
        let apex = self.tree.middle();
        let moments = |t: &Triangle| {
            let [a, b, c] = t.map(|corner| corner - apex);
            let (volume, sum) = (a.dot(&b.cross(&c)) / 6.0, a + b + c);
            let squares = a.norm_squared() + b.norm_squared() + c.norm_squared();
            let second = volume / 20.0 * (squares + sum.norm_squared());
            Moments { zeroth: volume, first: sum * (0.25 * volume), second }
        };
        self.triangles.iter().map(moments).fold(Moments::default(), Moments::plus)
    }

    /// Volume, m3; overlaps count repeatedly.
    pub fn volume(&self) -> f64 {
        self.volume
    }
}

/// Faces with an area, in the order of the leaves of a tree.
fn in_order(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<Vec<[u32; 3]>, MeshError> {
    let faces: Vec<_> = faces.iter().zip(triangles(corners, faces)).filter(|(_, t)| area(t).norm() > 0.0).collect();
    if faces.is_empty() {
        return Err(MeshError::Empty);
    }
    let order = tree::order(&faces.iter().map(|(_, triangle)| *triangle).collect::<Vec<_>>());
    Ok(order.into_iter().map(|k| *faces[k as usize].0).collect())
}

fn triangles(corners: &[Vec3], faces: &[[u32; 3]]) -> Vec<Triangle> {
    faces.iter().map(|face| face.map(|i| corners[i as usize])).collect()
}

/// Area vector: the outward normal times the triangle's area.
fn area([a, b, c]: &Triangle) -> Vec3 {
    (b - a).cross(&(c - a)) * 0.5
}

/// Sum of the signed volumes of the tetrahedra from `apex` to each triangle.
fn volume(triangles: &[Triangle], apex: &Vec3) -> f64 {
    triangles.iter().map(|t| area(t).dot(&(t[0] - apex))).sum::<f64>() / 3.0
}
