//! Reader of files: only regular ones, and within a limit.
//!
//! Opening a pipe waits for its writer, and a device may have no end. Both may lie where a run, a scene or a cache expects a
//! file, so all these are opened here.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Limit on a file that a scene or a user names, bytes.
pub const MAX_BYTES: u64 = 1 << 32;

/// Limit on a file that a run has written, bytes: larger than the frames and checkpoints of 5e7 particles.
const MAX_OF_RUN: u64 = 1 << 36;

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, is a folder, a pipe or a device, or is larger than 64 GiB.
pub fn open(path: &Path) -> io::Result<File> {
    open_within(path, MAX_OF_RUN)
}

/// Content of a regular file of at most `most` bytes.
///
/// # Errors
/// When it cannot be read, or is no such file.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // it may grow meanwhile
    open_within(path, most)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Content of a regular file that a run has written.
///
/// # Errors
/// As of [`open`].
pub fn read_of_run(path: &Path) -> io::Result<Vec<u8>> {
    read(path, MAX_OF_RUN)
}

fn open_within(path: &Path, most: u64) -> io::Result<File> {
    // before it is opened: opening a pipe would wait for a writer
    check(&fs::metadata(path)?, most)?;
    let file = File::open(path)?;
    // another file may have taken its place
    check(&file.metadata()?, most)?;
    Ok(file)
}

fn check(facts: &Metadata, most: u64) -> io::Result<()> {
    let why = match facts {
        _ if facts.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        _ if !facts.is_file() => "not a regular file, but a pipe or a device".to_owned(),
        _ if facts.len() > most => format!("larger than {}", bytesize::ByteSize(most)),
        _ => return Ok(()),
    };
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}
