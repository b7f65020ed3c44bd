//! Groups of the faces of a body's mesh file.

use std::collections::BTreeSet;

use bdem_core::geometry::mesh::FaceSet;
use bdem_core::geometry::{Vec3, rotation};
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::{MeshFile, SceneBody, SceneShape};
use crate::mesh::text;

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
            let bytes = files.read(&file.file, at)?;
            let mut faces = faces_of(&text::text(&bytes), &self.name, file, &mut known);
            let turn = body.rotation.quaternion();
            let place = |p: &mut Vec3| *p = Vec3::from(body.position) + rotation::rotate(&turn, p);
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

/// Faces of the OBJ `text` with the object, group or material `name`, as triangles in the body's frame, m. All names go to `known`.
/// Lines that the reader of meshes refuses are left out.
fn faces_of(text: &str, name: &str, file: &MeshFile, known: &mut BTreeSet<String>) -> Vec<[Vec3; 3]> {
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    let (mut is_object, mut is_group, mut is_material) = (false, false, false);
    for line in text::joined_lines(text) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (kind, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let mut names = |all: &[&str]| {
            known.extend(all.iter().filter(|name| !name.is_empty()).map(|name| (*name).to_owned()));
            all.contains(&name)
        };
        match kind {
            "v" => {
                let numbers: Vec<f64> = rest.split_whitespace().take(3).map_while(|word| word.parse().ok()).collect();
                points.push(<[f64; 3]>::try_from(numbers).ok().map(|p| file.placed(&p.into())));
            }
            "o" => is_object = names(&[rest]),
            "g" => is_group = names(&rest.split_whitespace().chain([rest]).collect::<Vec<_>>()),
            "usemtl" => is_material = names(&[rest]),
            "f" if is_object || is_group || is_material => {
                let corner = |word: &str| -> Option<Vec3> {
                    let number: i64 = word.split('/').next()?.parse().ok()?;
                    let index = if number < 0 { number + points.len() as i64 } else { number - 1 };
                    *points.get(usize::try_from(index).ok()?)?
                };
                let corners: Option<Vec<Vec3>> = rest.split_whitespace().map(corner).collect();
                let corners = corners.unwrap_or_default();
                faces.extend(corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    faces
}
