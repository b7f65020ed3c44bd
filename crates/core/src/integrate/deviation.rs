//! Deviation of a step from free flight, the measure of step control.

use crate::geometry::Vec3;
use crate::model::{State, World};
use crate::parallel::{SERIAL_BELOW, sum_chunks};

/// Root-mean-square distance of the particles from free flight, in radii. `free(i)` (m) is the place of free flight at `end`;
/// `held` particles count as zero.
pub(crate) fn deviation(world: &World, held: &[bool], end: &State, free: impl Fn(usize) -> Vec3 + Sync) -> f64 {
    let off = |i: usize| {
        let off = end.p[i] - free(i);
        if held[i] { 0.0 } else { off.norm_squared() / world.particles.radius[i].powi(2) }
    };
    let sum = sum_chunks(end.len(), SERIAL_BELOW, |particles| particles.map(off).sum());
    let mean: f64 = sum / end.len().max(1) as f64;
    mean.sqrt()
}
