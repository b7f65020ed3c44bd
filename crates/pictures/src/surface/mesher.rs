use bdem_core::fracture::Pieces;
use bdem_run::output::ply::Vertex;
use rayon::prelude::*;

use super::blocks::{Block, blocks};
use super::displace::displace;
use super::patch::Marcher;
use super::rest::Rest;
use super::samples::Outline;
use super::stitch::stitch;
use super::ties::{Neighbours, Ties};
use super::{Face, Link, SurfaceMesh};

/// Mesher of a body's surface: particles at rest, from which the mesh of each frame is computed.
pub struct SurfaceMesher {
    rest: Rest,
    neighbours: Neighbours,
    blocks: Vec<Block>,
    /// Spacing of the grid, m.
    spacing: f64,
}

impl SurfaceMesher {
    /// Mesher with cubes of `resolution` times the smallest radius.
    ///
    /// # Panics
    /// When there are no particles, or the arrays differ in length.
    pub fn new(rest: Rest, resolution: f64) -> Self {
        let neighbours = Neighbours::new(rest.p.len(), &rest.links);
        let solids = Pieces::new(rest.p.len(), rest.links.iter().map(|link| link.ends)).of_particle;
        let smallest = rest.radius.iter().copied().reduce(f64::min).expect("a body has particles");
        let spacing = resolution * smallest;
        let blocks = blocks(&rest, &solids, spacing);
        Self { rest, neighbours, blocks, spacing }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.rest.p.len()
    }

    /// Surface with `particles` as in a frame, and with the bonds broken for which `is_broken` holds.
    ///
    /// # Panics
    /// When the number of particles differs from that at rest.
    pub fn surface(&self, particles: &[Vertex], is_broken: impl Fn(u32) -> bool + Sync) -> SurfaceMesh {
        assert_eq!(particles.len(), self.rest.p.len(), "a frame has the particles of its run");
        let is_whole = |link: &Link| {
            let [a, b] = link.ends.map(|i| particles[i as usize].piece);
            a == b && !link.bond.is_some_and(&is_broken)
        };
        let is_whole: Vec<bool> = self.rest.links.par_iter().map(is_whole).collect();
        let pieces = particles.iter().map(|particle| particle.piece).collect();
        let ties = Ties::new(&self.neighbours, &is_whole, pieces);
        let (rest, spacing) = (&self.rest, self.spacing);
        let outline = Outline::new(rest, &self.neighbours);
        let patch = |block| {
            let samples = outline.sample(block, spacing);
            Marcher { rest, ties: &ties, spacing, block, samples: &samples }.march()
        };
        let whole = stitch(self.blocks.par_iter().map(patch).collect());
        let corners = displace(rest, &ties, particles, &whole.spots);
        let is_crack = |triangle: &[u32; 3]| triangle.iter().all(|&k| whole.spots[k as usize].is_fracture);
        let faces = whole.triangles.iter().map(|triangle| Face { is_crack: is_crack(triangle), body: 0 }).collect();
        SurfaceMesh { corners, triangles: whole.triangles, faces, ..SurfaceMesh::default() }
    }
}
