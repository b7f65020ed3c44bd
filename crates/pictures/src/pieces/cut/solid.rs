use std::collections::{BTreeMap, HashMap};

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{Error, MeshGL64, WindingRule};

use super::engine_mesh::EngineMesh;
use super::normals::fill_normals;
use super::triangulate::{area_vector, triangulate};
use crate::pieces::MeshFault;

/// Mesh as a solid that can be cut.
pub(in crate::pieces) struct Solid {
    /// Solid of the engine.
    pub manifold: Manifold,
    /// Number of the mesh in the engine.
    pub id: u32,
    /// Area of each of the mesh's own faces, m2. Faces from here on cap its holes.
    pub areas: Vec<f64>,
    /// Material slot of each of these faces.
    pub slots: Vec<u16>,
    /// Volume, m3.
    pub volume: f64,
    /// Triangles of all faces, m.
    pub triangles: Vec<[Vec3; 3]>,
    /// Whether the mesh has texture coordinates.
    pub has_uv: bool,
}

impl Solid {
    /// Solid that a mesh bounds. Holes are capped.
    ///
    /// # Errors
    /// When it bounds none.
    pub(in crate::pieces) fn new(mesh: &Polygons) -> Result<Self, MeshFault> {
        if mesh.sizes.is_empty() {
            return Err(MeshFault::Empty);
        }
        let own = mesh.sizes.len();
        let welded = weld(&mesh.points);
        let mut mesh = mesh.clone();
        for hole in holes(&mesh, &welded) {
            mesh.push(hole.into_iter().map(|point| PolygonCorner { point, ..PolygonCorner::default() }));
        }
        fill_normals(&mut mesh, &welded);
        let (mut import, mut areas, mut triangles) = (EngineMesh::default(), Vec::with_capacity(own), Vec::new());
        for (index, face) in mesh.faces().enumerate() {
            let added = add(&mut import, &mesh.points, &welded, face, index);
            areas.push(added.iter().fold(0.0, |area, corners| area + area_vector(corners).norm()));
            triangles.extend(added);
        }
        areas.truncate(own);
        mesh.slots.truncate(own);
        check_volume(triangles.iter().map(|[a, b, c]| a.dot(&b.cross(c)) / 6.0).sum(), &triangles)?;
        let (manifold, id) = manifold(import, &mesh, &welded)?;
        let (volume, slots, has_uv) = (manifold.volume(), mesh.slots, mesh.has_uv);
        Ok(Self { manifold, id, areas, slots, volume, triangles, has_uv })
    }
}

/// The mesh with normals of all corners.
pub(in crate::pieces) fn with_normals(mesh: &Polygons) -> Polygons {
    let mut mesh = mesh.clone();
    let welded = weld(&mesh.points);
    fill_normals(&mut mesh, &welded);
    mesh
}

/// First point in the place of each point.
pub(in crate::pieces) fn weld(points: &[Vec3]) -> Vec<u32> {
    let mut known = HashMap::new();
    // -0.0 is in the place of 0.0
    let key = |p: &Vec3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    points.iter().zip(0..).map(|(point, k)| *known.entry(key(point)).or_insert(k)).collect()
}

/// Faces of each directed edge, by welded points.
fn directed_edges(mesh: &Polygons, welded: &[u32]) -> BTreeMap<[u32; 2], usize> {
    let mut edges = BTreeMap::new();
    for face in mesh.faces() {
        for (k, from) in face.iter().enumerate() {
            let to = &face[(k + 1) % face.len()];
            *edges.entry([from, to].map(|corner| welded[corner.point as usize])).or_insert(0) += 1;
        }
    }
    edges
}

/// Loops of points around the holes of a mesh, counterclockwise as seen from outside.
fn holes(mesh: &Polygons, welded: &[u32]) -> Vec<Vec<u32>> {
    let edges = directed_edges(mesh, welded);
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&[from, to], &count) in &edges {
        let back = edges.get(&[to, from]).copied().unwrap_or(0);
        (back..count).for_each(|_| next.entry(to).or_default().push(from));
    }
    let mut loops = Vec::new();
    while let Some(start) = next.iter().find(|(_, ends)| !ends.is_empty()).map(|(&start, _)| start) {
        let (mut hole, mut at) = (Vec::new(), start);
        while let Some(end) = next.get_mut(&at).and_then(Vec::pop) {
            hole.push(at);
            at = end;
            if at == start {
                break;
            }
        }
        if hole.len() > 2 {
            loops.push(hole);
        }
    }
    loops
}

fn check_volume(volume: f64, triangles: &[[Vec3; 3]]) -> Result<(), MeshFault> {
    let area: f64 = triangles.iter().map(|triangle| area_vector(triangle).norm()).sum();
    // a plate of this thickness over its width is rounding
    if volume.abs() <= 1e-12 * area * area.sqrt() {
        Err(MeshFault::Flat)
    } else if volume < 0.0 {
        Err(MeshFault::InsideOut { volume })
    } else {
        Ok(())
    }
}

/// Key of a vertex: its point and attributes, as bits.
type VertexKey = (u32, [u64; 5]);

/// Adds a face to the engine's mesh. Returns its triangles, m.
fn add(
    import: &mut EngineMesh<VertexKey>,
    points: &[Vec3],
    welded: &[u32],
    face: &[PolygonCorner],
    index: usize,
) -> Vec<[Vec3; 3]> {
    let places: Vec<Vec3> = face.iter().map(|corner| points[corner.point as usize]).collect();
    let triangles = triangulate(&places);
    for triangle in &triangles {
        for &k in triangle {
            let (place, point, [u, v], n) = (&places[k], welded[face[k].point as usize], face[k].uv, face[k].normal);
            let key = (point, [u, v, n.x, n.y, n.z].map(f64::to_bits));
            import.corner(key, point, || [place.x, place.y, place.z, u, v, n.x, n.y, n.z]);
        }
        import.mesh.face_id.push(index as u64);
    }
    triangles.iter().map(|triangle| triangle.map(|k| places[k])).collect()
}

/// The union of the solid's shells, where they overlap.
fn united(solid: Manifold, import: &MeshGL64) -> Manifold {
    /// Difference of volumes, over the volume, that is rounding.
    const ROUNDING: f64 = 1e-9;
    if solid.decompose().len() < 2 {
        return solid;
    }
    let union = Manifold::from_mesh_gl64_robust(import).rebuild_solid(WindingRule::Positive);
    let overlap = solid.volume() * (1.0 - ROUNDING) - union.volume();
    if union.status() == Error::NoError && union.num_tri() > 0 && overlap > 0.0 { union } else { solid }
}

/// Solid of the engine, and its number. Meshes that the exact engine refuses are rebuilt once by the robust one.
fn manifold(import: EngineMesh<VertexKey>, mesh: &Polygons, welded: &[u32]) -> Result<(Manifold, u32), MeshFault> {
    let (import, id) = import.finish();
    let strict = Manifold::from_mesh_gl64(&import);
    if strict.status() == Error::NoError {
        return Ok((united(strict, &import), id));
    }
    let rebuilt = Manifold::from_mesh_gl64_robust(&import).rebuild_solid(WindingRule::Nonzero);
    if rebuilt.status() == Error::NoError && rebuilt.num_tri() > 0 {
        return Ok((rebuilt, id));
    }
    let edges = directed_edges(mesh, welded);
    let is_wrong = |edge: &&[u32; 2]| edges[*edge] > 1 || !edges.contains_key(&[edge[1], edge[0]]);
    let wrong: Vec<&[u32; 2]> = edges.keys().filter(is_wrong).collect();
    Err(match wrong.first() {
        Some(&&first) => MeshFault::Edges { edges: wrong.len(), first, place: mesh.points[first[0] as usize].into() },
        None => MeshFault::NoSolid { faces: mesh.sizes.len(), reason: format!("{:?}", strict.status()) },
    })
}
