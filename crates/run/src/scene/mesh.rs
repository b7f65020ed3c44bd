use std::io;
use std::path::Path;
use std::sync::Arc;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::{Edges, Mesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::files::Files;
use super::mesh_bodies::MeshBodies;
use crate::mesh::{self, MeshFileError, MeshPart, MeshReport, PartKind, PartsOfFile, Polygons, Triangles};

/// Mesh in a file: OBJ, STL or PLY, by the ending of its name.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// Path of the file, relative to the scene's folder.
    pub file: String,
    /// Length of the file's unit, m.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub scale: f64,
    /// Vertical axis of the file. It becomes z.
    #[serde(default)]
    pub up: Up,
    /// Name of an object (`o`) of an OBJ file, whose faces alone are the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Name of a group (`g`) of an OBJ file, whose faces alone are the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Parts of an OBJ file that are a body each, where the mesh is the shape of a body. Their names are the body's and the part's:
    /// `wall_brick7`. Each has the body's other keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<MeshBodies>,
}

/// Vertical axis of a mesh file. It becomes z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Up {
    /// y becomes z, and z becomes -y.
    Y,
    /// Coordinates remain as in the file.
    #[default]
    Z,
}

fn one() -> f64 {
    1.0
}

impl MeshFile {
    pub(super) fn load(&self, files: &mut Files, at: &At) -> Result<Arc<Mesh>, Fault> {
        self.check(at)?;
        files.mesh(self, at)
    }

    fn check(&self, at: &At) -> Result<(), Fault> {
        if self.object.is_some() && self.group.is_some() {
            return Err(at.key("group").wrong("object and group are given both").help("leave one of them out"));
        }
        if self.bodies.is_some() {
            let fault = at.key("bodies").wrong("only a mesh that is the shape of a body can be several bodies");
            return Err(fault.help("take the mesh itself as the body's shape, or name one part as object or group"));
        }
        at.key("scale").positive(self.scale, "")
    }

    /// Part of the file that is the mesh.
    fn part(&self) -> Option<MeshPart<'_>> {
        let named = [(PartKind::Object, &self.object), (PartKind::Group, &self.group)];
        named.into_iter().find_map(|(kind, name)| Some(MeshPart { kind, name: name.as_deref()? }))
    }

    /// Vertices and edges, of a mesh that may be open.
    pub(super) fn load_edges(&self, files: &mut Files, at: &At) -> Result<Edges, Fault> {
        self.check(at)?;
        let at = at.key("file");
        let (corners, faces) = self.triangles(files, &at)?;
        Edges::new(&corners, &faces).map_err(|error| self.fault(&error.into(), &at))
    }

    /// Error of the file, at its name.
    pub(super) fn fault(&self, error: &MeshFileError, at: &At) -> Fault {
        at.wrong(format!("{}: {error}", self.file)).help(error.help())
    }

    /// Mesh of the file, scaled and rotated: the union of its shells.
    pub(super) fn mesh(&self, files: &mut Files, at: &At) -> Result<(Mesh, MeshReport), Fault> {
        let ((corners, faces), report) = mesh::unite(self.triangles(files, at)?);
        let mesh = Mesh::new(&corners, &faces).map_err(|error| self.fault(&error.into(), at))?;
        Ok((mesh, report))
    }

    /// Polygons of the file with their attributes, scaled and turned. Its bytes are read by `read`, unless it is the last of
    /// `parts`.
    ///
    /// # Errors
    /// Those of `read`. Within, if the bytes are no mesh.
    pub fn polygons(
        &self,
        parts: &mut PartsOfFile,
        read: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<Result<Polygons, MeshFileError>> {
        let Some(part) = self.part() else {
            let bytes = read()?;
            return Ok(mesh::read_polygons(&self.ending(), bytes).map(|mesh| self.in_body_frame(mesh)));
        };
        if !parts.are_of(&self.file, part.kind) {
            let bytes = read()?;
            if let Err(error) = parts.read(&self.file, part.kind, &bytes) {
                return Ok(Err(error));
            }
        }
        Ok(part.find(parts.all()).map(|mesh| self.in_body_frame(mesh)))
    }

    /// Mesh of the file, scaled and turned.
    fn in_body_frame(&self, mesh: Polygons) -> Polygons {
        let mut mesh = mesh.with_turned_shells();
        mesh.wrong_uv.iter_mut().for_each(|line| *line = format!("{}: {line}", self.file));
        mesh.points.iter_mut().for_each(|p| *p = self.placed(p));
        mesh.corners.iter_mut().for_each(|corner| corner.normal = self.up.turned(&corner.normal));
        mesh
    }

    /// Polygons of the file with their attributes, scaled and turned.
    pub(super) fn load_polygons(&self, files: &mut Files, at: &At) -> Result<Polygons, Fault> {
        let mesh = match self.part() {
            None => mesh::read_polygons(&self.ending(), files.read(&self.file, at)?),
            Some(part) => part.find(files.parts(&self.file, part.kind, at)?),
        };
        mesh.map(|mesh| self.in_body_frame(mesh)).map_err(|error| self.fault(&error, at))
    }

    /// Vertices and triangles, scaled and turned.
    pub(super) fn triangles(&self, files: &mut Files, at: &At) -> Result<Triangles, Fault> {
        let fault = |error: MeshFileError| self.fault(&error, at);
        let (mut corners, faces) = match self.part() {
            None => mesh::read(&self.ending(), files.read(&self.file, at)?).map_err(fault)?,
            Some(part) => part.find(files.parts(&self.file, part.kind, at)?).map_err(fault)?.into_triangles(),
        };
        corners.iter_mut().for_each(|p| *p = self.placed(p));
        Ok((corners, faces))
    }

    fn ending(&self) -> String {
        Path::new(&self.file).extension().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Point of the file in the body's frame, m.
    pub(super) fn placed(&self, p: &Vec3) -> Vec3 {
        self.scale * self.up.turned(p)
    }
}

impl Up {
    /// Vector of the file, with z up.
    pub(super) fn turned(self, p: &Vec3) -> Vec3 {
        if self == Self::Y { Vec3::new(p.x, -p.z, p.y) } else { *p }
    }
}
