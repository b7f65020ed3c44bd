//! Attributes of the vertices and particles of files: numbers beside their positions.

use std::path::Path;

use super::csv_file::CsvFile;
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
    let table = CsvFile::parse(bytes)?;
    let place = table.place(name).ok_or_else(|| format!("it has no column {name:?}, but {}", table.names()))?;
    let wrong = |row: usize, text: &str| format!("particle {row}: {name} is {text:?}, but must be a number");
    (0..table.len()).map(|row| table.number(row, place).map_err(|text| wrong(row, text))).collect()
}
