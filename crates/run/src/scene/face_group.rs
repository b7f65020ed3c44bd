//! Groups of the faces of a body's mesh file.

use std::collections::BTreeSet;

use bdem_core::geometry::mesh::FaceSet;
use bdem_core::geometry::{Vec3, rotation};
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::{SceneBody, SceneShape};
use crate::mesh::named_faces;

/// Faces of an OBJ file by the name of their object, group or material, once the file is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct FaceGroup {
    name: String,
    /// Faces in their initial pose, and the distance (m) within which particles belong to them.
    faces: Vec<(FaceSet, f64)>,
}

impl From<String> for FaceGroup {
    fn from(name: String) -> Self {
        Self { name, faces: Vec::new() }
    }
}

impl From<FaceGroup> for String {
    fn from(group: FaceGroup) -> Self {
        group.name
    }
}

impl FaceGroup {
    /// Whether a particle at `p` (m) is at the faces.
    pub(super) fn contains(&self, p: &Vec3) -> bool {
        self.faces.iter().any(|(faces, reach)| faces.nearest(p, *reach).is_some())
    }

    /// Reads the faces from the mesh files of the `bodies` called `name`, or of all.
    pub(super) fn read(
        &mut self,
        bodies: &[SceneBody],
        name: Option<&str>,
        files: &mut Files,
        at: &At,
    ) -> Result<(), Fault> {
        /// Distance of particles from the faces, in radii: two and rounding. So far are those of the outer layer, and not those below it.
        const REACH: f64 = 2.0 + 1e-6;
        let mut known = BTreeSet::new();
        for body in bodies.iter().filter(|body| name.is_none_or(|name| body.name == name)) {
            let (Some(SceneShape::Mesh(file)), Some([_, radius])) = (&body.shape, body.radii()) else { continue };
            if !file.file.to_ascii_lowercase().ends_with(".obj") {
                continue;
            }
            let faces = named_faces(&files.read(&file.file, at)?, &self.name, &mut known);
            let mut faces = faces.map_err(|error| file.fault(&error, at))?;
            let turn = body.rotation.quaternion();
            let place = |p: &mut Vec3| *p = Vec3::from(body.position) + rotation::rotate(&turn, &file.placed(p));
            faces.iter_mut().flatten().for_each(place);
            if !faces.is_empty() {
                self.faces.push((FaceSet::new(faces), REACH * radius));
            }
        }
        if !self.faces.is_empty() {
            return Ok(());
        }
        let wrong = at.wrong(format!("there is no object, group or material {:?} in the body's mesh", self.name));
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(if names.is_empty() {
            wrong.help("give a body whose shape is the mesh of an OBJ file, with lines o, g or usemtl")
        } else {
            wrong.help(format!("the mesh has {}", names.join(", ")))
        })
    }
}
