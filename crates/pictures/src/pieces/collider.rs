use std::cell::RefCell;

use bdem_core::geometry::{Pose, Vec3};
use bdem_core::model::Motion;
use bdem_run::mesh::Polygons;
use bdem_run::scene::{Scene, SceneCollider, SceneShape};

use super::cut::with_normals;
use super::motion::after;
use super::shape::ShapeMesher;
use super::{VertexMesh, vertices};

/// Collider as it is shown.
#[derive(Clone, Debug)]
pub struct ColliderMesh {
    /// Name in the scene.
    pub(crate) name: Option<String>,
    /// Mesh in the frame of its shape, with normals. That of a file has the file's polygons.
    pub(crate) polygons: Polygons,
    /// The same as triangles.
    pub(crate) mesh: VertexMesh,
    /// Pose of that frame at time 0.
    pose: Pose,
    motion: Motion,
}

impl ColliderMesh {
    /// Colliders of a scene that are shown: bounded solids. Half-spaces are not, and neither are tubes and shapes with a
    /// free inside, which may hide particles. Of unions each member.
    pub fn all(scene: &Scene) -> Vec<Self> {
        let both = scene.colliders.iter().zip(scene.walls());
        both.filter_map(|(collider, wall)| Self::new(collider, wall.motion.clone())).collect()
    }

    fn new(collider: &SceneCollider, motion: Motion) -> Option<Self> {
        let pose = Pose { turn: collider.rotation.quaternion(), shift: Vec3::from(collider.position) };
        let mut polygons = Polygons::default();
        let parts = if collider.inside { Vec::new() } else { parts(&collider.shape) };
        parts.into_iter().for_each(|part| polygons.add(mesh_of(part)));
        let mesh = vertices(&polygons, 0..polygons.sizes.len(), &Vec3::zeros());
        let name = collider.name.clone();
        (!mesh.triangles.is_empty()).then_some(Self { name, polygons, mesh, pose, motion })
    }

    /// Pose of the mesh at a time (s).
    pub fn pose(&self, time: f64) -> Pose {
        after(&self.motion.pose(time), &self.pose)
    }
}

/// Mesh of a shape. Empty where it has none: it is unbounded, or its parts do not meet.
fn mesh_of(shape: &SceneShape) -> Polygons {
    // the fewest segments of circles
    let mesher = ShapeMesher { body: "", tolerance: f64::INFINITY, parts: &RefCell::default() };
    mesher.polygons(shape).map(|mesh| with_normals(&mesh)).unwrap_or_default()
}

/// Parts of a collider that are shown.
fn parts(shape: &SceneShape) -> Vec<&SceneShape> {
    match shape {
        SceneShape::Union(members) => members.iter().flat_map(parts).collect(),
        single => Some(single).filter(|single| is_shown(single)).into_iter().collect(),
    }
}

fn is_shown(shape: &SceneShape) -> bool {
    match shape {
        SceneShape::Moved { shape, .. } => is_shown(shape),
        SceneShape::Tube { .. } | SceneShape::HalfSpace { .. } => false,
        _ => true,
    }
}
