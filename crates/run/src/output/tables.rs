use std::fs::File;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bdem_core::energy::{Energies, Energy, Flow, Flows};
use bdem_core::simulate::FractureEvent;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};

use super::{OutputError, Result, write_whole};
use crate::files;

/// Row of a table.
pub trait TableRow: Default + Serialize + DeserializeOwned {
    /// Names of the columns, in the order of the serialized numbers. The default is for flat structs: their fields.
    fn columns() -> Vec<String> {
        field_names(&Self::default())
    }

    /// Serializes the row as a map of its columns. Numbers that are not finite are null.
    ///
    /// # Errors
    /// Those of the serializer.
    fn as_map<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let number = |text: String| serde_json::from_str::<serde_json::Number>(&text).ok();
        serializer.collect_map(Self::columns().into_iter().zip(cells(self).into_iter().map(number)))
    }
}

/// CSV file that grows by rows. Rows that were pushed survive when the run is killed.
///
/// Numbers have the shortest form that reads back as the same bits.
#[derive(Debug)]
pub struct Table<R> {
    path: PathBuf,
    out: csv::Writer<File>,
    rows: PhantomData<fn(&R)>,
}

impl<R: TableRow> Table<R> {
    /// New table at `path`: a header and no rows. An older file is replaced.
    ///
    /// # Errors
    /// When the file cannot be written or read, as with every function here.
    pub fn create(path: &Path) -> Result<Self> {
        Self::start(path, R::columns(), |_| Ok(()))
    }

    /// Table at `path` cut to its first `rows`: a resumed run drops those after its checkpoint. Fewer rows are an
    /// error.
    pub fn resume(path: &Path, rows: usize) -> Result<Self> {
        let old = files::open(path).map_err(OutputError::file("read", path))?;
        let fill = |out: &mut csv::Writer<&mut dyn Write>| {
            first_rows::<R>(old, rows).try_for_each(|row| out.serialize(row?).map_err(cause))
        };
        Self::start(path, R::columns(), fill)
    }

    /// Rows of the table at `path`, up to an incomplete one.
    pub fn read(path: &Path) -> Result<Vec<R>> {
        let file = files::open(path).map_err(OutputError::file("read", path))?;
        Ok(first_rows(file, usize::MAX).map_while(io::Result::ok).collect())
    }
}

impl<R: Serialize> Table<R> {
    /// Wait until all rows are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.out.get_ref().sync_data().map_err(OutputError::file("write", &self.path))
    }

    /// Append rows, which are flushed to the operating system on return.
    pub fn push(&mut self, rows: &[R]) -> Result<()> {
        self.write(rows).map_err(OutputError::file("write", &self.path))
    }

    fn write(&mut self, rows: &[R]) -> io::Result<()> {
        for row in rows {
            self.out.serialize(row).map_err(cause)?;
        }
        self.out.flush()
    }

    /// Table of a header and the rows that `fill` writes, open for more.
    pub(super) fn start(
        path: &Path,
        columns: Vec<String>,
        fill: impl FnOnce(&mut csv::Writer<&mut dyn Write>) -> io::Result<()>,
    ) -> Result<Self> {
        write_whole(path, |out| {
            let mut out = writer(out as &mut dyn Write);
            out.write_record(columns).map_err(cause)?;
            fill(&mut out)?;
            out.flush()
        })?;
        let file = files::append(path).map_err(OutputError::file("write", path))?;
        Ok(Self { path: path.to_owned(), out: writer(file), rows: PhantomData })
    }
}

/// First `rows` of the table in `source`. A missing or invalid row is an error. Columns that the table lacks are zero: it
/// is of an older version.
pub fn first_rows<R: TableRow>(source: impl Read, rows: usize) -> impl Iterator<Item = io::Result<R>> {
    let mut table = csv::Reader::from_reader(source);
    let names = table.headers().cloned().unwrap_or_default();
    let places: Vec<_> = R::columns().iter().map(|column| names.iter().position(|name| name == column)).collect();
    let mut left = table.into_records();
    (0..rows).map(move |row| {
        let read = left.next().unwrap_or_else(|| Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()));
        let read = read.and_then(|read| {
            let numbers =
                places.iter().map(|place| place.map_or(Some("0"), |place| read.get(place)).unwrap_or_default());
            numbers.collect::<csv::StringRecord>().deserialize(None)
        });
        read.map_err(|error| match error.kind() {
            csv::ErrorKind::Io(io) if io.kind() != io::ErrorKind::UnexpectedEof => cause(error),
            _ => too_few(row, rows),
        })
    })
}

pub(super) fn too_few(rows: usize, wanted: usize) -> io::Error {
    let message = format!("it has {rows} valid rows, and the checkpoint counts {wanted}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Writer of rows without a header.
fn writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(out)
}

/// Cells of a row.
fn cells(row: &impl Serialize) -> Vec<String> {
    let mut out = writer(Vec::new());
    out.serialize(row).expect("a row of numbers, into memory");
    let text = out.into_inner().expect("memory");
    let mut table = csv::ReaderBuilder::new().has_headers(false).from_reader(&text[..]);
    table.records().flatten().flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Names of the fields of a flat struct: the header that the csv crate writes before it.
fn field_names(row: &impl Serialize) -> Vec<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.serialize(row).expect("a flat struct, into memory");
    let text = out.into_inner().expect("memory");
    let mut table = csv::Reader::from_reader(&text[..]);
    table.headers().expect("a header").iter().map(str::to_owned).collect()
}

/// Error of the operating system. The csv crate's own conversion hides its kind, such as a full disk.
pub(super) fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Row of `metrics.csv`: physics and solver up to a frame. Equal runs have equal bits. Counts of steps and iterations
/// are those of the frame alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Number of the frame.
    pub frame: u32,
    /// Time, s.
    pub time: f64,
    /// Energies, J.
    pub energies: Energies,
    /// Sum of all energies above, J.
    pub total: f64,
    /// Energy flows since the start, J.
    pub flows: Flows,
    /// Imbalance of the energy account, J.
    pub unaccounted: f64,
    /// Momentum, kg m/s.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin, kg m2/s.
    pub angular_momentum: [f64; 3],
    /// Whole bonds.
    pub bonds: usize,
    /// Bonds broken since the start.
    pub bonds_broken: usize,
    /// Number of pieces.
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    /// Number of steps.
    pub steps: u64,
    /// Number of Newton iterations.
    pub newton_iterations: u64,
    /// Number of conjugate gradient iterations.
    pub cg_iterations: u64,
    /// Steps that were repeated at half their length.
    pub step_cuts: u64,
    /// Number of explicit steps among all steps.
    pub explicit_steps: u64,
    /// Number of steps with sleeping pieces among all steps.
    #[serde(alias = "rigid_steps")]
    pub asleep_steps: u64,
}

/// Row of `timings.csv`: wall-clock time of a frame by phase, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Number of the frame.
    pub frame: u32,
    /// Trials and commits of steps.
    pub integrate: f64,
    /// Bond loads, breakage and pieces.
    pub fracture: f64,
    /// Neighbour search and friction.
    pub contact: f64,
    /// Frames, tables and checkpoints.
    pub output: f64,
}

impl TableRow for Metrics {
    fn columns() -> Vec<String> {
        let momenta = ["momentum_x", "momentum_y", "momentum_z"];
        let angular_momenta = ["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"];
        let bonds = ["bonds", "bonds_broken", "pieces", "largest_piece"];
        let work = ["steps", "newton_iterations", "cg_iterations", "step_cuts", "explicit_steps", "asleep_steps"];
        let energies = Energy::ALL.iter().map(|column| column.name());
        let flows = Flow::ALL.iter().map(|column| column.name());
        let first = ["frame", "time"].into_iter().chain(energies).chain(["total"]).chain(flows).chain(["unaccounted"]);
        first.chain(momenta).chain(angular_momenta).chain(bonds).chain(work).map(str::to_owned).collect()
    }
}
impl TableRow for Timings {}
impl TableRow for FractureEvent {}
