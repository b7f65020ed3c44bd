use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use manifold_rust::types::MeshGL64;

use super::engine_mesh::EngineMesh;
use crate::pieces::crack::{OUTSIDE, Partition};

/// Closed meshes around the regions of a partition, one for each label below `labels`, in the engine's form.
pub(super) fn regions(partition: &Partition, labels: usize) -> Vec<MeshGL64> {
    let normals = normals(partition);
    let mut meshes: Vec<EngineMesh<[u32; 2]>> = (0..labels).map(|_| EngineMesh::default()).collect();
    for wall in &partition.walls {
        let [own, other] = wall.sides;
        let normal = |corner: u32| normals.get(&(corner, wall.sides)).copied().unwrap_or_default();
        add(&mut meshes[own as usize], partition, wall.corners, other, &normal);
        if other != OUTSIDE {
            let [a, b, c] = wall.corners;
            add(&mut meshes[other as usize], partition, [a, c, b], own, &|corner| -normal(corner));
        }
    }
    meshes.into_iter().map(|mesh| mesh.finish().0).collect()
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

/// Adds a triangle of a region to its mesh, with a vertex of each corner towards each other label.
fn add(
    mesh: &mut EngineMesh<[u32; 2]>,
    partition: &Partition,
    corners: [u32; 3],
    other: u32,
    normal: &dyn Fn(u32) -> Vec3,
) {
    for corner in corners {
        mesh.corner([corner, other], corner, || {
            let (p, n) = (partition.places[corner as usize], normal(corner).try_normalize(0.0).unwrap_or_default());
            [p.x, p.y, p.z, 0.0, 0.0, n.x, n.y, n.z]
        });
    }
    mesh.mesh.face_id.push(other.into());
}
