use bdem_core::geometry::Pose;
use serde::Serialize;

use crate::pieces::{ColliderMesh, VertexMesh};

/// Collider on the page.
#[derive(Clone, Debug, Serialize)]
pub struct Collider {
    vertices: usize,
    triangles: usize,
    /// Pose at each frame: unit quaternion x, y, z, w, and translation (m).
    poses: Vec<[f32; 7]>,
    #[serde(skip)]
    mesh: VertexMesh,
}

impl Collider {
    /// Collider at the `times` (s) of the frames.
    pub fn new(collider: ColliderMesh, times: impl Iterator<Item = f64>) -> Self {
        let pose = |time: f64| {
            let Pose { turn, shift } = collider.pose(time);
            [turn.i, turn.j, turn.k, turn.w, shift.x, shift.y, shift.z].map(|x| x as f32)
        };
        let (vertices, triangles) = (collider.mesh.vertices.len(), collider.mesh.triangles.len());
        Self { vertices, triangles, poses: times.map(pose).collect(), mesh: collider.mesh }
    }

    /// Positions of the vertices (m, 32 bits), then the triangles' indices (32 bits).
    pub(super) fn bytes(&self) -> Vec<u8> {
        let places = self.mesh.vertices.iter().flat_map(|vertex| &vertex[..3]);
        let mut bytes: Vec<u8> = places.flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend(self.mesh.triangles.as_flattened().iter().flat_map(|corner| corner.to_le_bytes()));
        bytes
    }
}
