//! Triangle meshes from files.

mod error;
mod ply;

use std::io::Cursor;
use std::path::Path;

use bdem_core::geometry::Vec3;
use tobj::{LoadError, LoadOptions, Model};

pub use error::MeshFileError;
pub(crate) use ply::{number, vertex_scalars};

/// Corners, in the file's units, and faces of three corners each.
pub type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// Triangles from the bytes of a file with the extension `ending`: "obj", "stl" or "ply". Polygons become fans.
///
/// # Errors
/// If the extension is not supported, or the bytes do not match it. Memory is bounded by a multiple of the bytes.
pub fn read(ending: &str, bytes: Vec<u8>) -> Result<Triangles, MeshFileError> {
    match ending.to_ascii_lowercase().as_str() {
        "obj" => obj(&bytes),
        "stl" => stl(bytes),
        "ply" => ply::read(&bytes),
        _ => Err(MeshFileError::Ending(ending.to_owned())),
    }
}

/// The error of a reader, shortened, since it may quote a whole line.
fn malformed(why: impl ToString) -> MeshFileError {
    /// Characters of the message, at most.
    const LONGEST: usize = 120;
    MeshFileError::Malformed(why.to_string().lines().next().unwrap_or_default().chars().take(LONGEST).collect())
}

fn obj(bytes: &[u8]) -> Result<Triangles, MeshFileError> {
    let text = only_geometry(&String::from_utf8_lossy(bytes));
    let options = LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let no_material = |_: &Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(text), &options, no_material).map_err(malformed)?;
    // without names all faces are one model, if there are any
    let Some(Model { mesh, .. }) = models.into_iter().next() else { return Ok(Triangles::default()) };
    let corners = mesh.positions.chunks_exact(3).map(Vec3::from_column_slice).collect();
    Ok((corners, mesh.indices.as_chunks().0.to_vec()))
}

/// The lines of an OBJ file with positions and faces, without attributes, which may be malformed.
fn only_geometry(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(kind @ ("v" | "f")) = words.next() else { continue };
        kept.push_str(kind);
        // a position may be followed by a weight or a colour
        let most = if kind == "v" { 3 } else { usize::MAX };
        for word in words.take_while(|word| !word.starts_with('#')).take(most) {
            kept.push(' ');
            kept.push_str(word.split('/').next().unwrap_or(word));
        }
        kept.push('\n');
    }
    kept
}

fn stl(mut bytes: Vec<u8>) -> Result<Triangles, MeshFileError> {
    // a binary file may start like a text file, but its length matches its number of facets
    if bytes.len() >= 84 {
        let facets = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]);
        if bytes.len() as u64 == 84 + 50 * u64::from(facets) {
            bytes[..80].fill(0);
        }
    }
    let mut bytes = Cursor::new(bytes);
    let mut facets = stl_io::create_stl_reader(&mut bytes).map_err(malformed)?;
    let mesh = facets.as_indexed_triangles().map_err(malformed)?;
    let corners = mesh.vertices.iter().map(|vertex| Vec3::from(vertex.0.map(f64::from))).collect();
    Ok((corners, mesh.faces.iter().map(|face| face.vertices.map(|i| i as u32)).collect()))
}
