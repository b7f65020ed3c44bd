use std::collections::BTreeSet;

use super::delaunay::{Delaunay, Tetrahedron};
use crate::geometry::Vec3;

/// Share of the box's diagonal by which the corners of the grid are pushed out. Charges on the box's faces would
/// otherwise lie outside all tetrahedra of the Halton points.
const MARGIN: f64 = 0.01;

/// Rule for the adjacency of tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjacency {
    /// A common face. Fewer exact pairs, three to four times the median error.
    Face,
    /// A common vertex.
    #[default]
    Vertex,
}

/// Grid of a box: m Halton points and the corners, in Delaunay tetrahedra.
#[derive(Debug)]
pub struct Grid {
    delaunay: Delaunay,
    /// N of each tetrahedron: vertices of it and of the adjacent ones, sorted.
    near: Vec<Vec<u32>>,
    /// For each grid point the tetrahedra whose N has it, sorted.
    users: Vec<Vec<u32>>,
}

impl Grid {
    /// Grid of `m` > 0 Halton points about `points`, of which there is at least one.
    pub fn new(points: impl Iterator<Item = Vec3> + Clone, m: usize, adjacency: Adjacency) -> Self {
        Self::unless_cut(points, m, adjacency, &|| false).expect("nothing cuts it")
    }

    /// The same, or `None` if it `is_cut` meanwhile.
    pub(super) fn unless_cut(
        points: impl Iterator<Item = Vec3> + Clone,
        m: usize,
        adjacency: Adjacency,
        is_cut: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let first = points.clone().next().expect("a point");
        let low = points.clone().fold(first, |low, x| low.inf(&x));
        let high = points.fold(first, |high, x| high.sup(&x));
        let margin = (high - low).norm() * MARGIN;
        let outer = [low - Vec3::repeat(margin), high + Vec3::repeat(margin)];
        let delaunay = Delaunay::new(m, [low, high], outer, is_cut);
        if is_cut() {
            return None;
        }
        let near = near(&delaunay, adjacency);
        let mut users = vec![Vec::new(); delaunay.points.len()];
        for (tetrahedron, vertices) in near.iter().enumerate() {
            vertices.iter().for_each(|&vertex| users[vertex as usize].push(tetrahedron as u32));
        }
        Some(Self { delaunay, near, users })
    }

    /// The Halton points, then the corners, m.
    pub fn points(&self) -> &[Vec3] {
        &self.delaunay.points
    }

    /// The tetrahedra.
    pub fn tetrahedra(&self) -> &[Tetrahedron] {
        &self.delaunay.tetrahedra
    }

    /// Vertices of a tetrahedron and of the adjacent ones, sorted: N of its charges.
    pub fn near(&self, tetrahedron: usize) -> &[u32] {
        &self.near[tetrahedron]
    }

    /// Tetrahedra whose N has a grid point, sorted.
    pub(super) fn users(&self, point: usize) -> &[u32] {
        &self.users[point]
    }

    /// Tetrahedron of a point of the box, by a walk from tetrahedron `start`.
    pub fn locate(&self, x: &Vec3, start: usize) -> usize {
        self.delaunay.locate(x, start as u32) as usize
    }

    /// Barycentric coordinates of a point in a tetrahedron.
    pub fn barycentric(&self, tetrahedron: usize, x: &Vec3) -> [f64; 4] {
        let corners = self.tetrahedra()[tetrahedron].vertices.map(|vertex| self.points()[vertex as usize]);
        let edges = [corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]];
        let to = x - corners[0];
        let volume = edges[0].dot(&edges[1].cross(&edges[2]));
        let [b, c, d] = [
            to.dot(&edges[1].cross(&edges[2])) / volume,
            to.dot(&edges[2].cross(&edges[0])) / volume,
            to.dot(&edges[0].cross(&edges[1])) / volume,
        ];
        [1.0 - b - c - d, b, c, d]
    }
}

fn near(delaunay: &Delaunay, adjacency: Adjacency) -> Vec<Vec<u32>> {
    let tetrahedra = &delaunay.tetrahedra;
    let mut around = vec![BTreeSet::new(); delaunay.points.len()];
    for tetrahedron in tetrahedra {
        for vertex in tetrahedron.vertices {
            around[vertex as usize].extend(tetrahedron.vertices);
        }
    }
    let of_faces = |tetrahedron: &Tetrahedron| {
        let neighbours = tetrahedron.neighbours.iter().filter_map(|&k| tetrahedra.get(k as usize));
        neighbours.chain([tetrahedron]).flat_map(|t| t.vertices).collect::<BTreeSet<u32>>()
    };
    let of_vertices = |tetrahedron: &Tetrahedron| {
        tetrahedron.vertices.iter().flat_map(|&vertex| &around[vertex as usize]).copied().collect::<BTreeSet<u32>>()
    };
    let near = |tetrahedron: &Tetrahedron| match adjacency {
        Adjacency::Face => of_faces(tetrahedron),
        Adjacency::Vertex => of_vertices(tetrahedron),
    };
    tetrahedra.iter().map(|tetrahedron| near(tetrahedron).into_iter().collect()).collect()
}
