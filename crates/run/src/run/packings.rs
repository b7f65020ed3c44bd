//! Files of packings: in the folder of each run, and in one that all runs share.
//!
//! ```text
//! "bdem packing 2\n"  SHA-256 of the key and the rest  number of spheres (u64)  x y z radius of each (m, f64)
//! ```
//!
//! Numbers are little-endian. The key is part of the file's name and of its digest, so that a renamed file is refused.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bdem_core::geometry::Vec3;
use sha2::{Digest, Sha256};

use super::LogOptions;
use super::packing_display::PackingDisplay;
use crate::files;
use crate::output::{DEAD_AFTER, OutputError, whole_name, write_whole};
use crate::scene::PackingStore;
use crate::scene::particle_file::Spheres;

const HEAD: &[u8] = b"bdem packing 2\n";

/// Bytes of a SHA-256.
const DIGEST: usize = 32;

/// Minimum number of spheres that are kept: fewer are packed in less time than a file takes.
const MIN_KEPT: usize = 1000;

/// Limit on the bytes of the packings that runs share.
pub const MAX_SHARED: u64 = 2_000_000_000;

/// Packings in files, and of the scene that is being built.
pub struct KeptPackings {
    folders: Vec<PathBuf>,
    shared: Option<PathBuf>,
    /// Name and content of the file of each packing of the scene.
    files: Vec<(String, Vec<u8>)>,
    display: PackingDisplay,
}

impl KeptPackings {
    /// Packings in `folders`, and in the folder that runs share, which takes new ones. Missing folders are empty.
    pub fn new(folders: Vec<PathBuf>, shared: Option<PathBuf>, log: LogOptions) -> Self {
        Self { folders, shared, files: Vec::new(), display: PackingDisplay::new(log.is_silent()) }
    }

    /// Writes the packings of the scene to `folder`.
    ///
    /// # Errors
    /// When the folder or a file cannot be written.
    pub(crate) fn write_to(&self, folder: &Path) -> Result<(), OutputError> {
        if self.files.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(folder).map_err(OutputError::file("make the folder", folder))?;
        let paths = self.files.iter().map(|(name, bytes)| (folder.join(name), bytes));
        // a damaged one, which was left out, is replaced
        let mut missing = paths.filter(|(path, bytes)| read(path).as_ref() != Some(bytes));
        missing.try_for_each(|(path, bytes)| write_whole(&path, |out| out.write_all(bytes)))
    }

    /// Keeps a packing for all runs. A run needs no such folder: where it cannot be written, the next one packs again.
    fn share(folder: &Path, name: &str, bytes: &[u8]) {
        let is_kept =
            fs::create_dir_all(folder).is_ok() && write_whole(&folder.join(name), |out| out.write_all(bytes)).is_ok();
        if is_kept {
            remove_oldest(folder, MAX_SHARED);
        }
    }

    fn remember(&mut self, key: &str, bytes: Vec<u8>) {
        self.files.push((file_name(key), bytes));
    }
}

impl PackingStore for KeptPackings {
    fn find(&mut self, key: &str, is_sound: &dyn Fn(&Spheres) -> bool) -> Option<Spheres> {
        let own = self.folders.iter().map(|folder| (folder, false));
        let mut folders = own.chain(self.shared.iter().map(|folder| (folder, true)));
        let (bytes, spheres) = folders.find_map(|(folder, is_shared)| {
            let path = folder.join(file_name(key));
            if is_shared && !is_trusted(&path) {
                return None;
            }
            let bytes = read(&path)?;
            let spheres = decode(key, &bytes).filter(is_sound)?;
            mark_used(&path);
            Some((bytes, spheres))
        })?;
        self.remember(key, bytes);
        Some(spheres)
    }

    fn keep(&mut self, key: &str, spheres: &Spheres) {
        if spheres.radii.len() < MIN_KEPT {
            return;
        }
        let bytes = encode(key, spheres);
        self.shared.iter().for_each(|folder| Self::share(folder, &file_name(key), &bytes));
        self.remember(key, bytes);
    }

    fn progress(&mut self, body: &str, share: f64) {
        self.display.tell(body, share);
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    files::read(path, files::MAX_BYTES).ok()
}

/// Whether nobody else can have written a file: it is this user's or root's, and not open to all.
#[cfg(unix)]
fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    /// Permission of all users to write.
    const WRITABLE: u32 = 0o002;
    let owners = [rustix::process::geteuid().as_raw(), 0];
    path.metadata().is_ok_and(|about| owners.contains(&about.uid()) && about.mode() & WRITABLE == 0)
}

#[cfg(not(unix))]
fn is_trusted(_: &Path) -> bool {
    true
}

/// Sets the time of a file to now, where that is permitted: see [`remove_oldest`].
fn mark_used(path: &Path) {
    let _ = files::append(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Folder of packings that all runs of a user share: `BDEM_CACHE`, which may be "off", or one in the user's cache folder.
pub fn shared_packings() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(set) = folder("BDEM_CACHE") {
        return Some(set).filter(|set| set.as_os_str() != "off");
    }
    let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    Some(caches?.join("bdem").join("packings"))
}

/// Removes the packings of `folder` that were used least recently, until the rest has at most this many bytes. Incomplete
/// files count too. Those of killed processes are removed: a process that lives writes to them within [`DEAD_AFTER`].
pub fn remove_oldest(folder: &Path, max_bytes: u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let described = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Path::new(whole_name(&name)).extension().filter(|ending| *ending == ENDING)?;
        let about = entry.metadata().ok()?;
        let (is_part, time) = (whole_name(&name) != name, about.modified().ok()?);
        let is_alive = !is_part || time.elapsed().is_ok_and(|age| age <= DEAD_AFTER);
        Some((is_alive, is_part, time, about.len(), entry.path()))
    });
    let mut files: Vec<(bool, bool, SystemTime, u64, PathBuf)> = described.collect();
    // those of dead processes first
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, _, _, bytes, _)| bytes).sum();
    for (is_alive, is_part, _, size, path) in files {
        if is_alive && (is_part || bytes <= max_bytes) {
            continue;
        }
        // another run may have removed it
        let _ = fs::remove_file(path);
        bytes -= size;
    }
}

/// Ending of the names of packings.
const ENDING: &str = "packing";

fn file_name(key: &str) -> String {
    format!("{key}.{ENDING}")
}

fn encode(key: &str, spheres: &Spheres) -> Vec<u8> {
    let count = (spheres.radii.len() as u64).to_le_bytes();
    let numbers = spheres.centres.iter().zip(&spheres.radii).flat_map(|(p, &radius)| [p.x, p.y, p.z, radius]);
    let content: Vec<u8> = count.into_iter().chain(numbers.flat_map(f64::to_le_bytes)).collect();
    [HEAD, &digest(key, &content), &content].concat()
}

fn digest(key: &str, content: &[u8]) -> [u8; DIGEST] {
    Sha256::new_with_prefix(key).chain_update(content).finalize().into()
}

/// Spheres of a file, if it is whole and of this key.
fn decode(key: &str, bytes: &[u8]) -> Option<Spheres> {
    let (sum, content) = bytes.strip_prefix(HEAD)?.split_at_checked(DIGEST)?;
    if digest(key, content)[..] != *sum {
        return None;
    }
    let (count, content) = content.split_first_chunk()?;
    let (numbers, rest) = content.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (spheres, more) = numbers.as_chunks::<4>();
    if spheres.len() as u64 != u64::from_le_bytes(*count) || !rest.is_empty() || !more.is_empty() {
        return None;
    }
    let (centres, radii) = spheres.iter().map(|&[x, y, z, radius]| (Vec3::new(x, y, z), radius)).unzip();
    Some(Spheres { centres, radii, ..Spheres::default() })
}
