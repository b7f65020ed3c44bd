use std::collections::HashMap;

/// Faces of tetrahedra that have one tetrahedron only.
pub(super) struct Hull {
    /// Nodes that lack a neighbour. Only faces of such nodes can be on the hull.
    border: Vec<bool>,
    /// Faces met once so far, by their sorted nodes.
    single: HashMap<[u32; 3], [u32; 3]>,
}

impl Hull {
    pub(super) fn new(border: Vec<bool>) -> Self {
        Self { border, single: HashMap::new() }
    }

    /// Adds a tetrahedron of positive volume.
    pub(super) fn add(&mut self, nodes: [u32; 4]) {
        /// Nodes of each face, counterclockwise as seen from outside.
        const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        for face in FACES.map(|face| face.map(|k| nodes[k])) {
            if !face.iter().all(|&node| self.border[node as usize]) {
                continue;
            }
            let mut key = face;
            key.sort_unstable();
            if self.single.remove(&key).is_none() {
                self.single.insert(key, face);
            }
        }
    }

    /// Faces of the hull, in a fixed order.
    pub(super) fn faces(self) -> Vec<[u32; 3]> {
        let mut faces: Vec<[u32; 3]> = self.single.into_values().collect();
        faces.sort_unstable();
        faces
    }
}
