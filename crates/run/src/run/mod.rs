//! The frame loop: steps, breakage, output and progress. Also the comparison of integrators.

mod checkpoint;
pub mod compare;
mod device;
mod error;
mod frame_time;
mod gauges;
mod load_curve;
mod log;
pub mod memory;
mod on_frame;
mod packing_display;
mod packing_record;
mod packings;
mod progress;
mod recorder;
pub mod runtime_estimate;
mod still_running;
mod under_way;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::output::{RunFolder, RunRecord, check_folder};
use crate::scene::{PackingStore, Scene};

pub use device::{Refusal, StepDevice, check_integrator, simulation};
pub use error::RunError;
pub use frame_time::FrameTime;
pub use gauges::{Gauges, LoadPeak};
pub use load_curve::{Fit, LoadCurve};
pub use log::{Event, LogLevel, LogOptions};
pub use on_frame::OnFrame;
pub use packings::{KeptPackings, MAX_SHARED, remove_oldest, shared_packings};
pub use still_running::StillRunning;

use bdem_core::interrupt::Interrupt;
use bdem_core::simulate::Simulation;
use checkpoint::ResumePoint;
use progress::ProgressDisplay;
use under_way::{FrameUnderWay, Run};

/// Options of a run besides its scene.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Output folder.
    pub output: PathBuf,
    /// Treatment of an existing run there.
    pub existing_run: ExistingRun,
    /// Format and level of the log.
    pub log: LogOptions,
    /// Folder of packings that runs share, if any.
    pub packing_cache: Option<PathBuf>,
    /// Words of the command line, for the record.
    pub command_line: Vec<String>,
    /// Build of the program, for the record.
    pub build: String,
    /// Request to stop the run.
    pub interrupt: Interrupt,
    /// Function of the caller at the end of every frame.
    pub on_frame: Option<OnFrame>,
    /// Device that takes the steps; this machine's processors without one.
    pub device: Option<Arc<dyn StepDevice>>,
}

/// Operation before the first step, for [`StillRunning`].
const SETTING_UP: &str = "setting up the scene";

/// Treatment of the run in an output folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExistingRun {
    /// Keep it, and refuse the new one.
    #[default]
    Keep,
    /// Replace it by the new run.
    Overwrite,
    /// Resume it from its newest complete checkpoint, or else from the start.
    Resume,
}

/// Runs `scene` to its end and returns the record in its folder.
///
/// # Errors
/// See [`RunError`].
pub fn simulate(scene: &Scene, options: &RunOptions) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    check_folder(&options.output)?;
    if options.existing_run != ExistingRun::Resume {
        RunFolder::check_free(&options.output, options.existing_run == ExistingRun::Overwrite)?;
    }
    let earlier = options.earlier_run(scene)?;
    if let Some((_, ResumePoint::Done(record))) = earlier {
        options.log.note("the run is complete: nothing is left to do");
        return Ok(*record);
    }
    // within the thread pool: a thread outside would wake another for every loop, and its set-up would leave memory that the
    // steps of another cannot take
    rayon::scope(|_| Run::begin(scene, options, earlier, start)?.go_to_its_end())
}

/// Runs `scene` to `frame` without output.
///
/// # Errors
/// When the scene cannot be built, a stop is requested, or the solver gave up.
pub fn advance_to(scene: &Scene, frame: u32, quiet: bool) -> Result<Simulation, RunError> {
    advance_with(scene, frame, quiet, |_| {})
}

/// The same, with `look` called at the start and at every frame.
///
/// # Errors
/// As [`advance_to`].
pub fn advance_with(
    scene: &Scene,
    frame: u32,
    quiet: bool,
    look: impl FnMut(&Simulation),
) -> Result<Simulation, RunError> {
    advance_packed(scene, frame, quiet, (&mut (), &Interrupt::default()), look)
}

/// The same, with packings from a `store` and a request to stop.
///
/// # Errors
/// As [`advance_to`].
pub fn advance_packed(
    scene: &Scene,
    frame: u32,
    quiet: bool,
    (store, interrupt): (&mut dyn PackingStore, &Interrupt),
    mut look: impl FnMut(&Simulation),
) -> Result<Simulation, RunError> {
    let waiting = (!quiet).then(|| StillRunning::start(SETTING_UP));
    let (mut world, state) = scene.build_with(store)?;
    world.interrupt = interrupt.clone();
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    drop(waiting);
    look(&simulation);
    let mut display = ProgressDisplay::new(0, frame, quiet || frame == 0);
    for frame in 1..=frame {
        let mut under_way = FrameUnderWay::new(&simulation);
        let within =
            |now: &Simulation, _: &mut _| display.within(now.state.time * scene.time.frame_rate - f64::from(frame - 1));
        let outcome = rayon::scope(|_| under_way.advance(&mut simulation, |_, _| u32::MAX, within));
        outcome.inspect_err(|_| display.end())?;
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        look(&simulation);
        display.frame(frame, "nothing is written", false);
    }
    display.end();
    Ok(simulation)
}

impl RunOptions {
    /// Folder and state to resume from, if there is an existing run. Warns of checkpoints that are skipped.
    fn earlier_run(&self, scene: &Scene) -> Result<Option<(RunFolder, ResumePoint)>, RunError> {
        if self.existing_run != ExistingRun::Resume || !RunFolder::holds_run(&self.output) {
            return Ok(None);
        }
        let mut folder = RunFolder::open(&self.output, scene.name(), scene.time.frames)?;
        let mut skipped = Vec::new();
        let start = checkpoint::find(scene, &folder, &mut skipped);
        skipped.iter().for_each(|why| self.log.warn(&format!("{why}; it is left out")));
        let start = match start? {
            // a file is renamed only where the run goes on
            ResumePoint::At { .. } => {
                folder.widen()?;
                checkpoint::find(scene, &folder, &mut Vec::new())?
            }
            other => other,
        };
        if matches!(start, ResumePoint::Anew) {
            folder.check_scene()?;
        }
        Ok(Some((folder, start)))
    }
}
