use std::fmt;
use std::io;
use std::path::PathBuf;

/// Error of reading or checking a scene.
#[derive(Debug)]
pub enum SceneError {
    /// The file could not be read.
    Unreadable { path: PathBuf, cause: io::Error },
    /// The text is not a valid scene.
    Wrong {
        /// `FILE:LINE:COLUMN`, or the `--set` that set the value.
        place: String,
        /// The value, and the values that are allowed.
        message: String,
        /// Line of the file with the value underlined. Empty for a `--set`.
        excerpt: String,
        /// Remedy, where it is not obvious.
        help: Option<String>,
    },
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unreadable { path, cause } => write!(f, "{}: cannot be read: {cause}", path.display()),
            Self::Wrong { place, message, excerpt, help } => {
                write!(f, "{place}: {message}{excerpt}")?;
                help.iter().try_for_each(|help| write!(f, "\n  = help: {help}"))
            }
        }
    }
}

impl std::error::Error for SceneError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { cause, .. } => Some(cause),
            Self::Wrong { .. } => None,
        }
    }
}
