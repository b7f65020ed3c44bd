//! Tables of runs, for `bdem info`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bdem_run::output::{OutputError, RunRecord, RunStatus, TestResults};
use serde::Serialize;
use serde_json::Value;

use super::CliError;

/// Row of a run. Figures are those of its last frame; a run without a record has none.
#[derive(Debug, Serialize)]
struct Row {
    run: String,
    state: RunStatus,
    set: BTreeMap<String, String>,
    frames: Option<u32>,
    frames_wanted: Option<u32>,
    bonds_broken: Option<usize>,
    pieces: Option<usize>,
    largest_piece: Option<usize>,
    seconds: Option<f64>,
    resumed: Option<u32>,
    host: Option<String>,
    digest: Option<String>,
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    specimen: Option<TestResults>,
}

/// Table of these runs as JSON. One on another machine is dead when its heartbeat is older than `dead_after`.
pub(super) fn json(runs: &[PathBuf], dead_after: Duration) -> Result<String, CliError> {
    let rows = rows(runs, dead_after)?;
    Ok(serde_json::to_string_pretty(&rows).expect("rows have only what JSON can say") + "\n")
}

fn rows(runs: &[PathBuf], dead_after: Duration) -> Result<Vec<Row>, OutputError> {
    runs.iter().map(|run| Row::read(run, dead_after)).collect()
}

impl Row {
    fn read(run: &Path, dead_after: Duration) -> Result<Self, OutputError> {
        let (state, record) = RunStatus::read(run, dead_after)?;
        let of = |figure: fn(&RunRecord) -> usize| record.as_ref().map(figure);
        let frames = |figure: fn(&RunRecord) -> u32| record.as_ref().map(figure);
        let text = |word: fn(&RunRecord) -> &String| record.as_ref().map(word).filter(|word| !word.is_empty()).cloned();
        Ok(Self {
            run: run.display().to_string(),
            state,
            set: record.as_ref().map(|record| record.set.clone()).unwrap_or_default(),
            frames: frames(|record| record.frames),
            frames_wanted: frames(|record| record.frames_wanted),
            bonds_broken: of(|record| record.bonds_broken),
            pieces: of(|record| record.pieces),
            largest_piece: of(|record| record.largest_piece),
            seconds: record.as_ref().map(|record| (1e3 * record.seconds.total).round() / 1e3),
            resumed: frames(|record| record.resumed),
            host: text(|record| &record.host),
            digest: text(|record| &record.digest),
            error: record.as_ref().and_then(|record| record.error.clone()),
            specimen: record.as_ref().and_then(|record| record.specimen.clone()),
        })
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

/// Table of these runs as CSV, like [`json`].
pub(super) fn csv(runs: &[PathBuf], dead_after: Duration) -> Result<String, CliError> {
    let rows = rows(runs, dead_after)?;
    let results: &[&str] = if rows.iter().any(|row| row.specimen.is_some()) { &RESULTS } else { &[] };
    let keys: BTreeSet<&String> = rows.iter().flat_map(|row| row.set.keys()).collect();
    let set = || keys.iter().map(|key| key.as_str());
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut write = |cells: Vec<String>| {
        out.write_record(cells.into_iter().map(no_formula)).expect("rows of equal length go to memory");
    };
    write(FIRST.into_iter().chain(set()).chain(FIGURES).chain(results.iter().copied()).map(str::to_owned).collect());
    for row in &rows {
        let figures = serde_json::to_value(row).expect("rows have only what JSON can say");
        let figure = |key: &str| cell(&figures[key]);
        let results = results.iter().map(|key| cell(&figures["specimen"][key]));
        let set = set().map(|key| row.set.get(key).cloned().unwrap_or_default());
        write(FIRST.map(figure).into_iter().chain(set).chain(FIGURES.map(figure)).chain(results).collect());
    }
    Ok(String::from_utf8(out.into_inner().expect("memory has no errors")).expect("cells are text"))
}

/// Cell of a figure; empty where there is none.
fn cell(figure: &Value) -> String {
    match figure {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    }
}
