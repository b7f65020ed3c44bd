use std::collections::HashMap;
use std::hash::Hash;

use manifold_rust::manifold::Manifold;
use manifold_rust::types::MeshGL64;

/// Properties of a vertex in the engine: position, texture coordinates, normal.
const PROPERTIES: usize = 8;

/// Mesh in the engine's form, whose vertices are known by keys. Vertices of the same point are merged.
pub(super) struct EngineMesh<K> {
    pub mesh: MeshGL64,
    vertices: HashMap<K, u64>,
    /// First vertex of each point.
    firsts: HashMap<u32, u64>,
}

impl<K> Default for EngineMesh<K> {
    fn default() -> Self {
        Self { mesh: MeshGL64::default(), vertices: HashMap::new(), firsts: HashMap::new() }
    }
}

impl<K: Eq + Hash> EngineMesh<K> {
    /// Adds a corner of a triangle: the vertex of this key, which is new at `point` with these properties unless it is known.
    pub(super) fn corner(&mut self, key: K, point: u32, properties: impl FnOnce() -> [f64; PROPERTIES]) {
        let fresh = self.vertices.len() as u64;
        let vertex = *self.vertices.entry(key).or_insert(fresh);
        if vertex == fresh {
            self.mesh.vert_properties.extend(properties());
            let first = *self.firsts.entry(point).or_insert(fresh);
            if first != fresh {
                self.mesh.merge_from_vert.push(fresh);
                self.mesh.merge_to_vert.push(first);
            }
        }
        self.mesh.tri_verts.push(vertex);
    }

    /// Mesh, and its number in the engine.
    pub(super) fn finish(mut self) -> (MeshGL64, u32) {
        let id = Manifold::reserve_ids(1);
        self.mesh.num_prop = PROPERTIES as u64;
        self.mesh.run_original_id = vec![id];
        (self.mesh, id)
    }
}
