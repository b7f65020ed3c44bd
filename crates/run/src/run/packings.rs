//! Files of packings: in the folder of each run, and in one that all runs share.
//!
//! ```text
//! "bdem packing 1\n"  SHA-256 of the rest  x y z radius of each sphere (m, f64, little-endian)
//! ```

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bdem_core::geometry::Vec3;
use sha2::{Digest, Sha256};

use super::LogOptions;
use super::packing_display::PackingDisplay;
use crate::output::{OutputError, write_whole};
use crate::scene::PackingStore;
use crate::scene::particle_file::Spheres;

const HEAD: &[u8] = b"bdem packing 1\n";

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
        let missing =
            self.files.iter().map(|(name, bytes)| (folder.join(name), bytes)).filter(|(path, _)| !path.exists());
        missing.into_iter().try_for_each(|(path, bytes)| write_whole(&path, |out| out.write_all(bytes)))
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
    fn find(&mut self, key: &str) -> Option<Spheres> {
        let mut folders = self.folders.iter().chain(&self.shared);
        let (bytes, spheres) = folders.find_map(|folder| {
            let path = folder.join(file_name(key));
            let bytes = fs::read(&path).ok()?;
            let spheres = decode(&bytes)?;
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
        let bytes = encode(spheres);
        self.shared.iter().for_each(|folder| Self::share(folder, &file_name(key), &bytes));
        self.remember(key, bytes);
    }

    fn progress(&mut self, body: &str, share: f64) {
        self.display.tell(body, share);
    }
}

/// Sets the time of a file to now, where that is permitted: see [`remove_oldest`].
fn mark_used(path: &Path) {
    let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Removes the packings of `folder` that were used least recently, until the rest has at most this many bytes.
pub fn remove_oldest(folder: &Path, max_bytes: u64) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_packing = |path: &Path| path.extension().is_some_and(|ending| ending == ENDING);
    let described = entries.filter(|entry| is_packing(&entry.path())).filter_map(|entry| {
        let about = entry.metadata().ok()?;
        Some((about.modified().ok()?, about.len(), entry.path()))
    });
    let mut files: Vec<(SystemTime, u64, PathBuf)> = described.collect();
    files.sort();
    let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, size, path) in files {
        if bytes <= max_bytes {
            break;
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

fn encode(spheres: &Spheres) -> Vec<u8> {
    let numbers = spheres.centres.iter().zip(&spheres.radii).flat_map(|(p, &radius)| [p.x, p.y, p.z, radius]);
    let content: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
    [HEAD, &Sha256::digest(&content), &content].concat()
}

/// Spheres of a file, if it is whole.
fn decode(bytes: &[u8]) -> Option<Spheres> {
    let (digest, content) = bytes.strip_prefix(HEAD)?.split_at_checked(DIGEST)?;
    if Sha256::digest(content)[..] != *digest {
        return None;
    }
    let (numbers, _) = content.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (spheres, _) = numbers.as_chunks::<4>();
    let (centres, radii) = spheres.iter().map(|&[x, y, z, radius]| (Vec3::new(x, y, z), radius)).unzip();
    Some(Spheres { centres, radii, rows: Vec::new() })
}
