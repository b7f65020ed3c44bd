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
use super::keyed::uniform;
use super::shape::Shape;
use crate::parallel;

pub use hexagonal::{estimate, fit_layers, hexagonal, hexagonal_turned};
pub use random::{estimate_random, random, random_with};
pub use rope::Rope;
pub use shell::Shell;
pub use woven::Woven;

/// Revision of the packings. It is raised whenever [`random()`] or [`Shell`] gives other spheres.
pub const REVISION: u32 = 3;

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

/// Random points (m) in the bounding box of `shape`, with their ids: one for each `share` (m3) of the box, except those
/// that are not `good`.
fn scattered(shape: &Shape, share: f64, seed: u64, good: impl Fn(&Vec3) -> bool + Sync) -> Vec<(u64, Vec3)> {
    /// Minimum number of points, for the smallest shapes.
    const MIN_POINTS: usize = 64;
    let (low, high) = shape.bounds();
    let point = |id: usize| {
        let id = id as u64;
        let along = Vec3::from_fn(|axis, _| uniform(seed, 3 * id + axis as u64));
        (id, low + (high - low).component_mul(&along))
    };
    let count = (((high - low).product() / share) as usize).max(MIN_POINTS);
    parallel::flat_map(count, 256, |ids, points| points.extend(ids.map(point).filter(|(_, p)| good(p))))
}

/// Root in `[low, high]` of the increasing function `f`, by bisection to rounding.
fn rising_root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    /// Number of halvings: the bits of an f64.
    const HALVINGS: usize = 60;
    let halve = |(low, high): (f64, f64), _| {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { (low, middle) } else { (middle, high) }
    };
    (0..HALVINGS).fold((low, high), halve).1
}
