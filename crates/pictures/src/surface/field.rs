use bdem_core::geometry::Vec3;
use rayon::prelude::*;

use super::rods::{Rod, mean};

/// Cubes along a block's side.
pub(super) const SIDE: usize = 16;
/// Nodes along it.
pub(super) const NODES: usize = SIDE + 1;
/// Distance from a rod's axis, over its radius, beyond which it has no weight.
const SUPPORT: f64 = 2.4;

/// Node of the grid. Its position is this times the grid's spacing.
pub(super) type Node = [i64; 3];

/// Block of the grid around one piece.
pub(super) struct Block {
    pub piece: i32,
    /// Lowest node.
    pub low: Node,
    /// Indices of the rods in reach of its nodes, ascending.
    rods: Vec<u32>,
}

/// Field at a node.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Approximate distance from the surface, m, negative inside.
    pub value: f64,
    /// Index of the rod that is nearest over its radius.
    pub rod: u32,
}

/// Sums over the rods in reach of a node.
#[derive(Clone, Copy)]
struct Sums {
    weight: f64,
    place: Vec3,
    skin: f64,
    /// Square of the distance from the nearest rod's axis, over that of its radius.
    nearest: f64,
    rod: u32,
}

const EMPTY: Sums = Sums { weight: 0.0, place: Vec3::new(0.0, 0.0, 0.0), skin: 0.0, nearest: f64::INFINITY, rod: 0 };

/// Blocks of a grid of `spacing` (m) around rods, piece by piece. The nodes on a side belong to both blocks there.
pub(super) fn blocks(rods: &[Rod], spacing: f64) -> Vec<Block> {
    let blocks_of = |k: usize| {
        let (low, high) = nodes_near(&rods[k], spacing);
        let range = |axis: usize| (low[axis] - 1).div_euclid(SIDE as i64)..=high[axis].div_euclid(SIDE as i64);
        let [xs, ys, zs] = [range(0), range(1), range(2)];
        let cells = xs.flat_map(move |x| {
            let zs = zs.clone();
            ys.clone().flat_map(move |y| zs.clone().map(move |z| [x, y, z]))
        });
        cells.map(move |cell| (rods[k].piece, cell, k as u32))
    };
    let mut felt: Vec<(i32, Node, u32)> = (0..rods.len()).into_par_iter().flat_map_iter(blocks_of).collect();
    felt.par_sort_unstable();
    let block = |group: &[(i32, Node, u32)]| Block {
        piece: group[0].0,
        low: group[0].1.map(|n| n * SIDE as i64),
        rods: group.iter().map(|(.., rod)| *rod).collect(),
    };
    felt.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(block).collect()
}

/// Lowest and highest node in the box around a rod's reach, with one more on each side.
fn nodes_near(rod: &Rod, spacing: f64) -> (Node, Node) {
    let [[a, b], [r, s]] = [rod.places, rod.radii.map(|radius| Vec3::repeat(SUPPORT * radius))];
    let low = (a - r).inf(&(b - s)).map(|x| (x / spacing).floor() as i64);
    let high = (a + r).sup(&(b + s)).map(|x| (x / spacing).ceil() as i64);
    (low.into(), high.into())
}

/// Position (m) of a node.
pub(super) fn place(node: &Node, spacing: f64) -> Vec3 {
    Vec3::from(node.map(|n| n as f64 * spacing))
}

impl Block {
    /// Field at the block's nodes, with z running fastest: the distance from the weighted mean of the nearest points of the rods'
    /// axes, less their mean skin (Zhu & Bridson 2005, "Animating Sand as a Fluid", where rods are particles).
    pub(super) fn samples(&self, rods: &[Rod], spacing: f64) -> Vec<Sample> {
        let mut sums = vec![EMPTY; NODES.pow(3)];
        self.rods.iter().for_each(|&k| self.add(k, &rods[k as usize], spacing, &mut sums));
        let sample = |(k, sums): (usize, Sums)| {
            let x = place(&self.node([k / NODES / NODES, k / NODES % NODES, k % NODES]), spacing);
            let distance = (x - sums.place / sums.weight).norm() - sums.skin / sums.weight;
            Sample { value: if sums.weight > 0.0 { distance } else { spacing }, rod: sums.rod }
        };
        sums.into_iter().enumerate().map(sample).collect()
    }

    /// Contribution of a rod to the nodes in its reach.
    fn add(&self, k: u32, rod: &Rod, spacing: f64, sums: &mut [Sums]) {
        let (low, high) = nodes_near(rod, spacing);
        let range = |axis: usize| {
            let [from, to] = [low[axis], high[axis] + 1].map(|n| (n - self.low[axis]).clamp(0, NODES as i64) as usize);
            from..to
        };
        for x in range(0) {
            for y in range(1) {
                for z in range(2) {
                    let place = place(&self.node([x, y, z]), spacing);
                    sums[(x * NODES + y) * NODES + z].add(k, rod, &place);
                }
            }
        }
    }

    /// Node at these steps from the lowest.
    pub(super) fn node(&self, steps: [usize; 3]) -> Node {
        [0, 1, 2].map(|axis| self.low[axis] + steps[axis] as i64)
    }
}

impl Sums {
    /// Contribution of a rod at `x` (m).
    fn add(&mut self, k: u32, rod: &Rod, x: &Vec3) {
        let shares = rod.shares(x);
        let (place, radius) = (mean(rod.places, shares), mean(rod.radii, shares));
        let away = (x - place).norm_squared() / (radius * radius);
        if away >= SUPPORT * SUPPORT {
            return;
        }
        let weight = (1.0 - away / (SUPPORT * SUPPORT)).powi(3);
        self.weight += weight;
        self.place += place * weight;
        self.skin += weight * mean(rod.skins, shares);
        if away < self.nearest {
            (self.nearest, self.rod) = (away, k);
        }
    }
}
