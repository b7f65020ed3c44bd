use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};

use super::{Lip, Piece, triangulate};

/// The piece with edges of at most `longest` (m): larger faces become triangles. Its points come first. An edge is halved
/// because of its length alone, so that both sides of a crack stay equal.
pub(super) fn refined(piece: &Piece, longest: f64) -> Piece {
    let Polygons { points, has_uv, .. } = &piece.mesh;
    let mesh = Polygons { points: points.clone(), has_uv: *has_uv, ..Polygons::default() };
    let mut refiner = Refiner { mesh, slot: 0, middles: HashMap::new(), longest };
    let mut outside = 0;
    for (index, (face, &slot)) in piece.mesh.faces().zip(&piece.mesh.slots).enumerate() {
        refiner.slot = slot;
        refiner.add(face);
        if index < piece.outside {
            outside = refiner.mesh.sizes.len();
        }
    }
    let lips = refiner.lips(&piece.lips);
    Piece { mesh: refiner.mesh, outside, lips, ..piece.clone() }
}

/// Mesh whose edges are halved.
struct Refiner {
    mesh: Polygons,
    /// Material slot of the face that is added.
    slot: u16,
    /// Middles of edges between two points, the smaller index first.
    middles: HashMap<[u32; 2], u32>,
    /// Limit on the length of edges, m.
    longest: f64,
}

impl Refiner {
    /// Points on cracks, with the middles between two that are on one side of a crack.
    fn lips(&self, lips: &[Lip]) -> Vec<Lip> {
        let mut all: HashMap<u32, Vec<Lip>> = HashMap::new();
        lips.iter().for_each(|lip| all.entry(lip.point).or_default().push(*lip));
        let mut middles: Vec<(u32, [u32; 2])> = self.middles.iter().map(|(ends, middle)| (*middle, *ends)).collect();
        // those of halves come after those of wholes
        middles.sort_unstable();
        let (mut new, none) = (Vec::new(), Vec::new());
        for (point, ends) in middles {
            let [one, other] = ends.map(|end| all.get(&end).unwrap_or(&none));
            let is_shared = |lip: &&Lip| other.iter().any(|next| next.sides == lip.sides);
            let between: Vec<Lip> = one.iter().filter(is_shared).map(|lip| Lip { point, ..*lip }).collect();
            new.extend(between.iter().copied());
            if !between.is_empty() {
                all.insert(point, between);
            }
        }
        lips.iter().copied().chain(new).collect()
    }

    fn add(&mut self, face: &[PolygonCorner]) {
        let places: Vec<Vec3> = face.iter().map(|corner| self.mesh.points[corner.point as usize]).collect();
        let triangles = triangulate(&places);
        let triangles = || triangles.iter().map(|triangle| triangle.map(|k| face[k]));
        if triangles().all(|triangle| self.long_edge(&triangle).is_none()) {
            self.mesh.push_in(self.slot, face.iter().copied());
        } else {
            triangles().for_each(|triangle| self.divide(triangle));
        }
    }

    /// Adds a triangle, halved along its longest edge while that is too long.
    fn divide(&mut self, triangle: [PolygonCorner; 3]) {
        let Some(k) = self.long_edge(&triangle) else { return self.mesh.push_in(self.slot, triangle) };
        let [a, b, c] = [k, k + 1, k + 2].map(|k| triangle[k % 3]);
        let middle = self.middle(&a, &b);
        self.divide([a, middle, c]);
        self.divide([middle, b, c]);
    }

    /// Longest edge of a triangle, from its first corner, if it is too long.
    fn long_edge(&self, triangle: &[PolygonCorner; 3]) -> Option<usize> {
        let place = |k: usize| self.mesh.points[triangle[k % 3].point as usize];
        let length = |k: &usize| (place(k + 1) - place(*k)).norm();
        let longest = (0..3).max_by(|a, b| length(a).total_cmp(&length(b)))?;
        (length(&longest) > self.longest).then_some(longest)
    }

    fn middle(&mut self, a: &PolygonCorner, b: &PolygonCorner) -> PolygonCorner {
        let points = &mut self.mesh.points;
        let point = *self.middles.entry([a.point.min(b.point), a.point.max(b.point)]).or_insert_with(|| {
            points.push((points[a.point as usize] + points[b.point as usize]) * 0.5);
            points.len() as u32 - 1
        });
        let uv = [0, 1].map(|k| 0.5 * (a.uv[k] + b.uv[k]));
        PolygonCorner { point, uv, normal: (a.normal + b.normal).try_normalize(0.0).unwrap_or(a.normal) }
    }
}
