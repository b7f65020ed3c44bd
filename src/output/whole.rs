use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{OutputError, Result};

/// How the name of a file ends that is not whole yet: `.run.json.x7Gk2a.part`.
const PART: &str = ".part";

/// Bytes between two calls of the system.
const BUFFER: usize = 1 << 18;

/// Writes a file that a reader sees in full or not at all: `fill` writes it beside its place, and once it is on the disk
/// it is renamed. What was at `path` before stays until then, and for good when anything fails.
///
/// # Errors
/// Whatever `fill` or the disk says; nothing new is left then.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    replace(path, fill).map_err(OutputError::file("write", path))
}

fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{name}.");
    builder.prefix(&prefix).suffix(PART);
    let permissions = for_everyone();
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let (part, _unfinished) = {
        // a file that is there is in the list too
        let mut list = unfinished();
        let part = builder.tempfile_in(folder)?;
        let path = part.path().to_owned();
        list.insert(path.clone());
        (part, Unfinished(path))
    };
    let mut out = BufWriter::with_capacity(BUFFER, part.as_file());
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    part.as_file().sync_all()?;
    part.persist(path)?;
    sync(folder)
}

/// Files of this process that it has to remove before it ends: those that are not whole yet, and locks.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// File that [`remove_unfinished`] removes, for as long as this lives.
#[derive(Debug)]
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// The file at `path`.
    pub fn new(path: PathBuf) -> Self {
        unfinished().insert(path.clone());
        Self(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Removes what this process has not written in full, and its locks, for an exit at once. Another thread that writes a file
/// waits from now on, so that it begins none and reports no failure.
pub fn remove_unfinished() {
    let list = unfinished();
    // what has been renamed since, or cannot be removed, is no reason to stay
    list.iter().for_each(|path| drop(fs::remove_file(path)));
    std::mem::forget(list);
}

/// Waits until the names in `folder` are on the disk too. Some disks know no such thing.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        outcome => outcome,
    }
}

/// The name of the file that `file` is, or is a part of when a run was killed before it could rename it.
pub(super) fn whole_name(file: &str) -> &str {
    let part = file.strip_prefix('.').and_then(|file| file.strip_suffix(PART));
    part.and_then(|part| part.rsplit_once('.')).map_or(file, |(whole, _random)| whole)
}

/// As any file gets them, less the user's mask: temporary files are for their owner alone by default.
#[cfg(unix)]
fn for_everyone() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn for_everyone() -> Option<Permissions> {
    None
}
