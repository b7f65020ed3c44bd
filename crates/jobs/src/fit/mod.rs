//! Fit of a scene's parameters to observations.
//!
//! ```text
//! file       the fit's TOML, checked
//! table      CSV files of targets
//! targets    frames, tracks and tables that runs are compared with
//! residuals  comparisons of the caller, in place of targets
//! folder     files of a fit
//! problem    loss and gradient of a scene with the parameters' values
//! journal    evaluations on disk, from which a fit resumes
//! doubts     reasons why the answer may be none
//! report     table, charts and text of the answer
//! ```

mod doubts;
mod file;
mod folder;
mod journal;
mod problem;
mod report;
mod residuals;
mod table;
mod targets;

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use bdem_fit::error::FitError;
use bdem_fit::minimize::{Evaluation, Minimum, minimize};
use bdem_run::output::{Lock, check_folder, make_folder};
use bdem_run::run::{ExistingRun, RunError, RunOptions, memory};
use bdem_run::scene::{Scene, SceneInputs};
use sha2::{Digest, Sha256};

use crate::error::JobError;
use crate::files::write_text;

use file::MethodName;
use journal::{Input, Journal};
use problem::{Runs, SceneLoss};
use report::Row;
use targets::Targets;

pub use file::FitFile;
pub use report::FitReport;
pub use residuals::RunResiduals;

/// Options of a fit besides its file.
#[derive(Clone, Debug, Default)]
pub struct FitOptions {
    /// Output folder, treatment of a fit there, log, packings, and a request to stop.
    pub run: RunOptions,
    /// Limit on the memory of the runs, bytes. None for the free memory.
    pub max_memory: Option<u64>,
    /// Number of simultaneous runs, for methods that need several. Without one, the threads and the memory limit it.
    pub side_by_side: Option<NonZeroUsize>,
    /// Version of the program, on which the bits of evaluations may depend: a fit resumes with the same one alone.
    pub version: String,
}

/// Finds the parameters of the least loss. Their scene, a table of evaluations and charts are written to the output folder.
///
/// # Errors
/// When the file, its scene or a target is wrong; when the folder is in use, or holds another fit; when an evaluation fails, or a stop
/// is requested. Evaluations are kept: the fit resumes after them.
pub fn fit(file: &FitFile, options: &FitOptions) -> Result<FitReport, JobError> {
    file.check_targets()?;
    Fit { file, residuals: None, options }.run()
}

/// The same, with residuals of the caller beside those of the file's targets, of which there may be none.
///
/// # Errors
/// As of [`fit`]; also when residuals fail, and for the method lbfgs, which needs gradients.
pub fn fit_to(file: &FitFile, residuals: &dyn RunResiduals, options: &FitOptions) -> Result<FitReport, JobError> {
    file.check_method_of_residuals()?;
    Fit { file, residuals: Some(residuals), options }.run()
}

/// Loss of a fit and its derivatives by the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    /// Sum over the targets.
    pub loss: f64,
    /// Derivative by each parameter, in the order of the file.
    pub by_parameter: Vec<f64>,
}

/// Loss of the file's targets and its derivatives at these `values` of the parameters, for optimisers of the caller. Nothing is written
/// but what a sweep keeps on disk.
///
/// # Errors
/// When the file, its scene or a target is wrong; when there is another number of values; when the scene has what gradients do not
/// follow; or when a stop is requested.
pub fn slope(file: &FitFile, values: &[f64], options: &FitOptions) -> Result<Slope, JobError> {
    file.check_targets()?;
    let wanted = file.names().count();
    if values.len() != wanted {
        return Err(JobError::Usage(format!("{} values are given for the fit's {wanted} parameters", values.len())));
    }
    let inputs = SceneInputs::read(&file.scene())?;
    let scene = inputs.scene(&file.settings(values)).map_err(|error| file.at_parameter(error))?;
    memory::check(&[&scene], options.max_memory)?;
    let targets = Targets::read(file, None, &scene, &scene.build()?)?;
    let runs = Runs { file, inputs: &inputs, targets: &targets, options: &options.run };
    let numbers = rayon::scope(|_| runs.gradient(values));
    let (numbers, _) = numbers.map_err(|error| Fit { file, residuals: None, options }.explain(error))?;
    Ok(Slope { loss: numbers[0], by_parameter: numbers[1..].to_vec() })
}

/// A fit, its targets and its options.
struct Fit<'a> {
    file: &'a FitFile,
    residuals: Option<&'a dyn RunResiduals>,
    options: &'a FitOptions,
}

impl Fit<'_> {
    fn run(&self) -> Result<FitReport, JobError> {
        let Self { file, options, .. } = self;
        let (log, folder) = (options.run.log, options.run.output.as_path());
        let start = file.start();
        let inputs = SceneInputs::read(&file.scene())?;
        let scene = inputs.scene(&file.settings(&start)).map_err(|error| file.at_parameter(error))?;
        memory::check(&[&scene], options.max_memory)?;
        check_folder(folder)?;
        if options.run.existing_run != ExistingRun::Overwrite {
            folder::check(folder, options.resumes())?;
        }
        let targets = Targets::read(file, self.residuals, &scene, &scene.build()?)?;
        let runs = Runs { file, inputs: &inputs, targets: &targets, options: &options.run };
        check_parameters(&runs, &start)?;
        let (journal, _lock) = options.open(&runs)?;
        let _guard = options.run.interrupt.guard().map_err(RunError::Interrupted)?;
        let threads = rayon::current_num_threads();
        let earlier = journal.earlier;
        let problem = SceneLoss {
            runs,
            journal: RefCell::new(journal),
            side_by_side: options.side_by_side(&scene, threads),
            threads,
            report: RefCell::default(),
            is_first: Cell::new(earlier == 0),
        };
        if earlier > 0 {
            log.note(&format!("resuming after {earlier} evaluations"));
        }
        let (minimum, rows) = self.minimize(&problem, &start, earlier);
        let written = report::write(folder, file, &rows);
        let minimum = minimum.map_err(|error| self.explain(error))?;
        written?;
        finish(&problem.runs, folder, &minimum)?;
        let doubts = doubts::about(&problem, &minimum).map_err(|error| self.explain(error));
        Ok(FitReport {
            parameters: file.names().map(str::to_owned).zip(minimum.parameters.iter().copied()).collect(),
            settings: file.settings(&minimum.parameters),
            minimum,
            contact_changes: problem.report.borrow().contact_changes.len(),
            scene: folder.join(folder::FITTED),
            doubts,
        })
    }

    /// The minimum, and the evaluations up to it or to its failure, which are logged.
    fn minimize(&self, problem: &SceneLoss, start: &[f64], earlier: usize) -> (Result<Minimum, FitError>, Vec<Row>) {
        let (file, log) = (self.file, self.options.run.log);
        let mut rows = Vec::new();
        let begun = Instant::now();
        let limits = file.tables.fit.limits();
        let mut progress = |evaluation: &Evaluation| {
            rows.push(Row::new(evaluation));
            if !log.is_silent() && evaluation.number > earlier {
                let seconds = begun.elapsed().as_secs_f64() / (evaluation.number - earlier) as f64;
                log.note(&report::line(file, evaluation, seconds, limits.evaluations));
            }
        };
        let minimum = minimize(file.method(), start, &file.bounds(), limits, &mut progress, problem);
        (minimum, rows)
    }

    /// Error of a fit at the line that caused it.
    fn explain(&self, error: FitError) -> JobError {
        let file = self.file;
        let at_method = |error: &FitError| {
            let help = "see `bdem new fit` for the methods and what each needs";
            JobError::from(file.error(file.tables.fit.method.span(), error.to_string(), help))
        };
        match error {
            FitError::Evaluation(error) => match error.downcast::<RunError>() {
                Ok(error) => (*error).into(),
                Err(error) => JobError::Unsolved(error.to_string()),
            },
            FitError::Interrupted => {
                let signal = self.options.run.interrupt.signal().unwrap_or(2);
                RunError::Interrupted(signal).into()
            }
            error @ (FitError::Integrator { .. }
            | FitError::Step { .. }
            | FitError::TooManySteps { .. }
            | FitError::Model { .. }
            | FitError::Unfollowed { .. }
            | FitError::Breaks { .. }) => at_method(&error),
            error @ (FitError::Memory { .. } | FitError::Storage(_)) => JobError::Resources(error.to_string()),
            error => JobError::Unsolved(error.to_string()),
        }
    }
}

impl FitOptions {
    fn resumes(&self) -> bool {
        self.run.existing_run == ExistingRun::Resume
    }

    /// All that the evaluations of a fit depend on.
    fn inputs(&self, runs: &Runs) -> Vec<Input> {
        let program = Input { name: "bdem".to_owned(), digest: self.version.clone() };
        let fit = Input::new(runs.file.path(), &Sha256::digest(runs.file.text()));
        let scene = runs.inputs.digests();
        let scene = scene.into_iter().map(|(path, sum)| Input::new(path.display().to_string(), &sum));
        [program, fit].into_iter().chain(scene).chain(runs.targets.inputs(runs.file)).collect()
    }

    /// Journal of the fit in its folder, which is locked.
    fn open(&self, runs: &Runs) -> Result<(Journal, Lock), JobError> {
        let folder = self.run.output.as_path();
        make_folder(folder)?;
        let lock = Lock::acquire(folder)?;
        folder::remove_parts(folder)?;
        match self.run.existing_run {
            ExistingRun::Overwrite => folder::clear(folder)?,
            // another fit may have ended there meanwhile
            _ => folder::check(folder, self.resumes())?,
        }
        let (path, inputs) = (folder.join(folder::JOURNAL), self.inputs(runs));
        let journal = match self.resumes() && folder::has(folder, folder::JOURNAL) {
            true => Journal::resume(&path, &inputs, runs.shape())?,
            false => Journal::begin(&path, &inputs)?,
        };
        Ok((journal, lock))
    }

    /// Runs at once.
    fn side_by_side(&self, scene: &Scene, threads: usize) -> NonZeroUsize {
        let machine = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        let most = self.max_memory.or_else(|| memory::free(Path::new("/")));
        let fitting = most.map_or(machine.get(), |bytes| (bytes / memory::estimate(scene).max(1)) as usize);
        let fitting = NonZeroUsize::new(fitting.min(machine.get())).unwrap_or(NonZeroUsize::MIN);
        self.side_by_side.unwrap_or(fitting)
    }
}

/// Whether the world changes with every parameter, and in what the method follows.
fn check_parameters(runs: &Runs, start: &[f64]) -> Result<(), JobError> {
    for (k, parameter) in runs.file.tables.parameters.iter().enumerate() {
        let change = runs.change(start, k)?;
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

/// Writes the fitted scene.
fn finish(runs: &Runs, folder: &Path, minimum: &Minimum) -> Result<(), JobError> {
    let scene = runs.scene(&minimum.parameters)?;
    write_text(&folder.join(folder::FITTED), &scene.resolved_toml())?;
    let sets: String = runs.file.settings(&minimum.parameters).iter().map(|set| format!("--set {set}\n")).collect();
    Ok(write_text(&folder.join(folder::SETTINGS), &sets)?)
}
