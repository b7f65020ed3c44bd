use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use crate::geometry::Vec3;
use crate::parallel::{self, CHUNK};

/// Bits of a Morton key per axis.
const BITS: u32 = 21;

/// Cell of an [`Octree`].
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Its points, in the order of the tree.
    pub(super) points: Range<usize>,
    /// Its children, as cells; empty for a leaf.
    pub(super) children: Range<usize>,
    /// Centre of its expansions, m: the mean of its points, weighted.
    pub(super) centre: Vec3,
    /// Distance of its farthest point from the centre, m.
    pub(super) radius: f64,
}

impl Cell {
    pub(super) fn is_leaf(&self) -> bool {
        self.children.is_empty()
    }
}

/// Points clustered by an octree over their Morton order. A cell with one child is left out.
#[derive(Debug, Default)]
pub(super) struct Octree {
    /// Level by level, the root first.
    pub(super) cells: Vec<Cell>,
    /// Points in Morton order, as indices of those given.
    pub(super) order: Vec<u32>,
    /// Their positions, m.
    pub(super) x: Vec<Vec3>,
    /// Morton keys with the indices of their points.
    keys: Vec<(u64, u32)>,
}

impl Octree {
    /// Octree of at least one point, with up to `leaf` points in a leaf. `weight` is of a point; the centres of cells are
    /// means by weight.
    pub(super) fn new(points: &[Vec3], weight: impl Fn(usize) -> f64 + Sync, leaf: usize) -> Self {
        let mut tree = Self::default();
        tree.set(points, weight, leaf);
        tree
    }

    /// As [`Self::new`], in these arrays.
    pub(super) fn set(&mut self, points: &[Vec3], weight: impl Fn(usize) -> f64 + Sync, leaf: usize) {
        let Self { cells, order, x, keys } = self;
        morton_keys(points, keys);
        split(keys, leaf, cells);
        order.clear();
        order.extend(keys.iter().map(|(_, point)| *point));
        x.clear();
        x.extend(order.iter().map(|&i| points[i as usize]));
        parallel::for_each(parallel::each_mut(cells), |_, cell| {
            let points = &x[cell.points.clone()];
            cell.centre = centre(points, |k| weight(order[cell.points.start + k] as usize));
            cell.radius = points.iter().map(|x| (x - cell.centre).norm_squared()).fold(0.0, f64::max).sqrt();
        });
    }
}

/// Mean of points, by weight where there is any.
fn centre(points: &[Vec3], weight: impl Fn(usize) -> f64) -> Vec3 {
    let total: f64 = (0..points.len()).map(&weight).sum();
    let first = points[0];
    let mean = |weight: &dyn Fn(usize) -> f64, total: f64| {
        let sum: Vec3 = points.iter().enumerate().map(|(k, x)| (x - first) * weight(k)).sum();
        first + sum / total
    };
    if total > 0.0 { mean(&weight, total) } else { mean(&|_| 1.0, points.len() as f64) }
}

/// Sets `keys` to the Morton keys of points with their indices, in order.
fn morton_keys(points: &[Vec3], keys: &mut Vec<(u64, u32)>) {
    let low = points.iter().fold(points[0], |low, x| low.inf(x));
    let high = points.iter().fold(points[0], |high, x| high.sup(x));
    let scale = f64::from((1u32 << BITS) - 1) / (high - low).max().max(f64::MIN_POSITIVE);
    let key = |x: &Vec3| {
        let [a, b, c] = ((x - low) * scale).map(|x| spread(x as u64)).into();
        a | b << 1 | c << 2
    };
    keys.resize(points.len(), (0, 0));
    let entries = (parallel::each_mut(keys), parallel::each(points));
    parallel::for_each_item(entries, CHUNK, |i, (entry, x)| *entry = (key(x), i as u32));
    keys.par_sort_unstable();
}

/// The lowest [`BITS`] bits of `x`, two zeros after each.
fn spread(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Sets `cells` to those over sorted keys, without centres.
fn split(keys: &[(u64, u32)], leaf: usize, cells: &mut Vec<Cell>) {
    let cell = |points: Range<usize>| Cell { points, children: 0..0, centre: Vec3::zeros(), radius: 0.0 };
    cells.clear();
    cells.push(cell(0..keys.len()));
    let mut next = 0;
    while next < cells.len() {
        let points = cells[next].points.clone();
        if points.len() > leaf {
            let first = cells.len();
            cells.extend(
                octants(&keys[points.clone()]).map(|part| cell(points.start + part.start..points.start + part.end)),
            );
            cells[next].children = first..cells.len();
        }
        next += 1;
    }
}

/// Ranges of keys by the first octant in which they differ; none where all are equal.
fn octants(keys: &[(u64, u32)]) -> impl Iterator<Item = Range<usize>> {
    let differ = keys[0].0 ^ keys[keys.len() - 1].0;
    let shift = differ.max(1).ilog2() / 3 * 3;
    let octant = move |key: u64| key >> shift & 7;
    let edge = move |octant_below: u64| keys.partition_point(|&(key, _)| octant(key) < octant_below);
    let ranges: Vec<Range<usize>> = (0..8).map(|k| edge(k)..edge(k + 1)).filter(|range| !range.is_empty()).collect();
    ranges.into_iter().filter(move |_| differ != 0)
}
