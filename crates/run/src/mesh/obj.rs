use std::io::Cursor;
use std::path::Path;

use bdem_core::geometry::Vec3;
use tobj::{LoadError, LoadOptions, Model};

use super::text::{joined_lines, text};
use super::{MeshFileError, Triangles, malformed, polygon};

/// Triangles of an OBJ file.
pub(super) fn read(bytes: &[u8]) -> Result<Triangles, MeshFileError> {
    let text = only_geometry(&text(bytes));
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..Default::default() };
    let no_material = |_: &Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(text), &options, no_material).map_err(malformed)?;
    // without names all faces are one model, if there are any
    let Some(Model { mesh, .. }) = models.into_iter().next() else { return Ok(Triangles::default()) };
    let corners: Vec<Vec3> = mesh.positions.chunks_exact(3).map(Vec3::from_column_slice).collect();
    if mesh.face_arities.is_empty() {
        return Ok((corners, mesh.indices.as_chunks().0.to_vec()));
    }
    let (mut rest, mut faces) = (&mesh.indices[..], Vec::new());
    for &arity in &mesh.face_arities {
        let (face, others) = rest.split_at_checked(arity as usize).unwrap_or((rest, &[]));
        faces.extend(polygon::triangles(&corners, face));
        rest = others;
    }
    Ok((corners, faces))
}

/// The lines of an OBJ file with positions and faces, without attributes, which may be malformed.
fn only_geometry(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    joined_lines(text).for_each(|line| keep(&line, &mut kept));
    kept
}

/// Adds a line to those that are kept, if it is a position or a face.
fn keep(line: &str, kept: &mut String) {
    let mut words = line.split_whitespace();
    let Some(kind @ ("v" | "f")) = words.next() else { return };
    kept.push_str(kind);
    // a position may be followed by a weight or a colour
    let most = if kind == "v" { 3 } else { usize::MAX };
    for word in words.take_while(|word| !word.starts_with('#')).take(most) {
        kept.push(' ');
        kept.push_str(word.split('/').next().unwrap_or(word));
    }
    kept.push('\n');
}
