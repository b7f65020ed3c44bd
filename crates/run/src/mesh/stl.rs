use std::collections::HashMap;
use std::io::Cursor;

use bdem_core::geometry::Vec3;

use super::text::{lines, text};
use super::{MeshFileError, Triangles, malformed, polygon};

/// Bytes of the head of a binary file, and of its facets.
const HEAD: usize = 84;
const FACET: u64 = 50;

/// Triangles of an STL file, binary or text, with one solid or several.
pub(super) fn read(bytes: Vec<u8>) -> Result<Triangles, MeshFileError> {
    // a binary file may start like a text file, but its length matches its number of facets
    let facets = bytes.get(80..HEAD).map(|count| u32::from_le_bytes(std::array::from_fn(|k| count[k])));
    let is_binary = facets.is_some_and(|facets| bytes.len() as u64 == HEAD as u64 + FACET * u64::from(facets));
    let starts_as_text = || {
        let start = text(&bytes[..bytes.len().min(1 << 10)]).trim_start().to_ascii_lowercase();
        start.starts_with("solid")
    };
    if !is_binary && starts_as_text() { read_text(&text(&bytes)) } else { read_binary(bytes) }
}

fn read_binary(mut bytes: Vec<u8>) -> Result<Triangles, MeshFileError> {
    // its header may be any text
    let head = bytes.len().min(80);
    bytes[..head].fill(0);
    let mut bytes = Cursor::new(bytes);
    let mut facets = stl_io::create_stl_reader(&mut bytes).map_err(malformed)?;
    let mesh = facets.as_indexed_triangles().map_err(malformed)?;
    let corners = mesh.vertices.iter().map(|vertex| Vec3::from(vertex.0.map(f64::from))).collect();
    Ok((corners, mesh.faces.iter().map(|face| face.vertices.map(|i| i as u32)).collect()))
}

/// Facets of a text file so far. Equal corners are one.
#[derive(Default)]
struct Facets {
    corners: Vec<Vec3>,
    known: HashMap<[u64; 3], u32>,
    faces: Vec<[u32; 3]>,
    /// Corners of the facet so far.
    face: Vec<u32>,
    numbers: Numbers,
    /// Whether a solid has begun and not ended.
    is_open: bool,
}

/// Meaning of the numbers that are read.
#[derive(Default)]
enum Numbers {
    /// There must be none.
    #[default]
    No,
    /// Those of a normal, which are left out: the corners tell the same.
    Normal,
    /// Coordinates of a corner so far.
    Vertex(Vec<f64>),
}

/// Triangles of a text file. Words may be capital, and lines indented.
fn read_text(text: &str) -> Result<Triangles, MeshFileError> {
    let mut facets = Facets::default();
    for (n, line) in lines(text).enumerate() {
        let mut words = line.split_whitespace();
        match words.clone().next().map(str::to_ascii_lowercase).as_deref() {
            Some("solid") => facets.is_open = true,
            Some("endsolid") => facets.is_open = false,
            _ => words.try_for_each(|word| facets.word(word)).map_err(|why| {
                let line = n + 1;
                malformed(format!("line {line}: {why}"))
            })?,
        }
    }
    if facets.is_open || !facets.face.is_empty() {
        return Err(malformed("it ends within a solid: there is no endsolid"));
    }
    Ok((facets.corners, facets.faces))
}

impl Facets {
    fn word(&mut self, word: &str) -> Result<(), String> {
        match word.to_ascii_lowercase().as_str() {
            "vertex" => self.numbers = Numbers::Vertex(Vec::new()),
            "normal" => self.numbers = Numbers::Normal,
            "facet" | "outer" | "loop" | "endfacet" => self.numbers = Numbers::No,
            "endloop" if self.face.len() < 3 => return Err("a facet has fewer than three corners".to_owned()),
            "endloop" => {
                self.faces.extend(polygon::triangles(&self.corners, &std::mem::take(&mut self.face)));
                self.numbers = Numbers::No;
            }
            other => return self.number(other),
        }
        Ok(())
    }

    fn number(&mut self, word: &str) -> Result<(), String> {
        let place = match &mut self.numbers {
            Numbers::No => return Err(format!("{word:?} is no word of an STL file")),
            Numbers::Normal => return Ok(()),
            Numbers::Vertex(place) => place,
        };
        place.push(word.parse().map_err(|_| format!("{word:?} is no number"))?);
        if let [x, y, z] = place[..] {
            let corner = self.corner(Vec3::new(x, y, z));
            self.face.push(corner);
            self.numbers = Numbers::No;
        }
        Ok(())
    }

    fn corner(&mut self, place: Vec3) -> u32 {
        // the sum turns -0.0 into 0.0
        let key = [place.x, place.y, place.z].map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.corners.push(place);
            self.corners.len() as u32 - 1
        })
    }
}
