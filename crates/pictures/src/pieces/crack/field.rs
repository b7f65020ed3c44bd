use bdem_core::geometry::Vec3;
use rayon::prelude::*;

use super::cells::{Cells, Content};
use super::lattice::Lattice;
use super::noise::{displacement, reach};
use super::{CrackNoise, Labelled};

/// Reach of the kernel in standard deviations.
const REACH: f64 = 4.0;
/// Value of every field far from its particles, so that logarithms are finite: exp(-REACH^2/2).
pub(super) const FLOOR: f64 = 3.35e-4;

/// Fields of the labels of particles.
pub(super) struct Field<'a> {
    particles: &'a Labelled,
    /// Reach of the kernel, m.
    reach: f64,
    noise: Option<CrackNoise>,
    cells: Cells,
    /// Cells as large as the kernel and the noise reach, and their labels.
    coarse: Cells,
    contents: Vec<Content>,
}

/// Label of a node, and the fields of the labels nearby, sorted by label. Empty where there is one label only.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeValue {
    pub label: u32,
    shares: Vec<(u32, f64)>,
}

impl NodeValue {
    /// Field of a label at the node.
    pub(super) fn share(&self, label: u32) -> f64 {
        match self.shares.iter().find(|(known, _)| *known == label) {
            Some((_, share)) => *share,
            None if self.shares.is_empty() && label == self.label => 1.0,
            None => 0.0,
        }
    }
}

impl<'a> Field<'a> {
    /// Fields smoothed by `deviation` (m).
    pub(super) fn new(particles: &'a Labelled, deviation: f64, noise: Option<CrackNoise>) -> Self {
        let kernel = REACH * deviation;
        let coarse = Cells::new(&particles.places, kernel + noise.as_ref().map_or(0.0, reach));
        let contents = coarse.contents(particles);
        let cells = Cells::new(&particles.places, 2.0 * particles.radius);
        Self { particles, reach: kernel, noise, cells, coarse, contents }
    }

    /// Values at nodes of a lattice.
    pub(super) fn at_nodes(&self, lattice: &Lattice, nodes: &[usize]) -> Vec<NodeValue> {
        nodes.par_iter().map(|&node| self.at(&lattice.place(node))).collect()
    }

    fn at(&self, x: &Vec3) -> NodeValue {
        let reach = self.reach + self.noise.as_ref().map_or(0.0, reach);
        let content = self.coarse.near(x, reach).map(|cell| self.contents[cell]);
        if let Content::One(label) = content.fold(Content::None, Content::with) {
            return NodeValue { label, shares: Vec::new() };
        }
        let x = x + self.noise.as_ref().map_or_else(Vec3::zeros, |noise| displacement(x, noise));
        let shares = self.shares(&x);
        let largest = shares.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best });
        match largest {
            Some((label, _)) => NodeValue { label, shares },
            None => NodeValue { label: self.nearest(&x), shares: Vec::new() },
        }
    }

    /// Fields at `x` (m) of the labels in reach.
    fn shares(&self, x: &Vec3) -> Vec<(u32, f64)> {
        let mut shares: Vec<(u32, f64)> = Vec::new();
        for &i in self.cells.near(x, self.reach).flat_map(|cell| self.cells.particles(cell)) {
            let weight = kernel((self.particles.places[i as usize] - x).norm_squared() / (self.reach * self.reach));
            if weight <= 0.0 {
                continue;
            }
            let label = self.particles.labels[i as usize];
            match shares.iter_mut().find(|(known, _)| *known == label) {
                Some((_, share)) => *share += weight,
                None => shares.push((label, weight)),
            }
        }
        shares.sort_unstable_by_key(|(label, _)| *label);
        shares
    }

    /// Label of the particle nearest to `x` (m), which is out of reach.
    fn nearest(&self, x: &Vec3) -> u32 {
        let distance = |i: &u32| (self.particles.places[*i as usize] - x).norm_squared();
        let mut reach = 2.0 * self.reach;
        loop {
            let near = self.cells.near(x, reach).flat_map(|cell| self.cells.particles(cell));
            let nearest = near.copied().min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
            if let Some(i) = nearest.filter(|i| distance(i) <= reach * reach) {
                return self.particles.labels[i as usize];
            }
            reach *= 2.0;
        }
    }
}

/// Weight of a particle at a squared distance over the squared reach: (1 - t)^8, which is close to a Gaussian, and has the
/// same bits on every machine.
fn kernel(t: f64) -> f64 {
    let base = (1.0 - t).max(0.0);
    let fourth = (base * base) * (base * base);
    fourth * fourth
}
