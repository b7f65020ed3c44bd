//! Opened files: only regular ones, and within a limit.
//!
//! Opening a pipe waits for its writer, and a device may have no end. Both may lie where a run, a scene or a cache expects a
//! file, so all these are opened here. A link may lie where this program writes: it is not followed.

use std::fs::{self, File, Metadata, OpenOptions};
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
    // another file may have taken its place, such as a pipe
    let file = flagged(File::options().read(true), OPEN_FLAGS).open(path)?;
    check(&file.metadata()?, most)?;
    Ok(file)
}

/// Opens a file of this program to read and write it in place, such as a lock. A missing one is created.
///
/// # Errors
/// When it cannot be opened, is no regular file, or has another name too: a link would let it empty another's file.
pub fn open_own(path: &Path) -> io::Result<File> {
    open_in_place(path, File::options().read(true).write(true).create(true).truncate(false))
}

/// Opens a file of this program to append to it.
///
/// # Errors
/// When there is none, and as of [`open_own`].
pub fn append(path: &Path) -> io::Result<File> {
    open_in_place(path, File::options().append(true))
}

fn open_in_place(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Ok(facts) = fs::symlink_metadata(path) {
        check(&facts, u64::MAX)?;
    }
    let file = flagged(options, OPEN_FLAGS | NO_LINKS).open(path)?;
    let facts = file.metadata()?;
    check(&facts, u64::MAX)?;
    match names(&facts) {
        0 | 1 => Ok(file),
        _ => Err(io::Error::new(ErrorKind::InvalidInput, "a file with several names, by hard links")),
    }
}

/// Flags by which opening a pipe does not wait.
#[cfg(unix)]
const OPEN_FLAGS: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// Flags by which opening a link fails.
#[cfg(unix)]
const NO_LINKS: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;

#[cfg(unix)]
fn flagged(options: &mut OpenOptions, flags: i32) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags)
}

/// Number of names of a file, by hard links.
#[cfg(unix)]
fn names(facts: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(facts)
}

#[cfg(not(unix))]
const OPEN_FLAGS: i32 = 0;
#[cfg(not(unix))]
const NO_LINKS: i32 = 0;

#[cfg(not(unix))]
fn flagged(options: &mut OpenOptions, _: i32) -> &mut OpenOptions {
    options
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

fn check(facts: &Metadata, most: u64) -> io::Result<()> {
    let why = match facts {
        _ if facts.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        _ if facts.is_symlink() => "not a regular file, but a link".to_owned(),
        _ if !facts.is_file() => "not a regular file, but a pipe or a device".to_owned(),
        _ if facts.len() > most => format!("larger than {}", bytesize::ByteSize(most)),
        _ => return Ok(()),
    };
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}
