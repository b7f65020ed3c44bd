use bdem_core::geometry::{Mat3, Vec3};
use bdem_run::mesh::Polygons;
use bdem_run::output::ply::Vertex;
use serde::{Deserialize, Serialize};

use super::body_cut::BodyCut;
use super::{BodyMesh, CrackSettings, Cracks, PieceError, triangulate};

/// Pieces in the last frame of a run, at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pieces {
    /// Meshes of the scene's bodies. None of those that have only particles.
    pub bodies: Vec<Option<BodyMesh>>,
    /// Pieces of all bodies, the largest of each body first.
    pub pieces: Vec<Piece>,
    /// Particles that belong to no piece: crumbs, and bodies without a mesh.
    pub loose: Vec<u32>,
}

/// Part of a body's mesh that moves with some particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Index of its body.
    pub body: u16,
    /// Number of its piece in the last frame: the smallest index of a particle in it.
    pub number: u32,
    /// Its particles.
    pub particles: Vec<u32>,
    /// Closed mesh in the frame of the body's mesh.
    pub mesh: Polygons,
    /// Number of faces on the outside. They come first; the others are cracks.
    pub outside: usize,
    /// Volume, m3.
    pub volume: f64,
    /// Centroid of the mesh, m.
    pub centre: Vec3,
    /// Second moments of the volume about the centroid, m5: the inertia of unit density.
    pub inertia: Mat3,
    /// Times (s) from which and up to which it is shown. A body is whole up to its first broken bond.
    pub shown: [f64; 2],
    /// Points on cracks that end in the piece. A point at the end of one is on both sides.
    pub lips: Vec<Lip>,
}

/// Point on a crack that ends in its piece.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lip {
    /// Index of the point.
    pub point: u32,
    /// Fragments on its side of the crack and on the other.
    pub sides: [u32; 2],
    /// Time from which these are parted there, s.
    pub parted: f64,
}

impl Piece {
    /// Whether it is shown at a time (s).
    pub fn is_shown(&self, time: f64) -> bool {
        let [from, to] = self.shown;
        (from..to).contains(&time)
    }

    /// Whether it is a body, or a connected part of one, before it breaks.
    pub fn is_whole(&self) -> bool {
        self.shown[1].is_finite()
    }

    /// Triangles of its faces, as indices of three corners of its mesh each, and the index of the face.
    pub fn triangles(&self) -> Vec<([u32; 3], usize)> {
        let mut first = 0;
        let mut all = Vec::new();
        for (face, corners) in self.mesh.faces().enumerate() {
            let places: Vec<Vec3> = corners.iter().map(|corner| self.mesh.points[corner.point as usize]).collect();
            all.extend(triangulate(&places).into_iter().map(|corners| (corners.map(|k| first + k as u32), face)));
            first += corners.len() as u32;
        }
        all
    }

    /// Unique name: that of its body and its number.
    pub fn name(&self, body: &str) -> String {
        let whole = if self.is_whole() { "_whole" } else { "" };
        format!("{body}_{:06}{whole}", self.number)
    }

    /// Mean of a quantity of its particles in a frame.
    pub(crate) fn mean(&self, particles: &[Vertex], of: fn(&Vertex) -> f32) -> f32 {
        let sum: f64 = self.particles.iter().map(|&i| f64::from(of(&particles[i as usize]))).sum();
        (sum / self.particles.len() as f64) as f32
    }
}

/// Particles of a run at rest, and the pieces that they end in: an entry for each particle.
#[derive(Clone, Copy, Debug)]
pub struct RestParticles<'a> {
    /// Positions, m.
    pub places: &'a [Vec3],
    /// Radii, m.
    pub radius: &'a [f64],
    /// Index of the body.
    pub body: &'a [u16],
    /// Number of the piece in the last frame.
    pub piece: &'a [u32],
}

impl RestParticles<'_> {
    /// Median radius of each body's particles, m; zero for a body without particles.
    pub fn median_radii(&self, bodies: usize) -> Vec<f64> {
        let mut radii = vec![Vec::new(); bodies];
        self.body.iter().zip(self.radius).for_each(|(&body, &radius)| radii[usize::from(body)].push(radius));
        let median = |mut radii: Vec<f64>| {
            radii.sort_by(f64::total_cmp);
            radii.get(radii.len() / 2).copied().unwrap_or(0.0)
        };
        radii.into_iter().map(median).collect()
    }
}

impl Pieces {
    /// Pieces of bodies, which are cut by the cracks between the pieces of their particles.
    ///
    /// # Errors
    /// When a mesh bounds no solid, or its cut fails.
    pub fn cut(
        bodies: Vec<Option<BodyMesh>>,
        particles: &RestParticles,
        cracks: &Cracks,
        settings: &CrackSettings,
    ) -> Result<Self, PieceError> {
        let radii = particles.median_radii(bodies.len());
        let mut pieces = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let Some(body) = body else { continue };
            let job = BodyCut { body, index: index as u16, particles, cracks, radius: radii[index], settings };
            pieces.extend(job.pieces()?);
        }
        let mut is_loose = vec![true; particles.places.len()];
        let last = pieces.iter().filter(|piece: &&Piece| !piece.is_whole());
        last.flat_map(|piece| &piece.particles).for_each(|&i| is_loose[i as usize] = false);
        let loose = (0..).zip(is_loose).filter_map(|(i, is_loose)| is_loose.then_some(i)).collect();
        Ok(Self { bodies, pieces, loose })
    }
}
