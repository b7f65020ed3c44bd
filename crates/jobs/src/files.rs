//! Names and texts of files.

use std::io::Write;
use std::path::Path;

use bdem_run::output::{OutputError, write_whole};

/// Whether a name may be that of a folder on every system.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// Writes a whole text file.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), OutputError> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}
