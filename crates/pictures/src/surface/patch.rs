use bdem_core::geometry::Vec3;

use super::Rest;
use super::blocks::{Block, Node};
use super::crack::{between, crossing};
use super::cube::{ALL_OPEN, Point, apex, edge, loops};
use super::samples::{Sample, place};
use super::ties::Ties;

/// Point of the surface at rest.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// Identity of the point, where other blocks may have it too.
    pub(super) key: Option<Key>,
    /// Position, m.
    pub(super) place: Vec3,
    /// Particle that displaces the point, together with those tied to it.
    pub(super) owner: u32,
    /// Whether it is on a crack.
    pub(super) is_fracture: bool,
}

/// Identity of a point on the grid: its solid, the lowest node of its edge or face, and its kind there.
pub(super) type Key = (u32, Node, u8);

/// Kinds of points that begin at a node: on both sides of three edges, and in three faces.
const KINDS: usize = 9;

/// Bit of a node that is inside.
const INSIDE: u8 = 1 << 3;

/// Triangles of a block.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub(super) spots: Vec<Spot>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Input of a block's triangles.
pub(super) struct Marcher<'a> {
    pub(super) rest: &'a Rest,
    pub(super) ties: &'a Ties<'a>,
    /// Spacing of the grid, m.
    pub(super) spacing: f64,
    pub(super) block: &'a Block,
    pub(super) samples: &'a [Sample],
}

/// Cube of the grid: its lowest node, and its eight samples.
struct Cube {
    node: Node,
    samples: [Sample; 8],
}

impl Marcher<'_> {
    /// Triangles of all cubes of the block.
    pub(super) fn march(&self) -> Patch {
        let [nx, ny, nz] = self.block.counts();
        let nodes = self.nodes();
        let (mut patch, mut known) = (Patch::default(), vec![u32::MAX; KINDS * nx * ny * nz]);
        for x in 0..nx - 1 {
            for y in 0..ny - 1 {
                for z in 0..nz - 1 {
                    self.march_cube([x, y, z], &nodes, &mut known, &mut patch);
                }
            }
        }
        patch
    }

    /// Bits of each node: [`INSIDE`], and one for each axis along which the edge from it is open. The ends of an open
    /// edge are inside, in particles that are tied.
    fn nodes(&self) -> Vec<u8> {
        let counts @ [_, ny, nz] = self.block.counts();
        let inside = |k: usize| self.samples[k].value < 0.0;
        let is_open = |k: usize, at: [usize; 3], axis: usize| {
            let other = k + [ny * nz, nz, 1][axis];
            let both = at[axis] + 1 < counts[axis] && inside(k) && inside(other);
            both && self.ties.hold(self.samples[k].owner, self.samples[other].owner)
        };
        let node = |k: usize| {
            let at = [k / (ny * nz), k / nz % ny, k % nz];
            let open = (0..3).fold(0, |bits, axis| bits | u8::from(is_open(k, at, axis)) << axis);
            if inside(k) { open | INSIDE } else { open }
        };
        (0..self.samples.len()).map(node).collect()
    }

    fn march_cube(&self, at: [usize; 3], nodes: &[u8], known: &mut [u32], patch: &mut Patch) {
        let (mut is_inside, mut is_open) = (0, 0);
        for n in 0..8 {
            let node = nodes[self.index(at, n)];
            is_inside |= u8::from(node & INSIDE != 0) << n;
            for axis in (0..3).filter(|axis| n >> axis & 1 == 0) {
                is_open |= u32::from(node >> axis & 1) << edge(n, n | 1 << axis);
            }
        }
        if is_inside == 0 || is_open == ALL_OPEN {
            return;
        }
        let samples: [Sample; 8] = std::array::from_fn(|n| self.samples[self.index(at, n)]);
        let node = [0, 1, 2].map(|axis| self.block.low[axis] + at[axis] as i64);
        let cube = Cube { node, samples };
        loops(is_inside, is_open, |points| {
            let spots: Vec<u32> = points
                .iter()
                .map(|&point| {
                    let (n, kind) = kind(point);
                    let known = &mut known[KINDS * self.index(at, n) + usize::from(kind)];
                    if *known == u32::MAX {
                        *known = patch.spots.len() as u32;
                        patch.spots.push(self.spot(&cube, point));
                    }
                    *known
                })
                .collect();
            patch.fill(points, &spots);
        });
    }

    /// Index of the sample at node `n` of the cube at `at`.
    fn index(&self, at: [usize; 3], n: usize) -> usize {
        let [_, ny, nz] = self.block.counts();
        ((at[0] + (n & 1)) * ny + at[1] + (n >> 1 & 1)) * nz + at[2] + (n >> 2)
    }

    fn spot(&self, cube: &Cube, point: Point) -> Spot {
        let (n, kind) = kind(point);
        let node = cube.at(n);
        let key = Block::is_shared(&node).then_some((self.block.solid, node, kind));
        let (place, owner, is_fracture) = match point {
            Point::Edge { axis, low, is_high } => self.on_edge(cube, [low, low | 1 << axis], is_high),
            Point::Front { face } => self.on_face(cube, face),
        };
        Spot { key, place, owner, is_fracture }
    }

    /// Position, owner and whether it is on a crack, of the point on an edge between two nodes.
    fn on_edge(&self, cube: &Cube, ends: [usize; 2], is_high: bool) -> (Vec3, u32, bool) {
        let [low, high] = ends.map(|n| cube.samples[n]);
        let places = ends.map(|n| place(&cube.at(n), self.spacing));
        let owner = if is_high { high.owner } else { low.owner };
        if low.value < 0.0 && high.value < 0.0 {
            return (crossing(self.rest, self.ties, [low.owner, high.owner], places), owner, true);
        }
        (between(&places[0], &places[1], low.value, high.value), owner, false)
    }

    /// The same of the point in a face in which a crack ends.
    fn on_face(&self, cube: &Cube, face: usize) -> (Vec3, u32, bool) {
        let (across, side) = (face / 2, face % 2);
        let nodes = (0..8).filter(|n| n >> across & 1 == side);
        let middle = nodes.map(|n| place(&cube.at(n), self.spacing)).sum::<Vec3>() * 0.25;
        (middle, cube.samples[side << across].owner, true)
    }
}

impl Cube {
    /// Node `n` of the cube on the grid.
    fn at(&self, n: usize) -> Node {
        [0, 1, 2].map(|axis| self.node[axis] + (n >> axis & 1) as i64)
    }
}

/// Node of a cube at which a point begins, and the point's kind there.
fn kind(point: Point) -> (usize, u8) {
    match point {
        Point::Edge { axis, low, is_high } => (low, (2 * axis + usize::from(is_high)) as u8),
        Point::Front { face } => ((face % 2) << (face / 2), (6 + face / 2) as u8),
    }
}

impl Patch {
    /// Triangles of a loop, added to the patch.
    fn fill(&mut self, points: &[Point], spots: &[u32]) {
        let count = spots.len();
        if let Some(apex) = apex(points) {
            let at = |k: usize| spots[(apex + k) % count];
            self.triangles.extend((1..count - 1).map(|k| [at(0), at(k), at(k + 1)]));
            return;
        }
        let middle = self.spots.len() as u32;
        let place = spots.iter().map(|&k| self.spots[k as usize].place).sum::<Vec3>() / count as f64;
        self.spots.push(Spot { key: None, place, ..self.spots[spots[0] as usize].clone() });
        self.triangles.extend((0..count).map(|k| [spots[k], spots[(k + 1) % count], middle]));
    }
}
