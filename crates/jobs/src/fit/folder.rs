//! Folder of a fit, and the files in it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use bdem_run::output::OutputError;
use tempfile::TempDir;

use crate::error::JobError;

/// File of the evaluations.
pub(super) const JOURNAL: &str = "evaluations.bin";
pub(super) const FITTED: &str = "fitted.toml";
pub(super) const SETTINGS: &str = "fitted.txt";
pub(super) const TABLE: &str = "evaluations.csv";

/// Files that a fit leaves beside its journal.
const ANSWERS: [&str; 7] = [FITTED, SETTINGS, TABLE, "loss.png", "loss.svg", "parameters.png", "parameters.svg"];

/// Name of the run of an evaluation, and the ending of incomplete files, as of [`bdem_run::output::write_whole`].
const RUN: &str = "run";
const PART: &str = ".part";

/// Whether a file, or a link without a target, has this name in `folder`.
pub(super) fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

/// Checks that a fit may begin in `folder`, or resume there.
pub(super) fn check(folder: &Path, resumes: bool) -> Result<(), JobError> {
    let has_answer = || ANSWERS.iter().any(|name| has(folder, name));
    let message = match has(folder, JOURNAL) {
        true if resumes => return Ok(()),
        true => {
            format!("{} holds a fit: --resume it, --overwrite it, or name another folder with -o", folder.display())
        }
        false if has_answer() => format!(
            "{} holds the answer of a fit, and no {JOURNAL} to resume from: --overwrite it, or name another folder with -o",
            folder.display()
        ),
        false => return Ok(()),
    };
    Err(JobError::Usage(message))
}

/// Removes incomplete files and runs of killed fits. The folder is locked, so that no fit is writing to it.
pub(super) fn remove_parts(folder: &Path) -> Result<(), OutputError> {
    let is_part = |file: &str| {
        let mut names = ANSWERS.iter().chain([&JOURNAL, &RUN]);
        file.ends_with(PART) && names.any(|name| file.starts_with(&format!(".{name}.")))
    };
    let failed = || OutputError::file("remove incomplete files in", folder);
    for entry in fs::read_dir(folder).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        if entry.file_name().to_str().is_some_and(is_part) {
            let is_folder = entry.file_type().map_err(failed())?.is_dir();
            let remove = if is_folder { fs::remove_dir_all } else { fs::remove_file };
            remove(&entry.path()).map_err(failed())?;
        }
    }
    Ok(())
}

/// Removes the fit in `folder`. The journal is last, so that a partly cleared folder still counts as a fit's.
pub(super) fn clear(folder: &Path) -> Result<(), OutputError> {
    for name in ANSWERS.iter().chain([&JOURNAL]) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(OutputError::file("remove", &path)(error)),
            _ => {}
        }
    }
    Ok(())
}

/// Folder for the run of an evaluation, which is removed with this value.
pub(super) fn of_run(folder: &Path) -> Result<TempDir, OutputError> {
    let made: io::Result<TempDir> =
        tempfile::Builder::new().prefix(&format!(".{RUN}.")).suffix(PART).tempdir_in(folder);
    made.map_err(OutputError::file("make a folder in", folder))
}
