use std::collections::HashMap;

use robust::{Coord3D, insphere, orient3d};

use super::halton::halton;
use crate::geometry::Vec3;

/// Marks a face of a tetrahedron on the box, which has no neighbour.
const NONE: u32 = u32::MAX;

/// Corners of a box: bit k of its number is set at the upper end of axis k.
const CORNERS: usize = 8;

/// Faces of a box as corners in a circle, seen from outside counterclockwise. The diagonal begins at the first: these are
/// the choices of the reference numbers (`tests/golden/charges.open.json`), made by Qhull.
const FACES: [[u32; 4]; 6] = [[4, 6, 2, 0], [1, 3, 7, 5], [1, 5, 4, 0], [2, 6, 7, 3], [2, 3, 1, 0], [4, 5, 7, 6]];

/// Tetrahedron by the numbers of its vertices, positively oriented.
#[derive(Clone, Copy, Debug)]
pub struct Tetrahedron {
    /// Numbers of the vertices.
    pub vertices: [u32; 4],
    /// The neighbours opposite the vertices; `u32::MAX` on the box.
    pub(super) neighbours: [u32; 4],
}

/// Tetrahedron of the new point and a face of the cavity.
#[derive(Clone, Copy)]
struct ShellFace {
    vertices: [u32; 4],
    /// Place of the new point among the vertices.
    own: usize,
    /// The neighbour beyond the face, and the face's place there.
    beyond: u32,
    back: usize,
}

/// Delaunay tetrahedra of a box's corners and Halton points within, by Bowyer's and Watson's insertion with exact
/// predicates.
///
/// The corners lie on one sphere, and those of each face on a circle. So any choice of the faces' diagonals is a valid one.
/// A star about the first point has them all.
#[derive(Debug)]
pub(super) struct Delaunay {
    /// The Halton points, then the corners, m.
    pub(super) points: Vec<Vec3>,
    pub(super) tetrahedra: Vec<Tetrahedron>,
    /// Tetrahedra whose places are free.
    free: Vec<u32>,
    /// A tetrahedron near the last insertion.
    last: u32,
}

impl Delaunay {
    /// Tetrahedra of `m` > 0 Halton points in the box from `inner[0]` to `inner[1]`, and of the corners of the larger box
    /// `outer`. Points are left out once it `is_cut`.
    pub(super) fn new(m: usize, inner: [Vec3; 2], outer: [Vec3; 2], is_cut: &dyn Fn() -> bool) -> Self {
        let point = |k: usize| {
            let unit = Vec3::from([2, 3, 5].map(|base| halton(k as u64 + 1, base)));
            inner[0] + unit.component_mul(&(inner[1] - inner[0]))
        };
        let corner = |k: usize| Vec3::from([0, 1, 2].map(|axis| outer[k >> axis & 1][axis]));
        let points = (0..m).map(point).chain((0..CORNERS).map(corner)).collect();
        let mut delaunay = Self { points, tetrahedra: Vec::new(), free: Vec::new(), last: 0 };
        delaunay.star(m as u32);
        (1..m as u32).take_while(|_| !is_cut()).for_each(|point| delaunay.insert(point));
        delaunay.compact();
        delaunay
    }

    /// The tetrahedra of point 0 and the faces of the box, whose corners begin at `first`.
    fn star(&mut self, first: u32) {
        let face = |[a, b, c]: [u32; 3]| ShellFace {
            vertices: [first + a, first + b, first + c, 0],
            own: 3,
            beyond: NONE,
            back: 0,
        };
        let triangles = FACES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        let shell: Vec<ShellFace> = triangles.map(face).collect();
        self.fill(&shell);
    }

    /// Tetrahedra of the new point and the faces of a shell.
    fn fill(&mut self, shell: &[ShellFace]) {
        let mut open: HashMap<[u32; 2], (u32, usize)> = HashMap::new();
        for &ShellFace { vertices, own, beyond, back } in shell {
            let mut neighbours = [NONE; 4];
            neighbours[own] = beyond;
            let here = self.place(Tetrahedron { vertices, neighbours });
            if beyond != NONE {
                self.tetrahedra[beyond as usize].neighbours[back] = here;
            }
            for slot in (0..4).filter(|&slot| slot != own) {
                let mut edge = (0..4).filter(|&k| k != slot && k != own).map(|k| vertices[k]);
                let mut edge = [edge.next(), edge.next()].map(|vertex| vertex.expect("four vertices less two"));
                edge.sort_unstable();
                if let Some((there, other)) = open.remove(&edge) {
                    self.tetrahedra[there as usize].neighbours[other] = here;
                    self.tetrahedra[here as usize].neighbours[slot] = there;
                } else {
                    open.insert(edge, (here, slot));
                }
            }
            self.last = here;
        }
    }

    fn place(&mut self, tetrahedron: Tetrahedron) -> u32 {
        let at = self.free.pop().unwrap_or(self.tetrahedra.len() as u32);
        if at as usize == self.tetrahedra.len() {
            self.tetrahedra.push(tetrahedron);
        } else {
            self.tetrahedra[at as usize] = tetrahedron;
        }
        at
    }

    fn insert(&mut self, point: u32) {
        let x = self.points[point as usize];
        let mut cavity = vec![self.locate(&x, self.last)];
        let mut shell = Vec::new();
        let mut next = 0;
        while let Some(&from) = cavity.get(next) {
            next += 1;
            let tetrahedron = self.tetrahedra[from as usize];
            for (slot, &beyond) in tetrahedron.neighbours.iter().enumerate() {
                if cavity.contains(&beyond) {
                    continue;
                }
                if beyond != NONE && self.conflicts(beyond, &x) {
                    cavity.push(beyond);
                } else {
                    let mut vertices = tetrahedron.vertices;
                    vertices[slot] = point;
                    let back = self.back(beyond, from);
                    shell.push(ShellFace { vertices, own: slot, beyond, back });
                }
            }
        }
        self.free.extend(&cavity);
        self.fill(&shell);
    }

    /// Place of `from` among the neighbours of `beyond`.
    fn back(&self, beyond: u32, from: u32) -> usize {
        let neighbours = self.tetrahedra.get(beyond as usize).map_or(&[][..], |t| &t.neighbours);
        neighbours.iter().position(|&k| k == from).unwrap_or(0)
    }

    /// Whether a point lies within a tetrahedron's sphere.
    fn conflicts(&self, tetrahedron: u32, x: &Vec3) -> bool {
        let [a, b, c, d] = self.corners(tetrahedron).map(coordinates);
        insphere(a, b, c, d, coordinates(*x)) > 0.0
    }

    fn corners(&self, tetrahedron: u32) -> [Vec3; 4] {
        self.tetrahedra[tetrahedron as usize].vertices.map(|vertex| self.points[vertex as usize])
    }

    /// The tetrahedron that holds a point of the box, by a walk from `start`.
    pub(super) fn locate(&self, x: &Vec3, start: u32) -> u32 {
        let mut at = start;
        'walk: loop {
            let corners = self.corners(at);
            for slot in 0..4 {
                let mut moved = corners;
                moved[slot] = *x;
                let [a, b, c, d] = moved.map(coordinates);
                let beyond = self.tetrahedra[at as usize].neighbours[slot];
                if beyond != NONE && orient3d(a, b, c, d) < 0.0 {
                    at = beyond;
                    continue 'walk;
                }
            }
            return at;
        }
    }

    /// Leaves out the free places.
    fn compact(&mut self) {
        let mut place = vec![0; self.tetrahedra.len()];
        self.free.iter().for_each(|&free| place[free as usize] = NONE);
        for (count, place) in place.iter_mut().filter(|place| **place != NONE).enumerate() {
            *place = count as u32;
        }
        let kept = self.tetrahedra.iter().zip(&place).filter(|(_, place)| **place != NONE);
        let moved = |k: u32| if k == NONE { NONE } else { place[k as usize] };
        self.tetrahedra = kept.map(|(t, _)| Tetrahedron { neighbours: t.neighbours.map(moved), ..*t }).collect();
        self.free.clear();
        self.last = 0;
    }
}

fn coordinates(x: Vec3) -> Coord3D<f64> {
    Coord3D { x: x.x, y: x.y, z: x.z }
}
