//! The frame loop: steps a frame, breakage, output, progress. And several of them side by side, to compare integrators.

mod checkpoint;
pub mod compare;
mod first_system;
mod interrupt;
mod log;
pub mod memory;
mod progress;
mod recorder;
mod simulation;
mod step_size;

use std::path::PathBuf;
use std::time::Instant;

use crate::output::{OutputError, RunFolder, RunRecord, RunState};
use crate::scene::{Scene, SceneError};

pub use first_system::FirstSystem;
pub use interrupt::Interrupt;
pub use log::{Event, LogFormat, LogLevel, LogOptions};
pub use simulation::{GaveUp, Progress, Simulation, Snapshot};
pub use step_size::StepPlan;

use checkpoint::{Start, UnderWay};
use log::Log;
use progress::ProgressDisplay;
use recorder::Recorder;

/// How a run is to be made, apart from its scene.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where its files go.
    pub output: PathBuf,
    /// What is to become of an earlier run there.
    pub earlier: Earlier,
    /// What it tells of itself.
    pub log: LogOptions,
    /// The words of the command line, for the record.
    pub command_line: Vec<String>,
    pub interrupt: Interrupt,
}

/// What is to become of the run that an output folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// It stays, and the new one is refused.
    #[default]
    Keep,
    Overwrite,
    /// It goes on from its newest checkpoint that is whole; without one it begins anew.
    Resume,
}

/// Why a run ended before its last frame.
#[derive(Debug)]
pub enum RunError {
    /// The scene cannot become a world.
    Scene(SceneError),
    /// The disk refused.
    Output(OutputError),
    /// The solver gave up; what was written is kept.
    GaveUp(GaveUp),
    /// A signal came; what was written is kept.
    Interrupted(i32),
    /// The run cannot go on from what is there.
    Misfit { path: PathBuf, why: String },
}

/// Runs `scene` to its end and returns the record that it left in its folder.
///
/// # Errors
/// See [`RunError`].
pub fn simulate(scene: &Scene, options: &RunOptions) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    let earlier = options.earlier_run(scene)?;
    if let Some((_, Start::Done(record))) = earlier {
        options.log.note("the run is complete: nothing is left to do");
        return Ok(*record);
    }
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(scene, world, state);
    let built = checkpoint::fingerprint(&simulation.world, &simulation.state);
    let record = first_record(scene, options, &simulation, start);
    let (mut recorder, frame) = match earlier {
        Some((folder, Start::At { path, checkpoint })) => {
            let misfit = |why| RunError::Misfit { path: path.clone(), why };
            let frame = checkpoint::recall(&checkpoint, built, &mut simulation).map_err(misfit)?;
            options.log.note(&format!("goes on from {}", path.display()));
            (Recorder::resume(scene, folder, checkpoint.record, &record, start)?, Some(frame))
        }
        Some((folder, Start::Anew | Start::Done(_))) => {
            folder.clear()?;
            (Recorder::new(scene, folder, record, start)?, None)
        }
        None => {
            let overwrite = options.earlier == Earlier::Overwrite;
            let folder = RunFolder::create(&options.output, scene.name(), scene.time.frames, overwrite)?;
            (Recorder::new(scene, folder, record, start)?, None)
        }
    };
    recorder.built = built;
    if let Some(warning) = recorder.warning() {
        options.log.warn(warning);
    }
    let mut log = Log::start(options.log, &recorder.record, scene.time.frames);
    // on a thread of the pool: one outside would have to wake another for every loop
    let outcome = rayon::scope(|_| frames(scene, options, &mut log, &mut simulation, &mut recorder, frame));
    match &outcome {
        Ok(()) => recorder.end(RunState::Done, None)?,
        Err(RunError::Interrupted(_)) => recorder.end(RunState::Interrupted, None)?,
        Err(RunError::GaveUp(why)) => recorder.end(RunState::Failed, Some(why.to_string()))?,
        // the disk that refused a frame will refuse a record too; the first refusal is the one to tell
        Err(RunError::Output(why)) => drop(recorder.end(RunState::Failed, Some(why.to_string()))),
        Err(RunError::Scene(_) | RunError::Misfit { .. }) => {}
    }
    log.end(&recorder.record);
    outcome.map(|()| recorder.record)
}

/// Advances to the last frame, from the first or one `under_way`, and leaves checkpoints.
fn frames(
    scene: &Scene,
    options: &RunOptions,
    log: &mut Log,
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    under_way: Option<UnderWay>,
) -> Result<(), RunError> {
    let frames = scene.time.frames;
    let fresh = UnderWay { left: simulation.plan.per_frame, ..UnderWay::default() };
    if under_way.is_none() {
        recorder.frame(0, simulation, Progress::default(), false)?;
    }
    let mut under_way = under_way.unwrap_or_else(|| fresh.clone());
    for frame in recorder.record.frames + 1..=frames {
        let outcome = advance(simulation, &mut under_way, &options.interrupt);
        if let Err(why) = outcome {
            if matches!(why, RunError::Interrupted(_)) {
                recorder.checkpoint(simulation, &under_way)?;
            }
            return Err(why);
        }
        // no rounding piles up from frame to frame
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        let progress = std::mem::replace(&mut under_way, fresh.clone()).progress;
        let failures = progress.failures;
        let metrics = recorder.frame(frame, simulation, progress, frame == frames)?;
        if frame == frames || recorder.is_checkpoint_due(frame) {
            recorder.checkpoint(simulation, &under_way)?;
        }
        log.frame(&metrics, failures);
    }
    Ok(())
}

/// Runs `scene` to `frame` and writes nothing, for what is to be looked at there.
///
/// # Errors
/// When the scene cannot become a world, a signal came, or the solver gave up.
pub fn advance_to(scene: &Scene, frame: u32, quiet: bool, interrupt: &Interrupt) -> Result<Simulation, RunError> {
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(scene, world, state);
    let mut display = ProgressDisplay::new(0, frame, quiet || frame == 0);
    for frame in 1..=frame {
        let mut under_way = UnderWay { left: simulation.plan.per_frame, ..UnderWay::default() };
        rayon::scope(|_| advance(&mut simulation, &mut under_way, interrupt)).inspect_err(|_| display.end())?;
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        display.frame(frame, "to the start");
    }
    display.end();
    Ok(simulation)
}

/// Advances to the end of a frame. A signal is answered after the step at hand, of which a frame may have many.
fn advance(simulation: &mut Simulation, frame: &mut UnderWay, interrupt: &Interrupt) -> Result<(), RunError> {
    while frame.left > 0 {
        if let Some(signal) = interrupt.signal() {
            return Err(RunError::Interrupted(signal));
        }
        frame.left -= u32::from(simulation.try_step(&mut frame.progress)?);
    }
    Ok(())
}

impl RunOptions {
    /// The folder of the run that is to go on, if there is one, and where; says which checkpoints are not taken.
    fn earlier_run(&self, scene: &Scene) -> Result<Option<(RunFolder, Start)>, RunError> {
        if self.earlier != Earlier::Resume || !RunFolder::holds_run(&self.output) {
            return Ok(None);
        }
        let folder = RunFolder::open(&self.output, scene.name(), scene.time.frames)?;
        let mut skipped = Vec::new();
        let start = checkpoint::find(scene, &folder, &mut skipped);
        skipped.iter().for_each(|why| self.log.warn(&format!("{why}; it is left out")));
        Ok(Some((folder, start?)))
    }
}

fn first_record(scene: &Scene, options: &RunOptions, simulation: &Simulation, start: Instant) -> RunRecord {
    let period = simulation.world.period();
    let mut record = RunRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        command_line: options.command_line.clone(),
        scene: scene.name().into(),
        digest: scene.digest(),
        physics_digest: scene.physics_digest(),
        integrator: scene.time.integrator.to_string(),
        threads: rayon::current_num_threads(),
        particles: simulation.world.particles.len(),
        bonds: simulation.world.whole_bond_count(),
        packings: scene.fillings(&simulation.world),
        step: simulation.plan.step,
        step_in_periods: simulation.plan.step / period,
        period,
        ..Default::default()
    };
    record.seconds.setup = start.elapsed().as_secs_f64();
    record
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scene(e) => e.fmt(f),
            Self::Output(e) => e.fmt(f),
            Self::GaveUp(e) => e.fmt(f),
            Self::Misfit { path, why } => write!(
                f,
                "the run cannot go on from {}: {why}; --overwrite starts anew, --output names another folder",
                path.display()
            ),
            Self::Interrupted(signal) => write!(f, "stopped by signal {signal}; the frames written so far are whole"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<SceneError> for RunError {
    fn from(e: SceneError) -> Self {
        Self::Scene(e)
    }
}

impl From<OutputError> for RunError {
    fn from(e: OutputError) -> Self {
        Self::Output(e)
    }
}

impl From<GaveUp> for RunError {
    fn from(e: GaveUp) -> Self {
        Self::GaveUp(e)
    }
}
