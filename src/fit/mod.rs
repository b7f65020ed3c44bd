//! `bdem fit`.
//!
//! ```text
//! file      the fit's TOML, checked
//! table     CSV files of targets
//! targets   frames, tracks and tables that runs are compared with
//! folder    files of a fit
//! problem   loss and gradient of a scene with the parameters' values
//! journal   evaluations on disk, from which a fit resumes
//! doubts    reasons why the answer may be none
//! report    table, charts and the fitted scene
//! ```

mod doubts;
mod file;
mod folder;
mod journal;
mod problem;
mod report;
mod table;
mod targets;

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bdem_fit::error::FitError;
use bdem_fit::minimize::{Evaluation, Minimum, minimize};
use bdem_run::output::{Lock, check_folder, make_folder};
use bdem_run::run::{RunError, memory};
use bdem_run::scene::{Scene, SceneInputs};
use clap::Args;
use sha2::{Digest, Sha256};

use super::output::write_text;
use super::{CliError, FolderArguments, RunArguments, print, signals, version};
use file::{FitFile, MethodName};
use journal::{Input, Journal};
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

pub(super) fn run(arguments: &Arguments) -> Result<(), CliError> {
    arguments.run.start_threads()?;
    let log = arguments.run.log();
    let file = FitFile::read(&arguments.fit)?;
    let start = file.start();
    let inputs = SceneInputs::read(&file.scene())?;
    let scene = inputs.scene(&file.settings(&start)).map_err(|error| file.at_parameter(error))?;
    arguments.run.check_memory(&[&scene])?;
    let folder =
        arguments.folder.output.clone().unwrap_or_else(|| ["out", "fit", &file.tables.fit.name].iter().collect());
    check_folder(&folder)?;
    if !arguments.folder.overwrite {
        folder::check(&folder, arguments.folder.resume)?;
    }
    let targets = Targets::read(&file, &scene, &scene.build()?)?;
    let runs = Runs { file: &file, inputs: &inputs, targets: &targets, folder: &folder, log };
    check_parameters(&runs, &start)?;
    let (journal, _lock) = arguments.open(&runs)?;
    let _guard = signals::INTERRUPT.guard().map_err(RunError::Interrupted)?;
    let threads = rayon::current_num_threads();
    let earlier = journal.earlier;
    let problem = SceneLoss {
        runs,
        journal: RefCell::new(journal),
        side_by_side: arguments.side_by_side(&scene, threads),
        threads,
        report: RefCell::default(),
        is_first: Cell::new(earlier == 0),
    };
    if earlier > 0 {
        log.note(&format!("resuming after {earlier} evaluations"));
    }
    let mut rows = Vec::new();
    let begun = Instant::now();
    let limits = file.tables.fit.limits();
    let mut progress = |evaluation: &Evaluation| {
        rows.push(Row::new(evaluation));
        if !log.is_silent() && evaluation.number > earlier {
            let seconds = begun.elapsed().as_secs_f64() / (evaluation.number - earlier) as f64;
            log.note(&report::line(&file, evaluation, seconds, limits.evaluations));
        }
    };
    let minimum = minimize(file.method(), &start, &file.bounds(), limits, &mut progress, &problem);
    let written = report::write(&folder, &file, &rows);
    let minimum = minimum.map_err(|error| explain(&file, error))?;
    written?;
    finish(&problem.runs, &folder, &minimum)?;
    if !log.is_silent() {
        print(&report::summary(&file, &folder, &minimum, &problem.report.borrow()))?;
    }
    let doubts = doubts::about(&problem, &minimum).map_err(|error| explain(&file, error))?;
    if doubts.is_empty() {
        return Ok(());
    }
    Err(CliError { code: 8, message: format!("the fit may be wrong: {}", doubts.join("; ")) })
}

/// All that the evaluations of a fit depend on.
fn inputs_of(runs: &Runs) -> Vec<Input> {
    let program = Input { name: "bdem".to_owned(), digest: version::NUMBER_AND_COMMIT.to_owned() };
    let fit = Input::new(runs.file.name(), &Sha256::digest(runs.file.text()));
    let scene = runs.inputs.digests();
    let scene = scene.into_iter().map(|(path, sum)| Input::new(path.display().to_string(), &sum));
    [program, fit].into_iter().chain(scene).chain(runs.targets.inputs(runs.file)).collect()
}

impl Arguments {
    /// Journal of the fit in its folder, which is locked.
    fn open(&self, runs: &Runs) -> Result<(Journal, Lock), CliError> {
        let folder = runs.folder;
        make_folder(folder)?;
        let lock = Lock::acquire(folder)?;
        folder::remove_parts(folder)?;
        match self.folder.overwrite {
            true => folder::clear(folder)?,
            // another fit may have ended there meanwhile
            false => folder::check(folder, self.folder.resume)?,
        }
        let (path, inputs) = (folder.join(folder::JOURNAL), inputs_of(runs));
        let journal = match self.folder.resume && folder::has(folder, folder::JOURNAL) {
            true => Journal::resume(&path, &inputs, runs.shape())?,
            false => Journal::begin(&path, &inputs)?,
        };
        Ok((journal, lock))
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
        let start = change.moves_start().then_some("where the points of the targets are at the start");
        if let Some(what) = change.unfollowed().or(start)
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
        | FitError::TooManySteps { .. }
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
    write_text(&folder.join(folder::FITTED), &scene.resolved_toml())?;
    let sets: String = runs.file.settings(&minimum.parameters).iter().map(|set| format!("--set {set}\n")).collect();
    write_text(&folder.join(folder::SETTINGS), &sets)
}
