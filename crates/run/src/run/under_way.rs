use std::time::Instant;

use bdem_core::interrupt::StopGuard;
use bdem_core::simulate::{Progress, Simulation};
use serde::{Deserialize, Serialize};

use crate::output::{RunFolder, RunRecord, RunState, this_host};
use crate::scene::Scene;

use super::checkpoint::{self, ResumePoint};
use super::log::Log;
use super::packing_record::{self, PackingRecord};
use super::recorder::{FirstState, Recorder};
use super::{
    ExistingRun, Gauges, KeptPackings, LoadPeak, OnFrame, RunError, RunOptions, SETTING_UP, StillRunning, simulation,
};

/// Run in progress: its simulation, output and log.
pub(super) struct Run<'a> {
    scene: &'a Scene,
    simulation: Simulation,
    gauges: Gauges,
    recorder: Recorder,
    log: Log,
    frame: FrameUnderWay,
    on_frame: Option<OnFrame>,
    _guard: StopGuard,
}

/// Frame in progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FrameUnderWay {
    /// Remaining nominal steps.
    pub left: u32,
    /// Counts and times so far.
    pub progress: Progress,
    /// Peak of the load that may end the run.
    pub peak: LoadPeak,
}

impl FrameUnderWay {
    /// First frame, at its start.
    pub fn new(simulation: &Simulation) -> Self {
        Self { left: simulation.plan.per_frame, ..Self::default() }
    }

    /// Starts the next frame. Returns this one.
    fn next(&mut self, simulation: &Simulation) -> Self {
        let next = Self { peak: self.peak, ..Self::new(simulation) };
        std::mem::replace(self, next)
    }

    /// Advances to the end of the frame and updates the balance of the account. A block has at most `most` steps. Calls `look` after
    /// every step or block, with itself.
    ///
    /// # Errors
    /// When a stop is requested, a step fails, or the account does not balance. The state is that of the last committed step.
    pub fn advance(
        &mut self,
        simulation: &mut Simulation,
        most: impl Fn(&Simulation, &Self) -> u32,
        mut look: impl FnMut(&Simulation, &mut Self),
    ) -> Result<(), RunError> {
        while self.left > 0 {
            let most = most(simulation, self).clamp(1, self.left);
            let done = simulation.try_steps(most, &mut self.progress);
            self.left -= done.map_err(|why| RunError::of(why, &simulation.world.interrupt))?;
            look(simulation, self);
        }
        Ok(simulation.audit()?)
    }
}

impl<'a> Run<'a> {
    /// Prepares the output folder and builds the world of `scene`, for a new run or to resume an `earlier` one.
    pub(super) fn begin(
        scene: &'a Scene,
        options: &'a RunOptions,
        earlier: Option<(RunFolder, ResumePoint)>,
        start: Instant,
    ) -> Result<Self, RunError> {
        let waiting = (!options.log.is_silent()).then(|| StillRunning::start(SETTING_UP));
        let run_packings = RunFolder::packings(&options.output);
        let mut packings = KeptPackings::new(vec![run_packings.clone()], options.packing_cache.clone(), options.log);
        let record = scene_record(scene, options);
        let (folder, from) =
            earlier.map_or_else(|| Ok((options.new_folder(scene)?, ResumePoint::Anew)), Ok::<_, RunError>)?;
        let (mut world, state, folder) = match from {
            ResumePoint::At { .. } => scene.build_with(&mut packings).map(|(world, state)| (world, state, folder))?,
            // kept until the scene is known to be right
            _ if RunFolder::holds_run(&options.output) => {
                let (world, state) = packing_record::build(scene, options, &mut packings)?;
                folder.clear()?;
                (world, state, folder)
            }
            _ => PackingRecord::build(scene, options, folder, &mut packings, (record.clone(), start))?,
        };
        world.interrupt = options.interrupt.clone();
        let gauges = Gauges::new(scene, &world, &state);
        let first = FirstState::new(scene, &world, &state);
        let mut simulation = simulation(scene, world, state, options.device.as_deref())?;
        let record = first_record(record, scene, &simulation, start);
        let mut frame = FrameUnderWay::new(&simulation);
        // from here on files must be left complete
        let guard = options.interrupt.guard().map_err(RunError::Interrupted)?;
        let recorder = match from {
            ResumePoint::At { path, checkpoint } => {
                let restored = checkpoint::restore(&checkpoint, &record, &mut simulation);
                frame = restored.map_err(|why| RunError::CheckpointMismatch { path: path.clone(), why })?;
                options.log.note(&format!("resuming from {}", path.display()));
                if checkpoint.record.device != record.device {
                    let [before, now] = [&checkpoint.record, &record].map(RunRecord::device);
                    options
                        .log
                        .note(&format!("on {now}, and before on {before}: bits from here on are those of {now}"));
                }
                Recorder::resume(scene, folder, (&gauges, first), (checkpoint.record, &record), start)?
            }
            _ => Recorder::new(scene, folder, (&gauges, first), record, start)?,
        };
        packings.write_to(&run_packings)?;
        recorder.warning().into_iter().for_each(|warning| options.log.warn(warning));
        drop(waiting);
        let log = Log::start(options.log, &recorder.record, scene.time.frames);
        let on_frame = options.on_frame.clone();
        Ok(Self { scene, simulation, gauges, recorder, log, frame, on_frame, _guard: guard })
    }

    /// Advances to the last frame. Returns the record in the folder.
    pub(super) fn go_to_its_end(mut self) -> Result<RunRecord, RunError> {
        let outcome = self.frames();
        if !matches!(outcome, Err(RunError::GaveUp(_))) {
            self.simulation.drift().into_iter().for_each(|drift| self.log.warn(&drift));
        }
        match &outcome {
            Ok(()) => self.recorder.end(RunState::Done, None)?,
            Err(RunError::Interrupted(_)) => self.recorder.end(RunState::Interrupted, None)?,
            Err(RunError::GaveUp(why)) => self.recorder.end(RunState::Failed, Some(why.to_string()))?,
            // the record will probably fail too; the first error is reported
            Err(RunError::Output(why)) => drop(self.recorder.end(RunState::Failed, Some(why.to_string()))),
            Err(RunError::Scene(_) | RunError::Device { .. } | RunError::CheckpointMismatch { .. }) => {}
        }
        self.log.end(&self.recorder.record);
        outcome.map(|()| self.recorder.record)
    }

    fn frames(&mut self) -> Result<(), RunError> {
        if self.recorder.is_new() {
            self.gauges.measure(&self.simulation, &mut self.frame, 0);
            let forces = std::mem::take(&mut self.frame.progress.forces);
            self.begin_frame(1);
            self.recorder.frame(0, &self.simulation, Progress { forces, ..Progress::default() }, |_| false)?;
        }
        if self.recorder.record.frames > 0 {
            // a run that was killed after its last frame
            self.recorder.record.ended = self.frame.peak.ends(self.scene, &self.recorder.record);
        }
        while self.recorder.record.frames < self.scene.time.frames && self.recorder.record.ended.is_none() {
            self.next_frame(self.recorder.record.frames + 1)?;
        }
        Ok(())
    }

    fn next_frame(&mut self, frame: u32) -> Result<(), RunError> {
        let rate = self.scene.time.frame_rate;
        let Self { frame: under_way, simulation, gauges, log, recorder, .. } = self;
        let to_row = |now: &Simulation, under_way: &FrameUnderWay| gauges.steps_to_row(now, under_way, frame);
        let outcome = under_way.advance(simulation, to_row, |now, under_way| {
            recorder.beat();
            log.within(now.state.time * rate - f64::from(frame - 1));
            gauges.after_step(now, under_way, frame);
        });
        if let Err(RunError::Interrupted(_)) = outcome {
            self.recorder.checkpoint(&self.simulation, &self.frame)?;
        }
        outcome?;
        // rounding must not accumulate over frames
        self.simulation.state.time = f64::from(frame) / rate;
        self.end_of_frame(frame)
    }

    /// Starts a frame, if the run has it: a device takes its first steps while the one before is written.
    fn begin_frame(&mut self, frame: u32) {
        if frame <= self.scene.time.frames {
            let most = self.gauges.steps_to_row(&self.simulation, &self.frame, frame);
            self.simulation.begin_steps(most.clamp(1, self.frame.left));
        }
    }

    fn end_of_frame(&mut self, frame: u32) -> Result<(), RunError> {
        /// Condition in the record of a run that its caller has ended.
        const CALLER: &str = "the caller's function";
        let mut stops = false;
        if let Some(call) = &mut self.on_frame {
            stops = call.call(frame, &mut self.simulation);
            // velocities may have changed
            self.simulation.audit()?;
        }
        self.gauges.measure(&self.simulation, &mut self.frame, frame);
        let FrameUnderWay { progress, peak, .. } = self.frame.next(&self.simulation);
        if !stops {
            self.begin_frame(frame + 1);
        }
        let Self { scene, simulation, recorder, log, .. } = self;
        let failures = progress.failures;
        let is_last = |record: &mut RunRecord| {
            record.ended = peak.ends(scene, record).or_else(|| stops.then(|| CALLER.to_owned()));
            record.ended.is_some() || frame == scene.time.frames
        };
        let metrics = recorder.frame(frame, simulation, progress, is_last)?;
        if recorder.record.ended.is_some() || frame == scene.time.frames || recorder.is_checkpoint_due(frame) {
            recorder.checkpoint(simulation, &self.frame)?;
        }
        log.frame(&metrics, failures);
        Ok(())
    }
}

impl RunOptions {
    /// Folder of a new run. One that is overwritten is still there.
    fn new_folder(&self, scene: &Scene) -> Result<RunFolder, RunError> {
        let (path, name, frames) = (&self.output, scene.name(), scene.time.frames);
        let folder = match self.existing_run {
            ExistingRun::Overwrite => RunFolder::open(path, name, frames),
            ExistingRun::Keep | ExistingRun::Resume => RunFolder::create(path, name, frames, false),
        };
        Ok(folder?)
    }
}

/// Record of a run before its scene is built.
fn scene_record(scene: &Scene, options: &RunOptions) -> RunRecord {
    RunRecord {
        version: env!("CARGO_PKG_VERSION").into(),
        build: options.build.clone(),
        host: this_host(),
        command_line: options.command_line.clone(),
        scene: scene.name().into(),
        digest: scene.digest(),
        physics_digest: scene.physics_digest(),
        set: scene.settings(),
        frames_wanted: scene.time.frames,
        integrator: scene.time.integrator.to_string(),
        device: options.device.as_ref().map(|device| device.name().to_owned()),
        threads: rayon::current_num_threads(),
        until: scene.time.until.clone(),
        ..Default::default()
    }
}

/// The record at the start of the simulation.
fn first_record(record: RunRecord, scene: &Scene, simulation: &Simulation, start: Instant) -> RunRecord {
    let Simulation { world, state, plan, .. } = simulation;
    let period = world.period();
    let mut record = RunRecord {
        world_digest: checkpoint::fingerprint(world, state),
        particles: world.particles.len(),
        bonds: world.whole_bond_count(),
        packings: scene.fillings(world),
        step: plan.step,
        step_in_periods: plan.step / period,
        period,
        ..record
    };
    record.seconds.setup = start.elapsed().as_secs_f64();
    record
}
