//! Files and folders of `-o`, one way for all commands.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use bdem_run::output::{OutputError, holds_file, make_folder, write_named, write_whole};

/// File that a command writes.
#[derive(Debug)]
pub(super) struct OutputFile {
    pub(super) path: PathBuf,
    /// Whether the user has named it: links lead to their targets then, and devices and pipes are written.
    is_named: bool,
}

impl OutputFile {
    /// File that the user has `named`, or the default one.
    pub(super) fn new(named: Option<&PathBuf>, default: impl FnOnce() -> PathBuf) -> Self {
        Self { path: named.cloned().unwrap_or_else(default), is_named: named.is_some() }
    }

    /// Whether a file is there already, which would be replaced.
    pub(super) fn exists(&self) -> bool {
        if self.is_named { holds_file(&self.path) } else { self.path.exists() }
    }

    /// Whether it has a folder of its own, beside which more files can be written: a device or a pipe has none.
    pub(super) fn is_regular(&self) -> bool {
        !self.is_named || !self.path.exists() || holds_file(&self.path)
    }

    /// Writes it by `fill`.
    pub(super) fn write(&self, fill: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>) -> Result<(), OutputError> {
        if self.is_named { write_named(&self.path, fill) } else { write_whole(&self.path, fill) }
    }

    /// Size for reports after a word, such as ` in 1.2 MB`. Empty for a device or a pipe.
    pub(super) fn size(&self, word: &str) -> String {
        let facts = self.path.metadata().ok().filter(|facts| facts.is_file());
        facts.map_or_else(String::new, |facts| format!("{word}{:.1} MB", facts.len() as f64 * 1e-6))
    }
}

/// Folder that a command writes to, made where it is missing: the one that the user has `named`, or the default one.
pub(super) fn output_folder(
    named: Option<&PathBuf>,
    default: impl FnOnce() -> PathBuf,
) -> Result<PathBuf, OutputError> {
    let folder = named.cloned().unwrap_or_else(default);
    make_folder(&folder)?;
    Ok(folder)
}

/// Whether the name of a path ends with one of these, in either case.
pub(super) fn ends_with(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().unwrap_or_default();
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
