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
    /// Whether it has positions for each frame.
    deforms: bool,
    #[serde(skip)]
    places: Vec<[f32; 3]>,
}

impl Collider {
    /// Collider at the `times` (s) of the frames.
    pub fn new(collider: ColliderMesh, times: impl Iterator<Item = f64> + Clone) -> Self {
        let pose = |time: f64| {
            let Pose { turn, shift } = collider.pose(time);
            [turn.i, turn.j, turn.k, turn.w, shift.x, shift.y, shift.z].map(|x| x as f32)
        };
        let (vertices, triangles) = (collider.mesh.vertices.len(), collider.mesh.triangles.len());
        let deforms = collider.deforms();
        let places = match deforms {
            true => times.clone().flat_map(|time| collider.places_at(time)).collect(),
            false => collider.places_at(0.0),
        };
        Self { vertices, triangles, poses: times.map(pose).collect(), mesh: collider.mesh, deforms, places }
    }

    /// The triangles' indices (32 bits), then positions of the vertices (m, 32 bits), of one that deforms for each frame.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let corners = self.mesh.triangles.as_flattened().iter();
        let mut bytes: Vec<u8> = corners.flat_map(|corner| corner.to_le_bytes()).collect();
        bytes.extend(self.places.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }
}
