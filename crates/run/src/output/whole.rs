use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{OutputError, Result};

/// Ending of the name of an incomplete file: `.run.json.x7Gk2a.part`.
const PART: &str = ".part";

/// Buffer size, bytes.
pub(super) const BUFFER: usize = 1 << 18;

/// Write a file that readers see in full or not at all. `fill` writes a temporary file beside it, which is renamed
/// once it is on the disk. Until then, and on any failure, the old file at `path` stays. A link, a pipe or a device there is
/// replaced: for a path that a user has named see [`write_named`](super::write_named).
///
/// # Errors
/// Those of `fill` and of the disk. No new file is left then.
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    replace(path, fill).map_err(OutputError::file("write", path))
}

pub(super) fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy();
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    let prefix = format!(".{name}.");
    builder.prefix(&prefix).suffix(PART);
    let permissions = for_everyone();
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let (part, _unfinished) = {
        // existing files are in the list too
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

/// Folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Files of this process to remove before it ends: incomplete ones, and locks.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// File that [`remove_unfinished`] removes, while this value exists.
#[derive(Debug)]
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// File at `path`.
    pub(super) fn new(path: PathBuf) -> Self {
        unfinished().insert(path.clone());
        Self(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Remove incomplete files and locks of this process, for an immediate exit. Other threads that write a file wait from
/// then on, so that none starts or reports a failure.
pub fn remove_unfinished() {
    let list = unfinished();
    // a file that has been renamed since, or cannot be removed, must not keep the process
    list.iter().for_each(|path| drop(fs::remove_file(path)));
    std::mem::forget(list);
}

/// Wait until the names in `folder` are on the disk too, where the disk supports it.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        outcome => outcome,
    }
}

/// Name of the complete file that `file` is, or is an incomplete part of.
pub(crate) fn whole_name(file: &str) -> &str {
    let part = file.strip_prefix('.').and_then(|file| file.strip_suffix(PART));
    part.and_then(|part| part.rsplit_once('.')).map_or(file, |(whole, _random)| whole)
}

/// Permissions of any new file under the user's mask. Temporary files are private by default.
#[cfg(unix)]
fn for_everyone() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn for_everyone() -> Option<Permissions> {
    None
}
