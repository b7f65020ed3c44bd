use std::io::Write;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bdem_core::simulate::IntegratorKind;
use bdem_jobs::check::CheckOptions;
use bdem_run::console;
use bdem_run::output::write_named;
use bdem_run::run::compare::{Baseline, BaselineError, CompareOptions, Comparison, Contender, STABLE_SHARE, compare};
use bdem_run::run::{StepDevice, shared_packings};
use bdem_run::scene::Scene;
use clap::Args;

use super::device::DeviceArguments;
use super::{CliError, RunArguments, SceneArguments, print};

/// Runs a scene under several integrators in turns, and compares their speed and results
///
/// A device takes the steps of explicit-verlet. All other integrators, and those to --from-frame, are on the processors.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Runs to compare. NAME@T has steps of T periods, NAME the scene's step. An explicit NAME stands for two runs:
    /// NAME@stable with the longest stable step, and NAME@0.2 with the papers' step [default: the scene's integrator,
    /// implicit-bdf2 or implicit-euler where it is not implicit, and explicit-verlet]
    #[arg(long, value_name = "NAME[@T],...", value_delimiter = ',')]
    integrators: Vec<String>,
    /// Ratio of the steps of NAME@stable to the computed stability limit
    #[arg(long, value_name = "SHARE", default_value_t = STABLE_SHARE, value_parser = share)]
    share: f64,
    /// Frames over which explicit runs are timed [default: all]
    #[arg(long, value_name = "N")]
    explicit_frames: Option<NonZeroU32>,
    /// Frame from which all runs start. The scene's own integrator brings them there; --frames counts from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    from_frame: u32,
    /// Wall-clock time after which each run ends, s. It ends earlier at its last frame
    #[arg(long, value_name = "S", value_parser = positive)]
    seconds: Option<f64>,
    /// Steps of each run before its clock starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    warm_up: u32,
    /// Times that all runs are repeated, for the noise of the machine: times are medians, with the least and the greatest
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: NonZeroU32,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    pub(super) run: RunArguments,
    #[command(flatten)]
    result: ResultArguments,
}

/// Destination of the result, and its baseline.
#[derive(Debug, Args)]
#[command(next_help_heading = "Result")]
struct ResultArguments {
    /// File for the result as JSON; - for stdout, with the table on stderr
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Earlier --json file of the same scene. Exit code 7 if a speedup is below the one in it
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Share of a baseline's speedup that may be lost
    #[arg(long, value_name = "SHARE", default_value_t = 0.15, value_parser = tolerance, requires = "baseline")]
    tolerance: f64,
    /// Hold results too: share by which broken bonds and energy of a run may differ from the baseline's, 0 for none
    #[arg(long, value_name = "SHARE", value_parser = tolerance, requires = "baseline")]
    results: Option<f64>,
}

const EXAMPLES: &str = "Examples:
  bdem compare scenes/beam_stretch.toml --explicit-frames 1
  bdem compare scenes/plate.toml --integrators implicit-bdf2@5,explicit-verlet --frames 5 --json plate.json
  bdem compare scenes/plate.toml --integrators implicit-bdf2@5,explicit-verlet --frames 5 --baseline plate.json";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let scene = arguments.scene.load(arguments.run.log())?;
    let mut options = options(arguments, &scene)?;
    let runs = options.scenes(&scene);
    let mut packings = options.packings();
    runs.iter().try_for_each(|run| run.check_integrator(&mut packings))?;
    arguments.run.check_memory(&runs.iter().collect::<Vec<_>>())?;
    let baseline = baseline(arguments, &scene, &options.names())?;
    check_place(arguments.result.json.as_deref())?;
    options.device = device(arguments, &runs)?;
    let comparison = compare(&scene, &options)?;
    report(arguments, &comparison)?;
    if let Some((run, why)) = comparison.failure() {
        return Err(CliError { code: 4, message: format!("{run}: {why}") });
    }
    check_baseline(arguments, baseline.as_ref(), &comparison)
}

fn options(arguments: &Arguments, scene: &Scene) -> Result<CompareOptions, CliError> {
    let contenders = match &arguments.integrators[..] {
        [] => Contender::usual(scene),
        words => {
            Contender::parse_all(words).map_err(|why| usage(format!("--integrators {}: {why}", words.join(","))))?
        }
    };
    let explicit_frames = arguments.explicit_frames.map(NonZeroU32::get);
    if let Some(frames) = explicit_frames.filter(|&frames| frames > scene.time.frames) {
        let most = scene.time.frames;
        return Err(usage(format!(
            "--explicit-frames {frames} is more than the {most} frames of all runs; see --frames"
        )));
    }
    Ok(CompareOptions {
        stable_share: arguments.share,
        from_frame: arguments.from_frame,
        explicit_frames,
        most_seconds: arguments.seconds,
        warm_up: arguments.warm_up,
        repeats: arguments.repeat.get(),
        quiet: arguments.run.log().is_silent(),
        packing_cache: shared_packings(),
        ..CompareOptions::new(contenders)
    })
}

/// Device of the runs of explicit-verlet.
fn device(arguments: &Arguments, runs: &[Scene]) -> Result<Option<Arc<dyn StepDevice>>, CliError> {
    let explicit = runs.iter().find(|run| run.time.integrator == IntegratorKind::ExplicitVerlet);
    let check = CheckOptions { log: arguments.run.log(), packing_cache: shared_packings(), ..CheckOptions::default() };
    let device = arguments.device.of(explicit.unwrap_or(&runs[0]), &check)?;
    if let (Some(device), None) = (&device, explicit) {
        let name = device.name();
        return Err(usage(format!(
            "{name} takes the steps of explicit-verlet, which none of the runs has: --integrators adds it, --device cpu leaves the \
             runs to the processors"
        )));
    }
    Ok(device)
}

/// Baseline, read before the runs: an invalid file must not cost an hour.
fn baseline(arguments: &Arguments, scene: &Scene, names: &[String]) -> Result<Option<Baseline>, CliError> {
    let Some(path) = &arguments.result.baseline else { return Ok(None) };
    Ok(Some(Baseline::read(path, scene, arguments.from_frame, names)?))
}

/// Check, before the runs, that the result can be written.
fn check_place(json: Option<&Path>) -> Result<(), CliError> {
    let Some(path) = json.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() && !path.is_dir() {
        return Ok(());
    }
    let message = format!("cannot write {}: name a file in an existing folder", path.display());
    Err(CliError { code: 5, message })
}

/// Table on stdout, and the JSON file.
fn report(arguments: &Arguments, comparison: &Comparison) -> Result<(), CliError> {
    let printed = arguments.print(&comparison.to_string());
    let Some(path) = &arguments.result.json else { return printed };
    let json = serde_json::to_string_pretty(comparison).expect("a comparison can be written as JSON") + "\n";
    if arguments.prints_json() {
        return print(&json);
    }
    // the file first: runs of an hour must not be lost to a full standard output
    write_named(path, |out| out.write_all(json.as_bytes()))?;
    printed
}

/// Comparison with the baseline. Prints what passed.
fn check_baseline(arguments: &Arguments, baseline: Option<&Baseline>, comparison: &Comparison) -> Result<(), CliError> {
    let Some(baseline) = baseline else { return Ok(()) };
    let ResultArguments { tolerance: speed, results, .. } = arguments.result;
    let verdict = baseline.verdict(comparison, speed, results);
    let lines = |are: bool| verdict.iter().filter(move |(passed, _)| *passed == are).map(|(_, line)| line.as_str());
    let passed: String = lines(true).map(|line| format!("passed  {line}\n")).collect();
    let failed: Vec<&str> = lines(false).collect();
    let printed = arguments.print(&passed);
    if failed.is_empty() {
        return printed;
    }
    let results =
        results.map_or_else(String::new, |share| format!(", or other results by more than {}%", 100.0 * share));
    let message = format!("slower than the baseline by more than {}%{results}: {}", 100.0 * speed, failed.join("; "));
    Err(CliError { code: 7, message })
}

impl Arguments {
    fn prints_json(&self) -> bool {
        self.result.json.as_deref() == Some(Path::new("-"))
    }

    /// Prints text for people: to stdout, or to stderr beside JSON.
    fn print(&self, text: &str) -> Result<(), CliError> {
        match (self.run.quiet || text.is_empty(), self.prints_json()) {
            (true, _) => {}
            (_, true) => console::message(text.trim_end()),
            (_, false) => print(text)?,
        }
        Ok(())
    }
}

fn usage(message: String) -> CliError {
    CliError { code: 2, message }
}

impl From<BaselineError> for CliError {
    fn from(e: BaselineError) -> Self {
        match e {
            BaselineError::Unreadable(e) => e.into(),
            BaselineError::Unfit(message) => usage(message),
        }
    }
}

fn number(text: &str, fits: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&x| fits(x)).ok_or_else(|| format!("expected {expected}"))
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x <= 1.0, "a number above 0 and at most 1")
}

fn tolerance(text: &str) -> Result<f64, String> {
    number(text, |x| (0.0..1.0).contains(&x), "a number of at least 0 and below 1")
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x.is_finite(), "a positive number")
}
