//! Files and folders that a user has named, as by `-o`. A link leads to its target, and devices and pipes are written as they are.

use std::fs::{self, File, FileType};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::whole::{BUFFER, folder_of, replace};
use super::{OutputError, Result};

/// Limit on links that lead to each other, as of Linux.
const MAX_LINKS: u32 = 40;

/// Write the file that a user has named. A regular file is in full or not at all, as by [`write_whole`](super::write_whole), also
/// at the end of a link. A device or a pipe is written as it is; a reader of a pipe may leave.
///
/// # Errors
/// Those of `fill` and of the disk.
pub fn write_named(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<()> {
    let write = || match target(path)? {
        Some(file) => replace(&file, fill),
        None => stream(path, fill),
    };
    write().map_err(OutputError::file("write", path))
}

/// Whether writing to `path` would replace a file.
pub fn holds_file(path: &Path) -> bool {
    path.exists() && target(path).is_ok_and(|target| target.is_some())
}

/// Make the folder that a user has named, which may be there, also at the end of a link.
///
/// # Errors
/// [`OutputError::NoFolder`] when a file, a device or a pipe is there; otherwise when it cannot be made.
pub fn make_folder(path: &Path) -> Result<()> {
    check_folder(path)?;
    let made = follow(path).and_then(|target| fs::create_dir_all(target.as_deref().unwrap_or(path)));
    made.map_err(OutputError::file("make the folder", path))
}

/// Check that a folder may be made at `path`, before anything that takes long.
///
/// # Errors
/// [`OutputError::NoFolder`] when a file, a device or a pipe is there.
pub fn check_folder(path: &Path) -> Result<()> {
    match fs::metadata(path).map(|facts| kind(facts.file_type())) {
        Ok(Some(found)) => Err(OutputError::NoFolder { path: path.to_owned(), found }),
        _ => Ok(()),
    }
}

/// Kind of a thing that is no folder.
#[cfg(unix)]
fn kind(of: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    match of {
        _ if of.is_dir() => None,
        _ if of.is_file() => Some("a file"),
        _ if of.is_fifo() => Some("a pipe"),
        _ if of.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

#[cfg(not(unix))]
fn kind(of: FileType) -> Option<&'static str> {
    (!of.is_dir()).then_some("a file")
}

/// Writes a device, a pipe or an open file of this process.
fn stream(path: &Path, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> io::Result<()> {
    let mut options = File::options();
    // standard output that is redirected to a file has a place in it
    if path.is_file() {
        options.append(true)
    } else {
        options.write(true)
    };
    let file = options.open(path)?;
    let mut out = BufWriter::with_capacity(BUFFER, &file);
    match fill(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // the rest would fail again when it is dropped
            drop(out.into_parts());
            Ok(())
        }
        outcome => outcome,
    }
}

/// Path of the regular file to write, at the end of links; `None` for a device, a pipe or an open file.
fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(facts) if !facts.is_file() => Ok(None),
        _ => follow(path),
    }
}

/// Path at the end of links. `None` where a link is an open file of a process, as `/dev/stdout` is.
fn follow(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if !path.is_symlink() {
            return Ok(Some(path));
        }
        let folder = folder_of(&path);
        if folder.canonicalize()?.starts_with("/proc") {
            return Ok(None);
        }
        path = folder.join(fs::read_link(&path)?);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "too many links lead to each other"))
}
