//! How far a step leads off the path of free flight: what step control goes by.

use crate::geometry::Vec3;
use crate::model::{State, World};
use crate::parallel::sum_chunks;

/// Particles that are worth a second thread.
const SERIAL_BELOW: usize = 1024;

/// How far the particles that are not `held` are at `end` from where they would have flown freely, `free(i)` (m): root mean
/// square, in radii.
pub fn deviation(world: &World, held: &[bool], end: &State, free: impl Fn(usize) -> Vec3 + Sync) -> f64 {
    let off = |i: usize| {
        let off = end.p[i] - free(i);
        if held[i] { 0.0 } else { off.norm_squared() / world.particles.radius[i].powi(2) }
    };
    let sum = sum_chunks(end.len(), SERIAL_BELOW, |particles| particles.map(off).sum());
    let mean: f64 = sum / end.len().max(1) as f64;
    mean.sqrt()
}
