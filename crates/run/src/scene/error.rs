use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Error of reading or checking a scene.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file could not be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system, or that the file is too large.
        #[source]
        cause: io::Error,
    },
    /// The text is not a valid scene.
    #[error("{place}: {message}{excerpt}{}", help.as_ref().map(|help| format!("\n  = help: {help}")).unwrap_or_default())]
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
