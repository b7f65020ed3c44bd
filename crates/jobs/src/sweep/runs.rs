use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use bdem_run::output::{Lock, RECORD, RunFolder, RunRecord, RunState, RunStatus, check_folder, make_folder};
use bdem_run::run::runtime_estimate::duration;
use bdem_run::run::{ExistingRun, LogLevel, LogOptions, RunError, RunOptions, check_integrator, simulate};

use super::table::{TABLE, rows, write_rows};
use super::{CheckedSweep, Point, SweepOptions};
use crate::error::JobError;
use crate::side_by_side;
use crate::table::Row;

/// Result of a sweep. Its text is what `bdem sweep` prints.
#[derive(Debug)]
#[non_exhaustive]
pub struct SweepReport {
    /// A row for each run.
    pub rows: Vec<Row>,
    /// Runs that failed.
    pub failures: Vec<Failure>,
    /// File of the table (CSV).
    pub table: PathBuf,
}

/// Run of a sweep that failed.
#[derive(Debug)]
pub struct Failure {
    /// Name of its folder.
    pub name: String,
    /// Reason.
    pub error: RunError,
}

/// Runs a sweep, each run in a folder of its own within the output folder, several at once. The table of the runs is written there at the
/// end. A run that fails does not end the others: see [`SweepReport::failures`].
///
/// # Errors
/// When the runs do not fit into memory, the device does not take the steps of one, the output folder is in use, the table cannot
/// be written, or a stop is requested. Runs are kept then, and the table has their states: with [`ExistingRun::Resume`] the sweep
/// goes on.
pub fn run(sweep: &CheckedSweep, options: &SweepOptions) -> Result<SweepReport, JobError> {
    let folder = &options.run.output;
    check_folder(folder)?;
    let threads = rayon::current_num_threads();
    let jobs = sweep.jobs(options, threads)?;
    if let Some(device) = &options.run.device {
        check_integrator(&**device, &sweep.device_scene()?)?;
    }
    make_folder(folder)?;
    let lock = Lock::acquire(folder)?;
    lock.warning().iter().for_each(|warning| options.run.log.warn(warning));
    if options.run.existing_run == ExistingRun::Keep {
        check_free(sweep, options)?;
    }
    let interrupt = &options.run.interrupt;
    let _guard = interrupt.guard().map_err(RunError::Interrupted)?;
    let each = (threads / jobs).max(1);
    let noun = if each == 1 { "thread" } else { "threads" };
    options.run.log.note(&format!("{} runs, {jobs} at once, each on {each} {noun}", sweep.points.len()));
    let progress = Progress::new(sweep.points.len(), options.run.log);
    let ends = side_by_side::map(&sweep.points, jobs, threads, |point| run_one(sweep, options, point, &progress));
    let rows = rows(sweep, folder, &ends);
    let table = folder.join(TABLE);
    write_rows(&table, &rows)?;
    if let Some(signal) = interrupt.signal() {
        return Err(RunError::Interrupted(signal).into());
    }
    let failed =
        |(point, end): (&Point, Result<(), RunError>)| Some(Failure { name: point.name.clone(), error: end.err()? });
    Ok(SweepReport { rows, failures: sweep.points.iter().zip(ends).filter_map(failed).collect(), table })
}

/// Checks that no folder of a run is in use.
fn check_free(sweep: &CheckedSweep, options: &SweepOptions) -> Result<(), JobError> {
    let folders = sweep.points.iter().map(|point| options.run.output.join(&point.name));
    let Some(used) = folders.into_iter().find(|folder| RunFolder::holds_run(folder)) else { return Ok(()) };
    let message = format!(
        "{} holds a run already: --resume goes on with the sweep, --overwrite replaces its runs, --output names another folder",
        used.display()
    );
    Err(JobError::Usage(message))
}

/// A run of the sweep. None of it is done after a request to stop.
fn run_one(sweep: &CheckedSweep, options: &SweepOptions, point: &Point, progress: &Progress) -> Result<(), RunError> {
    if let Some(signal) = options.run.interrupt.signal() {
        return Err(RunError::Interrupted(signal));
    }
    let output = options.run.output.join(&point.name);
    let begun = Instant::now();
    let was_done = options.run.existing_run == ExistingRun::Resume
        && RunRecord::read(&output.join(RECORD)).is_ok_and(|record| record.state == RunState::Done);
    let options =
        RunOptions { output, log: LogOptions { level: LogLevel::Quiet, ..options.run.log }, ..options.run.clone() };
    let end = sweep.scene(point).map_err(RunError::from).and_then(|scene| simulate(&scene, &options));
    if !matches!(end, Err(RunError::Interrupted(_))) {
        progress.tell(point, &end, begun.elapsed().as_secs_f64(), was_done);
    }
    end.map(drop)
}

/// Progress of a sweep on the log, a line a run.
struct Progress {
    runs: usize,
    log: LogOptions,
    begun: Instant,
    done: Mutex<Done>,
}

/// Numbers of runs that have ended.
#[derive(Default)]
struct Done {
    all: usize,
    /// Those that an earlier sweep had completed, which take no time.
    earlier: usize,
}

impl Progress {
    fn new(runs: usize, log: LogOptions) -> Self {
        Self { runs, log, begun: Instant::now(), done: Mutex::default() }
    }

    fn tell(&self, point: &Point, end: &Result<RunRecord, RunError>, seconds: f64, was_done: bool) {
        let mut done = self.done.lock().expect("no line panics");
        done.all += 1;
        done.earlier += usize::from(was_done);
        let result = match end {
            Ok(_) if was_done => "complete already".to_owned(),
            Ok(record) => format!(
                "{} of {} bonds broken, {} pieces, in {}",
                record.bonds_broken,
                record.bonds + record.bonds_broken,
                record.pieces,
                duration(seconds)
            ),
            Err(error) => format!("failed: {error}"),
        };
        let left = self.runs - done.all;
        let each = self.begun.elapsed().as_secs_f64() / (done.all - done.earlier).max(1) as f64;
        let left = match left {
            0 => String::new(),
            _ if done.all == done.earlier => "  left unknown".to_owned(),
            _ => format!("  left {}", duration(each * left as f64)),
        };
        let (share, all) = (100.0 * done.all as f64 / self.runs as f64, done.all);
        self.log.note(&format!("Progress: {share:.1}%  run {all}/{}  {}: {result}{left}", self.runs, point.name));
    }
}

/// States in the order in which they are counted.
const STATES: [RunStatus; 7] = [
    RunStatus::Finished,
    RunStatus::Failed,
    RunStatus::Stopped,
    RunStatus::Dead,
    RunStatus::Running,
    RunStatus::Packing,
    RunStatus::Absent,
];

impl Display for SweepReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = |state: RunStatus| self.rows.iter().filter(|row| row.state == state).count();
        let counts = STATES.map(|state| (count(state), state)).into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, state)| format!("{count} {state}")).collect();
        writeln!(f, "{} runs: {}; the table is {}", self.rows.len(), counts.join(", "), self.table.display())
    }
}
