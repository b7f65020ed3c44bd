use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use bdem_core::geometry::Vec3;

use super::cracks::RestBond;

/// Bonds along the way from a crack to the far side of the fragments beside it: twice the width that borders are smoothed over.
const DEPTH: u32 = 3;

/// Bonds along the way within which the particles about a seed are of its cell, unless another is nearer. A crack is short by about half
/// of it at its end.
const SPACING: u32 = 2;

/// Broken bonds between two fragments that make a crack. Fewer sever hardly a particle, and are no crack.
const CRACK: u32 = 4;

/// Fragment of each particle, the smallest index of a particle in it, where `bonds` join particles of one piece at rest.
///
/// Particles near broken bonds are divided into cells about seeds: the Voronoi cells of distances along whole bonds, which no crack
/// crosses but near its end. Cells that no crack separates are joined again, those with the most whole bonds between them first.
pub(super) fn fragments(places: &[Vec3], piece: &[u32], bonds: &[RestBond]) -> Vec<u32> {
    let graph = Graph::new(piece.len(), bonds);
    let near = graph.near_cracks();
    let mut cell = graph.cells(places, &near);
    let mut joined = Joined::of(&cell, bonds);
    joined.join();
    cell.iter_mut().filter(|cell| **cell != NONE).for_each(|cell| *cell = joined.cell(*cell));
    let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let key = |i: usize| if joined.has_crack(cell[i]) { (piece[i], cell[i]) } else { (piece[i], NONE) };
    (0..piece.len()).map(|i| *numbers.entry(key(i)).or_insert(i as u32)).collect()
}

/// Cell of particles far from all cracks.
const NONE: u32 = u32::MAX;

/// Bonds of each particle.
struct Graph {
    /// Those of particle `i` are at `starts[i]..starts[i + 1]`.
    starts: Vec<u32>,
    /// Particle at the other end, and whether the bond breaks.
    others: Vec<(u32, bool)>,
}

impl Graph {
    fn new(particles: usize, bonds: &[RestBond]) -> Self {
        let mut starts = vec![0; particles + 1];
        bonds.iter().flat_map(|bond| bond.ends).for_each(|end| starts[end as usize + 1] += 1);
        (0..particles).for_each(|i| starts[i + 1] += starts[i]);
        let (mut next, mut others) = (starts.clone(), vec![(0, false); 2 * bonds.len()]);
        for RestBond { ends: [a, b], broke } in bonds {
            for (from, to) in [(a, b), (b, a)] {
                others[next[*from as usize] as usize] = (*to, broke.is_finite());
                next[*from as usize] += 1;
            }
        }
        Self { starts, others }
    }

    fn others(&self, i: u32) -> &[(u32, bool)] {
        &self.others[self.starts[i as usize] as usize..self.starts[i as usize + 1] as usize]
    }

    /// Particles on the whole side of bonds.
    fn whole(&self, i: u32) -> impl Iterator<Item = u32> {
        self.others(i).iter().filter(|(_, breaks)| !breaks).map(|(other, _)| *other)
    }

    /// Whether each particle is within [`DEPTH`] bonds of a broken one.
    fn near_cracks(&self) -> Vec<bool> {
        let count = self.starts.len() as u32 - 1;
        let at_crack = (0..count).filter(|&i| self.others(i).iter().any(|(_, breaks)| *breaks));
        let mut is_near = vec![false; count as usize];
        self.walk(at_crack.collect(), DEPTH, |i| !std::mem::replace(&mut is_near[i as usize], true));
        is_near
    }

    /// Visits the particles within some bonds of others, nearest first. `visit` says whether one is new.
    fn walk(&self, from: Vec<u32>, bonds: u32, mut visit: impl FnMut(u32) -> bool) {
        let mut queue: VecDeque<(u32, u32)> = from.into_iter().filter(|&i| visit(i)).map(|i| (i, 0)).collect();
        while let Some((i, depth)) = queue.pop_front() {
            if depth < bonds {
                let next = self.whole(i).filter(|&other| visit(other)).map(|other| (other, depth + 1));
                queue.extend(next.collect::<Vec<_>>());
            }
        }
    }

    /// Cell of each particle near cracks: the seed that is nearest along whole bonds. Seeds are more than [`SPACING`] bonds apart.
    fn cells(&self, places: &[Vec3], is_near: &[bool]) -> Vec<u32> {
        let mut visited = vec![NONE; is_near.len()];
        let mut is_covered: Vec<bool> = is_near.iter().map(|is_near| !is_near).collect();
        let mut cells = vec![NONE; is_near.len()];
        // distances are positive, so that their bits are in their order
        let mut queue = BinaryHeap::new();
        for seed in 0..is_near.len() as u32 {
            if is_covered[seed as usize] {
                continue;
            }
            self.walk(vec![seed], SPACING, |i| {
                is_covered[i as usize] = true;
                is_near[i as usize] && std::mem::replace(&mut visited[i as usize], seed) != seed
            });
            queue.push((Reverse((0_u64, seed)), seed));
        }
        while let Some((Reverse((distance, i)), seed)) = queue.pop() {
            if cells[i as usize] != NONE {
                continue;
            }
            cells[i as usize] = seed;
            for other in self.whole(i).filter(|&other| is_near[other as usize]) {
                let length = (places[i as usize] - places[other as usize]).norm();
                queue.push((Reverse(((f64::from_bits(distance) + length).to_bits(), other)), seed));
            }
        }
        cells
    }
}

/// Whole and broken bonds between two cells.
#[derive(Clone, Copy, Debug, Default)]
struct Bonds {
    whole: u32,
    broken: u32,
}

/// Cells that are joined.
struct Joined {
    /// Cell that each is part of, step by step.
    roots: BTreeMap<u32, u32>,
    /// Bonds of each cell to others.
    bonds: BTreeMap<u32, BTreeMap<u32, Bonds>>,
}

impl Joined {
    fn of(cells: &[u32], bonds: &[RestBond]) -> Self {
        let roots = cells.iter().filter(|cell| **cell != NONE).map(|&cell| (cell, cell)).collect();
        let mut between: BTreeMap<u32, BTreeMap<u32, Bonds>> = BTreeMap::new();
        for RestBond { ends, broke } in bonds {
            let [a, b] = ends.map(|end| cells[end as usize]);
            if a == b || a == NONE || b == NONE {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                let count = between.entry(from).or_default().entry(to).or_default();
                if broke.is_finite() { count.broken += 1 } else { count.whole += 1 }
            }
        }
        Self { roots, bonds: between }
    }

    /// Cell that a cell is part of.
    fn cell(&self, mut cell: u32) -> u32 {
        while let Some(&root) = self.roots.get(&cell).filter(|root| **root != cell) {
            cell = root;
        }
        cell
    }

    /// Whether two cells are one: few of the bonds between them break, and far fewer than do not.
    fn are_one(bonds: &Bonds) -> bool {
        bonds.broken < CRACK && 2 * bonds.broken < bonds.whole
    }

    /// Whether a crack separates a cell from another.
    fn has_crack(&self, cell: u32) -> bool {
        self.bonds.get(&cell).is_some_and(|others| others.values().any(|bonds| bonds.broken >= CRACK))
    }

    /// Joins cells without a crack between them.
    fn join(&mut self) {
        let pairs = self.bonds.iter().flat_map(|(a, others)| others.iter().map(move |(b, bonds)| (*a, *b, *bonds)));
        let mut queue: BinaryHeap<(u32, Reverse<[u32; 2]>)> =
            pairs.filter(|(a, b, _)| a < b).map(|(a, b, bonds)| (bonds.whole, Reverse([a, b]))).collect();
        while let Some((whole, Reverse([a, b]))) = queue.pop() {
            let now = self.bonds.get(&a).and_then(|others| others.get(&b)).copied();
            if now.is_some_and(|now| now.whole == whole && Self::are_one(&now)) {
                queue.extend(self.merge(a, b));
            }
        }
    }

    /// Makes cell `b` a part of `a`. Returns the pairs that changed.
    fn merge(&mut self, a: u32, b: u32) -> Vec<(u32, Reverse<[u32; 2]>)> {
        self.roots.insert(b, a);
        let theirs = self.bonds.remove(&b).unwrap_or_default();
        let mut changed = Vec::with_capacity(theirs.len());
        for (other, bonds) in theirs {
            let others = self.bonds.entry(other).or_default();
            others.remove(&b);
            if other == a {
                continue;
            }
            let sum = others.entry(a).or_default();
            *sum = Bonds { whole: sum.whole + bonds.whole, broken: sum.broken + bonds.broken };
            let sum = *sum;
            self.bonds.entry(a).or_default().insert(other, sum);
            changed.push((sum.whole, Reverse([a.min(other), a.max(other)])));
        }
        changed
    }
}
