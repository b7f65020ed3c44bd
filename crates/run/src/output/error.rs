use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Holder;

/// Result of the functions that read and write files.
pub type Result<T> = std::result::Result<T, OutputError>;

/// Error of reading or writing a run's files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The file could not be read or written, or its content is invalid.
    #[error("cannot {doing} {}: {source}{}", path.display(), remedy(doing, source.kind()))]
    File {
        /// Operation that failed, as a verb: "write".
        doing: &'static str,
        /// File or folder of the operation.
        path: PathBuf,
        /// Error of the operating system, or of the content.
        source: io::Error,
    },
    /// The path of an output folder has a file, a device or a pipe.
    #[error("{} is no folder, but {found}; name a folder with --output", path.display())]
    NoFolder {
        /// Path that was named.
        path: PathBuf,
        /// Kind of the thing there: "a device".
        found: &'static str,
    },
    /// The folder holds a run, and overwriting was not requested.
    #[error("{} holds a run already; --overwrite replaces it, --output names another folder", .0.display())]
    HoldsRun(PathBuf),
    /// Another run is writing to the folder.
    #[error(
        "{} is locked by a run, {}; wait until it ends, or name another folder with --output",
        folder.display(),
        holder.as_ref().map_or("which is just starting".to_owned(), Holder::to_string)
    )]
    Locked {
        /// Output folder that is locked.
        folder: PathBuf,
        /// Process of that run. None while it is starting.
        holder: Option<Holder>,
    },
}

impl OutputError {
    /// Conversion of an [`io::Error`] of `doing` something to `path`, for `map_err`.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { doing, path: path.to_owned(), source }
    }
}

/// Remedy after a semicolon; empty where it is obvious from the error itself.
fn remedy(doing: &str, kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidInput if doing == "lock" => "; remove it, or name another folder with --output",
        ErrorKind::NotFound if doing == "write" => "; its folder does not exist",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space there, or name a folder on another disk with --output"
        }
        ErrorKind::FileTooLarge => "; raise the limit on the size of files: ulimit -f, or the disk's",
        ErrorKind::ReadOnlyFilesystem => "; name a writable folder with --output",
        ErrorKind::PermissionDenied => "; check its permissions",
        _ => "",
    }
}
