use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Holder;

/// Result of the functions that read and write files.
pub type Result<T> = std::result::Result<T, OutputError>;

/// Error of reading or writing a run's files.
#[derive(Debug)]
pub enum OutputError {
    /// The file could not be read or written, or its content is invalid.
    File {
        /// Operation that failed, as a verb: "write".
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The folder holds a run, and overwriting was not requested.
    HoldsRun(PathBuf),
    /// Another run is writing to the folder.
    Locked {
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

impl Display for OutputError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())?;
                remedy(doing, source.kind()).map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
            }
            Self::HoldsRun(path) => write!(
                f,
                "{} holds a run already; --overwrite replaces it, --output names another folder",
                path.display()
            ),
            Self::Locked { folder, holder } => {
                let holder = holder.as_ref().map_or("which is just starting".to_owned(), Holder::to_string);
                let folder = folder.display();
                write!(
                    f,
                    "{folder} is locked by a run, {holder}; wait until it ends, or name another folder with --output"
                )
            }
        }
    }
}

impl Error for OutputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::HoldsRun(_) | Self::Locked { .. } => None,
        }
    }
}

/// Remedy, where it is not obvious from the error itself.
fn remedy(doing: &str, kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::NotFound if doing == "write" => Some("its folder does not exist"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("free some space there, or name a folder on another disk with --output")
        }
        ErrorKind::FileTooLarge => Some("raise the limit on the size of files: ulimit -f, or the disk's"),
        ErrorKind::ReadOnlyFilesystem => Some("name a writable folder with --output"),
        ErrorKind::PermissionDenied => Some("check its permissions"),
        _ => None,
    }
}
