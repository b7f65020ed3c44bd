//! Shells of a mesh, sets of triangles that are connected by their corners, and their union.

use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::winding_number;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::{Error, MeshGL64, WindingRule};

use super::Triangles;

/// Shells of a mesh as read, and as loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Number of shells in the file.
    pub shells: usize,
    /// Number of shells that faced inwards, and were turned.
    pub turned: usize,
    /// Number of separate solids that the shells bound.
    pub parts: usize,
    /// Whether shells overlapped, and are the boundary of their union now.
    pub is_united: bool,
    /// Number of holes in the file: sets of connected edges that lack a second face of matching direction. The inside of the
    /// solid is that by winding numbers above 1/2, as if they were capped.
    pub holes: usize,
}

/// The mesh with shells that face outwards, and cavities that face inwards, each of them the boundary of a separate
/// part of the union.
///
/// A shell that faces inwards is a cavity where it lies in another shell. Elsewhere it is turned.
pub fn unite((points, mut faces): Triangles) -> (Triangles, MeshReport) {
    if !are_known(&points, &faces) {
        return ((points, faces), MeshReport::default());
    }
    let shells = shells(&points, &faces);
    let turned = turned(&points, &faces, &shells);
    turned.iter().flat_map(|&shell| &shells[shell]).for_each(|&face| faces[face].swap(1, 2));
    let volume = |face: &[u32; 3]| signed_volume(&points, face);
    let is_solid = |shell: &&Vec<usize>| shell.iter().map(|&face| volume(&faces[face])).sum::<f64>() > 0.0;
    let parts = shells.iter().filter(is_solid).count();
    let open = open_edges(&points, &faces);
    let holes = holes(&open);
    let report = MeshReport { shells: shells.len(), turned: turned.len(), parts, is_united: false, holes };
    match open.is_empty().then(|| union(&points, &faces, &shells)).flatten() {
        Some((points, faces, parts)) => ((points, faces), MeshReport { parts, is_united: true, ..report }),
        None => ((points, faces), report),
    }
}

/// Whether all corners are finite points.
pub(super) fn are_known(points: &[Vec3], faces: &[[u32; 3]]) -> bool {
    let is_known = |corner: &u32| points.get(*corner as usize).is_some_and(|p| p.iter().all(|x| x.is_finite()));
    faces.iter().flatten().all(is_known)
}

/// Indices of the shells to turn.
pub(super) fn turned(points: &[Vec3], faces: &[[u32; 3]], shells: &[Vec<usize>]) -> Vec<usize> {
    let triangles =
        |shell: &Vec<usize>| shell.iter().map(|&face| faces[face].map(|k| points[k as usize])).collect::<Vec<_>>();
    let volume = |shell: &Vec<usize>| shell.iter().map(|&face| signed_volume(points, &faces[face])).sum::<f64>();
    let volumes: Vec<f64> = shells.iter().map(volume).collect();
    if volumes.iter().sum::<f64>() < 0.0 {
        // all faces inwards, cavities outwards
        return (0..shells.len()).collect();
    }
    let is_in_another = |&k: &usize| {
        let p = points[faces[shells[k][0]][0] as usize];
        let mut others = (0..shells.len()).filter(|&other| other != k && volumes[other] > -volumes[k]);
        others.any(|other| winding_number(&triangles(&shells[other]), &p) > 0.5)
    };
    (0..shells.len()).filter(|&k| volumes[k] < 0.0).filter(|k| !is_in_another(k)).collect()
}

/// Boundary of the union of shells of a mesh without holes, with the number of its parts. None where they do not overlap.
fn union(points: &[Vec3], faces: &[[u32; 3]], shells: &[Vec<usize>]) -> Option<(Vec<Vec3>, Vec<[u32; 3]>, usize)> {
    /// Difference of volumes, over the volume, that is rounding.
    const ROUNDING: f64 = 1e-9;
    if !some_boxes_overlap(points, faces, shells) {
        return None;
    }
    let mut mesh = MeshGL64 { num_prop: 3, ..MeshGL64::default() };
    let mut known = HashMap::with_capacity(points.len());
    for corner in faces.iter().flatten() {
        let p = points[*corner as usize];
        let vertex = *known.entry(key(&p)).or_insert_with(|| {
            mesh.vert_properties.extend(p.iter());
            mesh.vert_properties.len() as u64 / 3 - 1
        });
        mesh.tri_verts.push(vertex);
    }
    let union = Manifold::from_mesh_gl64_robust(&mesh).rebuild_solid(WindingRule::Positive);
    let volume: f64 = faces.iter().map(|face| signed_volume(points, face)).sum();
    if union.status() != Error::NoError || union.num_tri() == 0 || union.volume() >= volume * (1.0 - ROUNDING) {
        return None;
    }
    let mesh = union.get_mesh_gl64(-1);
    let width = mesh.num_prop as usize;
    let points: Vec<Vec3> = mesh.vert_properties.chunks(width).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
    let faces: Vec<[u32; 3]> = mesh.tri_verts.chunks(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect();
    let volume_of = |shell: &Vec<usize>| shell.iter().map(|&face| signed_volume(&points, &faces[face])).sum::<f64>();
    let parts = self::shells(&points, &faces).iter().filter(|shell| volume_of(shell) > 0.0).count();
    Some((points, faces, parts))
}

/// Whether the bounding boxes of two shells overlap.
fn some_boxes_overlap(points: &[Vec3], faces: &[[u32; 3]], shells: &[Vec<usize>]) -> bool {
    let bounds = |shell: &Vec<usize>| {
        let none = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
        let corners = shell.iter().flat_map(|&face| faces[face]).map(|k| points[k as usize]);
        corners.fold(none, |[low, high], p| [low.inf(&p), high.sup(&p)])
    };
    let mut boxes: Vec<[Vec3; 2]> = shells.iter().map(bounds).collect();
    boxes.sort_by(|a, b| a[0].x.total_cmp(&b[0].x));
    let mut pairs = boxes
        .iter()
        .enumerate()
        .flat_map(|(k, a)| boxes[k + 1..].iter().take_while(|b| b[0].x <= a[1].x).map(move |b| (a, b)));
    pairs.any(|(a, b)| (1..3).all(|axis| a[0][axis] <= b[1][axis] && b[0][axis] <= a[1][axis]))
}

/// Edges that lack a second face of matching direction, by their places.
fn open_edges(points: &[Vec3], faces: &[[u32; 3]]) -> Vec<[Place; 2]> {
    let mut runs: HashMap<[Place; 2], i32> = HashMap::with_capacity(3 * faces.len() / 2);
    for [a, b, c] in faces.iter().map(|face| face.map(|corner| key(&points[corner as usize]))) {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let (edge, run) = if from < to { ([from, to], 1) } else { ([to, from], -1) };
            *runs.entry(edge).or_default() += run;
        }
    }
    runs.into_iter().filter(|(_, run)| *run != 0).map(|(edge, _)| edge).collect()
}

/// Number of sets of edges that are connected by their ends.
fn holes(edges: &[[Place; 2]]) -> usize {
    let mut known = HashMap::new();
    let mut parents: Vec<usize> = (0..edges.len()).collect();
    for (k, end) in edges.iter().enumerate().flat_map(|(k, edge)| edge.map(|end| (k, end))) {
        join(&mut parents, k, *known.entry(end).or_insert(k));
    }
    (0..edges.len()).filter(|&k| parents[k] == k).count()
}

/// Faces of each shell. Points in one place are one.
pub(super) fn shells(points: &[Vec3], faces: &[[u32; 3]]) -> Vec<Vec<usize>> {
    let mut known = HashMap::with_capacity(points.len());
    let mut parents: Vec<usize> = (0..faces.len()).collect();
    for (k, corner) in faces.iter().enumerate().flat_map(|(k, face)| face.map(|corner| (k, corner))) {
        let other = *known.entry(key(&points[corner as usize])).or_insert(k);
        join(&mut parents, k, other);
    }
    let mut shells = vec![Vec::new(); faces.len()];
    (0..faces.len()).for_each(|k| shells[root(&mut parents, k)].push(k));
    shells.retain(|shell| !shell.is_empty());
    shells
}

/// Joins the sets that have `a` and `b`.
fn join(parents: &mut [usize], a: usize, b: usize) {
    let [a, b] = [a, b].map(|k| root(parents, k));
    parents[a.max(b)] = a.min(b);
}

/// First member of the set that has `k`. Shortens the way to it.
fn root(parents: &mut [usize], mut k: usize) -> usize {
    while parents[k] != k {
        parents[k] = parents[parents[k]];
        k = parents[k];
    }
    k
}

/// Bits of a place.
type Place = [u64; 3];

/// Bits of a place. The sum turns -0.0 into 0.0.
fn key(p: &Vec3) -> Place {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

/// Signed volume of the tetrahedron from the origin to a face, m3.
fn signed_volume(points: &[Vec3], face: &[u32; 3]) -> f64 {
    let [a, b, c] = face.map(|k| points[k as usize]);
    a.dot(&b.cross(&c)) / 6.0
}
