//! Files of packings: in the folder of each run, and in one that all runs share.
//!
//! ```text
//! "bdem packing 1\n"  SHA-256 of the rest  x y z radius of each sphere (m, f64, little-endian)
//! ```

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::LogOptions;
use super::packing_display::PackingDisplay;
use crate::geometry::Vec3;
use crate::output::{OutputError, write_whole};
use crate::scene::PackingStore;
use crate::scene::particle_file::Spheres;

const HEAD: &[u8] = b"bdem packing 1\n";

/// Bytes of a SHA-256.
const DIGEST: usize = 32;

/// Minimum number of spheres that are kept: fewer are packed in less time than a file takes.
const MIN_KEPT: usize = 1000;

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
    pub fn write_to(&self, folder: &Path) -> Result<(), OutputError> {
        if self.files.is_empty() {
            return Ok(());
        }
        fs::create_dir_all(folder).map_err(OutputError::file("make the folder", folder))?;
        let missing =
            self.files.iter().map(|(name, bytes)| (folder.join(name), bytes)).filter(|(path, _)| !path.exists());
        missing.into_iter().try_for_each(|(path, bytes)| write_whole(&path, |out| out.write_all(bytes)))
    }

    fn remember(&mut self, key: &str, bytes: Vec<u8>) {
        self.files.push((file_name(key), bytes));
    }
}

impl PackingStore for KeptPackings {
    fn find(&mut self, key: &str) -> Option<Spheres> {
        let mut folders = self.folders.iter().chain(&self.shared);
        let (bytes, spheres) = folders.find_map(|folder| {
            let bytes = fs::read(folder.join(file_name(key))).ok()?;
            let spheres = decode(&bytes)?;
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
        if let Some(folder) = &self.shared {
            // a run needs no such folder: where it cannot be written, the next one packs again
            let path = folder.join(file_name(key));
            let made = fs::create_dir_all(folder).is_ok();
            let _ = made.then(|| write_whole(&path, |out| out.write_all(&bytes)));
        }
        self.remember(key, bytes);
    }

    fn progress(&mut self, body: &str, share: f64) {
        self.display.tell(body, share);
    }
}

fn file_name(key: &str) -> String {
    format!("{key}.packing")
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
    Some(Spheres { centres, radii })
}
