use bdem_core::geometry::Vec3;
use rayon::prelude::*;

use super::Rest;
use super::samples::reach;

/// Cubes along a block's side.
const SIDE: i64 = 16;

/// Node of the grid. Its position is this times the grid's spacing.
pub(super) type Node = [i64; 3];

/// Block of the grid of one solid: 16 cubes along its side, without the part far from particles.
#[derive(Debug)]
pub(super) struct Block {
    /// Smallest particle of the solid.
    pub(super) solid: u32,
    /// Lowest and highest node.
    pub(super) low: Node,
    pub(super) high: Node,
    /// Particles whose kernels reach its nodes, ascending.
    pub(super) particles: Vec<u32>,
}

/// Ranges of a particle's kernel, over its radius.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Distance beyond which nodes are outside.
    pub(super) solid: f64,
    /// Distance beyond which the kernel is zero.
    pub(super) support: f64,
}

/// Blocks of a grid of `spacing` (m) around particles at rest. `solid` has the solid of each particle.
pub(super) fn blocks(rest: &Rest, solid: &[u32], spacing: f64) -> Vec<Block> {
    let near = |i: usize, reach: f64| nodes_near(&rest.p[i], reach * rest.radius[i], spacing);
    let mut felt: Vec<(u32, Node, u32)> = (0..rest.p.len())
        .into_par_iter()
        .flat_map_iter(|i| blocks_of(near(i, reach(rest, i).support)).map(move |block| (solid[i], block, i as u32)))
        .collect();
    felt.par_sort_unstable();
    let groups: Vec<_> = felt.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    let block = |group: &[(u32, Node, u32)]| {
        let (solid, at, _) = group[0];
        let whole = (at.map(|n| n * SIDE), at.map(|n| (n + 1) * SIDE));
        let ranges = group.iter().map(|&(.., i)| i as usize).map(|i| meet(near(i, reach(rest, i).solid), whole));
        let filled = ranges.filter(|(low, high)| low.iter().zip(high).all(|(low, high)| low <= high));
        let (low, high) = filled.reduce(|a, b| (each(a.0, b.0, i64::min), each(a.1, b.1, i64::max)))?;
        Some(Block { solid, low, high, particles: group.iter().map(|&(.., i)| i).collect() })
    };
    groups.into_par_iter().filter_map(block).collect()
}

/// Lowest and highest node around a ball, with one more on each side.
pub(super) fn nodes_near(centre: &Vec3, radius: f64, spacing: f64) -> (Node, Node) {
    let low = centre.map(|x| ((x - radius) / spacing).floor() as i64);
    let high = centre.map(|x| ((x + radius) / spacing).ceil() as i64);
    (low.into(), high.into())
}

/// Blocks that have any of these nodes.
fn blocks_of((low, high): (Node, Node)) -> impl Iterator<Item = Node> {
    // a node between two blocks is in both
    let [xs, ys, zs] = [0, 1, 2].map(|axis| (low[axis] - 1).div_euclid(SIDE)..=high[axis].div_euclid(SIDE));
    xs.flat_map(move |x| {
        ys.clone().flat_map({
            let zs = zs.clone();
            move |y| zs.clone().map(move |z| [x, y, z])
        })
    })
}

/// Intersection of two ranges of nodes.
pub(super) fn meet(a: (Node, Node), b: (Node, Node)) -> (Node, Node) {
    (each(a.0, b.0, i64::max), each(a.1, b.1, i64::min))
}

fn each(a: Node, b: Node, of: fn(i64, i64) -> i64) -> Node {
    [0, 1, 2].map(|axis| of(a[axis], b[axis]))
}

impl Block {
    /// Number of nodes along each axis.
    pub(super) fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| (self.high[axis] - self.low[axis] + 1) as usize)
    }

    /// Whether other blocks may have the points that begin at a node.
    pub(super) fn is_shared(node: &Node) -> bool {
        node.iter().any(|n| n.rem_euclid(SIDE) == 0)
    }
}
