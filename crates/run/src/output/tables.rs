use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bdem_core::simulate::FractureEvent;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{OutputError, Result, write_whole};
use crate::files;

/// Row of a table: a flat struct, whose fields are the columns.
pub trait TableRow: Default + Serialize + DeserializeOwned {}

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
        Self::start(path, |_| Ok(()))
    }

    /// Table at `path` cut to its first `rows`: a resumed run drops those after its checkpoint. Fewer rows are an
    /// error.
    pub fn resume(path: &Path, rows: usize) -> Result<Self> {
        let old = files::open(path).map_err(OutputError::file("read", path))?;
        Self::start(path, |out| first_rows::<R>(old, rows).try_for_each(|row| out.serialize(row?).map_err(cause)))
    }

    /// Rows of the table at `path`, up to an incomplete one.
    pub fn read(path: &Path) -> Result<Vec<R>> {
        let file = files::open(path).map_err(OutputError::file("read", path))?;
        Ok(first_rows(file, usize::MAX).map_while(io::Result::ok).collect())
    }

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
    fn start(path: &Path, fill: impl FnOnce(&mut csv::Writer<&mut dyn Write>) -> io::Result<()>) -> Result<Self> {
        write_whole(path, |out| {
            out.write_all(&header::<R>()?)?;
            let mut out = writer(out as &mut dyn Write);
            fill(&mut out)?;
            out.flush()
        })?;
        let file = OpenOptions::new().append(true).open(path).map_err(OutputError::file("write", path))?;
        Ok(Self { path: path.to_owned(), out: writer(file), rows: PhantomData })
    }
}

/// First `rows` of the table in `source`. A missing or invalid row is an error.
pub fn first_rows<R: TableRow>(source: impl Read, rows: usize) -> impl Iterator<Item = io::Result<R>> {
    let mut left = csv::Reader::from_reader(source).into_deserialize();
    (0..rows).map(move |row| match left.next() {
        Some(Ok(row)) => Ok(row),
        Some(Err(error)) if error.is_io_error() => Err(cause(error)),
        Some(Err(_)) | None => Err(too_few(row, rows)),
    })
}

pub(super) fn too_few(rows: usize, wanted: usize) -> io::Error {
    let message = format!("it has {rows} valid rows, and the checkpoint counts {wanted}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Writer of rows without a header.
pub(super) fn writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(out)
}

/// Line of column names. The csv crate writes it only before a first row, so one is written and cut off.
fn header<R: TableRow>() -> io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.serialize(R::default()).map_err(cause)?;
    let mut text = out.into_inner().map_err(|error| error.into_error())?;
    let end = text.iter().position(|&c| c == b'\n').map_or(0, |newline| newline + 1);
    text.truncate(end);
    Ok(text)
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
    /// Kinetic energy of translation, J, as all energies.
    pub kinetic_linear: f64,
    /// Kinetic energy of rotation.
    pub kinetic_spin: f64,
    /// Stretching energy of the bonds, J.
    pub stretch: f64,
    /// Shear energy of the bonds, J.
    pub shear: f64,
    /// Twisting energy of the bonds, J.
    pub twist: f64,
    /// Bending energy of the bonds, J.
    pub bend: f64,
    /// Elastic energy of contacts between particles.
    pub contact: f64,
    /// Elastic energy of contacts with walls.
    pub collider: f64,
    /// Potential energy of gravity, zero at the origin.
    pub gravity: f64,
    /// Energy of charges, of either sign.
    #[serde(default)]
    pub electric: f64,
    /// Sum of all energies above.
    pub total: f64,
    /// Work done since the start by moving walls, J.
    pub work_walls: f64,
    /// Work done since the start by loads, J.
    pub work_loads: f64,
    /// Work done since the start by prescribed motions, J.
    pub work_held: f64,
    /// Work done since the start by changing charges, and by charges and fields from outside.
    #[serde(default)]
    pub work_electric: f64,
    /// Energy dissipated since the start by damping, J.
    pub lost_damping: f64,
    /// Energy dissipated since the start by friction, J.
    pub lost_friction: f64,
    /// Energy dissipated since the start by breakage, J.
    pub lost_fracture: f64,
    /// Energy added since the start by the time integrator, J. Negative if dissipated.
    pub numerical: f64,
    /// Energy added since the start by the solver's residual forces, J.
    pub solver: f64,
    /// Imbalance of the energy account.
    pub unaccounted: f64,
    /// Momentum along x, kg m/s.
    pub momentum_x: f64,
    /// Momentum along y, kg m/s.
    pub momentum_y: f64,
    /// Momentum along z, kg m/s.
    pub momentum_z: f64,
    /// Angular momentum about the x axis through the origin, kg m2/s.
    pub angular_momentum_x: f64,
    /// Angular momentum about the y axis, kg m2/s.
    pub angular_momentum_y: f64,
    /// Angular momentum about the z axis, kg m2/s.
    pub angular_momentum_z: f64,
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
    #[serde(default)]
    pub explicit_steps: u64,
    /// Number of steps with sleeping pieces among all steps.
    #[serde(default)]
    pub rigid_steps: u64,
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

impl TableRow for Metrics {}
impl TableRow for Timings {}
impl TableRow for FractureEvent {}
