//! Bounding volume hierarchy of triangles.

use std::ops::Range;

use super::{Triangle, area};
use crate::geometry::Vec3;
use crate::geometry::bounds::Bounds;
use crate::parallel;

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
    /// Bounding box of the triangles below each node, and planes around them.
    boxes: Vec<(Bounds, Slab)>,
    moments: Vec<Moments>,
    /// Number of levels above the leaves.
    depth: u32,
    triangles: usize,
}

/// The triangles below a node lie between two planes, nearly parallel to each of them where the surface is nearly flat.
#[derive(Clone, Copy, Debug)]
struct Slab {
    /// Unit normal.
    normal: Vec3,
    /// Offsets of the planes along it, m.
    low: f64,
    high: f64,
}

/// Sums over the triangles below a node, which stand for them from afar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    /// Sum of their area vectors, m2.
    pub area: Vec3,
    /// Sum of their areas, m2.
    surface: f64,
    /// Area-weighted mean of their centroids, m.
    pub middle: Vec3,
    /// Squared bound on the distance of their points from the middle, m2.
    pub squared_radius: f64,
}

/// Maximum number of triangles of a leaf; it has more than half as many.
const LEAF: usize = 4;

impl Tree {
    /// Tree of `triangles`, at least one, in an [`order`] of these or of others with the same corners.
    pub(super) fn new(triangles: &[Triangle]) -> Self {
        let (count, depth) = (triangles.len(), depth(triangles.len()));
        let leaves: Vec<Node> = parallel::map(1 << depth, 64, |leaf| {
            around(&triangles[LevelIndex { level: depth, index: leaf }.range(count)])
        });
        let mut levels = vec![leaves];
        for _ in 0..depth {
            let below = levels.last().expect("the leaves at least");
            levels.push(parallel::map(below.len() / 2, 64, |k| join(&below[2 * k], &below[2 * k + 1])));
        }
        let nodes = || levels.iter().rev().flatten();
        let moments = nodes().map(|(bounds, moments)| moments.within(bounds)).collect();
        let nodes: Vec<(LevelIndex, &Node)> = (0..=depth)
            .flat_map(|level| (0..1usize << level).map(move |index| LevelIndex { level, index }))
            .zip(nodes())
            .collect();
        let slab = |&(node, (bounds, moments)): &(LevelIndex, &Node)| {
            (*bounds, Slab::around(&triangles[node.range(count)], &moments.area))
        };
        let boxes = parallel::map(nodes.len(), 1, |k| slab(&nodes[k]));
        Self { boxes, moments, depth, triangles: count }
    }

    /// Squared distance (m2) of `p` from the triangles below a node, or less.
    pub(super) fn squared_distance(&self, node: usize, p: &Vec3) -> f64 {
        let (bounds, slab) = &self.boxes[node];
        bounds.squared_distance(p).max(slab.distance(p).powi(2))
    }

    pub(super) fn moments_of(&self, node: usize) -> &Moments {
        &self.moments[node]
    }

    /// Range of triangles of a leaf; `None` for other nodes.
    pub(super) fn leaf(&self, index: usize) -> Option<Range<usize>> {
        let first = (1 << self.depth) - 1;
        (index >= first).then(|| LevelIndex { level: self.depth, index: index - first }.range(self.triangles))
    }

    /// Corners of the bounding box of all triangles, m.
    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        (self.boxes[0].0.low, self.boxes[0].0.high)
    }

    /// Diagonal of the bounding box, m.
    pub(super) fn size(&self) -> f64 {
        let (low, high) = self.bounds();
        (high - low).norm()
    }

    /// Area-weighted mean of all centroids, m.
    pub(super) fn middle(&self) -> Vec3 {
        self.moments[0].middle
    }
}

/// Number of levels above the leaves of this many triangles.
fn depth(triangles: usize) -> u32 {
    triangles.div_ceil(LEAF).next_power_of_two().ilog2()
}

/// Indices of `triangles` in the order of the leaves.
pub(super) fn order(triangles: &[Triangle]) -> Vec<u32> {
    let mut middles: Vec<Middle> = triangles.iter().map(middle).zip(0..).collect();
    sort(&mut middles, LevelIndex { level: 0, index: 0 }, depth(triangles.len()), triangles.len());
    middles.into_iter().map(|(_, triangle)| triangle).collect()
}

/// Centroid (m) and index of a triangle.
type Middle = (Vec3, u32);

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
fn sort(triangles: &mut [Middle], node: LevelIndex, depth: u32, count: usize) {
    /// Number of triangles below which a node is sorted on the calling thread.
    const SERIAL_BELOW: usize = 4096;
    if node.level == depth || triangles.len() < 2 {
        return;
    }
    let [left, right] = node.children();
    let half = left.range(count).len();
    let axis = widest(triangles);
    triangles.select_nth_unstable_by(half, |(a, _), (b, _)| a[axis].total_cmp(&b[axis]));
    let (low, high) = triangles.split_at_mut(half);
    if low.len() < SERIAL_BELOW {
        sort(low, left, depth, count);
        sort(high, right, depth, count);
    } else {
        rayon::join(|| sort(low, left, depth, count), || sort(high, right, depth, count));
    }
}

/// Axis of the widest spread of the triangles' centroids.
fn widest(triangles: &[Middle]) -> usize {
    let (first, _) = triangles[0];
    let grow = |(low, high): (Vec3, Vec3), (middle, _): &Middle| (low.inf(middle), high.sup(middle));
    let (low, high) = triangles.iter().fold((first, first), grow);
    (high - low).imax()
}

fn middle([a, b, c]: &Triangle) -> Vec3 {
    (a + b + c) / 3.0
}

type Node = (Bounds, Moments);

impl Slab {
    /// Planes around `triangles`, perpendicular to the sum of their area vectors.
    fn around(triangles: &[Triangle], area: &Vec3) -> Self {
        let normal = area.try_normalize(0.0).unwrap_or_else(Vec3::z);
        let offsets = triangles.iter().flatten().map(|corner| normal.dot(corner));
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = offsets.fold(start, |(low, high), offset| (offset.min(low), offset.max(high)));
        Self { normal, low, high }
    }

    /// Distance (m) of `p` from the slab; zero within.
    fn distance(&self, p: &Vec3) -> f64 {
        let offset = self.normal.dot(p);
        (self.low - offset).max(offset - self.high).max(0.0)
    }
}

impl Moments {
    /// These moments with the radius of the box about the middle.
    fn within(&self, bounds: &Bounds) -> Self {
        let radius = (bounds.high - self.middle).sup(&(self.middle - bounds.low));
        Self { squared_radius: radius.norm_squared(), ..*self }
    }
}

/// Node of one triangle or more.
fn around(triangles: &[Triangle]) -> Node {
    let one = |t: &Triangle| {
        let [a, b, c] = t;
        let area = area(t);
        let moments = Moments { area, surface: area.norm(), middle: middle(t), squared_radius: f64::INFINITY };
        (Bounds { low: a.inf(b).inf(c), high: a.sup(b).sup(c) }, moments)
    };
    let first = one(&triangles[0]);
    triangles[1..].iter().fold(first, |all, t| join(&all, &one(t)))
}

fn join((box_a, a): &Node, (box_b, b): &Node) -> Node {
    let surface = a.surface + b.surface;
    let middle = a.middle + (b.middle - a.middle) * (b.surface / surface);
    (box_a.join(box_b), Moments { area: a.area + b.area, surface, middle, squared_radius: f64::INFINITY })
}
