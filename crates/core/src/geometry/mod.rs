//! Shapes, meshes, triangulated surfaces, packings of spheres, neighbour search, distances, rotations, and keyed random
//! numbers.

pub(crate) mod approach;
mod bounds;
mod free_rotation;
pub mod grid;
pub mod keyed;
pub mod mesh;
pub mod nearest;
pub mod packing;
mod pose;
pub mod rotation;
pub mod shape;
mod solve;
mod spread;
pub(crate) mod sweep;
pub mod triangulate;

pub(crate) use free_rotation::free_rotation;
pub use pose::Pose;
pub use rotation::{Mat3, Quat, Vec3};
pub(crate) use solve::solve_positive;
pub(crate) use spread::on_sphere;

/// Index of the longest of `vectors`; `None` without any. NaN counts as the longest.
pub fn longest(vectors: &[Vec3]) -> Option<usize> {
    let lengths = vectors.iter().map(Vec3::norm_squared).enumerate();
    lengths.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

/// Mean of vectors; zero without any.
pub(crate) fn mean(of: &[Vec3]) -> Vec3 {
    of.iter().sum::<Vec3>() / of.len().max(1) as f64
}

/// Root in `[low, high]` of the increasing function `f`, by bisection to rounding.
pub fn rising_root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    /// Number of halvings: the bits of an f64.
    const HALVINGS: usize = 60;
    let halve = |(low, high): (f64, f64), _| {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { (low, middle) } else { (middle, high) }
    };
    (0..HALVINGS).fold((low, high), halve).1
}
