use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Holder;

/// What the functions of this room return.
pub type Result<T> = std::result::Result<T, OutputError>;

/// What can go wrong between a run and the disk.
#[derive(Debug)]
pub enum OutputError {
    /// The disk refused, or what it holds makes no sense.
    File {
        /// What was tried, as a verb: "write".
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The folder holds a run already, and nobody said that it may be replaced.
    HoldsRun(PathBuf),
    /// A run is writing to the folder.
    Locked {
        folder: PathBuf,
        /// Whose run it is; none where that has not been told yet.
        holder: Option<Holder>,
    },
}

impl OutputError {
    /// Turns an [`io::Error`] met while `doing` something to `path` into this error: for `map_err`.
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
                let holder = holder.as_ref().map_or("one that has just begun".to_owned(), Holder::to_string);
                let folder = folder.display();
                write!(f, "{folder} is locked by a run, {holder}; let it end, or name another folder with --output")
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

/// What the user can do about it, where that is not plain from the error itself.
fn remedy(doing: &str, kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::NotFound if doing == "write" => Some("its folder is not there"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Some("free some space there, or name a folder on another disk with --output")
        }
        ErrorKind::ReadOnlyFilesystem => Some("name a folder that can be written with --output"),
        ErrorKind::PermissionDenied => Some("check who may use it"),
        _ => None,
    }
}
