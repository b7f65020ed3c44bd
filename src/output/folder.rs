use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::whole::whole_name;
use super::{Lock, OutputError, Result, RunRecord};

/// What ran and how far it has come: [`RunRecord`](super::RunRecord).
pub const RECORD: &str = "run.json";
/// The scene with every default filled in.
pub const RESOLVED_SCENE: &str = "scene.resolved.toml";
/// A row a frame: [`Metrics`](super::Metrics).
pub const METRICS: &str = "metrics.csv";
/// A row a frame: [`Timings`](super::Timings).
pub const TIMINGS: &str = "timings.csv";
/// A row a broken bond: [`Fracture`](super::Fracture).
pub const FRACTURES: &str = "fractures.csv";

/// What lies in the folder itself beside the record.
const FILES: [&str; 4] = [RESOLVED_SCENE, METRICS, TIMINGS, FRACTURES];
/// Numbered files: the folder that they lie in, and their extension.
const FRAMES: [&str; 2] = ["ply", "ply"];
const CHECKPOINTS: [&str; 2] = ["checkpoints", "ckpt"];

/// Digits of a frame number at least, so that file names sort as frames do.
const DIGITS: usize = 4;

/// The folder that a run writes to, and the names of the files in it. No other run writes to it as long as this lives.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    lock: Lock,
    name: String,
    digits: usize,
}

impl RunFolder {
    /// Makes the folder at `path` ready for a new run of the scene `name`, whose last frame is `last_frame`.
    ///
    /// # Errors
    /// [`OutputError::Locked`] when a run is writing to it, [`OutputError::HoldsRun`] when one lies there. With `overwrite`
    /// that is removed: the files that a run writes, and no other.
    pub fn create(path: &Path, name: &str, last_frame: u32, overwrite: bool) -> Result<Self> {
        let folder = Self::open(path, name, last_frame)?;
        if overwrite {
            folder.clear()?;
        } else if Self::holds_run(path) {
            return Err(OutputError::HoldsRun(path.to_owned()));
        }
        Ok(folder)
    }

    /// Whether a run has left its record in the folder at `path`.
    pub fn holds_run(path: &Path) -> bool {
        path.join(RECORD).exists()
    }

    /// The folder of a run that goes on; what is missing of it is made, and what a killed one left half written removed.
    ///
    /// # Errors
    /// [`OutputError::Locked`] when a run is writing to it, or when it cannot be made.
    pub fn open(path: &Path, name: &str, last_frame: u32) -> Result<Self> {
        let frames = path.join(FRAMES[0]);
        fs::create_dir_all(&frames).map_err(OutputError::file("make the folder", &frames))?;
        let lock = Lock::acquire(path)?;
        remove_parts(path, name)?;
        let digits = last_frame.to_string().len().max(DIGITS);
        Ok(Self { path: path.to_owned(), lock, name: name.to_owned(), digits })
    }

    /// Removes the run that lies there: the files that a run writes, and no other.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn clear(&self) -> Result<()> {
        remove_run(&self.path, &self.name)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// See [`Lock::warning`].
    pub fn warning(&self) -> Option<&str> {
        self.lock.warning()
    }

    /// Where the file of this name lies: [`RECORD`], [`METRICS`] and the like.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// `ply/NAME.0000.ply`.
    pub fn frame(&self, number: u32) -> PathBuf {
        self.numbered(FRAMES, number)
    }

    /// `checkpoints/NAME.0000.ckpt`, in a folder that is made with the first.
    pub fn checkpoint(&self, number: u32) -> PathBuf {
        self.numbered(CHECKPOINTS, number)
    }

    /// The checkpoints that are there, newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<PathBuf>> {
        let folder = self.path.join(CHECKPOINTS[0]);
        let mut found = files(&folder).map_err(OutputError::file("read the folder", &folder))?;
        let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        found.retain(|path| name(path).is_some_and(|file| is_numbered(&file, &self.name, CHECKPOINTS[1])));
        // a number of more digits is greater
        found.sort_by_key(|path| name(path).map(|file| (file.len(), file)));
        found.reverse();
        Ok(found)
    }

    /// Makes the folder of the checkpoints.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_room_for_checkpoints(&self) -> Result<()> {
        let folder = self.path.join(CHECKPOINTS[0]);
        fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))
    }

    /// Removes all checkpoints but the last two.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn drop_old_checkpoints(&self) -> Result<()> {
        for path in self.checkpoints()?.iter().skip(2) {
            fs::remove_file(path).map_err(OutputError::file("remove", path))?;
        }
        Ok(())
    }

    fn numbered(&self, [folder, extension]: [&str; 2], number: u32) -> PathBuf {
        self.path.join(folder).join(format!("{}.{number:0width$}.{extension}", self.name, width = self.digits))
    }
}

/// Removes what a run of the scene `name`, or of the scene that the record at `path` names, has left there.
fn remove_run(path: &Path, name: &str) -> Result<()> {
    let recorded = RunRecord::read(&path.join(RECORD)).map(|record| record.scene).unwrap_or_default();
    for series in [FRAMES, CHECKPOINTS] {
        let ours = |file: &str| [name, &recorded].iter().any(|name| is_numbered(whole_name(file), name, series[1]));
        remove_files(&path.join(series[0]), ours)?;
    }
    remove_files(path, |file| FILES.contains(&whole_name(file)))?;
    // Last, so that a folder half cleared still holds a run.
    remove_files(path, |file| whole_name(file) == RECORD)
}

/// Removes what a run of the scene `name` had not written in full when it was killed.
fn remove_parts(path: &Path, name: &str) -> Result<()> {
    let is_part = |file: &str| whole_name(file) != file;
    for series in [FRAMES, CHECKPOINTS] {
        let ours = |file: &str| is_part(file) && is_numbered(whole_name(file), name, series[1]);
        remove_files(&path.join(series[0]), ours)?;
    }
    remove_files(path, |file| is_part(file) && (FILES.contains(&whole_name(file)) || whole_name(file) == RECORD))
}

/// Whether `file` is called `NAME.0000.EXTENSION`.
fn is_numbered(file: &str, name: &str, extension: &str) -> bool {
    let number = file.strip_prefix(name).and_then(|file| file.strip_prefix('.'));
    let number = number.and_then(|file| file.strip_suffix(extension)).and_then(|file| file.strip_suffix('.'));
    number.is_some_and(|number| number.len() >= DIGITS && number.bytes().all(|c| c.is_ascii_digit()))
}

/// Removes the files in `folder` whose name `ours` knows. No folder is no files.
fn remove_files(folder: &Path, ours: impl Fn(&str) -> bool) -> Result<()> {
    for path in files(folder).map_err(OutputError::file("read the folder", folder))? {
        if path.file_name().and_then(|name| name.to_str()).is_some_and(&ours) {
            fs::remove_file(&path).map_err(OutputError::file("remove", &path))?;
        }
    }
    Ok(())
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
