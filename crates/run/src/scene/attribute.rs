//! Attributes of the vertices and particles of files: numbers beside their positions.

use std::path::Path;

use crate::mesh::vertex_scalars;

/// Attribute `name` in the `bytes` of the file called `file`, in the order of its rows: a property of the vertices of a PLY
/// file, or a column of a CSV file.
///
/// # Errors
/// A message, when the file has no such numbers.
pub fn read(file: &str, bytes: &[u8], name: &str) -> Result<Vec<f64>, String> {
    let ending = Path::new(file).extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("ply") => vertex_scalars(bytes, name).map_err(|error| error.to_string()),
        Some("csv") => column(bytes, name),
        _ => Err("only PLY and CSV files have attributes".to_owned()),
    }
}

fn column(bytes: &[u8], name: &str) -> Result<Vec<f64>, String> {
    let mut reader = csv_reader(bytes);
    let header = reader.headers().map_err(|error| error.to_string())?;
    let Some(place) = header.iter().position(|column| column == name) else {
        let columns: Vec<&str> = header.iter().collect();
        return Err(format!("it has no column {name:?}, but {}", columns.join(", ")));
    };
    let number = |(n, record): (usize, csv::Result<csv::StringRecord>)| {
        let record = record.map_err(|error| error.to_string())?;
        let text = record.get(place).unwrap_or_default();
        text.parse().map_err(|_| format!("particle {n}: {name} is {text:?}, but must be a number"))
    };
    reader.records().enumerate().map(number).collect()
}

/// Reader of the CSV files of particles.
pub(super) fn csv_reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(bytes)
}
