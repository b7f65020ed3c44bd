use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bdem_run::output::{DEAD_AFTER, OutputError, RunRecord, RunStatus, write_named};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{CliError, print};

/// Prints a table of runs, a row each: values set, state, frames, breakage and seconds
///
/// State is packing (no frame yet), running, finished, stopped (by a signal), failed (with the error), dead (killed), or
/// absent: no run in the folder, or one that a wrong scene has kept from beginning. Columns of --set values have the names of their keys.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Format of the table
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// File of the table [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Age of the heartbeat from which a run on another machine is dead, s
    #[arg(long, value_name = "S", default_value_t = DEAD_AFTER.as_secs())]
    dead_after: u64,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Csv,
    /// A list of objects, with the values set under the key set
    Json,
}

const EXAMPLES: &str = "Examples:
  bdem table out/drop_*                             CSV: a row for each run
  bdem table out/* --format json -o sweep.json
  bdem table out/* | grep -c ,finished,             counts the finished ones";

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
}

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let dead_after = Duration::from_secs(arguments.dead_after);
    let rows = arguments.runs.iter().map(|run| Row::read(run, dead_after)).collect::<Result<Vec<_>, _>>()?;
    let text = match arguments.format {
        Format::Csv => csv(&rows),
        Format::Json => serde_json::to_string_pretty(&rows).expect("rows have only what JSON can say") + "\n",
    };
    match &arguments.output {
        Some(path) => Ok(write_named(path, |out| out.write_all(text.as_bytes()))?),
        None => print(&text),
    }
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
        })
    }

    /// Cells of the CSV, with those of the `keys` that any run has set.
    fn cells(&self, keys: &BTreeSet<&String>) -> Vec<String> {
        let first = [self.run.clone(), self.state.to_string()];
        let set = keys.iter().map(|key| self.set.get(*key).cloned().unwrap_or_default());
        let rest = [
            cell(self.frames.as_ref()),
            cell(self.frames_wanted.as_ref()),
            cell(self.bonds_broken.as_ref()),
            cell(self.pieces.as_ref()),
            cell(self.largest_piece.as_ref()),
            self.seconds.map_or_else(String::new, |seconds| format!("{seconds:.3}")),
            cell(self.resumed.as_ref()),
            cell(self.host.as_ref()),
            cell(self.digest.as_ref()),
            cell(self.error.as_ref()),
        ];
        first.into_iter().chain(set).chain(rest).collect()
    }
}

fn cell(value: Option<&impl ToString>) -> String {
    value.map_or_else(String::new, ToString::to_string)
}

/// Cell that no spreadsheet takes for a formula: a text that begins like one gets an apostrophe before it, which they leave out.
/// Names of runs and values that were set may come from elsewhere.
fn no_formula(cell: String) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { format!("'{cell}") } else { cell }
}

/// Columns after those of the values set.
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

fn csv(rows: &[Row]) -> String {
    let keys: BTreeSet<&String> = rows.iter().flat_map(|row| row.set.keys()).collect();
    let head = ["run", "state"].into_iter().chain(keys.iter().map(|key| key.as_str())).chain(FIGURES);
    let head = head.map(str::to_owned).collect();
    let mut lines = std::iter::once(head).chain(rows.iter().map(|row| row.cells(&keys)));
    let mut out = csv::Writer::from_writer(Vec::new());
    let written = lines.try_for_each(|cells| out.write_record(cells.into_iter().map(no_formula)));
    written.expect("rows of equal length go to memory");
    String::from_utf8(out.into_inner().expect("memory has no errors")).expect("cells are text")
}
