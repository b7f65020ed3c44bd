//! Bounding volume hierarchy of triangles.

use std::ops::Range;

use rayon::prelude::*;

use super::{Triangle, area};
use crate::geometry::Vec3;

/// A complete binary tree of boxes. The children of node `i` are `2i + 1` and `2i + 2`. The leaves hold the triangles
/// in order, in equal numbers up to rounding:
///
/// ```text
/// level 0                0
/// level 1        1               2
/// level 2    3       4       5       6
///          [0..n/4 | ..n/2 | ..3n/4 | ..n]
/// ```
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Number of levels above the leaves.
    depth: u32,
    triangles: usize,
}

/// Bounding box and moments of the triangles below a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Corners of their bounding box, m.
    pub low: Vec3,
    pub high: Vec3,
    /// Sum of their area vectors, m2.
    pub area: Vec3,
    /// Sum of their areas, m2.
    surface: f64,
    /// Area-weighted mean of their centroids, m.
    pub middle: Vec3,
}

/// Maximum number of triangles of a leaf; it has more than half as many.
const LEAF: usize = 8;

impl Tree {
    /// Sorts `triangles`, at least one, into the order of the leaves.
    pub fn new(triangles: &mut [Triangle]) -> Self {
        let depth = triangles.len().div_ceil(LEAF).next_power_of_two().ilog2();
        let count = triangles.len();
        sort(triangles, LevelIndex { level: 0, index: 0 }, depth, count);
        let mut tree = Self { nodes: Vec::new(), depth, triangles: count };
        let leaves: Vec<Node> = (0..1usize << depth)
            .into_par_iter()
            .map(|leaf| Node::around(&triangles[LevelIndex { level: depth, index: leaf }.range(count)]))
            .collect();
        let mut levels = vec![leaves];
        for _ in 0..depth {
            let below = levels.last().expect("the leaves at least");
            levels.push(below.par_chunks(2).map(|pair| Node::join(&pair[0], &pair[1])).collect());
        }
        tree.nodes = levels.into_iter().rev().flatten().collect();
        tree
    }

    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// Range of triangles of a leaf; `None` for other nodes.
    pub fn leaf(&self, index: usize) -> Option<Range<usize>> {
        let first = (1 << self.depth) - 1;
        (index >= first).then(|| LevelIndex { level: self.depth, index: index - first }.range(self.triangles))
    }

    /// Corners of the bounding box of all triangles, m.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (self.nodes[0].low, self.nodes[0].high)
    }

    /// Diagonal of the bounding box, m.
    pub fn size(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).norm()
    }

    /// Area-weighted mean of all centroids, m.
    pub fn middle(&self) -> Vec3 {
        self.nodes[0].middle
    }
}

/// A node by its level, and index in it.
#[derive(Clone, Copy)]
struct LevelIndex {
    level: u32,
    index: usize,
}

impl LevelIndex {
    /// Its range of `count` triangles.
    fn range(self, count: usize) -> Range<usize> {
        let end = |index: usize| ((index as u128 * count as u128) >> self.level) as usize;
        end(self.index)..end(self.index + 1)
    }

    fn children(self) -> [Self; 2] {
        [0, 1].map(|side| Self { level: self.level + 1, index: 2 * self.index + side })
    }
}

/// Sorts the triangles below a node, all of `triangles`, into the leaves. It halves them along the axis of the widest
/// spread of their centroids.
fn sort(triangles: &mut [Triangle], node: LevelIndex, depth: u32, count: usize) {
    /// Number of triangles below which a node is sorted on the calling thread.
    const SERIAL_BELOW: usize = 4096;
    if node.level == depth || triangles.len() < 2 {
        return;
    }
    let [left, right] = node.children();
    let half = left.range(count).len();
    let axis = widest(triangles);
    triangles.select_nth_unstable_by(half, |a, b| middle(a)[axis].total_cmp(&middle(b)[axis]));
    let (low, high) = triangles.split_at_mut(half);
    if low.len() < SERIAL_BELOW {
        sort(low, left, depth, count);
        sort(high, right, depth, count);
    } else {
        rayon::join(|| sort(low, left, depth, count), || sort(high, right, depth, count));
    }
}

/// Axis of the widest spread of the triangles' centroids.
fn widest(triangles: &[Triangle]) -> usize {
    let first = middle(&triangles[0]);
    let grow = |(low, high): (Vec3, Vec3), t| (low.inf(&middle(t)), high.sup(&middle(t)));
    let (low, high) = triangles.iter().fold((first, first), grow);
    (high - low).imax()
}

fn middle([a, b, c]: &Triangle) -> Vec3 {
    (a + b + c) / 3.0
}

impl Node {
    /// The node of at least one triangle.
    fn around(triangles: &[Triangle]) -> Self {
        let one = |t: &Triangle| {
            let [a, b, c] = t;
            let area = area(t);
            Self { low: a.inf(b).inf(c), high: a.sup(b).sup(c), area, surface: area.norm(), middle: middle(t) }
        };
        let first = one(&triangles[0]);
        triangles[1..].iter().fold(first, |all, t| Self::join(&all, &one(t)))
    }

    fn join(a: &Self, b: &Self) -> Self {
        let surface = a.surface + b.surface;
        Self {
            low: a.low.inf(&b.low),
            high: a.high.sup(&b.high),
            area: a.area + b.area,
            surface,
            middle: a.middle + (b.middle - a.middle) * (b.surface / surface),
        }
    }
}
