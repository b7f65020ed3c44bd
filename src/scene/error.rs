use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no scene.
#[derive(Debug)]
pub enum SceneError {
    /// The file could not be read.
    Unreadable { path: PathBuf, cause: io::Error },
    /// The file was read, and what it says is wrong.
    Wrong {
        /// `FILE:LINE:COLUMN`, or the `--set` that is to blame.
        place: String,
        /// What is wrong, and what was expected.
        message: String,
        /// The line, underlined where it is wrong; empty for a `--set`.
        excerpt: String,
        /// What to do, where that is not obvious.
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
