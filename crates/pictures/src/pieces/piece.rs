use std::collections::BTreeMap;

use bdem_core::geometry::{Mat3, Vec3};
use bdem_run::mesh::Polygons;
use bdem_run::output::ply::Vertex;
use serde::{Deserialize, Serialize};

use super::crack::{Labelled, partition};
use super::cut::{Part, Solid, cut, with_normals};
use super::mass::mass_properties;
use super::{BodyMesh, CrackSettings, PieceError};

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
}

impl Piece {
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
        settings: &CrackSettings,
    ) -> Result<Self, PieceError> {
        let radii = particles.median_radii(bodies.len());
        let mut pieces = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let Some(body) = body else { continue };
            let job = BodyCut { body, index: index as u16, particles, radius: radii[index], settings };
            pieces.extend(job.pieces()?);
        }
        let mut is_loose = vec![true; particles.places.len()];
        pieces.iter().flat_map(|piece| &piece.particles).for_each(|&i| is_loose[i as usize] = false);
        let loose = (0..).zip(is_loose).filter_map(|(i, is_loose)| is_loose.then_some(i)).collect();
        Ok(Self { bodies, pieces, loose })
    }
}

/// Cut of one body.
struct BodyCut<'a> {
    body: &'a BodyMesh,
    index: u16,
    particles: &'a RestParticles<'a>,
    radius: f64,
    settings: &'a CrackSettings,
}

impl BodyCut<'_> {
    fn pieces(&self) -> Result<Vec<Piece>, PieceError> {
        let groups = self.groups();
        let solid =
            Solid::new(&self.body.mesh).map_err(|fault| PieceError::Mesh { body: self.body.name.clone(), fault })?;
        if groups.len() < 2 {
            // an unbroken body is its mesh, vertex for vertex
            let mesh = with_normals(&self.body.mesh);
            let outside = mesh.sizes.len();
            return Ok(groups.into_iter().map(|group| self.piece(group, mesh.clone(), outside)).collect());
        }
        // simplified walls may cross where a piece is thinner than their change: marched ones do not
        let parts = self.parts(&solid, &groups, true).or_else(|_| self.parts(&solid, &groups, false))?;
        let both = groups.into_iter().zip(parts);
        Ok(both.filter_map(|(group, part)| part.map(|(part, _)| self.piece(group, part.mesh, part.outside))).collect())
    }

    /// Part of the solid of each group.
    fn parts(&self, solid: &Solid, groups: &[(u32, Vec<u32>)], is_simple: bool) -> Result<Vec<Part>, PieceError> {
        let body = || self.body.name.clone();
        let partition = partition(&self.labelled(groups), &solid.triangles, self.settings, is_simple)
            .map_err(|nodes| PieceError::TooFine { body: body(), nodes })?;
        let parts = cut(solid, &partition, groups.len()).map_err(|(label, why)| PieceError::Cut {
            body: body(),
            piece: groups[label].0,
            why,
        })?;
        let sum: f64 = parts.iter().flatten().map(|(_, volume)| volume).sum();
        let off = (sum / solid.volume - 1.0).abs();
        if off >= 1e-6 || off.is_nan() {
            return Err(PieceError::Volume { body: body(), sum, mesh: solid.volume });
        }
        Ok(parts)
    }

    /// Number and particles of the body's pieces, the largest first, without crumbs. An unbroken body is none, however few particles
    /// it has.
    fn groups(&self) -> Vec<(u32, Vec<u32>)> {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, (&body, &piece)) in (0..).zip(self.particles.body.iter().zip(self.particles.piece)) {
            if body == self.index {
                groups.entry(piece).or_default().push(i);
            }
        }
        let mut groups: Vec<(u32, Vec<u32>)> = groups.into_iter().collect();
        groups.sort_by_key(|(number, particles)| (usize::MAX - particles.len(), *number));
        let kept = groups.iter().filter(|(_, particles)| particles.len() >= self.settings.min_particles).count();
        if groups.len() > 1 {
            groups.truncate(kept);
        }
        groups
    }

    /// Particles of the pieces in the frame of the mesh. Crumbs are left out: their neighbours take their volume.
    fn labelled(&self, groups: &[(u32, Vec<u32>)]) -> Labelled {
        let each =
            groups.iter().zip(0..).flat_map(|((_, particles), label)| particles.iter().map(move |&i| (i, label)));
        let mut each: Vec<(u32, u32)> = each.collect();
        each.sort_unstable();
        let place = |&(i, _): &(u32, u32)| self.body.pose.undo(&self.particles.places[i as usize]);
        Labelled {
            places: each.iter().map(place).collect(),
            labels: each.iter().map(|(_, label)| *label).collect(),
            radius: self.radius,
        }
    }

    fn piece(&self, (number, particles): (u32, Vec<u32>), mesh: Polygons, outside: usize) -> Piece {
        let (volume, centre, inertia) = mass_properties(&mesh);
        Piece { body: self.index, number, particles, mesh, outside, volume, centre, inertia }
    }
}
