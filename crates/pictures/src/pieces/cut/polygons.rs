use std::collections::{BTreeMap, HashMap};

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};
use manifold_rust::manifold::Manifold;
use manifold_rust::types::MeshGL64;

use super::triangulate::area_vector;
use super::{Cracked, CutMesh, weld};

/// Polygons of a solid. Triangles of one face are joined again, where they form one polygon: the whole face, or a part of a
/// plane one. `cut` is what was cut to it: its faces come first, and count as outside.
pub(in crate::pieces) fn polygons_of(solid: &Manifold, cut: Option<&Cracked>) -> CutMesh {
    let export = solid.get_mesh_gl64(-1);
    let mut parts = Parts::new(&export);
    let (mut inside, mut lips) = (Vec::new(), Vec::new());
    let mut faces: BTreeMap<(u32, u64), Vec<Triangle>> = BTreeMap::new();
    for (run, &id) in export.run_original_id.iter().enumerate() {
        // the surface of a solid that was subtracted faces the other way
        let is_turned = export.run_flags.get(run).is_some_and(|flags| flags & 1 == 1);
        let sign = if is_turned { -1.0 } else { 1.0 };
        for t in export.run_index[run] as usize / 3..export.run_index[run + 1] as usize / 3 {
            let triangle = parts.triangle(t, sign);
            let face = export.face_id[t];
            match cut {
                Some(cut) if id != cut.solid.id || face as usize >= cut.solid.areas.len() => {
                    let lip = cut.lips.get(face as usize).copied().flatten().filter(|_| id != cut.solid.id);
                    lips.extend(lip.into_iter().flat_map(|lip| triangle.map(|corner| (corner.point, lip))));
                    inside.push(triangle);
                }
                Some(_) => faces.entry((0, face)).or_default().push(triangle),
                None => faces.entry((id, face)).or_default().push(triangle),
            }
        }
    }
    for ((_, face), triangles) in faces {
        let of_face = |cut: &Cracked| (cut.solid.areas[face as usize], cut.solid.slots[face as usize]);
        let (whole, slot) = cut.map_or((f64::INFINITY, 0), of_face);
        parts.add_face(&triangles, whole, slot);
    }
    let outside = parts.mesh.sizes.len();
    inside.iter().for_each(|triangle| parts.add_crack(triangle));
    parts.mesh.has_uv = cut.is_some_and(|cut| cut.solid.has_uv);
    lips.sort_unstable();
    lips.dedup();
    CutMesh { mesh: parts.mesh, outside, lips }
}

/// Corners of a triangle.
type Triangle = [PolygonCorner; 3];

/// Mesh that is put together from the engine's.
struct Parts<'a> {
    export: &'a MeshGL64,
    /// Vertex that each vertex is merged with.
    merged: Vec<u64>,
    /// Point of each merged vertex.
    points: HashMap<u64, u32>,
    mesh: Polygons,
}

impl<'a> Parts<'a> {
    fn new(export: &'a MeshGL64) -> Self {
        let mut merged: Vec<u64> = (0..export.num_vert() as u64).collect();
        for (from, to) in export.merge_from_vert.iter().zip(&export.merge_to_vert) {
            merged[*from as usize] = *to;
        }
        Self { export, merged, points: HashMap::new(), mesh: Polygons::default() }
    }

    /// Corners of a triangle, whose normals are turned by a negative `sign`.
    fn triangle(&mut self, t: usize, sign: f64) -> Triangle {
        self.export.get_tri_verts(t).map(|vertex| self.corner(vertex, sign))
    }

    fn corner(&mut self, vertex: u64, sign: f64) -> PolygonCorner {
        let merged = self.merged[vertex as usize];
        let (export, mesh) = (self.export, &mut self.mesh);
        let point = *self.points.entry(merged).or_insert_with(|| {
            mesh.points.push(Vec3::from(export.get_vert_pos(merged as usize)));
            mesh.points.len() as u32 - 1
        });
        let first = vertex as usize * export.num_prop as usize;
        let [u, v, x, y, z] = std::array::from_fn(|k| export.vert_properties[first + 3 + k]);
        PolygonCorner { point, uv: [u, v], normal: (Vec3::new(x, y, z) * sign).try_normalize(0.0).unwrap_or_default() }
    }

    /// Adds the triangles of one face, whose whole area (m2) and material slot are given.
    fn add_face(&mut self, triangles: &[Triangle], whole: f64, slot: u16) {
        match self.boundary(triangles).filter(|boundary| self.is_polygon(boundary, triangles, whole)) {
            Some(boundary) => self.mesh.push_in(slot, boundary),
            None => triangles.iter().for_each(|triangle| self.mesh.push_in(slot, *triangle)),
        }
    }

    /// Corners around the triangles, if their boundary is one loop without repeated points. The first is one of the corners of
    /// most triangles, from which a quadrilateral is divided.
    fn boundary(&self, triangles: &[Triangle]) -> Option<Vec<PolygonCorner>> {
        let edges = |triangle: &Triangle| [0, 1, 2].map(|k| [triangle[k], triangle[(k + 1) % 3]]);
        let all: Vec<[PolygonCorner; 2]> = triangles.iter().flat_map(edges).collect();
        let known: HashMap<[u32; 2], ()> = all.iter().map(|[a, b]| ([a.point, b.point], ())).collect();
        let mut next: HashMap<u32, [PolygonCorner; 2]> = HashMap::new();
        let mut counts: HashMap<u32, usize> = HashMap::new();
        let mut start: Option<(usize, u32)> = None;
        for [from, _] in &all {
            *counts.entry(from.point).or_default() += 1;
        }
        for edge in all {
            let [from, to] = edge.map(|corner| corner.point);
            if !known.contains_key(&[to, from]) {
                if start.is_none_or(|(most, _)| counts[&from] > most) {
                    start = Some((counts[&from], from));
                }
                if next.insert(from, edge).is_some() {
                    return None;
                }
            }
        }
        let (_, start) = start?;
        let (mut at, mut corners) = (start, Vec::with_capacity(next.len()));
        while corners.len() < next.len() {
            let [from, to] = next.get(&at)?;
            corners.push(*from);
            at = to.point;
            if at == start {
                break;
            }
        }
        (at == start && corners.len() == next.len()).then_some(corners)
    }

    /// Whether a boundary may stand for its triangles: it is a whole face without a crack in it, or plane and convex, so that
    /// every program draws the same surface.
    fn is_polygon(&self, boundary: &[PolygonCorner], triangles: &[Triangle], whole: f64) -> bool {
        let place = |corner: &PolygonCorner| self.mesh.points[corner.point as usize];
        let area: f64 = triangles.iter().map(|corners| area_vector(&corners.each_ref().map(place)).norm()).sum();
        let places: Vec<Vec3> = boundary.iter().map(place).collect();
        let is_cracked = || weld(&places).iter().zip(0..).any(|(&first, k)| first != k);
        if area >= whole * (1.0 - 1e-9) {
            return !is_cracked();
        }
        let Some(normal) = area_vector(&places).try_normalize(0.0) else { return false };
        let size = places.iter().map(|p| (p - places[0]).norm()).fold(0.0, f64::max);
        let count = places.len();
        let side = |k: usize| places[(k + 1) % count] - places[k % count];
        let turns_left = |k: usize| side(k).cross(&side(k + 1)).dot(&normal) >= -1e-9 * size * size;
        places.iter().all(|p| (p - places[0]).dot(&normal).abs() <= 1e-7 * size) && (0..count).all(turns_left)
    }

    /// Adds a triangle of a crack, with texture coordinates of the coordinate plane that it faces most.
    fn add_crack(&mut self, triangle: &Triangle) {
        /// Length of the unit of texture coordinates on cracks, m.
        const UNIT: f64 = 0.1;
        let places = triangle.map(|corner| self.mesh.points[corner.point as usize]);
        let area = area_vector(&places);
        let axis = area.iamax();
        let uv = |p: &Vec3| [p[(axis + 1) % 3] / UNIT, p[(axis + 2) % 3] / UNIT];
        // the engine gives none to some corners
        let has_one = |normal: &Vec3| *normal != Vec3::zeros();
        let other = || triangle.iter().map(|corner| corner.normal).find(has_one);
        let flat = area.try_normalize(0.0).or_else(other).unwrap_or_else(Vec3::z);
        let normal = |corner: &PolygonCorner| Some(corner.normal).filter(has_one).unwrap_or(flat);
        let corners: Vec<PolygonCorner> = triangle
            .iter()
            .zip(&places)
            .map(|(corner, p)| PolygonCorner { uv: uv(p), normal: normal(corner), ..*corner })
            .collect();
        self.mesh.push(corners);
    }
}
