use std::io::{self, Cursor, ErrorKind};
use std::path::Path;

use ply_rs::parser::{Parser, Reader};
use ply_rs::ply::{Header, Property, PropertyAccess, PropertyAccessResult};

use super::Vertex;
use crate::files;
use crate::mesh::{number, ply_text};
use crate::output::{OutputError, Result};

/// Particles of any program, with the properties that their file has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// Particles in the order of the file. Properties that the file lacks are zero.
    pub vertices: Vec<Vertex>,
    /// Whether the file has radii.
    pub has_radius: bool,
    /// Whether the file has pieces.
    pub has_piece: bool,
    /// Whether the file has charges.
    pub has_charge: bool,
}

/// Particles of the element `vertex` in the PLY file at `path`. It needs `x`, `y` and `z`; other properties of a
/// [`Vertex`] may have any order and type. `radius` stands for `pscale`.
///
/// # Errors
/// When the file cannot be read, or has no positions. Memory use is bounded by a multiple of the file's length.
pub fn read_points(path: &Path) -> Result<Points> {
    files::read(path, files::MAX_BYTES)
        .and_then(|bytes| parse(&bytes))
        .map_err(OutputError::file("read the particles in", path))
}

fn parse(bytes: &[u8]) -> io::Result<Points> {
    let bytes = &*ply_text::plain(bytes);
    let parser = Parser::<Point>::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = parser.read_header(&mut reader)?;
    let has = |name: &str| header.elements.get("vertex").is_some_and(|e| e.properties.contains_key(name));
    if !["x", "y", "z"].into_iter().all(has) || !fits(&header, bytes.len()) {
        return Err(io::Error::new(
            ErrorKind::InvalidData,
            "it has no vertices with x, y and z, or fewer than it says",
        ));
    }
    let [has_radius, has_piece, has_charge] = [has("pscale") || has("radius"), has("piece"), has("charge")];
    let points = parser.read_payload(&mut reader, &header)?.shift_remove("vertex").unwrap_or_default();
    let vertices = points.into_iter().map(|Point(vertex)| vertex).collect();
    Ok(Points { vertices, has_radius, has_piece, has_charge })
}

/// Whether there are no more elements than bytes.
fn fits(header: &Header, bytes: usize) -> bool {
    header.elements.values().all(|element| !element.properties.is_empty() && element.count <= bytes)
}

/// Vertex with properties of any number type.
#[derive(Default)]
struct Point(Vertex);

impl PropertyAccess for Point {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let Some(value) = number(&property) else { return PropertyAccessResult::Ignored };
        let name = if name == "radius" { "pscale" } else { name };
        match self.0.set_property(name, Property::Float(value as f32)) {
            PropertyAccessResult::UnsupportedType => self.0.set_property(name, Property::Int(value as i32)),
            other => other,
        }
    }
}
