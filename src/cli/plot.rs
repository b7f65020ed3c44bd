use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::output::ply::read_frame;
use crate::output::{FrameRanges, METRICS, OutputError, RECORD, RunRecord, Table, frames_of, write_whole};
use crate::plot::{Chart, RunCurves, charts, png, svg};

use super::CliError;

/// Draws charts of a run, or of several side by side
///
/// energy, breakage, iterations and step over time, and the sizes of the pieces in the last frame.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folders of runs
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// In which form
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where the charts go [default: plot in the first run's folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Nothing on the terminal but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Svg,
    Png,
}

const EXAMPLES: &str = "Examples:
  bdem plot out/plate                               out/plate/plot/energy.svg, breakage.svg, ...
  bdem plot out/implicit out/explicit -o charts --format png";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let curves: Vec<RunCurves> = arguments.runs.iter().map(|run| curves(run)).collect::<Result<_, OutputError>>()?;
    let folder = arguments.output.clone().unwrap_or_else(|| arguments.runs[0].join("plot"));
    fs::create_dir_all(&folder).map_err(OutputError::file("make the folder", &folder))?;
    for chart in charts(&curves) {
        write(&folder, &chart, arguments.format)?;
    }
    if !arguments.quiet {
        eprintln!("charts are in {}", folder.display());
    }
    Ok(())
}

fn write(folder: &Path, chart: &Chart, format: Format) -> Result<(), CliError> {
    let (bytes, ending) = match format {
        Format::Svg => (svg(chart).map(String::into_bytes), "svg"),
        Format::Png => (png(chart), "png"),
    };
    let bytes = bytes.map_err(|why| CliError { code: 5, message: format!("cannot draw {}: {why}", chart.name) })?;
    Ok(write_whole(&folder.join(format!("{}.{ending}", chart.name)), |out| std::io::Write::write_all(out, &bytes))?)
}

fn curves(run: &Path) -> Result<RunCurves, OutputError> {
    let record = RunRecord::read(&run.join(RECORD))?;
    let mut sizes = BTreeMap::new();
    if let Some(last) = frames_of(run, &FrameRanges::default())?.last() {
        read_frame(&last.path)?.vertices.iter().for_each(|vertex| *sizes.entry(vertex.piece).or_insert(0) += 1);
    }
    Ok(RunCurves {
        title: format!("{}, {}", record.scene, record.integrator),
        metrics: Table::read(&run.join(METRICS))?,
        piece_sizes: sizes.into_values().collect(),
    })
}
