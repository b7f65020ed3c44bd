use std::collections::HashMap;

use bdem_core::geometry::Vec3;
use manifold_rust::manifold::Manifold;
use manifold_rust::types::MeshGL64;

use super::PROPERTIES;
use crate::pieces::crack::{OUTSIDE, Partition};

/// Closed meshes around the regions of a partition, one for each label below `labels`, in the engine's form.
pub(super) fn regions(partition: &Partition, labels: usize) -> Vec<MeshGL64> {
    let normals = normals(partition);
    let mut builders: Vec<Builder> = (0..labels).map(|_| Builder::default()).collect();
    for wall in &partition.walls {
        let [own, other] = wall.sides;
        let normal = |corner: u32| normals.get(&(corner, wall.sides)).copied().unwrap_or_default();
        builders[own as usize].add(partition, wall.corners, other, &normal);
        if other != OUTSIDE {
            let [a, b, c] = wall.corners;
            builders[other as usize].add(partition, [a, c, b], own, &|corner| -normal(corner));
        }
    }
    builders.into_iter().map(Builder::finish).collect()
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

/// Mesh of a region.
#[derive(Default)]
struct Builder {
    mesh: MeshGL64,
    /// Vertex of each corner towards each other label.
    vertices: HashMap<[u32; 2], u64>,
    /// First vertex of each corner.
    firsts: HashMap<u32, u64>,
}

impl Builder {
    fn add(&mut self, partition: &Partition, corners: [u32; 3], other: u32, normal: &dyn Fn(u32) -> Vec3) {
        for corner in corners {
            let fresh = self.vertices.len() as u64;
            let vertex = *self.vertices.entry([corner, other]).or_insert(fresh);
            if vertex == fresh {
                let (p, n) = (partition.places[corner as usize], normal(corner));
                let n = n.try_normalize(0.0).unwrap_or_default();
                self.mesh.vert_properties.extend([p.x, p.y, p.z, 0.0, 0.0, n.x, n.y, n.z]);
                let first = *self.firsts.entry(corner).or_insert(fresh);
                if first != fresh {
                    self.mesh.merge_from_vert.push(fresh);
                    self.mesh.merge_to_vert.push(first);
                }
            }
            self.mesh.tri_verts.push(vertex);
        }
        self.mesh.face_id.push(other.into());
    }

    fn finish(mut self) -> MeshGL64 {
        self.mesh.num_prop = PROPERTIES as u64;
        self.mesh.run_original_id = vec![Manifold::reserve_ids(1)];
        self.mesh
    }
}
