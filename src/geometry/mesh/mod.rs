//! Solids bounded by triangles: whether a point is inside, and how far it is from the surface.

mod check;
mod distance_grid;
mod error;
mod nearest;
mod ply;
mod read;
mod tree;
mod winding;

pub use distance_grid::DistanceGrid;
pub use error::MeshError;
pub(crate) use ply::number;
pub use read::{Triangles, read};

use std::sync::{Arc, OnceLock};

use super::Vec3;
use tree::Tree;

/// A solid bounded by triangles that run counterclockwise, seen from outside.
///
/// Inside is where the winding number is above 1/2, so that neither small holes nor parts that overlap matter.
#[derive(Debug)]
pub struct Mesh {
    /// In the order of the tree's leaves.
    triangles: Vec<Triangle>,
    tree: Tree,
    volume: f64,
    grid: OnceLock<Arc<DistanceGrid>>,
}

/// Three corners, m.
type Triangle = [Vec3; 3];

impl Mesh {
    /// The solid that `faces` bound, each three of `corners` (m). Faces without area are left out.
    ///
    /// # Errors
    /// Where they do not bound one: see [`MeshError`].
    pub fn new(corners: &[Vec3], faces: &[[u32; 3]]) -> Result<Self, MeshError> {
        check::numbers(corners, faces)?;
        let mut triangles: Vec<Triangle> =
            faces.iter().map(|face| face.map(|i| corners[i as usize])).filter(|t| area(t).norm() > 0.0).collect();
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        let tree = Tree::new(&mut triangles);
        let volume = volume(&triangles, &tree.middle());
        let mesh = Self { triangles, tree, volume, grid: OnceLock::new() };
        mesh.check()?;
        Ok(mesh)
    }

    /// Distance (m) from `p` to the nearest triangle, negative inside. Where parts overlap, a triangle may lie inside.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let distance = (p - self.nearest(p).0).norm();
        if self.contains(p) { -distance } else { distance }
    }

    /// The unit vector along which the distance at `p` (m) grows fastest.
    pub fn normal(&self, p: &Vec3) -> Vec3 {
        let (nearest, triangle) = self.nearest(p);
        let away = if self.contains(p) { nearest - p } else { p - nearest };
        let facing = area(&self.triangles[triangle]);
        // on the surface there is no way to it
        away.try_normalize(1e-12 * self.tree.size()).unwrap_or_else(|| facing.normalize())
    }

    /// Whether a point (m) is inside.
    pub fn contains(&self, p: &Vec3) -> bool {
        self.winding_number(p) > 0.5
    }

    /// Whether the surface nearest to `p` (m) lies within the solid, as it may where parts overlap.
    pub(super) fn is_buried_near(&self, p: &Vec3) -> bool {
        /// Across the surface, as a share of the way to it.
        const BEYOND: f64 = 1e-6;
        let (nearest, _) = self.nearest(p);
        self.contains(&(nearest + (nearest - p) * BEYOND))
    }

    /// The low and the high corner (m) of the smallest upright box around it.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        self.tree.bounds()
    }

    /// How far (m) it reaches along a unit vector.
    pub(super) fn support(&self, direction: &Vec3) -> f64 {
        self.triangles.iter().flatten().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Its distances on a grid of about a hundredth of its longest side, sampled when they are first asked for.
    pub fn sampled(&self) -> Arc<DistanceGrid> {
        const CELLS: f64 = 100.0;
        let sample = || {
            let (low, high) = self.bounds();
            let spacing = (high - low).max() / CELLS;
            Arc::new(DistanceGrid::new(self, spacing, 2.0 * spacing))
        };
        self.grid.get_or_init(sample).clone()
    }

    /// m3; parts that overlap count as often as they do.
    pub fn volume(&self) -> f64 {
        self.volume
    }
}

/// A vector along the outward normal, as long as the triangle has area.
fn area([a, b, c]: &Triangle) -> Vec3 {
    (b - a).cross(&(c - a)) * 0.5
}

/// The sum of the signed volumes of the pyramids from `apex` to each triangle.
fn volume(triangles: &[Triangle], apex: &Vec3) -> f64 {
    triangles.iter().map(|t| area(t).dot(&(t[0] - apex))).sum::<f64>() / 3.0
}
