use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};

use super::triangulate;

/// Triangles with attributes of their vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexMesh {
    /// Position, normal and texture coordinates of each vertex.
    pub vertices: Vec<[f32; 8]>,
    /// Corner of the polygon mesh of each vertex, the first of equal ones.
    pub corners: Vec<u32>,
    /// Indices of three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Triangles of the faces `which` of a mesh, about `centre` (m). Texture coordinates run upwards.
pub(crate) fn vertices(mesh: &Polygons, which: impl Iterator<Item = usize>, centre: &Vec3) -> VertexMesh {
    let (mut all, mut known) = (VertexMesh::default(), HashMap::new());
    let firsts: Vec<u32> =
        mesh.sizes.iter().scan(0, |next, &size| Some(std::mem::replace(next, *next + size))).collect();
    for index in which {
        let first = firsts[index];
        let face = &mesh.corners[first as usize..][..mesh.sizes[index] as usize];
        let places: Vec<Vec3> = face.iter().map(|corner| mesh.points[corner.point as usize]).collect();
        for triangle in triangulate(&places) {
            let numbers = triangle.map(|k| {
                let vertex = vertex(&face[k], &(places[k] - centre));
                *known.entry((face[k].point, vertex.map(f32::to_bits))).or_insert_with(|| {
                    all.vertices.push(vertex);
                    all.corners.push(first + k as u32);
                    all.vertices.len() as u32 - 1
                })
            });
            all.triangles.push(numbers);
        }
    }
    all
}

fn vertex(corner: &PolygonCorner, place: &Vec3) -> [f32; 8] {
    let (n, [u, v]) = (&corner.normal, corner.uv);
    [place.x, place.y, place.z, n.x, n.y, n.z, u, v].map(|x| x as f32)
}
