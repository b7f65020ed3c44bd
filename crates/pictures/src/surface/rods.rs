use std::ops::{Add, Mul};

use bdem_core::geometry::Vec3;
use bdem_run::output::ply::Vertex;

/// Sphere or capsule of the field: a particle without links, whose ends are one, or a link.
pub(super) struct Rod {
    /// Indices of its particles.
    pub ends: [u32; 2],
    /// Centres of the particles, m.
    pub places: [Vec3; 2],
    /// Radii of the particles, m.
    pub radii: [f64; 2],
    /// Distances of the surface from the particles, m.
    pub skins: [f64; 2],
    /// Piece of the particles.
    pub piece: i32,
}

/// Links of a particle in a sheet. Particles with more are in a solid.
const IN_SHEET: u32 = 6;

/// Rods of the `chosen` particles of a frame: those of `links` that join particles of one piece, and spheres. Links within solids, of
/// which spheres leave no gaps, are left out: there are six a particle. Particles without a finite position or radius have none.
pub(super) fn rods(particles: &[Vertex], chosen: &[u32], links: &[[u32; 2]]) -> Vec<Rod> {
    /// Length of a link over the radius beyond which its ends are spheres.
    const LONGEST: f64 = 64.0;
    let is_whole = |ends: &[u32; 2]| {
        let [a, b] = ends.map(|i| &particles[i as usize]);
        let length = (a.place() - b.place()).norm();
        a.piece == b.piece && is_valid(a) && is_valid(b) && length <= LONGEST * f64::from(a.pscale.min(b.pscale))
    };
    let links: Vec<[u32; 2]> = links.iter().copied().filter(is_whole).collect();
    let mut counts = vec![0; particles.len()];
    links.as_flattened().iter().for_each(|&i| counts[i as usize] += 1);
    let is_thin = |ends: &[u32; 2]| ends.iter().any(|&i| counts[i as usize] <= IN_SHEET);
    let links: Vec<[u32; 2]> = links.into_iter().filter(is_thin).collect();
    let mut is_joined = vec![false; particles.len()];
    links.as_flattened().iter().for_each(|&i| is_joined[i as usize] = true);
    let is_alone = |i: &u32| !is_joined[*i as usize] && is_valid(&particles[*i as usize]);
    let alone = chosen.iter().copied().filter(is_alone).map(|i| [i, i]);
    let rod = |ends: [u32; 2]| {
        let both = ends.map(|i| &particles[i as usize]);
        let radii = both.map(|particle| f64::from(particle.pscale));
        let skins = [0, 1].map(|k| radii[k] * skin(counts[ends[k] as usize]));
        Rod { ends, places: both.map(Vertex::place), radii, skins, piece: both[0].piece }
    };
    links.iter().copied().chain(alone).map(rod).collect()
}

/// Whether a particle has a position and a radius that can be drawn.
pub(super) fn is_valid(particle: &Vertex) -> bool {
    let is_near = |x: f32| x.is_finite() && x.abs() < 1e9;
    [particle.x, particle.y, particle.z].into_iter().all(is_near) && particle.pscale > 1e-9 && particle.pscale < 1e9
}

/// Distance of the surface from the particles, over the radius, for a particle with `links` links. Particles then have
/// the volume 4 sqrt2 r^3, their share of a hexagonal packing: alone, in single file, in sheets and in solids. Measured, with what
/// cubes cut off: solids within 4 %, others within 8 %.
fn skin(links: u32) -> f64 {
    // a ball of that volume has 1.105, a cylinder of it along a diameter 0.949; half the distance of the lattice's layers is 0.816
    let [alone, in_file, in_sheet] = [1.125, 0.975, 0.835];
    match f64::from(links) {
        links @ 0.0..=2.0 => alone + (in_file - alone) * links / 2.0,
        links @ 2.0..=6.0 => in_file + (in_sheet - in_file) * (links - 2.0) / 4.0,
        _ => in_sheet,
    }
}

impl Rod {
    /// Shares of both ends in the point of the axis nearest to `x` (m).
    pub(super) fn shares(&self, x: &Vec3) -> [f64; 2] {
        let [a, b] = self.places;
        let share = (x - a).dot(&(b - a)) / (b - a).norm_squared();
        // a sphere has no axis
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        [1.0 - share, share]
    }
}

/// Mean of the values at both ends with these shares.
pub(super) fn mean<T: Mul<f64, Output = T> + Add<Output = T>>([a, b]: [T; 2], shares: [f64; 2]) -> T {
    a * shares[0] + b * shares[1]
}
