use std::borrow::Cow;
use std::cell::RefCell;

use bdem_core::geometry::mesh::DeformingMesh;
use bdem_core::geometry::{Pose, Vec3};
use bdem_core::model::Wall;
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
    /// Mesh in the frame of its shape at time 0, with normals. That of a file has the file's polygons.
    pub(crate) polygons: Polygons,
    /// The same as triangles.
    pub(crate) mesh: VertexMesh,
    /// Pose of that frame at time 0.
    pose: Pose,
    wall: Wall,
}

impl ColliderMesh {
    /// Colliders of a scene that are shown: bounded solids. Half-spaces are not, and neither are tubes and shapes with a
    /// free inside, which may hide particles. Of unions each member.
    pub fn all(scene: &Scene) -> Vec<Self> {
        let both = scene.colliders.iter().zip(scene.walls());
        both.filter_map(|(collider, wall)| Self::new(collider, wall)).collect()
    }

    fn new(collider: &SceneCollider, wall: &Wall) -> Option<Self> {
        let pose = Pose { turn: collider.rotation.quaternion(), shift: Vec3::from(collider.position) };
        // the poses of one that deforms are in the scene's coordinates
        let pose = wall.deforming_mesh().map_or(pose, |_| Pose::default());
        let mut polygons = Polygons::default();
        let parts = if collider.inside { Vec::new() } else { parts(&collider.shape) };
        parts.into_iter().for_each(|part| polygons.add(mesh_of(part)));
        if let Some(deforming) = wall.deforming_mesh() {
            polygons = deformed(&polygons, deforming, 0.0);
        }
        let mesh = vertices(&polygons, 0..polygons.sizes.len(), &Vec3::zeros());
        let name = collider.name.clone();
        (!mesh.triangles.is_empty()).then(|| Self { name, polygons, mesh, pose, wall: wall.clone() })
    }

    /// Pose of the mesh at a time (s).
    pub fn pose(&self, time: f64) -> Pose {
        after(&self.wall.motion.pose(time), &self.pose)
    }

    /// Whether the mesh deforms.
    pub fn deforms(&self) -> bool {
        self.wall.deforming_mesh().is_some()
    }

    /// Mesh at a time (s), in the frame of its shape.
    pub(crate) fn polygons_at(&self, time: f64) -> Cow<'_, Polygons> {
        match self.wall.deforming_mesh() {
            Some(deforming) => Cow::Owned(deformed(&self.polygons, deforming, time)),
            None => Cow::Borrowed(&self.polygons),
        }
    }

    /// The same as triangles.
    pub(crate) fn mesh_at(&self, time: f64) -> Cow<'_, VertexMesh> {
        match self.polygons_at(time) {
            Cow::Owned(polygons) => Cow::Owned(vertices(&polygons, 0..polygons.sizes.len(), &Vec3::zeros())),
            Cow::Borrowed(_) => Cow::Borrowed(&self.mesh),
        }
    }

    /// Positions (m) of the vertices of `mesh` at a time (s).
    pub(crate) fn places_at(&self, time: f64) -> Vec<[f32; 3]> {
        let polygons = self.polygons_at(time);
        let point = |&corner: &u32| polygons.points[polygons.corners[corner as usize].point as usize];
        self.mesh.corners.iter().map(|corner| point(corner).map(|x| x as f32).into()).collect()
    }
}

/// Polygons with their points at a time (s), and normals of these.
fn deformed(polygons: &Polygons, deforming: &DeformingMesh, time: f64) -> Polygons {
    let points = deforming.vertices(time);
    if points.len() != polygons.points.len() {
        return polygons.clone();
    }
    let mut mesh = Polygons { points, ..polygons.clone() };
    mesh.corners.iter_mut().for_each(|corner| corner.normal = Vec3::zeros());
    with_normals(&mesh)
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
