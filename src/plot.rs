use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bdem_pictures::plot::{Drawing, RunCurves, all_charts, comparison_chart, png, svg};
use bdem_run::output::ply::read_frame;
use bdem_run::output::{
    Columns, FORCES, FrameRanges, METRICS, OutputError, RECORD, RunRecord, Table, frames_of, write_whole,
};
use bdem_run::run::LoadCurve;
use bdem_run::run::compare::Comparison;
use bdem_run::{console, files};
use clap::{Args, ValueEnum};

use super::CliError;
use super::output::output_folder;

/// Draws charts of a run, or of several side by side
///
/// Charts of a run are energy, breakage, iterations and step over time, and the final sizes of the pieces. Forces on named
/// colliders and constraints are a chart over time, and the load of a specimen one over its deformation, with strength
/// and modulus. A file of compare --json becomes one chart: seconds, steps, broken bonds, pieces and energy of its runs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folders of runs, or files of compare --json
    #[arg(required = true, value_name = "RUN")]
    sources: Vec<PathBuf>,
    /// Format of the charts
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder of the charts [default: plot in the first run's folder, or beside the first file]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print errors only
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
  bdem plot out/implicit out/explicit -o charts --format png
  bdem plot plate.json                              plot/plate.svg, of a file of compare --json";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let (files, runs): (Vec<_>, Vec<_>) = arguments.sources.iter().partition(|source| source.is_file());
    let curves: Vec<RunCurves> = runs.into_iter().map(|run| curves(run)).collect::<Result<_, OutputError>>()?;
    let comparisons: Vec<_> =
        files.into_iter().map(|file| Ok((file, comparison(file)?))).collect::<Result<_, CliError>>()?;
    let folder = output_folder(arguments.output.as_ref(), || beside(&arguments.sources[0]))?;
    if !curves.is_empty() {
        all_charts(&curves).iter().try_for_each(|chart| write(&folder.join(chart.name), chart, arguments.format))?;
    }
    for (file, comparison) in comparisons {
        let name = folder.join(file.file_stem().unwrap_or_default());
        write(&name, &comparison_chart(&comparison), arguments.format)?;
    }
    if !arguments.quiet {
        console::message(&format!("charts are in {}", folder.display()));
    }
    Ok(())
}

/// Folder `plot` in the run's, or beside the file.
fn beside(source: &Path) -> PathBuf {
    let folder = if source.is_file() { source.parent().unwrap_or(Path::new("")) } else { source };
    folder.join("plot")
}

/// Drawing in the file of this name, with the format's ending.
fn write(name: &Path, drawing: &impl Drawing, format: Format) -> Result<(), CliError> {
    let (bytes, ending) = match format {
        Format::Svg => (svg(drawing).map(String::into_bytes), "svg"),
        Format::Png => (png(drawing), "png"),
    };
    let bytes = bytes.map_err(|why| CliError { code: 5, message: format!("cannot draw {}: {why}", name.display()) })?;
    Ok(write_whole(&named(name, ending), |out| std::io::Write::write_all(out, &bytes))?)
}

/// Name with an ending, after any dots in it.
fn named(name: &Path, ending: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}

fn comparison(file: &Path) -> Result<Comparison, CliError> {
    let text = files::read(file, files::MAX_BYTES).map_err(OutputError::file("read the comparison", file))?;
    serde_json::from_slice(&text).map_err(|why| {
        let message = format!("{} is not a file of `bdem compare --json`: {why}", file.display());
        CliError { code: 5, message }
    })
}

fn curves(run: &Path) -> Result<RunCurves, OutputError> {
    let record = RunRecord::read(&run.join(RECORD))?;
    let (mut sizes, forces) = (BTreeMap::new(), run.join(FORCES));
    if let Some(last) = frames_of(run, &FrameRanges::default())?.last() {
        read_frame(&last.path)?.vertices.iter().for_each(|vertex| *sizes.entry(vertex.piece).or_insert(0) += 1);
    }
    Ok(RunCurves {
        title: format!("{}, {}", record.scene, record.integrator),
        metrics: Table::read(&run.join(METRICS))?,
        piece_sizes: sizes.into_values().collect(),
        forces: if forces.exists() { Columns::read(&forces)? } else { Columns::default() },
        load: LoadCurve::read(run)?,
    })
}
