use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use ply_rs::parser::{ParseError, Parser, Reader};
use ply_rs::ply::{ElementDef, Encoding, Header, PropertyAccess};

use crate::files;
use crate::output::{OutputError, Result};

use super::{BondGroups, Edge, Vertex};

/// Limit on the length of a header, bytes. Longer ones are not of this program.
const HEADER_LIMIT: u64 = 1 << 16;

/// Frame of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Comments of the header, `key: value`.
    pub comments: Vec<String>,
    /// Particles in the order of the file.
    pub vertices: Vec<Vertex>,
    /// Whether the frame has the softening of bonds.
    pub has_softening: bool,
    /// Whether the frame has charges.
    pub has_charge: bool,
    /// Whether the frame has displacements.
    pub has_displacement: bool,
    /// Whether the frame has stress tensors.
    pub has_stress_tensor: bool,
    /// Whole bonds, where the frame has them.
    pub edges: Option<Vec<Edge>>,
    /// Optional properties of the bonds.
    pub bond_groups: BondGroups,
}

impl Frame {
    /// Value of the comment `key`.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|comment| comment.strip_prefix(key)?.strip_prefix(": "))
    }

    /// Time, s, if it is known.
    pub fn time(&self) -> Option<f64> {
        self.comment("time")?.strip_suffix(" s")?.parse().ok()
    }

    /// Frame that begins at the start of `source`.
    ///
    /// # Errors
    /// As [`read_frame`].
    pub fn read(mut source: impl Read + Seek) -> io::Result<Self> {
        let mut head = Vec::new();
        source.by_ref().take(HEADER_LIMIT).read_to_end(&mut head)?;
        let mut reader = Reader::new(Cursor::new(&head));
        let header = Parser::<Vertex>::new().read_header(&mut reader).map_err(|error| not_ply(&error))?;
        let start = reader.get_ref().position();
        check(&header, source.seek(SeekFrom::End(0))?.saturating_sub(start))?;

        source.seek(SeekFrom::Start(start))?;
        let mut payload = Reader::new(BufReader::new(source));
        let vertices = elements(&mut payload, &header, Vertex::NAME)?.unwrap_or_default();
        let edges = elements(&mut payload, &header, Edge::NAME)?;
        let [has_softening, has_charge, has_displacement, has_stress_tensor] = Vertex::groups(&header);
        let bond_groups = Edge::groups(&header).into();
        Ok(Self {
            comments: header.comments,
            vertices,
            has_softening,
            has_charge,
            has_displacement,
            has_stress_tensor,
            edges,
            bond_groups,
        })
    }
}

/// Frame in the file at `path`.
///
/// # Errors
/// When it cannot be read, is no frame of this program, or is cut short. Memory use is bounded by the file's length.
pub fn read_frame(path: &Path) -> Result<Frame> {
    files::open(path).and_then(Frame::read).map_err(OutputError::file("read the frame", path))
}

/// Elements called `name`, which must be the next in the file. `None` where the header has none.
fn elements<E: PropertyAccess>(
    payload: &mut Reader<impl BufRead>,
    header: &Header,
    name: &str,
) -> io::Result<Option<Vec<E>>> {
    let read = |element: &ElementDef| Parser::new().read_payload_for_element(payload, element, header);
    Ok(header.elements.get(name).map(read).transpose()?)
}

/// Check that the header is one of this program, and that as many bytes follow as it says.
fn check(header: &Header, payload: u64) -> io::Result<()> {
    let count = |name: &str| header.elements.get(name).map(|element| element.count);
    let (vertices, edges) = (count(Vertex::NAME).unwrap_or(0), count(Edge::NAME));
    let (vertex, vertex_bytes) = Vertex::layout(vertices, Vertex::groups(header));
    let (edge, edge_bytes) = Edge::layout(edges.unwrap_or(0), Edge::groups(header));
    let ours = [Some(vertex), edges.map(|_| edge)];
    if header.encoding != Encoding::BinaryLittleEndian || !header.elements.values().eq(ours.iter().flatten()) {
        return Err(invalid("a PLY file, but not a frame of particles"));
    }
    let promised = vertices as u128 * vertex_bytes as u128 + edges.unwrap_or(0) as u128 * edge_bytes as u128;
    if promised != u128::from(payload) {
        return Err(invalid(format!("{payload} bytes follow its header, which declares {promised}")));
    }
    Ok(())
}

/// The parser's own message quotes the line, which may be a whole binary file.
fn not_ply(error: &ParseError) -> io::Error {
    match error.line() {
        Some(line) => invalid(format!("not a PLY header: line {line} cannot be parsed")),
        None => invalid("not a PLY file"),
    }
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message.into())
}
