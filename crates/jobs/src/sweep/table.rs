use std::collections::BTreeMap;
use std::path::Path;

use bdem_run::output::{DEAD_AFTER, OutputError, RunStatus, check_folder};
use bdem_run::run::RunError;

use super::points::plain;
use super::{CheckedSweep, Point, SweepReport};
use crate::error::JobError;
use crate::files::write_text;
use crate::table::{Row, csv};

/// Name of the table in the output folder of a sweep.
pub const TABLE: &str = "sweep.csv";

/// Writes the table of a sweep in the folder `output` as its runs are now, on whichever machine.
///
/// # Errors
/// When the table cannot be written.
pub fn write_table(sweep: &CheckedSweep, output: &Path) -> Result<SweepReport, JobError> {
    check_folder(output)?;
    if !output.is_dir() {
        let message = format!(
            "{} is no folder of a sweep: run the sweep first, or name its folder with --output",
            output.display()
        );
        return Err(JobError::Usage(message));
    }
    let row = |(point, digest): (&Point, &String)| row(point, digest, output);
    let rows: Vec<Row> = sweep.points.iter().zip(&sweep.digests).map(row).collect();
    let table = output.join(TABLE);
    write_rows(&table, &rows)?;
    Ok(SweepReport { rows, failures: Vec::new(), table })
}

/// Rows of the runs of a sweep, which ended like this.
pub(super) fn rows(sweep: &CheckedSweep, output: &Path, ends: &[Result<(), RunError>]) -> Vec<Row> {
    let points = sweep.points.iter().zip(&sweep.digests).zip(ends);
    let row = |((point, digest), end): ((&Point, &String), &Result<(), RunError>)| {
        let row = row(point, digest, output);
        match end {
            Ok(()) | Err(RunError::Interrupted(_)) => row,
            Err(error) => failed(row, error.to_string()),
        }
    };
    points.map(row).collect()
}

pub(super) fn write_rows(path: &Path, rows: &[Row]) -> Result<(), OutputError> {
    write_text(path, &csv(rows))
}

/// Row of a run. The values that vary are there also without a run, as numbers and texts without quotes.
fn row(point: &Point, digest: &str, output: &Path) -> Row {
    let folder = output.join(&point.name);
    let mut row = match RunStatus::read(&folder, DEAD_AFTER) {
        Ok((state, record)) => {
            let is_other = record
                .as_ref()
                .is_some_and(|record| !record.physics_digest.is_empty() && record.physics_digest != digest);
            let row = Row::new(&folder, state, record.as_ref());
            match is_other {
                true => failed(row, "the run is of another scene, or of other settings".to_owned()),
                false => row,
            }
        }
        Err(error) => failed(Row::new(&folder, RunStatus::Failed, None), error.to_string()),
    };
    let key = |key: &str| key.split('.').map(str::trim).collect::<Vec<_>>().join(".");
    let own = point.settings.iter().filter_map(|setting| setting.set.split_once('='));
    row.set = own.map(|(path, value)| (key(path), plain(value.trim()))).collect::<BTreeMap<_, _>>();
    row
}

/// Row of a run that failed for this reason.
fn failed(row: Row, error: String) -> Row {
    Row { state: RunStatus::Failed, error: Some(error), ..row }
}
