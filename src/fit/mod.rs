//! `bdem fit`.
//!
//! ```text
//! file      the fit's TOML, checked
//! targets   what runs are compared with
//! problem   loss and gradient of a scene with the parameters' values
//! journal   evaluations on disk, from which a fit resumes
//! report    table, charts and the fitted scene
//! ```

mod file;
mod journal;
mod problem;
mod report;
mod targets;

use std::cell::{Cell, RefCell};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bdem_fit::error::FitError;
use bdem_fit::minimize::{Evaluation, Limits, Minimum, minimize};
use bdem_run::output::{Lock, OutputError};
use bdem_run::run::{RunError, memory};
use bdem_run::scene::Scene;
use clap::Args;

use super::{CliError, FolderArguments, RunArguments, print, signals};
use file::{FitFile, MethodName};
use journal::Journal;
use problem::{Runs, SceneLoss};
use report::Row;
use targets::Targets;

/// Finds parameters of a scene from what was seen: frames, tracks of points, columns of metrics, or a load curve
///
/// FIT.toml names the scene, its keys that vary with their bounds, the targets, and the method. `bdem new fit` writes one that
/// explains every line. The folder gets evaluations.csv, charts of loss and parameters, and the fitted scene.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// File of the fit (TOML)
    fit: PathBuf,
    #[command(flatten)]
    folder: FolderArguments,
    /// Runs at once, for methods that need several [default: as many as threads and memory allow]
    #[arg(long, value_name = "N")]
    side_by_side: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

const EXAMPLES: &str = "Examples:
  bdem new fit                                      writes fit.toml and fit_scene.toml, a fit to start from
  bdem fit fit.toml                                 out/fit/NAME/fitted.toml and more
  bdem fit fit.toml --resume                        goes on with a fit that was stopped
  bdem simulate out/fit/NAME/fitted.toml            runs the fitted scene";

/// File of the evaluations.
const JOURNAL: &str = "evaluations.bin";

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let log = arguments.run.log();
    let file = FitFile::read(&arguments.fit)?;
    let start = file.start();
    let scene = Scene::load_with(&file.scene(), &file.settings(&start)).map_err(|error| file.at_parameter(error))?;
    arguments.run.check_memory(&[&scene])?;
    let (_, state) = scene.build()?;
    let targets = Targets::read(&file, &scene, &state)?;
    let folder =
        arguments.folder.output.clone().unwrap_or_else(|| ["out", "fit", &file.tables.fit.name].iter().collect());
    let (journal, _lock) = arguments.open(&folder, &file, &scene)?;
    let _guard = signals::INTERRUPT.guard().map_err(RunError::Interrupted)?;
    let threads = rayon::current_num_threads();
    let problem = SceneLoss {
        runs: Runs { file: &file, targets: &targets, folder: &folder, log },
        journal: RefCell::new(journal),
        side_by_side: arguments.side_by_side(&scene, threads),
        threads,
        report: RefCell::default(),
        is_first: Cell::new(true),
    };
    check_parameters(&problem.runs, &start)?;
    let earlier = problem.journal.borrow().earlier;
    if earlier > 0 {
        log.note(&format!("resuming after {earlier} evaluations"));
    }
    let mut rows = Vec::new();
    let begun = Instant::now();
    let fit = &file.tables.fit;
    let mut progress = |evaluation: &Evaluation| {
        rows.push(Row::new(evaluation));
        if !log.is_silent() && evaluation.number > earlier {
            let seconds = begun.elapsed().as_secs_f64() / (evaluation.number - earlier) as f64;
            log.note(&report::line(&file, evaluation, seconds, fit.evaluations));
        }
    };
    let limits = Limits { evaluations: fit.evaluations, loss: fit.loss };
    let minimum = minimize(file.method(), &start, &file.bounds(), limits, &mut progress, &problem);
    let written = report::write(&folder, &file, &rows);
    let minimum = minimum.map_err(|error| explain(&file, error))?;
    written?;
    finish(&problem.runs, &folder, &minimum)?;
    if log.is_silent() { Ok(()) } else { print(&report::summary(&file, &folder, &minimum, &problem.report.borrow())) }
}

impl Arguments {
    /// Folder of the fit, locked, and its journal.
    fn open(&self, folder: &Path, file: &FitFile, scene: &Scene) -> Result<(Journal, Lock), CliError> {
        let journal = folder.join(JOURNAL);
        if journal.exists() && !self.folder.overwrite && !self.folder.resume {
            let message = format!(
                "{} holds a fit: --resume it, --overwrite it, or name another folder with -o",
                folder.display()
            );
            return Err(CliError { code: 2, message });
        }
        fs::create_dir_all(folder).map_err(OutputError::file("make the folder", folder))?;
        let lock = Lock::acquire(folder)?;
        if self.folder.overwrite && journal.exists() {
            fs::remove_file(&journal).map_err(OutputError::file("remove", &journal))?;
        }
        let inputs = [file.text(), &scene.digest()];
        let open = Journal::open(&journal, &inputs, self.folder.resume)?;
        let message = || {
            format!("{} is of another fit or scene: --overwrite it, or name another folder with -o", journal.display())
        };
        Ok((open.ok_or_else(|| CliError { code: 6, message: message() })?, lock))
    }

    /// Runs at once.
    fn side_by_side(&self, scene: &Scene, threads: usize) -> NonZeroUsize {
        let machine = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let most = self.run.max_memory.map(|size| size.as_u64()).or_else(|| memory::free(Path::new("/")));
        let fitting = most.map_or(machine.get(), |bytes| (bytes / memory::estimate(scene).max(1)) as usize);
        let fitting = NonZeroUsize::new(fitting.min(machine.get())).unwrap_or(NonZeroUsize::MIN);
        self.side_by_side.unwrap_or(fitting)
    }
}

/// Whether the world changes with every parameter, and in what the method follows.
fn check_parameters(runs: &Runs, start: &[f64]) -> Result<(), CliError> {
    for (k, parameter) in runs.file.tables.parameters.iter().enumerate() {
        let change = runs.change(start, k).map_err(CliError::from)?;
        let name = parameter.key.get_ref().name();
        let wrong = |message: String, help: &str| runs.file.error(parameter.key.span(), message, help);
        if change.is_empty() {
            let message = format!("nothing depends on {name}");
            return Err(wrong(message, "name a key that the run depends on").into());
        }
        if let Some(what) = change.unfollowed()
            && *runs.file.tables.fit.method.get_ref() == MethodName::Lbfgs
        {
            let message = format!("{name} changes {what}, which gradients do not follow");
            return Err(wrong(message, "take the method gauss-newton or nelder-mead").into());
        }
    }
    Ok(())
}

/// Error of a fit at the line that caused it.
fn explain(file: &FitFile, error: FitError) -> CliError {
    let at_method = |error: &FitError| {
        let help = "see `bdem new fit` for the methods and what each needs";
        CliError::from(file.error(file.tables.fit.method.span(), error.to_string(), help))
    };
    match error {
        FitError::Evaluation(error) => match error.downcast::<RunError>() {
            Ok(error) => (*error).into(),
            Err(error) => CliError { code: 4, message: error.to_string() },
        },
        FitError::Interrupted => {
            let signal = signals::INTERRUPT.signal().unwrap_or(2);
            RunError::Interrupted(signal).into()
        }
        error @ (FitError::Integrator { .. }
        | FitError::Step { .. }
        | FitError::Model { .. }
        | FitError::Unfollowed { .. }
        | FitError::Breaks { .. }) => at_method(&error),
        error @ (FitError::Memory { .. } | FitError::Storage(_)) => CliError { code: 5, message: error.to_string() },
        error => CliError { code: 4, message: error.to_string() },
    }
}

/// Writes the fitted scene.
fn finish(runs: &Runs, folder: &Path, minimum: &Minimum) -> Result<(), CliError> {
    let scene = runs.scene(&minimum.parameters)?;
    report::write_text(&folder.join("fitted.toml"), &scene.resolved_toml())?;
    let sets: String = runs.file.settings(&minimum.parameters).iter().map(|set| format!("--set {set}\n")).collect();
    report::write_text(&folder.join("fitted.txt"), &sets)
}
