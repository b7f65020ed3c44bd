//! Tables of runs, a row each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bdem_run::output::{OutputError, RunRecord, RunStatus, TestResults};
use serde::Serialize;
use serde_json::Value;

/// Row of a run. Figures are those of its last frame; a run without a record has none.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// Folder of the run.
    pub run: String,
    /// State of the run.
    pub state: RunStatus,
    /// Values of the scene that were set, by their keys.
    pub set: BTreeMap<String, String>,
    /// Number of complete frames.
    pub frames: Option<u32>,
    /// Last frame of the scene.
    pub frames_wanted: Option<u32>,
    /// Number of broken bonds.
    pub bonds_broken: Option<usize>,
    /// Number of pieces.
    pub pieces: Option<usize>,
    /// Number of particles of the largest piece.
    pub largest_piece: Option<usize>,
    /// Wall-clock time, s, to milliseconds.
    pub seconds: Option<f64>,
    /// Number of times that it was resumed.
    pub resumed: Option<u32>,
    /// Machine that it runs on.
    pub host: Option<String>,
    /// SHA-256 of the scene.
    pub digest: Option<String>,
    /// Error that ended it.
    pub error: Option<String>,
    /// Results of its material test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specimen: Option<TestResults>,
}

/// Table as JSON: a list of objects, with the values set under the key `set`.
pub fn json(rows: &[Row]) -> String {
    serde_json::to_string_pretty(rows).expect("rows have only what JSON can say") + "\n"
}

/// Rows of the runs in these folders. One on another machine is dead when its heartbeat is older than `dead_after`.
///
/// # Errors
/// When there is a record that cannot be read.
pub fn rows(runs: &[PathBuf], dead_after: Duration) -> Result<Vec<Row>, OutputError> {
    runs.iter().map(|run| Row::read(run, dead_after)).collect()
}

impl Row {
    fn read(run: &Path, dead_after: Duration) -> Result<Self, OutputError> {
        let (state, record) = RunStatus::read(run, dead_after)?;
        Ok(Self::new(run, state, record.as_ref()))
    }

    /// Row of the run in the folder `run`, by its record if it has one.
    pub(crate) fn new(run: &Path, state: RunStatus, record: Option<&RunRecord>) -> Self {
        let of = |figure: fn(&RunRecord) -> usize| record.map(figure);
        let frames = |figure: fn(&RunRecord) -> u32| record.map(figure);
        let text = |word: fn(&RunRecord) -> &String| record.map(word).filter(|word| !word.is_empty()).cloned();
        Self {
            run: run.display().to_string(),
            state,
            set: record.map(|record| record.set.clone()).unwrap_or_default(),
            frames: frames(|record| record.frames),
            frames_wanted: frames(|record| record.frames_wanted),
            bonds_broken: of(|record| record.bonds_broken),
            pieces: of(|record| record.pieces),
            largest_piece: of(|record| record.largest_piece),
            seconds: record.map(|record| (1e3 * record.seconds.total).round() / 1e3),
            resumed: frames(|record| record.resumed),
            host: text(|record| &record.host),
            digest: text(|record| &record.digest),
            error: record.and_then(|record| record.error.clone()),
            specimen: record.and_then(|record| record.specimen.clone()),
        }
    }
}

/// Cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe before it, which they leave out.
/// Names of runs and values that were set may come from elsewhere.
fn no_formula(cell: String) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { format!("'{cell}") } else { cell }
}

/// Columns before and after those of the values set.
const FIRST: [&str; 2] = ["run", "state"];
const FIGURES: [&str; 10] = [
    "frames",
    "frames_wanted",
    "bonds_broken",
    "pieces",
    "largest_piece",
    "seconds",
    "resumed",
    "host",
    "digest",
    "error",
];

/// Columns of material tests, if any run has one.
const RESULTS: [&str; 7] =
    ["test", "peak_load", "displacement_at_peak", "strength", "modulus", "poisson_ratio", "fracture_energy"];

/// Table as CSV: columns of the values set by their keys, and those of material tests if any run has one.
pub fn csv(rows: &[Row]) -> String {
    let results: &[&str] = if rows.iter().any(|row| row.specimen.is_some()) { &RESULTS } else { &[] };
    let keys: BTreeSet<&String> = rows.iter().flat_map(|row| row.set.keys()).collect();
    let set = || keys.iter().map(|key| key.as_str());
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut write = |cells: Vec<String>| {
        out.write_record(cells.into_iter().map(no_formula)).expect("rows of equal length go to memory");
    };
    write(FIRST.into_iter().chain(set()).chain(FIGURES).chain(results.iter().copied()).map(str::to_owned).collect());
    for row in rows {
        let figures = serde_json::to_value(row).expect("rows have only what JSON can say");
        let figure = |key: &str| cell(&figures[key]);
        let results = results.iter().map(|key| cell(&figures["specimen"][key]));
        let set = set().map(|key| row.set.get(key).cloned().unwrap_or_default());
        write(FIRST.map(figure).into_iter().chain(set).chain(FIGURES.map(figure)).chain(results).collect());
    }
    String::from_utf8(out.into_inner().expect("memory has no errors")).expect("cells are text")
}

/// Cell of a figure; empty where there is none.
fn cell(figure: &Value) -> String {
    match figure {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    }
}
