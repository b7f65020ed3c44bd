use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use ply_rs::parser::{ParseError, Parser, Reader};
use ply_rs::ply::{ElementDef, Encoding, Header, PropertyAccess};

use crate::output::{OutputError, Result};

use super::{Edge, Vertex};

/// More bytes than any header of ours: where a file that is no PLY is given up.
const HEADER_LIMIT: u64 = 1 << 16;

/// A frame read back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The header's comments, `key: value`.
    pub comments: Vec<String>,
    pub vertices: Vec<Vertex>,
    /// The unbroken bonds, where the frame shows them.
    pub edges: Option<Vec<Edge>>,
}

impl Frame {
    /// What the comment `key` says.
    pub fn comment(&self, key: &str) -> Option<&str> {
        self.comments.iter().find_map(|comment| comment.strip_prefix(key)?.strip_prefix(": "))
    }

    /// Reads a frame that begins where `source` does.
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
        Ok(Self { comments: header.comments, vertices, edges })
    }
}

/// Reads the frame at `path`.
///
/// # Errors
/// When it cannot be read, is no frame of this program, or is cut short. No more memory is taken than the file is long.
pub fn read_frame(path: &Path) -> Result<Frame> {
    File::open(path).and_then(Frame::read).map_err(OutputError::file("read the frame", path))
}

/// The elements called `name`, which must be the next in the file; `None` where the header knows none.
fn elements<E: PropertyAccess>(
    payload: &mut Reader<impl BufRead>,
    header: &Header,
    name: &str,
) -> io::Result<Option<Vec<E>>> {
    let read = |element: &ElementDef| Parser::new().read_payload_for_element(payload, element, header);
    Ok(header.elements.get(name).map(read).transpose()?)
}

/// Whether the header is one of ours, and as many bytes follow as it promises.
fn check(header: &Header, payload: u64) -> io::Result<()> {
    let count = |name: &str| header.elements.get(name).map(|element| element.count);
    let (vertices, edges) = (count(Vertex::NAME).unwrap_or(0), count(Edge::NAME));
    let ours = [Some(Vertex::definition(vertices)), edges.map(Edge::definition)];
    if header.encoding != Encoding::BinaryLittleEndian || !header.elements.values().eq(ours.iter().flatten()) {
        return Err(invalid("a PLY file, but not a frame of particles"));
    }
    let promised = vertices as u128 * Vertex::BYTES as u128 + edges.unwrap_or(0) as u128 * Edge::BYTES as u128;
    if promised != u128::from(payload) {
        return Err(invalid(format!("{payload} bytes follow its header, which promises {promised}")));
    }
    Ok(())
}

/// The parser's own message quotes the line, which may be all of a picture.
fn not_ply(error: &ParseError) -> io::Error {
    match error.line() {
        Some(line) => invalid(format!("not a PLY header: line {line} makes no sense")),
        None => invalid("not a PLY file"),
    }
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message.into())
}
