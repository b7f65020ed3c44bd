//! Correction of the centre of mass after a minimisation.

use nalgebra::Vector4;

use crate::geometry::Vec3;
use crate::model::{State, World};
use crate::parallel;

use super::CHUNK;
use super::rule::Inertia;

/// Relative size of a shift that is rounding, over the particles' distance from the origin.
const ROUNDING: f64 = 1e-15;

/// Translates `next` so that its centre of mass moves as inertia, loads and gravity require. Forces between particles sum to
/// zero and do not change. But Newton's residuals do not sum to zero, and momentum would drift.
///
/// Only for worlds without walls and held particles.
pub(super) fn restore(world: &World, inertia: &Inertia, next: &mut State) {
    let b = inertia.weights.dt;
    let mass = &world.particles.mass;
    let chunks =
        (parallel::chunks(&next.p, CHUNK), parallel::chunks(&inertia.target.p, CHUNK), parallel::chunks(mass, CHUNK));
    // sum m (p - p^), and sum m |p|
    let sums = parallel::sum(chunks, |_, (p, target, mass)| {
        let of = |(p, target): (&Vec3, &Vec3)| (p - target).push(p.norm());
        p.iter().zip(target).zip(mass).map(|(places, m)| of(places) * *m).sum::<Vector4<f64>>()
    }) / mass.iter().sum::<f64>();
    let shift = world.gravity * (b * b) - sums.xyz();
    if shift.norm() > ROUNDING * sums.w {
        parallel::for_each(parallel::chunks_mut(&mut next.p, CHUNK), |_, p| p.iter_mut().for_each(|p| *p += shift));
    }
}
