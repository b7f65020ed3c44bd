//! Triangles of solid shapes, such as colliders.

use std::collections::HashMap;

use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Pose, Vec3};

use super::cube::{Point, apex, edge, loops};

/// Triangles and their vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Positions of the vertices, m.
    pub places: Vec<Vec3>,
    /// Indices of three vertices each, counterclockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// Adds the triangles of another in a pose.
    pub fn add(&mut self, other: &Self, pose: &Pose) {
        let first = self.places.len() as u32;
        self.places.extend(other.places.iter().map(|place| pose.apply(place)));
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }

    /// Triangles of three positions each. Equal positions become one vertex.
    fn of_corners<'a>(corners: impl Iterator<Item = &'a Vec3>) -> Self {
        let (mut all, mut known) = (Self::default(), HashMap::new());
        let mut number = |place: &Vec3| {
            let key = [place.x, place.y, place.z].map(f64::to_bits);
            *known.entry(key).or_insert_with(|| {
                all.places.push(*place);
                all.places.len() as u32 - 1
            })
        };
        let numbers: Vec<u32> = corners.map(&mut number).collect();
        all.triangles = numbers.as_chunks::<3>().0.to_vec();
        all
    }
}

/// Parts of a collider that pictures show: the members of unions, or the shape itself. Without tubes, which may hold
/// particles, and shapes without end.
pub fn shown_parts(shape: &Shape) -> Vec<&Shape> {
    match shape {
        Shape::Union(members) => members.iter().flat_map(shown_parts).collect(),
        Shape::Group(group) => group.members().iter().flat_map(shown_parts).collect(),
        single => Some(single).filter(|single| is_shown(single)).into_iter().collect(),
    }
}

fn is_shown(shape: &Shape) -> bool {
    match shape {
        Shape::Moved { shape, .. } => is_shown(shape),
        Shape::Tube { .. } | Shape::HalfSpace(_) | Shape::Complement(_) => false,
        _ => true,
    }
}

/// Triangles of a shape: those of its meshes, and elsewhere of a grid, projected onto the surface. Of a union those of
/// each member. None of unbounded shapes.
pub fn solid_triangles(shape: &Shape) -> Triangles {
    match shape {
        Shape::Mesh(mesh) => Triangles::of_corners(mesh.corners()),
        Shape::Moved { shape, position, rotation } => {
            let mut all = Triangles::default();
            all.add(&solid_triangles(shape), &Pose { turn: *rotation, shift: *position });
            all
        }
        Shape::Union(members) => each(members),
        Shape::Group(group) => each(group.members()),
        Shape::Box { size } => cuboid(&Vec3::from(*size)),
        single => Grid::around(single).map_or_else(Triangles::default, |grid| grid.march()),
    }
}

fn each(members: &[Shape]) -> Triangles {
    let mut all = Triangles::default();
    members.iter().for_each(|member| all.add(&solid_triangles(member), &Pose::default()));
    all
}

/// Box with these side lengths (m). Its faces have vertices of their own.
fn cuboid(size: &Vec3) -> Triangles {
    let mut all = Triangles::default();
    for (axis, side) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, -0.5), (axis, 0.5)]) {
        let at = |u: f64, v: f64| {
            let mut place = Vec3::zeros();
            (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (side, u, v);
            place.component_mul(size)
        };
        let first = all.places.len() as u32;
        // counterclockwise about the axis, or the other way on its low side
        all.places.extend([at(-0.5, -0.5), at(side, -side), at(0.5, 0.5), at(-side, side)]);
        all.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    all
}

/// Grid of distances around a shape.
struct Grid<'a> {
    shape: &'a Shape,
    low: Vec3,
    spacing: f64,
    /// Number of nodes along each axis.
    nodes: [usize; 3],
    /// Distances (m) of the nodes, x fastest.
    values: Vec<f64>,
}

impl<'a> Grid<'a> {
    /// Grid around a bounded shape.
    fn around(shape: &'a Shape) -> Option<Self> {
        /// Cells along the longest side.
        const CELLS: f64 = 64.0;
        let (low, high) = shape.bounds();
        let longest = (high - low).max();
        if !(longest > 0.0 && (low.sum() + high.sum()).is_finite()) {
            return None;
        }
        let spacing = longest / CELLS;
        let low = low.add_scalar(-1.5 * spacing);
        let nodes = [0, 1, 2].map(|axis| ((high[axis] - low[axis]) / spacing).ceil() as usize + 3);
        let mut grid = Self { shape, low, spacing, nodes, values: Vec::new() };
        let count = nodes.iter().product();
        grid.values = (0..count).map(|k| shape.distance(&grid.place(&grid.node(k)))).collect();
        Some(grid)
    }

    fn node(&self, k: usize) -> [usize; 3] {
        [k % self.nodes[0], k / self.nodes[0] % self.nodes[1], k / self.nodes[0] / self.nodes[1]]
    }

    fn index(&self, node: &[usize; 3]) -> usize {
        node[0] + self.nodes[0] * (node[1] + self.nodes[1] * node[2])
    }

    /// Position (m) of a node.
    fn place(&self, node: &[usize; 3]) -> Vec3 {
        self.low + Vec3::from(node.map(|n| n as f64)) * self.spacing
    }

    /// Triangles of all cubes.
    fn march(&self) -> Triangles {
        let (mut all, mut known) = (Triangles::default(), HashMap::new());
        for k in 0..self.values.len() {
            let low = self.node(k);
            if (0..3).any(|axis| low[axis] + 1 >= self.nodes[axis]) {
                continue;
            }
            let corner = |n: usize| [0, 1, 2].map(|axis| low[axis] + (n >> axis & 1));
            let is_in = |n: usize| self.values[self.index(&corner(n))] < 0.0;
            let inside = (0..8).fold(0, |bits, n| bits | u8::from(is_in(n)) << n);
            if inside == 0 || inside == u8::MAX {
                continue;
            }
            loops(inside, open_edges(inside), |points| {
                let mut vertex = |point: &Point| {
                    let Point::Edge { axis, low, .. } = *point else { unreachable!("there are no cracks") };
                    let ends = [low, low | 1 << axis].map(corner);
                    *known.entry((self.index(&ends[0]), axis)).or_insert_with(|| {
                        all.places.push(self.crossing(&ends));
                        all.places.len() as u32 - 1
                    })
                };
                let spots: Vec<u32> = points.iter().map(&mut vertex).collect();
                // any fan fills a loop without cracks
                let (first, count) = (apex(points).unwrap_or(0), spots.len());
                let at = |k: usize| spots[(first + k) % count];
                all.triangles.extend((1..count - 1).map(|k| [at(0), at(k), at(k + 1)]));
            });
        }
        all
    }

    /// Point of the surface (m) between two nodes.
    fn crossing(&self, ends: &[[usize; 3]; 2]) -> Vec3 {
        let [a, b] = ends.each_ref().map(|node| self.values[self.index(node)]);
        let [from, to] = ends.each_ref().map(|node| self.place(node));
        let between = from + (to - from) * (a / (a - b));
        between - self.shape.normal(&between) * self.shape.distance(&between)
    }
}

/// Bits of the edges with both ends inside.
fn open_edges(inside: u8) -> u32 {
    let is_in = |n: usize| inside >> n & 1 == 1;
    let edges =
        (0..8).flat_map(|n: usize| (0..3).filter(move |axis| n >> axis & 1 == 0).map(move |axis| (n, n | 1 << axis)));
    edges.filter(|(a, b)| is_in(*a) && is_in(*b)).fold(0, |bits, (a, b)| bits | 1 << edge(a, b))
}
