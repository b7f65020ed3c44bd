use std::collections::{BTreeMap, HashMap};

use bdem_core::geometry::Vec3;
use manifold_rust::types::MeshGL64;

use super::engine_mesh::EngineMesh;
use crate::pieces::crack::{OUTSIDE, Partition, edges};
use crate::pieces::disjoint_sets::DisjointSets;

/// Triangle of the surface of a region.
#[derive(Clone, Copy)]
struct Side {
    /// Corners, counterclockwise as seen from outside.
    corners: [u32; 3],
    /// Label inside, and that outside.
    labels: [u32; 2],
}

/// Closed mesh around the region of a piece, in the engine's form. Faces are numbered one by one, since the engine joins those of one
/// number.
pub(super) struct Region {
    pub mesh: MeshGL64,
    /// Labels in front of and behind each face that is a crack which ends in the piece.
    pub lips: Vec<Option<[u32; 2]>>,
}

/// Regions of a partition, one for each piece. `pieces` has the piece of each label. Both sides of a crack that ends in a piece are in
/// its mesh, with points of their own up to its end. They are `gap` (m) apart: the engine takes faces that meet back to back in one
/// plane for one face.
pub(super) fn regions(partition: &Partition, pieces: &[u32], gap: f64) -> Vec<Region> {
    let normals = normals(partition);
    let mut sides: Vec<Vec<Side>> = vec![Vec::new(); pieces.iter().map(|&piece| piece as usize + 1).max().unwrap_or(0)];
    for wall in &partition.walls {
        let ([own, other], [a, b, c]) = (wall.sides, wall.corners);
        sides[pieces[own as usize] as usize].push(Side { corners: wall.corners, labels: wall.sides });
        if other != OUTSIDE {
            sides[pieces[other as usize] as usize].push(Side { corners: [a, c, b], labels: [other, own] });
        }
    }
    let mut closed: HashMap<[u32; 2], Vec<[u32; 2]>> = HashMap::new();
    partition.closed.iter().for_each(|(edge, labels)| closed.entry(*edge).or_default().push(*labels));
    let lip = |side: &Side| {
        let [own, other] = side.labels;
        (other != OUTSIDE && pieces[own as usize] == pieces[other as usize]).then_some(side.labels)
    };
    let region = |sides: &Vec<Side>| {
        let lips: Vec<Option<[u32; 2]>> = sides.iter().map(lip).collect();
        let is_cracked = lips.iter().any(Option::is_some);
        let points = if is_cracked { points(sides, &closed) } else { sides.iter().map(|side| side.corners).collect() };
        let normal = |corner: u32, [own, other]: [u32; 2]| {
            let sum = normals.get(&(corner, [own.min(other), own.max(other)])).copied().unwrap_or_default();
            if own < other { sum } else { -sum }.try_normalize(0.0).unwrap_or_default()
        };
        // into each side, so that they cancel where a crack ends
        let mut ajar: HashMap<u32, Vec3> = HashMap::new();
        for ((side, points), _) in sides.iter().zip(&points).zip(&lips).filter(|(_, lip)| lip.is_some()) {
            let both = side.corners.into_iter().zip(points);
            both.for_each(|(corner, point)| *ajar.entry(*point).or_default() -= normal(corner, side.labels));
        }
        let mut mesh: EngineMesh<[u32; 2]> = EngineMesh::default();
        for ((side, points), number) in sides.iter().zip(points).zip(0..) {
            for (corner, point) in side.corners.into_iter().zip(points) {
                mesh.corner([point, side.labels[1]], point, || {
                    let shift = ajar.get(&point).copied().unwrap_or_default() * gap;
                    let (p, n) = (partition.places[corner as usize] + shift, normal(corner, side.labels));
                    [p.x, p.y, p.z, 0.0, 0.0, n.x, n.y, n.z]
                });
            }
            mesh.mesh.face_id.push(number);
        }
        Region { mesh: mesh.finish().0, lips }
    };
    sides.iter().map(region).collect()
}

/// Normals of the walls between two labels at each corner, from the first to the second: sums of area vectors.
fn normals(partition: &Partition) -> HashMap<(u32, [u32; 2]), Vec3> {
    let mut normals: HashMap<(u32, [u32; 2]), Vec3> = HashMap::new();
    for wall in partition.walls.iter().filter(|wall| wall.sides[1] != OUTSIDE) {
        let [a, b, c] = wall.corners.map(|corner| partition.places[corner as usize]);
        let area = (b - a).cross(&(c - a));
        wall.corners.iter().for_each(|&corner| *normals.entry((corner, wall.sides)).or_default() += area);
    }
    normals
}

/// Points of a surface on which cracks end: corners are one point where their triangles are joined by edges around it.
///
/// Around an edge a piece has one triangle on each end of each sector of its labels, which closed walls join.
fn points(sides: &[Side], closed: &HashMap<[u32; 2], Vec<[u32; 2]>>) -> Vec<[u32; 3]> {
    // corner k of triangle t is 3 t + k
    let mut around: BTreeMap<[u32; 2], Vec<(u32, u32)>> = BTreeMap::new();
    for (t, side) in (0..).zip(sides) {
        for ([a, b], k) in edges(side.corners).into_iter().zip(0..) {
            around.entry([a.min(b), a.max(b)]).or_default().push((side.labels[0], 3 * t + k));
        }
    }
    let mut corners = DisjointSets::new(3 * sides.len());
    for (edge, triangles) in around {
        let joined = closed.get(&edge).map_or(&[][..], Vec::as_slice);
        for (index, (label, from)) in triangles.iter().enumerate() {
            let sector = sector(*label, joined);
            for (_, to) in triangles[..index].iter().filter(|(other, _)| sector.contains(other)) {
                // both ends of the edge
                for end in edge {
                    let [one, other] = [*from, *to].map(|corner| end_of(sides, corner, end));
                    corners.join(one, other);
                }
            }
        }
    }
    let mut point = |t: u32| [0, 1, 2].map(|k| corners.find(3 * t + k));
    (0..sides.len() as u32).map(&mut point).collect()
}

/// Corner at `end` of the edge that starts at a corner of its triangle.
fn end_of(sides: &[Side], corner: u32, end: u32) -> u32 {
    let (t, k) = (corner / 3, corner % 3);
    if sides[t as usize].corners[k as usize] == end { corner } else { 3 * t + (k + 1) % 3 }
}

/// Labels that closed walls at an edge join with one.
fn sector(label: u32, joined: &[[u32; 2]]) -> Vec<u32> {
    let mut all = vec![label];
    let mut next = 0;
    while let Some(&label) = all.get(next) {
        for [a, b] in joined {
            for (from, to) in [(a, b), (b, a)] {
                if *from == label && !all.contains(to) {
                    all.push(*to);
                }
            }
        }
        next += 1;
    }
    all
}
