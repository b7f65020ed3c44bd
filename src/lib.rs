//! The command line `bdem`: one file a command, which parses, calls the crates below and reports, without physics.
//!
//! The program calls [`main`], and the tests of the documentation [`command`]. Programs that use `bdem` as a library take
//! `bdem-core`, `bdem-run` or `bdem-pictures`.
//!
//! ```
//! assert_eq!(bdem::command().get_name(), "bdem");
//! ```

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]
// a message that cannot be written must not end a command: console drops it
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod asset;
mod calibrate;
mod check;
mod clip;
mod compare;
mod completions;
mod convert;
mod device;
mod fit;
mod info;
mod man;
mod new;
mod old_names;
mod output;
mod pieces;
mod plot;
mod render;
mod schema;
mod signals;
mod simulate;
mod study;
mod surface;
mod sweep;
mod version;
mod view;

use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use bdem_jobs::error::JobError;
use bdem_run::console;
use bdem_run::output::OutputError;
use bdem_run::run::memory::{self, TooLarge};
use bdem_run::run::{ExistingRun, LogLevel, LogOptions, RunError, RunOptions, shared_packings};
use bdem_run::scene::{Scene, SceneError, Setting};
use bytesize::ByteSize;
use clap::{Args, CommandFactory, Parser};

const EXAMPLES: &str = "Examples:
  bdem new drop                                     writes drop.toml, a scene to start from
  bdem check scenes/plate.toml                      checks a scene and estimates its run time
  bdem simulate scenes/plate.toml                   runs it; frames go to out/plate/ply
  bdem simulate scenes/plate.toml --set materials.ceramic.tensile_strength=8e6 -o out/strong
  bdem sweep scenes/plate.toml --seeds 1-6          runs it with six seeds, and makes a table of them
  bdem compare scenes/beam_stretch.toml --explicit-frames 1     implicit steps beside explicit ones
  bdem fit fit.toml                                 finds parameters of a scene from what was seen
  bdem info out/plate                               summary of a run
  bdem info out/*                                   a row for each run of a sweep
  bdem convert out/plate --to ply                   meshes of its pieces; they go to out/plate/surface
  bdem convert out/plate --to usd                   its moving pieces in one file, for Blender and others
  bdem render out/plate                             pictures of its frames; they go to out/plate/render

Exit codes: 0 success, 2 usage, 3 invalid scene, 4 the solver gave up, 5 input, output or memory failed,
6 checkpoint and scene do not match, 7 compare fell below its baseline, 8 the answer of fit or calibrate may be wrong, 129, 130 and 143 stopped by SIGHUP, SIGINT
and SIGTERM.";

/// Breaks plates, cloth, chocolate and glass by the Bonded Discrete Element Method.
#[derive(Debug, Parser)]
#[command(version = version::LINE.as_str(), after_help = EXAMPLES)]
enum Command {
    Simulate(simulate::Arguments),
    Sweep(sweep::Arguments),
    Compare(compare::Arguments),
    Study(study::Arguments),
    Check(check::Arguments),
    Fit(fit::Arguments),
    Calibrate(calibrate::Arguments),
    Info(info::Arguments),
    Convert(convert::Arguments),
    Plot(plot::Arguments),
    View(view::Arguments),
    Devices(device::Arguments),
    Render(render::Arguments),
    New(new::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    fn run(&self) -> Result<(), CliError> {
        match self {
            Self::Simulate(arguments) => simulate::run(arguments),
            Self::Sweep(arguments) => sweep::run(arguments),
            Self::Compare(arguments) => compare::run(arguments),
            Self::Study(arguments) => study::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Fit(arguments) => fit::run(arguments),
            Self::Calibrate(arguments) => calibrate::run(arguments),
            Self::Info(arguments) => info::run(arguments),
            Self::Convert(arguments) => convert::run(arguments),
            Self::Plot(arguments) => plot::run(arguments),
            Self::View(arguments) => view::run(arguments),
            Self::Devices(arguments) => device::run(arguments),
            Self::Render(arguments) => render::run(arguments),
            Self::New(arguments) => new::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::Completions(arguments) => completions::run(arguments),
            Self::Man(arguments) => man::run(arguments),
        }
    }

    /// Log options of the command.
    fn log(&self) -> LogOptions {
        match self {
            Self::Simulate(simulate::Arguments { run, .. })
            | Self::Sweep(sweep::Arguments { run, .. })
            | Self::Compare(compare::Arguments { run, .. })
            | Self::Check(check::Arguments { run, .. })
            | Self::Fit(fit::Arguments { run, .. })
            | Self::Calibrate(calibrate::Arguments { run, .. }) => run.log(),
            Self::Study(arguments) => arguments.log(),
            Self::Info(_)
            | Self::Convert(_)
            | Self::Plot(_)
            | Self::View(_)
            | Self::Devices(_)
            | Self::Render(_)
            | Self::New(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Man(_) => LogOptions::default(),
        }
    }
}

/// Scene file and the values that replace its own.
#[derive(Debug, Args)]
struct SceneArguments {
    /// Scene file (TOML)
    scene: PathBuf,
    /// Number of frames, instead of the scene's time.frames
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Integrator, instead of the scene's time.integrator: auto, implicit-euler, implicit-bdf2, implicit-midpoint,
    /// explicit-verlet or explicit-rodrigues
    #[arg(long, value_name = "NAME")]
    integrator: Option<String>,
    /// Value of a scene key, such as time.step=1e-5 or bodies.plate.position=[0,0,0.1]; may be repeated
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
}

impl SceneArguments {
    /// Values that replace the scene's own.
    fn settings(&self) -> Vec<Setting> {
        let option = |key: &str, option: &str, value: String| Setting {
            set: format!("{key}={value}"),
            option: Some(format!("{option} {value}")),
        };
        let frames = self.frames.map(|n| option("time.frames", "--frames", n.to_string()));
        let integrator = self.integrator.clone().map(|name| option("time.integrator", "--integrator", name));
        Setting::all(&self.set).into_iter().chain(frames).chain(integrator).collect()
    }

    /// The scene. Values outside their usual ranges are warned of.
    fn load(&self, log: LogOptions) -> Result<Scene, SceneError> {
        let scene = Scene::load_set(&self.scene, &self.settings())?;
        scene.warnings().iter().for_each(|warning| log.warn(warning));
        Ok(scene)
    }
}

/// Output folder, and the use of what it holds.
#[derive(Debug, Args)]
struct FolderArguments {
    /// Output folder [default: out/NAME, that of a fit out/fit/NAME, of a sweep out/sweep/NAME]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace what the output folder holds
    #[arg(long)]
    overwrite: bool,
    /// Resume what the output folder holds, with the same bits, or start where it holds nothing
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,
}

impl FolderArguments {
    fn existing_run(&self) -> ExistingRun {
        match (self.overwrite, self.resume) {
            (true, _) => ExistingRun::Overwrite,
            (_, true) => ExistingRun::Resume,
            _ => ExistingRun::Keep,
        }
    }

    /// Options of runs in this folder, or the default one.
    fn options(&self, run: &RunArguments, default: impl FnOnce() -> PathBuf) -> RunOptions {
        RunOptions {
            output: self.output.clone().unwrap_or_else(default),
            existing_run: self.existing_run(),
            log: run.log(),
            packing_cache: shared_packings(),
            // arguments that are not UTF-8 are recorded with replacement characters
            command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            build: version::build(),
            interrupt: signals::INTERRUPT.clone(),
            on_frame: None,
            device: None,
        }
    }
}

/// Resources and log of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
struct RunArguments {
    /// Number of threads [default: all of the machine's]. The results do not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Limit on the memory of the run, such as 8GB or 512MiB [default: the free memory]
    #[arg(long, value_name = "SIZE")]
    max_memory: Option<ByteSize>,
    /// Print errors only
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print a line a frame: steps, cuts, iterations, seconds
    #[arg(short, long)]
    verbose: bool,
    /// Form of the log on stderr: text, or json (one object a line)
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    log_format: String,
}

impl RunArguments {
    fn log(&self) -> LogOptions {
        let level = match (self.quiet, self.verbose) {
            (true, _) => LogLevel::Quiet,
            (_, true) => LogLevel::Verbose,
            _ => LogLevel::Normal,
        };
        LogOptions { is_json: self.log_format == "json", level }
    }

    /// Limit on the memory, bytes.
    fn max_memory(&self) -> Option<u64> {
        self.max_memory.map(|size| size.as_u64())
    }

    /// Check that runs of these scenes, all at once, fit into memory.
    fn check_memory(&self, scenes: &[&Scene]) -> Result<(), CliError> {
        Ok(memory::check(scenes, self.max_memory())?)
    }

    fn start_threads(&self) -> Result<(), CliError> {
        start_threads(self.threads, self.log())
    }
}

/// Limit on the number of threads: starting more takes seconds, and no machine runs as many at once.
const MAX_THREADS: usize = 1024;

/// Limit on the threads that share a processor. More look for work longer than they do any: 1000 on two processors take ten times as
/// long as 64. Results do not depend on their number.
const MAX_SHARED: usize = 16;

/// Number of threads of all later parallel work. By default all of the machine's.
fn start_threads(threads: Option<NonZeroUsize>, log: LogOptions) -> Result<(), CliError> {
    let machine = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.map_or(machine, usize::from);
    if threads > MAX_THREADS {
        let message =
            format!("--threads {threads}: expected at most {MAX_THREADS}; this machine runs {machine} at once");
        return Err(CliError { code: 2, message });
    }
    let started = threads.min(MAX_SHARED * machine);
    if threads > machine {
        let fewer = if started < threads { format!("; {started} are started") } else { String::new() };
        log.warn(&format!("--threads {threads} is more than this machine's {machine}{fewer}"));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(started)
        .build_global()
        .map_err(|e| CliError { code: 5, message: format!("cannot start {started} threads: {e}") })
}

/// Print to stdout. A closed pipe, as of `head`, is no error.
fn print(text: &str) -> Result<(), CliError> {
    console::result(text).map_err(|e| stdout_failed(&e))
}

fn stdout_failed(e: &io::Error) -> CliError {
    CliError { code: 5, message: format!("cannot write to stdout: {e}") }
}

/// Message for stderr, and the exit code.
#[derive(Debug)]
struct CliError {
    code: u8,
    message: String,
}

impl From<SceneError> for CliError {
    fn from(e: SceneError) -> Self {
        // a scene that is not there is missing on the next try too
        let is_passing = |cause: &io::Error| cause.kind() != ErrorKind::NotFound;
        let code = match &e {
            SceneError::Unreadable { cause, .. } if is_passing(cause) => 5,
            _ => 3,
        };
        Self { code, message: e.to_string() }
    }
}

impl From<OutputError> for CliError {
    fn from(e: OutputError) -> Self {
        // the user has to choose another folder or option: the same call would fail again
        let code = if !matches!(e, OutputError::File { .. }) { 2 } else { 5 };
        Self { code, message: e.to_string() }
    }
}

impl From<RunError> for CliError {
    fn from(e: RunError) -> Self {
        match e {
            RunError::Scene(e) => e.into(),
            RunError::Output(e) => e.into(),
            RunError::GaveUp(_) => Self { code: 4, message: e.to_string() },
            RunError::CheckpointMismatch { .. } => Self { code: 6, message: e.to_string() },
            RunError::Device { .. } => Self { code: 2, message: e.to_string() },
            RunError::Interrupted(signal) => Self { code: 128 + signal as u8, message: e.to_string() },
        }
    }
}

impl From<TooLarge> for CliError {
    fn from(e: TooLarge) -> Self {
        Self { code: 3, message: e.to_string() }
    }
}

impl From<JobError> for CliError {
    fn from(e: JobError) -> Self {
        let code = match e {
            JobError::Run(e) => return e.into(),
            JobError::TooLarge(e) => return e.into(),
            JobError::Usage(_) => 2,
            JobError::Unsolved(_) => 4,
            JobError::OtherInputs(_) => 6,
            // resources of the machine, and kinds of later versions
            _ => 5,
        };
        Self { code, message: e.to_string() }
    }
}

/// Parser of the command line, for documentation.
pub fn command() -> clap::Command {
    Command::command()
}

/// Prints the help, the version, or an error of usage. Returns the exit code.
fn help_or_usage(e: &clap::Error) -> ExitCode {
    match e.print() {
        Err(why) if !e.use_stderr() && why.kind() != ErrorKind::BrokenPipe => {
            fail(LogOptions::default(), &stdout_failed(&why))
        }
        _ => ExitCode::from(e.exit_code() as u8),
    }
}

/// Entry point of the program, with the process's own arguments.
pub fn main() -> ExitCode {
    let (words, notice) = match old_names::translate(std::env::args_os()) {
        Ok(translated) => translated,
        Err(e) => return fail(LogOptions::default(), &e),
    };
    let command = match Command::try_parse_from(words) {
        Ok(command) => command,
        Err(e) => return help_or_usage(&e),
    };
    notice.iter().for_each(|notice| command.log().warn(notice));
    match signals::listen(command.log()).and_then(|()| command.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => fail(command.log(), &e),
    }
}

/// Reports an error. Returns its exit code.
fn fail(log: LogOptions, CliError { code, message }: &CliError) -> ExitCode {
    log.fail(message, *code);
    ExitCode::from(*code)
}
