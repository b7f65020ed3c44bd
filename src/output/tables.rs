use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{OutputError, Result, write_whole};

/// A row of a table: a flat struct, whose fields are the columns.
pub trait TableRow: Default + Serialize + DeserializeOwned {}

/// A CSV file that grows. A run that is killed keeps the rows that it has pushed.
///
/// Numbers stand in the shortest form that reads back as the same bits.
#[derive(Debug)]
pub struct Table<R> {
    path: PathBuf,
    out: csv::Writer<File>,
    rows: PhantomData<fn(&R)>,
}

impl<R: TableRow> Table<R> {
    /// A new table at `path`: a header and no rows. What was there is replaced.
    ///
    /// # Errors
    /// When the disk refuses, as with every function here.
    pub fn create(path: &Path) -> Result<Self> {
        Self::start(path, |_| Ok(()))
    }

    /// The table at `path` with its first `rows`: a resumed run drops those after its checkpoint. Fewer are an error.
    pub fn resume(path: &Path, rows: usize) -> Result<Self> {
        let old = File::open(path).map_err(OutputError::file("read", path))?;
        Self::start(path, |out| first_rows::<R>(old, rows).try_for_each(|row| out.serialize(row?).map_err(cause)))
    }

    /// The rows of the table at `path`, up to one that was cut short.
    pub fn read(path: &Path) -> Result<Vec<R>> {
        let file = File::open(path).map_err(OutputError::file("read", path))?;
        Ok(first_rows(file, usize::MAX).map_while(io::Result::ok).collect())
    }

    /// Waits until all rows are on the disk.
    pub fn sync(&self) -> Result<()> {
        self.out.get_ref().sync_data().map_err(OutputError::file("write", &self.path))
    }

    /// Adds rows, which are on their way to the disk when this returns.
    pub fn push(&mut self, rows: &[R]) -> Result<()> {
        self.write(rows).map_err(OutputError::file("write", &self.path))
    }

    fn write(&mut self, rows: &[R]) -> io::Result<()> {
        for row in rows {
            self.out.serialize(row).map_err(cause)?;
        }
        self.out.flush()
    }

    /// A table of a header and the rows that `fill` writes, open for more.
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

/// The first `rows` of the table that `source` has; one that is missing or makes no sense is an error.
pub fn first_rows<R: TableRow>(source: impl Read, rows: usize) -> impl Iterator<Item = io::Result<R>> {
    let mut left = csv::Reader::from_reader(source).into_deserialize();
    (0..rows).map(move |row| match left.next() {
        Some(Ok(row)) => Ok(row),
        Some(Err(error)) if error.is_io_error() => Err(cause(error)),
        Some(Err(_)) | None => Err(too_few(row, rows)),
    })
}

fn too_few(rows: usize, wanted: usize) -> io::Error {
    let message = format!("it has {rows} rows that make sense, and the checkpoint counts {wanted}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().has_headers(false).from_writer(out)
}

/// The line of column names. The library writes it only before a first row, so one is written and cut off.
fn header<R: TableRow>() -> io::Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.serialize(R::default()).map_err(cause)?;
    let mut text = out.into_inner().map_err(|error| error.into_error())?;
    let end = text.iter().position(|&c| c == b'\n').map_or(0, |newline| newline + 1);
    text.truncate(end);
    Ok(text)
}

/// What the disk said: the library's own conversion hides whether, for instance, it is full.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A row of `metrics.csv`: what physics and solver did up to a frame, the same bits run after run. Counts of steps and
/// iterations are those of the frame alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    pub frame: u32,
    /// s.
    pub time: f64,
    /// Kinetic energy of translation, J; so are all energies.
    pub kinetic_linear: f64,
    /// Kinetic energy of spin.
    pub kinetic_spin: f64,
    /// Stored in the bonds' four modes.
    pub stretch: f64,
    pub shear: f64,
    pub twist: f64,
    pub bend: f64,
    /// Stored in overlaps of particles.
    pub contact: f64,
    /// Stored in overlaps with walls.
    pub collider: f64,
    /// Potential energy, zero at the origin.
    pub gravity: f64,
    /// The sum of all these energies.
    pub total: f64,
    /// Work done since the start by moving walls, by loads, and by what holds particles.
    pub work_walls: f64,
    pub work_loads: f64,
    pub work_held: f64,
    /// Lost since the start to damping, friction and broken bonds.
    pub lost_damping: f64,
    pub lost_friction: f64,
    pub lost_fracture: f64,
    /// What the time rule made since the start, or took (negative); and forces that the solver left unbalanced.
    pub numerical: f64,
    pub solver: f64,
    /// What nothing answers for: by how much the account is open.
    pub unaccounted: f64,
    /// kg m/s.
    pub momentum_x: f64,
    pub momentum_y: f64,
    pub momentum_z: f64,
    /// About the origin, kg m2/s.
    pub angular_momentum_x: f64,
    pub angular_momentum_y: f64,
    pub angular_momentum_z: f64,
    /// Unbroken bonds.
    pub bonds: usize,
    /// Bonds broken since the start.
    pub bonds_broken: usize,
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    pub steps: u64,
    pub newton_iterations: u64,
    pub cg_iterations: u64,
    /// Steps that were done again at half their length.
    pub step_cuts: u64,
    /// Those of the steps that were explicit.
    #[serde(default)]
    pub explicit_steps: u64,
    /// Those of the steps in which pieces moved as rigid bodies.
    #[serde(default)]
    pub rigid_steps: u64,
}

/// A row of `timings.csv`: seconds on the wall that a frame took, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    pub frame: u32,
    pub integrate: f64,
    /// Loads of bonds, breaking, pieces.
    pub fracture: f64,
    /// Neighbour search and friction.
    pub contact: f64,
    /// Frames, tables and checkpoints.
    pub output: f64,
}

/// A row of `fractures.csv`: a bond that broke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FractureEvent {
    /// s.
    pub time: f64,
    /// The bond's own number.
    pub bond: u32,
    /// The particles that it joined.
    pub i: u32,
    pub j: u32,
    /// Its middle, m.
    pub x: f64,
    pub y: f64,
    pub z: f64,
    /// What it bore, Pa.
    pub sigma: f64,
    pub tau: f64,
}

impl TableRow for Metrics {}
impl TableRow for Timings {}
impl TableRow for FractureEvent {}
