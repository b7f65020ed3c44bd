//! Lists of bonds between the particles of a file: CSV and PLY.

use std::path::Path;

use ply_rs::parser::{Parser, Reader};
use ply_rs::ply::{Header, Property, PropertyAccess, PropertyAccessResult};

use super::csv_file::CsvFile;
use crate::mesh::{number, ply_text};

/// Columns of CSV, and properties of the PLY element `edge`.
const COLUMNS: [&str; 2] = ["i", "j"];
const PROPERTIES: [&str; 2] = ["vertex1", "vertex2"];
const EDGE: &str = "edge";

/// Rule of the numbers, for messages.
pub(super) const REMEDY: &str =
    "i and j, or vertex1 and vertex2, are the rows of two particles in their file, from 0; write each pair once";

/// Pairs of rows, each with the number of its line or edge in the file.
struct Rows {
    /// Word for the places: line or edge.
    unit: &'static str,
    pairs: Vec<([f64; 2], u64)>,
}

impl Rows {
    /// Place of a pair, for messages.
    fn place(&self, pair: usize) -> String {
        format!("{} {}", self.unit, self.pairs[pair].1)
    }
}

/// Pairs of the rows of `particles` particles, in the `bytes` of the file called `name`. CSV needs the columns i and j, PLY an element
/// `edge` with vertex1 and vertex2.
///
/// # Errors
/// A message with the line or edge, when the file is neither, or a pair is none.
pub fn read(name: &str, bytes: &[u8], particles: usize) -> Result<Vec<[u32; 2]>, String> {
    let rows = match ending(name).as_str() {
        "csv" => read_csv(bytes),
        "ply" => read_ply(bytes),
        _ => Err("its name must end in .csv or .ply".to_owned()),
    }?;
    if rows.pairs.is_empty() {
        return Err("it holds no bonds".to_owned());
    }
    let mut pairs = Vec::with_capacity(rows.pairs.len());
    for (k, (ends, _)) in rows.pairs.iter().enumerate() {
        let pair = [end(ends[0], particles), end(ends[1], particles)];
        let [Some(i), Some(j)] = pair else {
            let wrong = ends[usize::from(pair[0].is_some())];
            let (place, last) = (rows.place(k), particles.saturating_sub(1));
            return Err(format!("{place}: {wrong:?} is no particle, but must be a whole number from 0 to {last}"));
        };
        if i == j {
            return Err(format!("{}: particle {i} cannot be bonded to itself", rows.place(k)));
        }
        pairs.push([i.min(j), i.max(j)]);
    }
    check_unlike(&pairs, &rows)?;
    Ok(pairs)
}

/// Whether the `bytes` of a particle file called `name` list bonds too.
pub(super) fn has_bonds(name: &str, bytes: &[u8]) -> bool {
    match ending(name).as_str() {
        "csv" => CsvFile::has_columns(bytes, &COLUMNS),
        "ply" => header(&mut Reader::new(&*ply_text::plain(bytes))).is_ok_and(|header| has_edges(&header)),
        _ => false,
    }
}

fn ending(name: &str) -> String {
    let ending = Path::new(name).extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}

/// Row of a particle among `particles`.
fn end(number: f64, particles: usize) -> Option<u32> {
    (number.fract() == 0.0 && number >= 0.0 && number < particles as f64).then_some(number as u32)
}

/// Check that no pair stands twice.
fn check_unlike(pairs: &[[u32; 2]], rows: &Rows) -> Result<(), String> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&k| (pairs[k], k));
    let twice = order.windows(2).filter(|two| pairs[two[0]] == pairs[two[1]]).min_by_key(|two| two[1]);
    twice.map_or(Ok(()), |two| {
        let [i, j] = pairs[two[0]];
        Err(format!("{}: {i} and {j} are bonded already, in {}", rows.place(two[1]), rows.place(two[0])))
    })
}

fn read_csv(bytes: &[u8]) -> Result<Rows, String> {
    let table = CsvFile::parse(bytes)?;
    let place = |name: &str| {
        table
            .place(name)
            .ok_or_else(|| format!("there is no column {name:?}, but {}; i and j are needed", table.names()))
    };
    let [i, j] = [place(COLUMNS[0])?, place(COLUMNS[1])?];
    let row = |n: usize| {
        let line = table.line(n);
        let number = |column| table.number(n, column).map_err(|text| format!("line {line}: {text:?} is not a number"));
        Ok(([number(i)?, number(j)?], line))
    };
    Ok(Rows { unit: "line", pairs: (0..table.len()).map(row).collect::<Result<_, String>>()? })
}

fn read_ply(bytes: &[u8]) -> Result<Rows, String> {
    let bytes = &*ply_text::plain(bytes);
    let mut reader = Reader::new(bytes);
    let header = header(&mut reader)?;
    if !has_edges(&header) {
        return Err("it has no element edge with vertex1 and vertex2".to_owned());
    }
    // every element takes a byte at least
    if header.elements.values().any(|element| element.properties.is_empty() || element.count > bytes.len()) {
        return Err("it is too short for its elements".to_owned());
    }
    let mut elements = Parser::<Ends>::new().read_payload(&mut reader, &header).map_err(|error| error.to_string())?;
    let edges = elements.shift_remove(EDGE).unwrap_or_default();
    Ok(Rows { unit: "edge", pairs: edges.into_iter().map(|Ends(ends)| ends).zip(0..).collect() })
}

fn header(reader: &mut Reader<&[u8]>) -> Result<Header, String> {
    // the parser's own message quotes the line, which may be a whole binary file
    let parser = Parser::<Ends>::new();
    parser
        .read_header(reader)
        .map_err(|error| format!("not a PLY file: line {} makes no sense", error.line().unwrap_or(1)))
}

fn has_edges(header: &Header) -> bool {
    let edge = header.elements.get(EDGE);
    edge.is_some_and(|edge| PROPERTIES.iter().all(|&name| edge.properties.contains_key(name)))
}

/// Ends of an edge; those of other elements are ignored.
#[derive(Default)]
struct Ends([f64; 2]);

impl PropertyAccess for Ends {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match (PROPERTIES.iter().position(|&known| known == name), number(&property)) {
            (Some(end), Some(value)) => self.0[end] = value,
            (Some(_), None) => return PropertyAccessResult::UnsupportedType,
            (None, _) => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }
}
