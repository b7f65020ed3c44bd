//! The frame loop: steps a frame, breakage, output, progress. And several of them side by side, to compare integrators.

mod checkpoint;
pub mod compare;
mod error;
mod first_system;
pub mod foretell;
mod gave_up;
mod log;
pub mod memory;
mod pace;
mod packing_display;
mod packings;
mod progress;
mod recorder;
mod simulation;
mod step_control;
mod step_size;
mod turns;
mod under_way;

use std::path::PathBuf;
use std::time::Instant;

use crate::output::{RunFolder, RunRecord};
use crate::scene::Scene;

pub use error::RunError;
pub use first_system::FirstSystem;
pub use gave_up::{Cause, GaveUp};
pub use log::{Event, LogFormat, LogLevel, LogOptions};
pub use pace::Pace;
pub use packings::KeptPackings;
pub use simulation::{Progress, Simulation, Snapshot};
pub use step_control::{Outcome, StepControl, Verdict};
pub use step_size::{Share, StepPlan, Stretch};

use checkpoint::Start;
use progress::ProgressDisplay;
use under_way::{FrameUnderWay, Run};

/// How a run is to be made, apart from its scene.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where its files go.
    pub output: PathBuf,
    /// What is to become of an earlier run there.
    pub earlier: Earlier,
    /// What it tells of itself.
    pub log: LogOptions,
    /// Folder of packings that runs share, if any.
    pub packing_cache: Option<PathBuf>,
    /// The words of the command line, for the record.
    pub command_line: Vec<String>,
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

/// Runs `scene` to its end and returns the record that it left in its folder.
///
/// # Errors
/// See [`RunError`].
pub fn simulate(scene: &Scene, options: &RunOptions) -> Result<RunRecord, RunError> {
    let start = Instant::now();
    if options.earlier != Earlier::Resume {
        RunFolder::check_free(&options.output, options.earlier == Earlier::Overwrite)?;
    }
    let earlier = options.earlier_run(scene)?;
    if let Some((_, Start::Done(record))) = earlier {
        options.log.note("the run is complete: nothing is left to do");
        return Ok(*record);
    }
    Run::begin(scene, options, earlier, start)?.go_to_its_end()
}

/// Runs `scene` to `frame` and writes nothing, for what is to be looked at there.
///
/// # Errors
/// When the scene cannot become a world, a signal came, or the solver gave up.
pub fn advance_to(scene: &Scene, frame: u32, quiet: bool) -> Result<Simulation, RunError> {
    watch(scene, frame, quiet, |_| {})
}

/// The same, and `look` sees the start and every frame on the way.
///
/// # Errors
/// As [`advance_to`].
pub fn watch(
    scene: &Scene,
    frame: u32,
    quiet: bool,
    mut look: impl FnMut(&Simulation),
) -> Result<Simulation, RunError> {
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(scene, world, state);
    look(&simulation);
    let mut display = ProgressDisplay::new(0, frame, None, quiet || frame == 0);
    for frame in 1..=frame {
        let mut under_way = FrameUnderWay::new(&simulation);
        let within = |now: &Simulation| display.within(now.state.time * scene.time.frame_rate - f64::from(frame - 1));
        let outcome = rayon::scope(|_| under_way.advance(&mut simulation, within));
        outcome.inspect_err(|_| display.end())?;
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        look(&simulation);
        display.frame(frame, "nothing is written");
    }
    display.end();
    Ok(simulation)
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
