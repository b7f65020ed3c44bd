//! Meshes from files: triangles, and polygons with their attributes.

mod colours;
mod error;
mod obj;
mod part;
mod ply;
pub(crate) mod ply_text;
mod polygon;
mod polygons;
mod shells;
mod stl;
pub(crate) mod text;

use bdem_core::geometry::Vec3;

pub use error::MeshFileError;
pub(crate) use obj::named_faces;
pub use part::{MeshPart, PartKind, PartsOfFile};
pub(crate) use ply::{number, vertex_scalars};
pub use polygons::{PolygonCorner, Polygons};
pub use shells::{MeshReport, unite};

/// Corners, in the file's units, and faces of three corners each.
pub type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// Triangles from the bytes of a file with the extension `ending`: "obj", "stl" or "ply". Polygons
/// become triangles.
///
/// # Errors
/// If the extension is not supported, or the bytes do not match it. Memory is bounded by a multiple of the bytes.
pub fn read(ending: &str, bytes: Vec<u8>) -> Result<Triangles, MeshFileError> {
    match ending.to_ascii_lowercase().as_str() {
        "obj" => Ok(obj::read(&bytes)?.into_triangles()),
        "stl" => stl::read(bytes),
        "ply" => Ok(ply::read(&bytes)?.0),
        _ => Err(MeshFileError::Ending(ending.to_owned())),
    }
}

/// Polygons from the bytes of a file with the extension `ending`: "obj", "stl" or "ply". Those of OBJ keep their points in
/// the order of the file, their texture coordinates and normals. Attributes that are malformed are left out. Those of OBJ and PLY
/// have the colours of their points.
///
/// # Errors
/// As of [`read`].
pub fn read_polygons(ending: &str, bytes: Vec<u8>) -> Result<Polygons, MeshFileError> {
    if ending.eq_ignore_ascii_case("obj") {
        return obj::read(&bytes);
    }
    let ((points, triangles), colours) = match ending.eq_ignore_ascii_case("ply") {
        true => ply::read(&bytes)?,
        false => (read(ending, bytes)?, Vec::new()),
    };
    let last = points.len() as u32;
    match triangles.iter().flatten().find(|&&corner| corner >= last) {
        Some(corner) => Err(MeshFileError::Malformed(format!("a face has vertex {corner}, but there are {last}"))),
        None => Ok(Polygons { colours, ..Polygons::of_triangles(points, &triangles) }),
    }
}

/// The error of a reader, shortened, since it may quote a whole line.
fn malformed(why: impl ToString) -> MeshFileError {
    /// Characters of the message, at most.
    const LONGEST: usize = 120;
    MeshFileError::Malformed(why.to_string().lines().next().unwrap_or_default().chars().take(LONGEST).collect())
}
