//! Table 1 of \[IBDEM\] with more choice than `bdem study table1` has: `cargo bench --bench table1`.

use bdem_run::run::compare::Contender;
use bdem_studies::{Setup, Table1};
use clap::Parser;

use support::start_threads;

mod support;

/// The seven scenes of Table 1, explicit beside implicit
#[derive(Debug, Parser)]
struct Arguments {
    /// Rows [default: all]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(Table1::names()))]
    rows: Vec<String>,
    /// Frames of all runs [default: those of the row]
    #[arg(long)]
    frames: Option<u32>,
    /// Frame to start from, to which implicit Euler brings the runs
    #[arg(long, default_value_t = 0)]
    from_frame: u32,
    /// The runs, as in `bdem compare --integrators`
    #[arg(long, value_delimiter = ',', default_value = "implicit-euler,auto,explicit-verlet")]
    integrators: Vec<String>,
    /// Cube root of the factor by which particles are fewer: 2 makes an eighth of them, for a trial
    #[arg(long, default_value_t = 1.0)]
    coarser: f64,
    #[arg(long)]
    threads: Option<usize>,
    /// Writes all comparisons to FILE, as a list
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
    /// Cargo says this to benches
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let Arguments { rows, frames, from_frame, integrators, coarser, threads, json, .. } = Arguments::parse();
    start_threads(threads);
    let contenders = Contender::parse_all(&integrators).unwrap_or_else(|error| panic!("{error}"));
    let table = Table1 { rows, contenders, frames, from_frame, coarser };
    let (report, found) = table.measure(&Setup::default()).unwrap_or_else(|error| panic!("{error}"));
    found.iter().for_each(|comparison| println!("{comparison}"));
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&found).expect("comparisons are JSON");
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    println!("{}", report.table.markdown());
}
