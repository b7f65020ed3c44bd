//! Packings of spheres in shapes and along yarns, with the pairs to bond.

mod container;
pub mod hexagonal;
mod random;
mod relaxation;
mod rope;
mod shell;
mod woven;

use super::Vec3;
use super::grid::pairs_within;
use super::shape::Shape;
use crate::parallel;

pub use hexagonal::{estimate, fit_layers, hexagonal, hexagonal_turned};
pub use random::{estimate_random, random, random_with};
pub use rope::Rope;
pub use shell::Shell;
pub use woven::Woven;

/// Revision of the packings. It is raised whenever [`random()`] or [`Shell`] gives other spheres.
pub const REVISION: u32 = 4;

/// Spheres, and the pairs to bond.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// Centres, m.
    pub centres: Vec<Vec3>,
    /// Radii, m.
    pub radii: Vec<f64>,
    /// Pairs `i < j` of spheres to bond.
    pub bonds: Vec<[u32; 2]>,
}

impl Packed {
    /// Spheres at `centres` with `radii` (m), bonded where nearer than `gap` times their mean radius.
    pub fn bonded(centres: Vec<Vec3>, radii: Vec<f64>, gap: f64) -> Self {
        let bonds = touching_pairs(&centres, &radii, 0.5 * gap);
        Self { centres, radii, bonds }
    }

    /// [`Self::bonded`] for spheres of one `radius` (m).
    pub fn equal(centres: Vec<Vec3>, radius: f64, gap: f64) -> Self {
        let radii = vec![radius; centres.len()];
        Self::bonded(centres, radii, gap)
    }

    /// Adds a yarn: a chain of spheres of `radius` (m), each bonded to the next.
    fn push_yarn(&mut self, centres: impl Iterator<Item = Vec3>, radius: f64) {
        let first = self.centres.len() as u32;
        self.centres.extend(centres);
        let end = self.centres.len() as u32;
        self.radii.resize(self.centres.len(), radius);
        self.bonds.extend((first + 1..end).map(|i| [i - 1, i]));
    }
}

/// Pairs `i < j` of spheres in contact, sorted: centres (m) nearer than `(ri + rj)(1 + tolerance)`.
pub fn touching_pairs(centres: &[Vec3], radii: &[f64], tolerance: f64) -> Vec<[u32; 2]> {
    let stretch = 1.0 + tolerance;
    let largest = radii.iter().copied().fold(0.0, f64::max);
    pairs_within(centres, |i, j| (radii[i] + radii[j]) * stretch, 2.0 * largest * stretch)
}

/// Points of the bounding box of `shape`, one for each `share` (m3) of it: what `point` makes of an id and of the box's low
/// corner and size (m), if anything.
fn scattered<T: Send>(shape: &Shape, share: f64, point: impl Fn(u64, Vec3, Vec3) -> Option<T> + Sync) -> Vec<T> {
    /// Minimum number of points, for the smallest shapes.
    const MIN_POINTS: usize = 64;
    let (low, high) = shape.bounds();
    let size = high - low;
    let count = ((size.product() / share) as usize).max(MIN_POINTS);
    parallel::flat_map(count, 256, |ids, points| points.extend(ids.filter_map(|id| point(id as u64, low, size))))
}
