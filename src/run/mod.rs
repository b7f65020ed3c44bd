//! The frame loop: steps a frame, breakage, output, progress. And several of them side by side, to compare integrators.

pub mod compare;
mod first_system;
mod interrupt;
mod progress;
mod recorder;
mod simulation;
mod step_size;

use std::path::PathBuf;
use std::time::Instant;

use crate::output::{OutputError, RunRecord, RunState};
use crate::scene::{Scene, SceneError};

pub use first_system::FirstSystem;
pub use interrupt::Interrupt;
pub use simulation::{GaveUp, Progress, Simulation};
pub use step_size::StepPlan;

use progress::ProgressDisplay;
use recorder::Recorder;

/// How a run is to be made, apart from its scene.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where its files go.
    pub output: PathBuf,
    /// Whether an earlier run there may be replaced.
    pub overwrite: bool,
    /// No progress on stderr.
    pub quiet: bool,
    /// The words of the command line, for the record.
    pub command_line: Vec<String>,
    pub interrupt: Interrupt,
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
}

/// Runs `scene` to its end and returns the record that it left in its folder.
///
/// # Errors
/// See [`RunError`].
pub fn simulate(scene: &Scene, options: &RunOptions) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(scene, world, state);
    let record = first_record(scene, options, &simulation, start);
    let mut recorder = Recorder::new(scene, &options.output, options.overwrite, record, start)?;
    // on a thread of the pool: one outside would have to wake another for every loop
    let outcome = rayon::scope(|_| frames(scene, options, &mut simulation, &mut recorder));
    match &outcome {
        Ok(()) => recorder.end(RunState::Done, None)?,
        Err(RunError::Interrupted(_)) => recorder.end(RunState::Interrupted, None)?,
        Err(RunError::GaveUp(why)) => recorder.end(RunState::Failed, Some(why.to_string()))?,
        // the disk that refused a frame will refuse a record too; the first refusal is the one to tell
        Err(RunError::Output(why)) => drop(recorder.end(RunState::Failed, Some(why.to_string()))),
        Err(RunError::Scene(_)) => {}
    }
    outcome.map(|()| recorder.record)
}

fn frames(
    scene: &Scene,
    options: &RunOptions,
    simulation: &mut Simulation,
    recorder: &mut Recorder,
) -> Result<(), RunError> {
    let frames = scene.time.frames;
    let mut display = ProgressDisplay::new(frames, options.quiet);
    recorder.frame(0, simulation, Progress::default(), false)?;
    for frame in 1..=frames {
        let progress = advance_frame(simulation, &options.interrupt).inspect_err(|_| display.end())?;
        // no rounding piles up from frame to frame
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        recorder.frame(frame, simulation, progress, frame == frames)?;
        let record = &recorder.record;
        display.frame(frame, &format!("{} bonds broken, {} pieces", record.bonds_broken, record.pieces));
    }
    display.end();
    Ok(())
}

/// Runs `scene` to `frame` and writes nothing, for what is to be looked at there.
///
/// # Errors
/// When the scene cannot become a world, a signal came, or the solver gave up.
pub fn advance_to(scene: &Scene, frame: u32, quiet: bool, interrupt: &Interrupt) -> Result<Simulation, RunError> {
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(scene, world, state);
    let mut display = ProgressDisplay::new(frame, quiet || frame == 0);
    for frame in 1..=frame {
        rayon::scope(|_| advance_frame(&mut simulation, interrupt)).inspect_err(|_| display.end())?;
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        display.frame(frame, "to the start");
    }
    display.end();
    Ok(simulation)
}

/// Advances by a frame. A signal is answered after the step at hand, of which a frame may have many.
fn advance_frame(simulation: &mut Simulation, interrupt: &Interrupt) -> Result<Progress, RunError> {
    let mut progress = Progress::default();
    let mut left = simulation.plan.per_frame;
    while left > 0 {
        if let Some(signal) = interrupt.signal() {
            return Err(RunError::Interrupted(signal));
        }
        left -= u32::from(simulation.try_step(&mut progress)?);
    }
    Ok(progress)
}

fn first_record(scene: &Scene, options: &RunOptions, simulation: &Simulation, start: Instant) -> RunRecord {
    let period = simulation.world.period();
    let mut record = RunRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        command_line: options.command_line.clone(),
        scene: scene.name().into(),
        digest: scene.digest(),
        integrator: scene.time.integrator.to_string(),
        threads: rayon::current_num_threads(),
        particles: simulation.world.particles.len(),
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
