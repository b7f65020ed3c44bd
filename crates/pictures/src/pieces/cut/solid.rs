use std::collections::{BTreeMap, HashMap};

use bdem_core::geometry::Vec3;
use bdem_run::mesh::{PolygonCorner, Polygons};
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{Error, MeshGL64, WindingRule};

use super::PROPERTIES;
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
        let mut import = Import::default();
        let mut areas = Vec::with_capacity(mesh.sizes.len());
        for (index, face) in mesh.faces().enumerate() {
            areas.push(import.add(&mesh.points, &welded, face, index));
        }
        areas.truncate(own);
        let volume = import.triangles.iter().map(|[a, b, c]| a.dot(&b.cross(c)) / 6.0).sum();
        check_volume(volume, &import.triangles)?;
        let (manifold, id) = import.solid(&mesh, &welded)?;
        Ok(Self { manifold, id, areas, volume, triangles: import.triangles, has_uv: mesh.has_uv })
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
fn weld(points: &[Vec3]) -> Vec<u32> {
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

/// Mesh in the engine's form.
#[derive(Default)]
struct Import {
    mesh: MeshGL64,
    /// Vertex of each corner: its point and attributes, as bits.
    vertices: HashMap<(u32, [u64; 5]), u64>,
    /// First vertex of each welded point.
    firsts: HashMap<u32, u64>,
    triangles: Vec<[Vec3; 3]>,
}

impl Import {
    /// Adds the triangles of a face. Returns its area, m2.
    fn add(&mut self, points: &[Vec3], welded: &[u32], face: &[PolygonCorner], index: usize) -> f64 {
        let places: Vec<Vec3> = face.iter().map(|corner| points[corner.point as usize]).collect();
        let mut area = 0.0;
        for triangle in triangulate(&places) {
            for k in triangle {
                let vertex = self.vertex(&places[k], welded[face[k].point as usize], &face[k]);
                self.mesh.tri_verts.push(vertex);
            }
            self.mesh.face_id.push(index as u64);
            let corners = triangle.map(|k| places[k]);
            area += area_vector(&corners).norm();
            self.triangles.push(corners);
        }
        area
    }

    fn vertex(&mut self, place: &Vec3, point: u32, corner: &PolygonCorner) -> u64 {
        let [u, v] = corner.uv;
        let n = corner.normal;
        let key = (point, [u, v, n.x, n.y, n.z].map(f64::to_bits));
        if let Some(&vertex) = self.vertices.get(&key) {
            return vertex;
        }
        let vertex = self.vertices.len() as u64;
        self.mesh.vert_properties.extend([place.x, place.y, place.z, u, v, n.x, n.y, n.z]);
        match self.firsts.get(&point) {
            Some(&first) => {
                self.mesh.merge_from_vert.push(vertex);
                self.mesh.merge_to_vert.push(first);
            }
            None => {
                self.firsts.insert(point, vertex);
            }
        }
        self.vertices.insert(key, vertex);
        vertex
    }

    /// Solid of the engine, and its number. Meshes that the exact engine refuses are rebuilt once by the robust one.
    fn solid(&mut self, mesh: &Polygons, welded: &[u32]) -> Result<(Manifold, u32), MeshFault> {
        let id = Manifold::reserve_ids(1);
        self.mesh.num_prop = PROPERTIES as u64;
        self.mesh.run_original_id = vec![id];
        let strict = Manifold::from_mesh_gl64(&self.mesh);
        if strict.status() == Error::NoError {
            return Ok((strict, id));
        }
        let rebuilt = Manifold::from_mesh_gl64_robust(&self.mesh).rebuild_solid(WindingRule::Nonzero);
        if rebuilt.status() == Error::NoError && rebuilt.num_tri() > 0 {
            return Ok((rebuilt, id));
        }
        let edges = directed_edges(mesh, welded);
        let is_wrong = |edge: &&[u32; 2]| edges[*edge] > 1 || !edges.contains_key(&[edge[1], edge[0]]);
        let wrong: Vec<&[u32; 2]> = edges.keys().filter(is_wrong).collect();
        Err(match wrong.first() {
            Some(&&first) => {
                MeshFault::Edges { edges: wrong.len(), first, place: mesh.points[first[0] as usize].into() }
            }
            None => MeshFault::NoSolid { faces: mesh.sizes.len(), reason: format!("{:?}", strict.status()) },
        })
    }
}
