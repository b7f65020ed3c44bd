use std::collections::{BTreeMap, BTreeSet};

use bdem_core::geometry::Vec3;
use bdem_core::geometry::grid::CellGrid;
use rayon::prelude::*;

use super::RestParticles;
use super::disjoint_sets::DisjointSets;
use super::fragments::fragments;

/// Reach of a broken bond's opening on the border between two fragments, in radii.
const REACH: f64 = 4.0;

/// Bond between particles at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestBond {
    /// Indices of its particles.
    pub ends: [u32; 2],
    /// Time at which it breaks, s; infinite if it does not.
    pub broke: f64,
}

/// Cracks of a run: its broken bonds, those that sever pieces and those that end inside.
///
/// A *whole* is a connected part of a body before anything breaks. A *fragment* is a part of a piece that cracks separate from the
/// rest of it, up to where they end: there its border is arbitrary, and closed.
#[derive(Debug, Default)]
pub struct Cracks {
    /// Whole of each particle: the smallest index of a particle in it.
    pub(super) whole: Vec<u32>,
    /// Fragment of each particle: the smallest index of a particle in it.
    pub(super) fragment: Vec<u32>,
    /// Time at which the first bond of each whole breaks, s.
    first: BTreeMap<u32, f64>,
    /// Borders between two fragments, of one piece or of two, the smaller number first.
    borders: BTreeMap<[u32; 2], Border>,
}

impl Cracks {
    /// Cracks of pieces as they are in the last frame. Bonds between bodies count for none.
    pub fn new(particles: &RestParticles, bonds: &[RestBond], bodies: usize) -> Self {
        let of = |list: &[u32], bond: &RestBond| bond.ends.map(|i| list[i as usize]);
        let is_within = |bond: &&RestBond| {
            let [a, b] = bond.ends.map(|i| particles.body[i as usize]);
            a == b
        };
        let bonds: Vec<RestBond> = bonds.iter().filter(is_within).copied().collect();
        let mut connected = DisjointSets::new(particles.places.len());
        bonds.iter().for_each(|bond| connected.join(bond.ends[0], bond.ends[1]));
        let mut has_bonds = vec![false; bodies];
        bonds.iter().for_each(|bond| has_bonds[usize::from(particles.body[bond.ends[0] as usize])] = true);
        // rigid bodies have no bonds
        let whole_of = |i: u32| {
            let is_bonded = has_bonds[usize::from(particles.body[i as usize])];
            if is_bonded { connected.find(i) } else { particles.piece[i as usize] }
        };
        let whole: Vec<u32> = (0..particles.places.len() as u32).map(whole_of).collect();
        let mut first = BTreeMap::new();
        for bond in bonds.iter().filter(|bond| bond.broke.is_finite()) {
            let time: &mut f64 = first.entry(whole[bond.ends[0] as usize]).or_insert(f64::INFINITY);
            *time = time.min(bond.broke);
        }
        let is_inner = |bond: &&RestBond| {
            let [a, b] = of(particles.piece, bond);
            a == b
        };
        let inner: Vec<RestBond> = bonds.iter().filter(is_inner).copied().collect();
        let fragment = fragments(particles.places, particles.piece, &inner);
        let mut across: BTreeMap<[u32; 2], Vec<RestBond>> = BTreeMap::new();
        for bond in &bonds {
            let [a, b] = of(&fragment, bond);
            if a != b {
                across.entry([a.min(b), a.max(b)]).or_default().push(*bond);
            }
        }
        let radii = particles.median_radii(bodies);
        let border = |(sides, bonds): ([u32; 2], Vec<RestBond>)| {
            let radius = radii[usize::from(particles.body[sides[0] as usize])];
            (sides, Border::new(particles.places, bonds, REACH * radius))
        };
        let borders = across.into_iter().map(border).collect();
        Self { whole, fragment, first, borders }
    }

    /// No cracks but those between the pieces of these numbers, which are so from the start.
    pub fn between(piece: &[u32]) -> Self {
        Self { whole: piece.to_vec(), fragment: piece.to_vec(), ..Self::default() }
    }

    /// Time at which the first bond of a whole breaks, s. Before all times if none is known.
    pub(super) fn first_break(&self, whole: u32) -> f64 {
        self.first.get(&whole).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Time at which two fragments part at `x` (m, at rest): that at which more than half of the bonds across their border nearby
    /// are broken, weighted by distance. Infinite where they do not.
    pub(super) fn parted_at(&self, a: u32, b: u32, x: &Vec3) -> f64 {
        self.borders.get(&[a.min(b), a.max(b)]).map_or(f64::INFINITY, |border| border.parted_at(x))
    }

    /// Broken bonds across the cracks between fragments of these numbers, and the times at which these part there.
    pub(super) fn open_bonds<'a>(&'a self, fragments: &'a BTreeSet<u32>) -> impl Iterator<Item = &'a RestBond> {
        let borders = self.borders.iter().filter(|(sides, _)| sides.iter().all(|side| fragments.contains(side)));
        borders.flat_map(|(_, border)| &border.open)
    }

    /// Numbers that tell these cracks from others.
    pub(super) fn key(&self) -> impl Iterator<Item = u64> {
        let of_particles = self.whole.iter().chain(&self.fragment).map(|&number| number.into());
        let times =
            self.first.values().chain(self.borders.values().flat_map(|border| &border.open).map(|bond| &bond.broke));
        of_particles.chain(times.map(|time| time.to_bits()))
    }
}

/// Bonds across the border between two fragments.
struct Border {
    bonds: Vec<RestBond>,
    /// Broken ones where the fragments part, with the times at which they do.
    open: Vec<RestBond>,
    middles: Vec<Vec3>,
    grid: CellGrid,
    reach: f64,
}

impl std::fmt::Debug for Border {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Border").field("bonds", &self.bonds).finish_non_exhaustive()
    }
}

impl Border {
    fn new(places: &[Vec3], bonds: Vec<RestBond>, reach: f64) -> Self {
        let middle = |bond: &RestBond| (places[bond.ends[0] as usize] + places[bond.ends[1] as usize]) * 0.5;
        let middles: Vec<Vec3> = bonds.iter().map(middle).collect();
        let mut border = Self { grid: CellGrid::new(&middles, reach), bonds, open: Vec::new(), middles, reach };
        let broken = border.bonds.par_iter().zip(&border.middles).filter(|(bond, _)| bond.broke.is_finite());
        let parted = broken.map(|(bond, middle)| RestBond { broke: bond.broke.max(border.parted_at(middle)), ..*bond });
        border.open = parted.filter(|bond| bond.broke.is_finite()).collect();
        border
    }

    fn parted_at(&self, x: &Vec3) -> f64 {
        let squared = |k: &u32| (self.middles[*k as usize] - x).norm_squared() / (self.reach * self.reach);
        let mut near: Vec<u32> = self.grid.near(x).filter(|k| squared(k) < 1.0).collect();
        near.sort_unstable();
        near.dedup();
        if near.is_empty() {
            // beyond all particles, as in the corners of a box: the nearest bond
            let all = 0..self.middles.len() as u32;
            near.extend(all.min_by(|a, b| squared(a).total_cmp(&squared(b))));
        }
        let weight = |k: &u32| (1.0 - squared(k)).max(1e-9).powi(3);
        let mut times: Vec<(f64, f64)> = near.iter().map(|k| (self.bonds[*k as usize].broke, weight(k))).collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = 0.5 * times.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut broken = 0.0;
        let passes = |(time, weight): (f64, f64)| {
            broken += weight;
            (broken > half).then_some(time)
        };
        times.into_iter().find_map(passes).unwrap_or(f64::INFINITY)
    }
}
