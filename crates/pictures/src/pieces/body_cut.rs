use std::collections::{BTreeMap, BTreeSet, HashMap};

use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::CellGrid;
use rayon::prelude::*;

use super::crack::{Labelled, partition};
use super::cut::{CutMesh, Solid, components, cut, with_normals};
use super::mass::mass_properties;
use super::{BodyMesh, CrackSettings, Cracks, Lip, Piece, PieceError, RestParticles};

/// Particles of a piece, and its number: the smallest index of one.
type Group = (u32, Vec<u32>);

/// Cut of one body.
pub(super) struct BodyCut<'a> {
    pub body: &'a BodyMesh,
    pub index: u16,
    pub particles: &'a RestParticles<'a>,
    pub cracks: &'a Cracks,
    pub radius: f64,
    pub settings: &'a CrackSettings,
}

impl BodyCut<'_> {
    /// Wholes of the body, then the pieces of those that break.
    ///
    /// # Errors
    /// When the mesh bounds no solid, or its cut fails.
    pub(super) fn pieces(&self) -> Result<Vec<Piece>, PieceError> {
        let solid =
            Solid::new(&self.body.mesh).map_err(|fault| PieceError::Mesh { body: self.body.name.clone(), fault })?;
        let mut wholes = self.groups(&self.cracks.whole);
        if wholes.len() > 1 {
            // particles that never were part of more are no crumbs: they stay particles
            wholes.retain(|(_, particles)| particles.len() >= self.settings.min_particles);
        }
        let known: BTreeSet<u32> = wholes.iter().map(|(whole, _)| *whole).collect();
        let mut pieces = self.groups(self.particles.piece);
        pieces.retain(|(_, particles)| known.contains(&self.whole(particles)));
        let fragment = &self.cracks.fragment[..];
        let lasts =
            |piece: &&Group| wholes.iter().any(|whole| whole.1 == piece.1) && fragments(piece, fragment).len() == 1;
        let lasting: BTreeSet<u32> = pieces.iter().filter(lasts).map(|piece| self.whole(&piece.1)).collect();
        let is_lasting = |particles: &[u32]| lasting.contains(&self.whole(particles));
        let first_break = |particles: &[u32]| self.cracks.first_break(self.whole(particles));
        let all_last = pieces.iter().all(|(_, particles)| is_lasting(particles));
        let breaking = if all_last { Vec::new() } else { self.cut(&solid, pieces, fragment)? };
        let mut all = self.cut(&solid, wholes, &self.cracks.whole)?;
        for whole in all.iter_mut().filter(|whole| !is_lasting(&whole.particles)) {
            whole.shown[1] = first_break(&whole.particles);
        }
        all.retain(|whole| whole.shown[1] > f64::NEG_INFINITY);
        for piece in breaking.into_iter().filter(|piece| !is_lasting(&piece.particles)) {
            let shown = [first_break(&piece.particles), f64::INFINITY];
            all.push(Piece { shown, ..piece });
        }
        Ok(all)
    }

    /// Whole of some particles that are connected.
    fn whole(&self, particles: &[u32]) -> u32 {
        self.cracks.whole[particles[0] as usize]
    }

    /// Parts of the solid that move with these groups of particles, cut along the cracks between their fragments. Groups of few
    /// particles are crumbs: convex chips, of the volume that is nearer to them than to other particles.
    fn cut(&self, solid: &Solid, groups: Vec<Group>, fragment: &[u32]) -> Result<Vec<Piece>, PieceError> {
        if groups.len() < 2 && groups.iter().all(|group| fragments(group, fragment).len() == 1) {
            // an unbroken body is its mesh, vertex for vertex
            let mesh = with_normals(&self.body.mesh);
            let cut = |outside| CutMesh { mesh: mesh.clone(), outside, lips: Vec::new() };
            let whole = |group| self.piece(group, cut(mesh.sizes.len()), Vec::new());
            return Ok(groups.into_iter().map(whole).collect());
        }
        let (large, crumbs): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|group| group.1.len() >= self.settings.min_particles);
        let labels = Labels::new(&large, &crumbs, fragment);
        // simplified walls may cross where a piece is thinner than their change: marched ones do not
        let mut parts = self.parts(solid, &labels, true).or_else(|_| self.parts(solid, &labels, false))?;
        let chips = parts.get_mut(large.len()).and_then(Option::take);
        let both = large.into_iter().zip(parts);
        let pieces = both.filter_map(|(group, part)| part.map(|part| (group, part)));
        let mut all: Vec<Piece> = pieces
            .map(|(group, part)| {
                let lips = self.lips(&part, &labels);
                self.piece(group, part, lips)
            })
            .collect();
        all.extend(chips.into_iter().flat_map(|chips| self.chips(&crumbs, &chips)));
        Ok(all)
    }

    /// Part of the solid of each large group; the last is that of all crumbs.
    fn parts(&self, solid: &Solid, labels: &Labels, is_simple: bool) -> Result<Vec<Option<CutMesh>>, PieceError> {
        /// Distance of the sides of a crack that ends in its piece, in radii: invisible, and far above rounding.
        const GAP: f64 = 1e-8;
        /// Volume that may be lost, over that of the body and over that of a particle: gaps of cracks, and slivers that the engine drops.
        const LOSS: [f64; 2] = [1e-6, 1e-2];
        let body = || self.body.name.clone();
        let is_open = |sides: [u32; 2], x: &Vec3| {
            let [a, b] = sides.map(|label| labels.fragments[label as usize]);
            labels.is_crumb(sides[0]) || self.cracks.parted_at(a, b, &self.body.pose.apply(x)).is_finite()
        };
        let partition = partition(&self.labelled(labels), &solid.triangles, self.settings, &is_open, is_simple)
            .map_err(|nodes| PieceError::TooFine { body: body(), nodes })?;
        let parts = cut(solid, &partition, &labels.parts, GAP * self.radius)
            .map_err(|(part, why)| PieceError::Cut { body: body(), piece: labels.number(part as u32), why })?;
        let sum: f64 = parts.iter().flatten().map(|(_, volume)| volume).sum();
        let particle = 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3);
        let is_whole = (sum - solid.volume).abs() < LOSS[0] * solid.volume + LOSS[1] * particle;
        if !is_whole {
            return Err(PieceError::Volume { body: body(), sum, mesh: solid.volume });
        }
        Ok(parts.into_iter().map(|part| part.map(|(part, _)| part)).collect())
    }

    /// Points of a part on cracks that end in it.
    fn lips(&self, part: &CutMesh, labels: &Labels) -> Vec<Lip> {
        let lip = |(point, sides): &(u32, [u32; 2])| {
            let sides = sides.map(|label| labels.fragments[label as usize]);
            let place = self.body.pose.apply(&part.mesh.points[*point as usize]);
            Lip { point: *point, sides, parted: self.cracks.parted_at(sides[0], sides[1], &place) }
        };
        part.lips.par_iter().map(lip).collect()
    }

    /// Chips of crumbs, from the parts of all. A part is of the crumb with the nearest particle.
    fn chips(&self, crumbs: &[Group], chips: &CutMesh) -> Vec<Piece> {
        let particles: Vec<(u32, usize)> =
            crumbs.iter().zip(0..).flat_map(|(crumb, index)| crumb.1.iter().map(move |&i| (i, index))).collect();
        let places: Vec<Vec3> = particles.iter().map(|(i, _)| self.particles.places[*i as usize]).collect();
        let grid = CellGrid::new(&places, 4.0 * self.radius);
        let crumb_at = |x: &Vec3| {
            let distance = |k: &u32| (places[*k as usize] - x).norm_squared();
            let nearest = |a: &u32, b: &u32| distance(a).total_cmp(&distance(b)).then(a.cmp(b));
            let near = grid.near(x).min_by(nearest).or_else(|| (0..places.len() as u32).min_by(nearest));
            particles[near.expect("there is a crumb") as usize].1
        };
        let mut faces: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for component in components(&chips.mesh) {
            let part = chips.mesh.part(&component);
            let middle = part.points.iter().sum::<Vec3>() / part.points.len() as f64;
            faces.entry(crumb_at(&self.body.pose.apply(&middle))).or_default().extend(component);
        }
        let chip = |(index, mut faces): (usize, Vec<usize>)| {
            faces.sort_unstable();
            let outside = faces.iter().filter(|&&face| face < chips.outside).count();
            let part = CutMesh { mesh: chips.mesh.part(&faces), outside, lips: Vec::new() };
            self.piece(crumbs[index].clone(), part, Vec::new())
        };
        faces.into_iter().map(chip).collect()
    }

    /// Groups of the body's particles by their numbers, the largest first.
    fn groups(&self, numbers: &[u32]) -> Vec<Group> {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, (&body, &number)) in (0..).zip(self.particles.body.iter().zip(numbers)) {
            if body == self.index {
                groups.entry(number).or_default().push(i);
            }
        }
        let mut groups: Vec<Group> = groups.into_iter().collect();
        groups.sort_by_key(|(number, particles)| (usize::MAX - particles.len(), *number));
        groups
    }

    /// Particles in the frame of the mesh.
    fn labelled<'b>(&self, labels: &'b Labels) -> Labelled<'b> {
        let place = |(i, _): &(u32, u32)| self.body.pose.undo(&self.particles.places[*i as usize]);
        Labelled {
            places: labels.particles.iter().map(place).collect(),
            labels: labels.particles.iter().map(|(_, label)| *label).collect(),
            pieces: &labels.parts,
            chips: labels.crumbs,
            radius: self.radius,
        }
    }

    fn piece(&self, (number, particles): Group, part: CutMesh, lips: Vec<Lip>) -> Piece {
        let CutMesh { mesh, outside, .. } = part;
        let (volume, centre, inertia) = mass_properties(&mesh);
        let shown = [f64::NEG_INFINITY, f64::INFINITY];
        Piece { body: self.index, number, particles, mesh, outside, volume, centre, inertia, shown, lips }
    }
}

/// Fragments of a group.
fn fragments(group: &Group, fragment: &[u32]) -> BTreeSet<u32> {
    group.1.iter().map(|&i| fragment[i as usize]).collect()
}

/// Labels of particles: a number for each fragment of each part of a body.
struct Labels {
    /// Part of each label. That of all crumbs is the last.
    parts: Vec<u32>,
    /// Fragment of each label: the smallest index of a particle in it.
    fragments: Vec<u32>,
    /// First label of a crumb.
    crumbs: u32,
    /// Particles and their labels, ascending.
    particles: Vec<(u32, u32)>,
}

impl Labels {
    fn new(large: &[Group], crumbs: &[Group], fragment: &[u32]) -> Self {
        let mut labels = Self { parts: Vec::new(), fragments: Vec::new(), crumbs: 0, particles: Vec::new() };
        for (group, part) in large.iter().zip(0..) {
            let first = labels.parts.len() as u32;
            let known: HashMap<u32, u32> = fragments(group, fragment).into_iter().zip(first..).collect();
            labels.fragments.extend(fragments(group, fragment));
            labels.parts.resize(labels.fragments.len(), part);
            labels.particles.extend(group.1.iter().map(|&i| (i, known[&fragment[i as usize]])));
        }
        labels.crumbs = labels.parts.len() as u32;
        for (crumb, label) in crumbs.iter().zip(labels.crumbs..) {
            labels.fragments.push(crumb.0);
            labels.particles.extend(crumb.1.iter().map(|&i| (i, label)));
        }
        labels.parts.resize(labels.fragments.len(), large.len() as u32);
        labels.particles.sort_unstable();
        labels
    }

    fn is_crumb(&self, label: u32) -> bool {
        label >= self.crumbs
    }

    /// Number of a fragment of a part.
    fn number(&self, part: u32) -> u32 {
        self.parts.iter().zip(&self.fragments).find(|(of, _)| **of == part).map_or(0, |(_, fragment)| *fragment)
    }
}
