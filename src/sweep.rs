use std::num::NonZeroUsize;

use bdem_jobs::sweep::{SlurmOptions, Sweep, SweepOptions, SweepReport, Varied, run as run_sweep};
use bdem_jobs::sweep::{seeds, slurm, write_table};
use bdem_run::run::StillRunning;
use clap::{Args, ValueEnum};

use super::device::DeviceArguments;
use super::{CliError, FolderArguments, RunArguments, SceneArguments, print, start_threads};

/// Runs a scene with several values of its keys, several runs at once, and makes a table of them
///
/// All combinations of the values are run, each in a folder of its own whose name says its values. Their scenes are all checked before
/// the first run. A run that fails does not end the others. sweep.csv in the output folder has a row for each run, as `bdem info` prints
/// them. All runs have one device, which --device auto chooses by the first of them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Key of the scene and a list of its values (TOML), such as 'materials.ceramic.tensile_strength=[2e6, 3e6]'; may be repeated, for
    /// all combinations
    #[arg(long, value_name = "KEY.PATH=[VALUE,...]")]
    vary: Vec<String>,
    /// Seeds, such as 1-6 or 1,4,7-9: values of scene.seed
    #[arg(long, value_name = "SEEDS", value_parser = parse_seeds)]
    seeds: Option<Seeds>,
    /// Number of simultaneous runs [default: as many as threads and memory allow; one on a graphics card]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print a script that runs the sweep on a farm, in place of running it. --threads is the number of a run's threads then
    /// [default: 1], and --jobs limits the runs at once
    #[arg(long, value_name = "FARM", value_enum, conflicts_with_all = ["table", "overwrite"])]
    emit: Option<Farm>,
    /// Make the table of the runs as they are now, and run nothing
    #[arg(long, conflicts_with = "overwrite")]
    table: bool,
    #[command(flatten)]
    folder: FolderArguments,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

/// Farm of a script.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Farm {
    /// An array job of Slurm, and a job after it that makes the table
    Slurm,
}

/// Values of `--seeds`.
#[derive(Clone, Debug)]
struct Seeds(Vec<u64>);

fn parse_seeds(text: &str) -> Result<Seeds, String> {
    seeds(text).map(Seeds)
}

const EXAMPLES: &str = "Examples:
  bdem sweep drop.toml --seeds 1-6                  out/sweep/drop/sweep.csv, and a folder for each run
  bdem sweep drop.toml --vary 'materials.ceramic.tensile_strength=[2e6, 3e6]' --seeds 1-6 --jobs 2
  bdem sweep drop.toml --seeds 1-6 --resume         goes on with a sweep that was stopped
  bdem sweep drop.toml --seeds 1-600 --emit slurm > drop.slurm      for a farm: bash drop.slurm";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    let log = arguments.run.log();
    // before the scenes are read, which takes threads too; those of a script's runs are another machine's
    match arguments.emit {
        Some(_) => start_threads(None, log)?,
        None => arguments.run.start_threads()?,
    }
    let varied = arguments.vary.iter().map(|text| Varied::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let sweep = Sweep {
        scene: arguments.scene.scene.clone(),
        settings: arguments.scene.settings(),
        varied,
        seeds: arguments.seeds.clone().map_or_else(Vec::new, |Seeds(seeds)| seeds),
    };
    let waiting = (!log.is_silent()).then(|| StillRunning::start("checking the scenes of the runs"));
    let sweep = sweep.check()?;
    drop(waiting);
    sweep.warnings.iter().for_each(|warning| log.warn(warning));
    let default = || ["out", "sweep", &sweep.name].iter().collect();
    let options = arguments.folder.options(&arguments.run, default);
    if arguments.emit.is_some() {
        let threads = arguments.run.threads.unwrap_or(NonZeroUsize::MIN);
        let device = arguments.device.name().map(str::to_owned);
        return print(&slurm(&sweep, &options.output, &SlurmOptions { threads, jobs: arguments.jobs, device })?);
    }
    if arguments.table {
        return finish(arguments, write_table(&sweep, &options.output)?);
    }
    let max_memory = arguments.run.max_memory();
    let run = arguments.device.of_runs(&sweep.device_scene()?, options)?;
    let report = run_sweep(&sweep, &SweepOptions { run, jobs: arguments.jobs, max_memory })?;
    finish(arguments, report)
}

/// Prints the end of a sweep. Failed runs are an error, with the exit code of the first.
fn finish(arguments: &Arguments, report: SweepReport) -> Result<(), CliError> {
    if !arguments.run.log().is_silent() {
        print(&report.to_string())?;
    }
    let (failed, runs) = (report.failures.len(), report.rows.len());
    let Some(first) = report.failures.into_iter().next() else { return Ok(()) };
    let CliError { code, message } = first.error.into();
    let others = if failed > 1 { format!("; {} has the others", report.table.display()) } else { String::new() };
    Err(CliError { code, message: format!("{failed} of {runs} runs failed: {}: {message}{others}", first.name) })
}
