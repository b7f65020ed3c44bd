//! The domain-discretised electric field of \[MSC\] section 3.1 (eq 9, Algorithm 1), its slips mended.
//!
//! The domain is meshed: m Halton points and the corners of the box, in Delaunay tetrahedra. A charge is near a grid point
//! that is a vertex of its tetrahedron or of an adjacent one. The field at a target is exact for charges near a vertex of
//! its tetrahedron. That of all others is computed at the four vertices, and interpolated.
//!
//! The print's two versions contradict each other. Its text counts a charge that is near some of the vertices for these
//! not at all. Algorithm 1 counts it twice, and includes the target itself. Here each charge counts once.

mod delaunay;
mod grid;
mod halton;

use std::ops::Range;

pub use delaunay::Tetrahedron;
pub use grid::{Adjacency, Grid};

use super::charges::Charges;
use super::exact::{self, BLOCK, Sum, Targets};
use crate::geometry::Vec3;
use crate::parallel;
use crate::simd::InstructionSet;

/// Grid of [`Method::Ddef`](super::Method).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DdefSettings {
    /// Number of Halton points, m; at least one is taken.
    pub points: usize,
    /// Rule for the neighbours of a point.
    pub adjacency: Adjacency,
}

impl Default for DdefSettings {
    /// The paper's m = 100, where its error settles (Fig 3).
    fn default() -> Self {
        Self { points: 100, adjacency: Adjacency::Vertex }
    }
}

/// Points by their tetrahedra.
struct Sorted {
    /// The points in the order of their tetrahedra, as indices of those given.
    order: Vec<u32>,
    /// Points of each tetrahedron, as ranges of `order`.
    ranges: Vec<Range<usize>>,
}

impl Sorted {
    fn new(grid: &Grid, points: &[Vec3]) -> Self {
        let parts = parallel::map_chunks(points.len(), |chunk| {
            let mut at = 0;
            let locate = |x: &Vec3| {
                at = grid.locate(x, at);
                at as u32
            };
            points[chunk].iter().map(locate).collect::<Vec<u32>>()
        });
        let at = parts.concat();
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_by_key(|&i| at[i as usize]);
        let mut first = 0;
        let range = |tetrahedron: usize| {
            let count = order[first..].partition_point(|&i| at[i as usize] as usize == tetrahedron);
            first += count;
            first - count..first
        };
        let ranges = (0..grid.tetrahedra().len()).map(range).collect();
        Self { order, ranges }
    }
}

/// Sums at `targets`, which are the charges themselves with `own`. `None` if it `is_cut` meanwhile.
pub(super) fn sums(
    instructions: InstructionSet,
    charges: &Charges,
    (targets, own): (&[Vec3], bool),
    settings: &DdefSettings,
    is_cut: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Sum>> {
    let DdefSettings { points, adjacency } = *settings;
    // a box without size has no tetrahedra
    if charges.x.iter().chain(targets).all(|x| *x == targets[0]) {
        let (rows, mut sums) = (charges.rows().collect::<Vec<_>>(), Vec::new());
        exact::sums(instructions, targets, &rows, charges.softening, own, &mut sums);
        return Some(sums);
    }
    let box_of = charges.x.iter().chain(targets).copied();
    let grid = &Grid::unless_cut(box_of, points.max(1), adjacency, is_cut)?;
    let sources = Sorted::new(grid, charges.x);
    let rows: Vec<[f64; 4]> = charges.rows().collect();
    let rows: Vec<[f64; 4]> = sources.order.iter().map(|&i| rows[i as usize]).collect();
    let sorted_targets = if own { None } else { Some(Sorted::new(grid, targets)) };
    let at = sorted_targets.as_ref().unwrap_or(&sources);
    let x: Vec<Vec3> = at.order.iter().map(|&i| targets[i as usize]).collect();
    let ddef = Ddef {
        instructions,
        grid,
        sources: &sources,
        rows: &rows,
        softening: charges.softening * charges.softening,
        own,
    };
    let far = |point| if is_cut() { Sum::default() } else { ddef.far(point) };
    let far = parallel::map(grid.points().len(), 1, far);
    let parts = parallel::map(at.ranges.len(), 1, |tetrahedron| {
        let range = if is_cut() { 0..0 } else { at.ranges[tetrahedron].clone() };
        ddef.tetrahedron(tetrahedron, &far, range.start, &x[range])
    });
    if is_cut() {
        return None;
    }
    let mut out = vec![Sum::default(); targets.len()];
    for (&i, sum) in at.order.iter().zip(parts.into_iter().flatten()) {
        out[i as usize] = sum;
    }
    Some(out)
}

struct Ddef<'a> {
    instructions: InstructionSet,
    grid: &'a Grid,
    sources: &'a Sorted,
    /// Charges (x, y, z, q) by their tetrahedra.
    rows: &'a [[f64; 4]],
    /// Softening length squared, m2.
    softening: f64,
    own: bool,
}

impl Ddef<'_> {
    /// Sum at a grid point of the charges that are not near it.
    fn far(&self, point: usize) -> Sum {
        let near = self.ranges(self.grid.users(point).iter().copied());
        let mut last = 0;
        let mut ranges = Vec::new();
        for range in near {
            ranges.push(last..range.start);
            last = range.end;
        }
        ranges.push(last..self.rows.len());
        self.add(&ranges, &[self.grid.points()[point]], None)[0]
    }

    /// Sums at the targets `x` of a tetrahedron, of which the first is the charge `first` if they are charges.
    fn tetrahedron(&self, tetrahedron: usize, far: &[Sum], first: usize, x: &[Vec3]) -> Vec<Sum> {
        if x.is_empty() {
            return Vec::new();
        }
        let vertices = self.grid.tetrahedra()[tetrahedron].vertices.map(|vertex| vertex as usize);
        let mut near: Vec<u32> = vertices.iter().flat_map(|&vertex| self.grid.users(vertex)).copied().collect();
        near.sort_unstable();
        near.dedup();
        // near another vertex, but not near this one: in its far field
        let vertex_sum = |vertex: usize| {
            let own = self.grid.users(vertex);
            let others = near.iter().copied().filter(|k| own.binary_search(k).is_err());
            let excess = self.add(&self.ranges(others), &[self.grid.points()[vertex]], None)[0];
            std::array::from_fn(|k| far[vertex][k] - excess[k])
        };
        let far: [Sum; 4] = vertices.map(vertex_sum);
        let mut sums = self.add(&self.ranges(near.iter().copied()), x, self.own.then_some(first));
        for (sum, x) in sums.iter_mut().zip(x) {
            for (share, far) in self.grid.barycentric(tetrahedron, x).iter().zip(&far) {
                (0..4).for_each(|k| sum[k] += share * far[k]);
            }
        }
        sums
    }

    /// Charges of rising tetrahedra, those that follow each other in one range.
    fn ranges(&self, tetrahedra: impl Iterator<Item = u32>) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in tetrahedra.map(|k| self.sources.ranges[k as usize].clone()).filter(|range| !range.is_empty()) {
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }

    fn add(&self, ranges: &[Range<usize>], x: &[Vec3], own: Option<usize>) -> Vec<Sum> {
        let mut out = vec![Sum::default(); x.len()];
        for (k, (x, out)) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)).enumerate() {
            let own = own.map(|own| own + k * BLOCK);
            exact::add(self.instructions, &Targets::new(x), self.rows, ranges, own, self.softening, out);
        }
        out
    }
}
