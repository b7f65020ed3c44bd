mod hexagonal;
mod random;
mod rope;
mod shell;
mod woven;

use bdem_core::geometry::grid::pairs_within;
use bdem_core::geometry::packing::Packed;

/// The deepest overlap of two spheres as a share of the smaller radius; 0 where none do.
fn deepest_overlap(packed: &Packed) -> f64 {
    let (centres, radii) = (&packed.centres, &packed.radii);
    let touch = |i: usize, j: usize| radii[i] + radii[j];
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let pairs = pairs_within(centres, touch, 2.0 * largest).into_iter().map(|pair| pair.map(|i| i as usize));
    let depth = |[i, j]: [usize; 2]| (touch(i, j) - (centres[j] - centres[i]).norm()) / radii[i].min(radii[j]);
    pairs.map(depth).fold(0.0, f64::max)
}

/// How many spheres are nearer than touching by a share `gap` of their radii, but not bonded.
fn contacts(packed: &Packed, gap: f64) -> usize {
    let touching = bdem_core::geometry::packing::touching_pairs(&packed.centres, &packed.radii, gap);
    touching.len() - packed.bonds.len()
}
