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

/// Reach of particles around crumbs, in radii: further than any node is from the particle that it is nearest to.
const NEAR: f64 = 4.0;

/// Fields of the labels of particles.
pub(super) struct Field<'a> {
    particles: &'a Labelled<'a>,
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
    /// Squared distances (m2) from the particles of crumbs nearby, and of all others.
    distances: Vec<(Option<u32>, f64)>,
}

impl NodeValue {
    /// Squared distance (m2) from the particles of a crumb, or of all that are none.
    pub(super) fn distance(&self, crumb: Option<u32>) -> f64 {
        self.distances.iter().find(|(of, _)| *of == crumb).map_or(f64::MAX, |(_, distance)| *distance)
    }

    /// Sum of the fields at the node of those labels that count.
    pub(super) fn share(&self, counts: impl Fn(u32) -> bool) -> f64 {
        if self.shares.is_empty() {
            return f64::from(u8::from(counts(self.label)));
        }
        self.shares.iter().filter(|(label, _)| counts(*label)).map(|(_, share)| share).sum()
    }
}

impl<'a> Field<'a> {
    /// Fields smoothed by `deviation` (m).
    pub(super) fn new(particles: &'a Labelled<'a>, deviation: f64, noise: Option<CrackNoise>) -> Self {
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
            return NodeValue { label, ..NodeValue::default() };
        }
        let x = x + self.noise.as_ref().map_or_else(Vec3::zeros, |noise| displacement(x, noise));
        let (shares, distances) = (self.shares(&x), self.distances(&x));
        let nearest = distances.iter().copied().reduce(|best, next| if next.1 < best.1 { next } else { best });
        let crumb = nearest.and_then(|(crumb, _)| crumb);
        let label = crumb.or_else(|| self.largest(&shares)).unwrap_or_else(|| self.nearest(&x));
        NodeValue { label, shares, distances }
    }

    /// Squared distances (m2) from the particles of each crumb near `x` (m), and of all others. Empty where no crumb is near.
    fn distances(&self, x: &Vec3) -> Vec<(Option<u32>, f64)> {
        let Labelled { places, labels, chips, radius, .. } = self.particles;
        if labels.is_empty() || *chips as usize == self.particles.pieces.len() {
            return Vec::new();
        }
        let mut all: Vec<(Option<u32>, f64)> = Vec::new();
        for &i in self.cells.near(x, NEAR * radius).flat_map(|cell| self.cells.particles(cell)) {
            let distance = (places[i as usize] - x).norm_squared();
            let of = Some(labels[i as usize]).filter(|label| label >= chips);
            match all.iter_mut().find(|(known, _)| *known == of) {
                Some((_, least)) => *least = least.min(distance),
                None => all.push((of, distance)),
            }
        }
        all.sort_unstable_by_key(|(of, _)| *of);
        if all.iter().any(|(of, _)| of.is_some()) { all } else { Vec::new() }
    }

    /// Label with the largest field of those of the piece with the largest sum. None where there are none.
    fn largest(&self, shares: &[(u32, f64)]) -> Option<u32> {
        let piece = |label: u32| self.particles.pieces[label as usize];
        let sum = |of: u32| shares.iter().filter(|(label, _)| piece(*label) == of).map(|(_, share)| share).sum::<f64>();
        let best = |best: (u32, f64), next: (u32, f64)| if next.1 > best.1 { next } else { best };
        let sums = shares.iter().map(|(label, _)| (piece(*label), sum(piece(*label))));
        let (largest, _) = sums.reduce(best)?;
        let labels = shares.iter().copied().filter(|(label, _)| piece(*label) == largest);
        labels.reduce(best).map(|(label, _)| label)
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
            if label >= self.particles.chips {
                continue;
            }
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
