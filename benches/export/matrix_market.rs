//! Matrix Market files, for other solvers: `scipy.io.mmread` reads them.

use std::io::{self, Write};
use std::path::Path;

use bdem_run::output::{OutputError, write_whole};
use sprs::CsMat;

/// Write the lower triangle of a symmetric matrix, without zeros, as `coordinate real symmetric`. Numbers have the
/// shortest form that reads back as the same bits.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_symmetric(path: &Path, comments: &[String], matrix: &CsMat<f64>) -> Result<(), OutputError> {
    let entries = || matrix.iter().filter(|&(&value, (row, column))| row >= column && value != 0.0);
    write_whole(path, |out| {
        head(out, "coordinate real symmetric", comments)?;
        writeln!(out, "{} {} {}", matrix.rows(), matrix.cols(), entries().count())?;
        entries().try_for_each(|(value, (row, column))| writeln!(out, "{} {} {value:e}", row + 1, column + 1))
    })
}

/// Write columns of equal length as `array real general`, one after the other.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_columns(path: &Path, comments: &[String], columns: &[Vec<f64>]) -> Result<(), OutputError> {
    write_whole(path, |out| {
        head(out, "array real general", comments)?;
        writeln!(out, "{} {}", columns.first().map_or(0, Vec::len), columns.len())?;
        columns.iter().flatten().try_for_each(|value| writeln!(out, "{value:e}"))
    })
}

fn head(out: &mut impl Write, kind: &str, comments: &[String]) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix {kind}")?;
    comments.iter().try_for_each(|comment| writeln!(out, "% {comment}"))
}
