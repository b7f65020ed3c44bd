use std::io;
use std::path::Path;

use bdem_core::simulate::ForceRow;

use super::tables::{cause, too_few};
use super::{OutputError, Result, Table};
use crate::files;

/// Columns before those that the scene chooses.
const FIRST: [&str; 2] = ["frame", "time"];

/// Table of `frame`, `time` and other numbers, whose columns the scene chooses.
impl Table<ForceRow> {
    /// New table at `path` with these columns after `frame` and `time`. An older file is replaced.
    ///
    /// # Errors
    /// When the file cannot be written or read, as with every function here.
    pub fn create_forces(path: &Path, columns: &[String]) -> Result<Self> {
        Self::start(path, with_first(columns), |_| Ok(()))
    }

    /// Table at `path` cut to its first `rows`: a resumed run drops those after its checkpoint. Fewer rows, or other
    /// columns, are an error.
    pub fn resume_forces(path: &Path, columns: &[String], rows: usize) -> Result<Self> {
        let old = Columns::read(path)?;
        let fits = if !old.names.iter().skip(FIRST.len()).eq(columns) {
            let why = "it has other columns than the scene; resume with the names, probes and stress of [output] as before, \
                       or start anew with --overwrite";
            Err(io::Error::new(io::ErrorKind::InvalidData, why))
        } else if old.rows.len() < rows {
            Err(too_few(old.rows.len(), rows))
        } else {
            Ok(())
        };
        fits.map_err(OutputError::file("resume", path))?;
        let row = |row: &Vec<f64>| ForceRow { frame: row[0] as u32, time: row[1], values: row[FIRST.len()..].to_vec() };
        Self::start(path, with_first(columns), |out| {
            old.rows.iter().take(rows).map(row).try_for_each(|row| out.serialize(row).map_err(cause))
        })
    }
}

fn with_first(columns: &[String]) -> Vec<String> {
    FIRST.into_iter().map(str::to_owned).chain(columns.iter().cloned()).collect()
}

/// Numbers of a CSV file with a header.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Names of the columns, from the header.
    pub names: Vec<String>,
    /// Rows, up to an incomplete one.
    pub rows: Vec<Vec<f64>>,
}

impl Columns {
    /// Columns of the file at `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or has no columns `frame` and `time`.
    pub fn read(path: &Path) -> Result<Self> {
        let columns = files::open(path).and_then(Self::read_from).map_err(OutputError::file("read", path))?;
        let first = columns.names.iter().take(FIRST.len()).map(String::as_str);
        if !first.eq(FIRST) {
            let why = "its first columns are not frame and time";
            return Err(OutputError::file("read", path)(io::Error::new(io::ErrorKind::InvalidData, why)));
        }
        Ok(columns)
    }

    /// Columns in `source`.
    ///
    /// # Errors
    /// When it cannot be read, or its header is no text.
    pub fn read_from(source: impl io::Read) -> io::Result<Self> {
        let mut reader = csv::Reader::from_reader(source);
        let names: Vec<String> = reader.headers().map_err(cause)?.iter().map(str::to_owned).collect();
        let number = |record: csv::StringRecord| record.iter().map(|field| field.parse().ok()).collect::<Option<_>>();
        let rows = reader.records().map_while(|record| number(record.ok()?)).collect();
        Ok(Self { names, rows })
    }

    /// Values of the column `name`; `None` if there is none.
    pub fn column(&self, name: &str) -> Option<impl Iterator<Item = f64> + '_> {
        let at = self.names.iter().position(|column| column == name)?;
        Some(self.rows.iter().map(move |row| row[at]))
    }

    /// Vectors of the columns `name_x`, `name_y` and `name_z`.
    pub fn vectors(&self, name: &str) -> Option<Vec<[f64; 3]>> {
        let mut axes = [Vec::new(), Vec::new(), Vec::new()];
        for (values, axis) in axes.iter_mut().zip(["x", "y", "z"]) {
            values.extend(self.column(&format!("{name}_{axis}"))?);
        }
        Some((0..self.rows.len()).map(|row| std::array::from_fn(|axis| axes[axis][row])).collect())
    }
}
