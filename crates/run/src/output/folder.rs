use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::whole::whole_name;
use super::{Lock, OutputError, Result, RunRecord, RunState, make_folder};

/// Record of the run: [`RunRecord`](super::RunRecord).
pub const RECORD: &str = "run.json";
/// Scene with every default filled in.
pub const RESOLVED_SCENE: &str = "scene.resolved.toml";
/// Table with a row per frame: [`Metrics`](super::Metrics).
pub const METRICS: &str = "metrics.csv";
/// Table with a row per frame: [`Timings`](super::Timings).
pub const TIMINGS: &str = "timings.csv";
/// Table with a row a broken bond: [`FractureEvent`](bdem_core::simulate::FractureEvent).
pub const FRACTURES: &str = "fractures.csv";

/// Table of forces, stresses and probes: [`Columns`](super::Columns).
pub const FORCES: &str = "forces.csv";

/// Files in the folder itself, beside the record.
const FILES: [&str; 5] = [RESOLVED_SCENE, METRICS, TIMINGS, FRACTURES, FORCES];
/// Folder and extension of numbered files.
const FRAMES: [&str; 2] = ["ply", "ply"];
const CHECKPOINTS: [&str; 2] = ["checkpoints", "ckpt"];

/// Folder and extension of kept packings.
const PACKINGS: [&str; 2] = ["packings", "packing"];

/// Folder and extension of kept pieces, which other commands cut.
const PIECES: [&str; 2] = ["pieces", "pieces"];

/// Minimum digits of a frame number, so that file names sort by frame.
const DIGITS: usize = 4;

/// Folder of a run, and the names of its files. No other run can write to it while this exists.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    lock: Lock,
    name: String,
    digits: usize,
}

impl RunFolder {
    /// Folder at `path` for a new run of the scene `name`, whose last frame is `last_frame`.
    ///
    /// # Errors
    /// [`OutputError::Locked`] when a run is writing to it, [`OutputError::HoldsRun`] when it holds one. With
    /// `overwrite` that run's files are removed, and no others.
    pub fn create(path: &Path, name: &str, last_frame: u32, overwrite: bool) -> Result<Self> {
        let folder = Self::open(path, name, last_frame)?;
        if overwrite {
            folder.clear()?;
        } else if Self::holds_run(path) {
            return Err(OutputError::HoldsRun(path.to_owned()));
        }
        Ok(folder)
    }

    /// Check that a new run may begin at `path`, before anything that takes long.
    ///
    /// # Errors
    /// As of [`Self::create`].
    pub(crate) fn check_free(path: &Path, overwrite: bool) -> Result<()> {
        if !Self::holds_run(path) {
            return Ok(());
        }
        let _lock = Lock::acquire(path)?;
        if overwrite { Ok(()) } else { Err(OutputError::HoldsRun(path.to_owned())) }
    }

    /// Whether the folder at `path` has the record of a run, readable or not, or its tables, frames or checkpoints. A run whose
    /// bodies are packed, or that was killed meanwhile, has nothing yet but its record.
    pub fn holds_run(path: &Path) -> bool {
        let record = path.join(RECORD);
        let is_recorded =
            record.exists() && RunRecord::read(&record).map_or(true, |record| record.state != RunState::Packing);
        let has_tables = || [METRICS, TIMINGS, FRACTURES, FORCES].iter().any(|table| path.join(table).exists());
        is_recorded || has_tables() || !Self::scenes(path).is_empty()
    }

    /// Names of the scenes whose frames or checkpoints are in the folder at `path`.
    fn scenes(path: &Path) -> BTreeSet<String> {
        let of_series = |[folder, extension]: [&str; 2]| {
            let paths = files(&path.join(folder)).unwrap_or_default();
            let names = paths.into_iter().filter_map(|path| path.file_name()?.to_str().map(str::to_owned));
            names.filter_map(move |name| scene_of(&name, extension).map(str::to_owned)).collect::<Vec<_>>()
        };
        [FRAMES, CHECKPOINTS].into_iter().flat_map(of_series).collect()
    }

    /// Check that frames and checkpoints without a record are of this scene: a run that begins anew would leave those of
    /// another among its own.
    ///
    /// # Errors
    /// [`OutputError::HoldsRun`] when some are of another scene.
    pub(crate) fn check_scene(&self) -> Result<()> {
        let is_other = |scene: &String| *scene != self.name;
        match !self.file(RECORD).exists() && Self::scenes(&self.path).iter().any(is_other) {
            true => Err(OutputError::HoldsRun(self.path.clone())),
            false => Ok(()),
        }
    }

    /// Folder of a run that resumes. Missing folders are created, and incomplete files removed.
    ///
    /// # Errors
    /// [`OutputError::Locked`] when a run is writing to it, or when it cannot be created.
    pub fn open(path: &Path, name: &str, last_frame: u32) -> Result<Self> {
        make_folder(path)?;
        let frames = path.join(FRAMES[0]);
        fs::create_dir_all(&frames).map_err(OutputError::file("make the folder", &frames))?;
        let lock = Lock::acquire(path)?;
        remove_parts(path, name)?;
        let digits = last_frame.to_string().len().max(DIGITS);
        Ok(Self { path: path.to_owned(), lock, name: name.to_owned(), digits })
    }

    /// Renames the frames and checkpoints of an earlier run, so that its numbers have as many digits as those of the continued run.
    /// So names sort by frame. Digits are never removed.
    ///
    /// # Errors
    /// When a file cannot be renamed. All have their old names then.
    pub(crate) fn widen(&mut self) -> Result<()> {
        let numbered = self.numbered_files()?;
        let most = numbered.iter().map(|(_, _, digits)| digits.len()).max().unwrap_or(0);
        self.digits = self.digits.max(most);
        let mut renamed: Vec<(&PathBuf, PathBuf)> = Vec::new();
        for (path, extension, digits) in numbered.iter().filter(|(_, _, digits)| digits.len() < self.digits) {
            let name = format!("{}.{digits:0>width$}.{extension}", self.name, width = self.digits);
            let wide = path.with_file_name(name);
            if let Err(why) = fs::rename(path, &wide) {
                renamed.iter().for_each(|(old, new)| drop(fs::rename(new, old)));
                return Err(OutputError::file("rename", path)(why));
            }
            renamed.push((path, wide));
        }
        Ok(())
    }

    /// Frames and checkpoints of this scene: path, extension, and digits of the number.
    fn numbered_files(&self) -> Result<Vec<(PathBuf, &'static str, String)>> {
        let mut found = Vec::new();
        for [folder, extension] in [FRAMES, CHECKPOINTS] {
            let folder = self.path.join(folder);
            for path in files(&folder).map_err(OutputError::file("read the folder", &folder))? {
                let parts = path.file_name().and_then(|name| numbered(name.to_str()?, extension));
                let digits = parts.filter(|(name, _)| *name == self.name).map(|(_, digits)| digits.to_owned());
                found.extend(digits.map(|digits| (path, extension, digits)));
            }
        }
        Ok(found)
    }

    /// Remove the run in the folder: the files that a run writes, and no others.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn clear(&self) -> Result<()> {
        remove_run(&self.path, &self.name)
    }

    /// Remove the folder of a run that cannot begin, if there is nothing else in it.
    ///
    /// # Errors
    /// When the record cannot be removed.
    pub fn abandon(self) -> Result<()> {
        let Self { path, lock, .. } = self;
        remove_files(&path, |file| whole_name(file) == RECORD)?;
        drop(lock);
        // folders with other files stay
        [path.join(FRAMES[0]), path].iter().for_each(|folder| drop(fs::remove_dir(folder)));
        Ok(())
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Warning about the lock: see [`Lock::warning`].
    pub fn warning(&self) -> Option<&str> {
        self.lock.warning()
    }

    /// Path of the file of this name: [`RECORD`], [`METRICS`] and the like.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// `ply/NAME.0000.ply`.
    pub fn frame(&self, number: u32) -> PathBuf {
        self.numbered(FRAMES, number)
    }

    /// `checkpoints/NAME.0000.ckpt`, in a folder that exists from the first one on.
    pub fn checkpoint(&self, number: u32) -> PathBuf {
        self.numbered(CHECKPOINTS, number)
    }

    /// Existing checkpoints, newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<PathBuf>> {
        let folder = self.path.join(CHECKPOINTS[0]);
        let mut found = files(&folder).map_err(OutputError::file("read the folder", &folder))?;
        let number = |path: &PathBuf| {
            let (name, digits) = numbered(path.file_name()?.to_str()?, CHECKPOINTS[1])?;
            // of any length: a name with more digits may be of an earlier frame
            let digits = digits.trim_start_matches('0').to_owned();
            Some((digits.len(), digits)).filter(|_| name == self.name)
        };
        found.retain(|path| number(path).is_some());
        found.sort_by_key(number);
        found.reverse();
        Ok(found)
    }

    /// Create the folder of the checkpoints.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn make_room_for_checkpoints(&self) -> Result<()> {
        let folder = self.path.join(CHECKPOINTS[0]);
        fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))
    }

    /// Folder of the packings of a run at `path`, which exists where there are any.
    pub fn packings(path: &Path) -> PathBuf {
        path.join(PACKINGS[0])
    }

    /// Folder of the cut pieces of a run at `path`, which exists where there are any.
    pub fn pieces(path: &Path) -> PathBuf {
        path.join(PIECES[0])
    }

    /// Remove all checkpoints but the last two.
    ///
    /// # Errors
    /// When a file cannot be removed.
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

/// Remove the files of a run of the scene `name`, or of the scene in the record at `path`.
fn remove_run(path: &Path, name: &str) -> Result<()> {
    let recorded = RunRecord::read(&path.join(RECORD)).map(|record| record.scene).unwrap_or_default();
    for series in [FRAMES, CHECKPOINTS] {
        let ours = |file: &str| [name, &recorded].iter().any(|name| is_numbered(whole_name(file), name, series[1]));
        remove_files(&path.join(series[0]), ours)?;
    }
    remove_files(&RunFolder::packings(path), |file| is_packing(whole_name(file)))?;
    remove_files(&RunFolder::pieces(path), |file| has_extension(whole_name(file), PIECES[1]))?;
    remove_files(path, |file| FILES.contains(&whole_name(file)))?;
    // last, so that a partly cleared folder still counts as a run's
    remove_files(path, |file| whole_name(file) == RECORD)
}

/// Remove incomplete files of a killed run of the scene `name`.
fn remove_parts(path: &Path, name: &str) -> Result<()> {
    let is_part = |file: &str| whole_name(file) != file;
    for series in [FRAMES, CHECKPOINTS] {
        let ours = |file: &str| is_part(file) && is_numbered(whole_name(file), name, series[1]);
        remove_files(&path.join(series[0]), ours)?;
    }
    remove_files(&RunFolder::packings(path), |file| is_part(file) && is_packing(whole_name(file)))?;
    remove_files(path, |file| is_part(file) && (FILES.contains(&whole_name(file)) || whole_name(file) == RECORD))
}

/// Whether `file` is called `NAME.0000.EXTENSION`.
fn is_numbered(file: &str, name: &str, extension: &str) -> bool {
    scene_of(file, extension) == Some(name)
}

/// Name of the scene of a `file` called `NAME.0000.EXTENSION`.
fn scene_of<'a>(file: &'a str, extension: &str) -> Option<&'a str> {
    numbered(file, extension).map(|(name, _)| name)
}

/// Name of the scene, and digits of the number, of a `file` called `NAME.0000.EXTENSION`.
fn numbered<'a>(file: &'a str, extension: &str) -> Option<(&'a str, &'a str)> {
    let (name, number) = file.strip_suffix(extension)?.strip_suffix('.')?.rsplit_once('.')?;
    let is_number = number.len() >= DIGITS && number.bytes().all(|c| c.is_ascii_digit());
    Some((name, number)).filter(|_| is_number && !name.is_empty() && !name.starts_with('.'))
}

fn is_packing(file: &str) -> bool {
    has_extension(file, PACKINGS[1])
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == extension)
}

/// Remove the files in `folder` whose name matches `ours`. A missing folder has no files.
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
