use std::cell::RefCell;

use bdem_core::geometry::{Pose, Vec3};
use bdem_run::mesh::{PartsOfFile, Polygons};
use bdem_run::scene::{Scene, SceneBody};
use serde::{Deserialize, Serialize};

use super::PieceError;
use super::motion::after;
use super::shape::ShapeMesher;

/// Mesh of a body before it breaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyMesh {
    /// Name of the body.
    pub name: String,
    /// Mesh in a frame of its own. That of a file has the file's polygons.
    pub mesh: Polygons,
    /// Pose of that frame when the run starts.
    #[serde(with = "pose")]
    pub pose: Pose,
}

impl BodyMesh {
    /// Meshes of the bodies of a scene: of their mesh files, or of their shapes. None of a body without a shape, and of a
    /// hollow shell. `radii` are the median radii of the bodies' particles, m.
    ///
    /// # Errors
    /// When a mesh cannot be read, or a shape has none.
    pub fn all(scene: &Scene, radii: &[f64]) -> Result<Vec<Option<Self>>, PieceError> {
        let solids = scene.solids();
        let bodies = scene.bodies.iter().zip(solids).zip(radii);
        let parts = RefCell::default();
        bodies
            .map(|((body, solid), &radius)| {
                solid.and(body.shape.as_ref()).map(|_| of(body, radius, &parts)).transpose()
            })
            .collect()
    }
}

/// Mesh of a body that has a shape.
fn of(body: &SceneBody, radius: f64, parts: &RefCell<PartsOfFile>) -> Result<BodyMesh, PieceError> {
    /// Distance of chords from round surfaces over the particles' radius: far less than one sees beside cracks.
    const TOLERANCE: f64 = 0.02;
    let shape = body.shape.as_ref().expect("the body has a shape");
    let mesher = ShapeMesher { body: &body.name, tolerance: TOLERANCE * radius, parts };
    let (mesh, inner) = mesher.mesh(shape)?;
    let outer = Pose { turn: body.rotation.quaternion(), shift: Vec3::from(body.position) };
    Ok(BodyMesh { name: body.name.clone(), mesh, pose: after(&outer, &inner) })
}

/// Poses as plain numbers.
pub(super) mod pose {
    use bdem_core::geometry::{Pose, Quat, Vec3};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(pose: &Pose, to: S) -> Result<S::Ok, S::Error> {
        (pose.turn, pose.shift).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Pose, D::Error> {
        let (turn, shift) = <(Quat, Vec3)>::deserialize(from)?;
        Ok(Pose { turn, shift })
    }
}
