use bdem_core::geometry::Pose;
use bdem_core::model::Collider;
use serde::Serialize;

use crate::surface::{Triangles, shown_parts, solid_triangles};

/// Collider on the page.
#[derive(Clone, Debug, Serialize)]
pub struct Wall {
    vertices: usize,
    triangles: usize,
    /// Pose at each frame: unit quaternion x, y, z, w, and translation (m).
    poses: Vec<[f32; 7]>,
    /// Triangles at the pose of the identity.
    #[serde(skip)]
    mesh: Triangles,
}

impl Wall {
    /// Collider at the `times` (s) of the frames, if it is shown.
    pub fn new(collider: &Collider, times: impl Iterator<Item = f64>) -> Option<Self> {
        let mut mesh = Triangles::default();
        for part in shown_parts(collider.shape()) {
            mesh.add(&solid_triangles(part), &Pose::default());
        }
        let pose = |time: f64| {
            let Pose { turn, shift } = collider.motion.pose(time);
            [turn.i, turn.j, turn.k, turn.w, shift.x, shift.y, shift.z].map(|x| x as f32)
        };
        let (vertices, triangles) = (mesh.places.len(), mesh.triangles.len());
        (triangles > 0).then(|| Self { vertices, triangles, poses: times.map(pose).collect(), mesh })
    }

    /// Positions of the vertices (m, 32 bits), then the triangles' indices (32 bits).
    pub(super) fn bytes(&self) -> Vec<u8> {
        let places = self.mesh.places.iter().flat_map(|place| [place.x, place.y, place.z]);
        let mut bytes: Vec<u8> = places.flat_map(|x| (x as f32).to_le_bytes()).collect();
        bytes.extend(self.mesh.triangles.as_flattened().iter().flat_map(|corner| corner.to_le_bytes()));
        bytes
    }
}
