use std::time::{Duration, Instant};

use bdem_core::fracture::Pieces;
use bdem_core::model::{State, World};
use bdem_core::simulate::{GaveUp, IntegratorKind, Progress, Seconds, Simulation};

use super::mark::Mark;
use super::report::RunRow;
use crate::run::{RunError, StepDevice, simulation};
use crate::scene::Scene;

/// Run of a comparison, which advances in turns.
pub(super) struct Lane {
    name: String,
    integrator: String,
    device: Option<String>,
    pub simulation: Simulation,
    frame_rate: f64,
    /// Start of the run, in frames.
    from_frame: f64,
    /// Frames to simulate.
    frames: u32,
    /// Limit on the wall-clock time of the run, s.
    most_seconds: f64,
    /// Completed nominal steps.
    done: u64,
    /// Simulated time at the start of the clock, in frames.
    timed_from: f64,
    progress: Progress,
    bonds_broken: usize,
    /// Wall-clock time.
    seconds: f64,
    setup: f64,
    /// Sum of the unbroken bonds over the steps.
    bond_steps: f64,
    turns: u32,
    /// Last frames of the other runs, and marks of this run there.
    wanted_marks: Vec<u32>,
    pub marks: Vec<Mark>,
    error: Option<GaveUp>,
}

/// Length of a turn. Short enough that other load on the machine affects all runs alike. Long enough that the caches no longer
/// hold the memory of the other runs for most of it.
const TURN: Duration = Duration::from_millis(50);

/// Limit on the length of a turn as a share of the run, so that short runs alternate too.
const SHARE: f64 = 0.02;

impl Lane {
    /// Run of `scene` from a world and state, with the steps of explicit-verlet on `device`. `marks` are the frames to compare with
    /// other runs.
    ///
    /// # Errors
    /// When the device cannot take them.
    pub(super) fn new(
        name: String,
        scene: &Scene,
        (world, state): (World, State),
        device: Option<&dyn StepDevice>,
        frames: u32,
        marks: Vec<u32>,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        let from_frame = (state.time * scene.time.frame_rate).round();
        let device = device.filter(|_| scene.time.integrator == IntegratorKind::ExplicitVerlet);
        let simulation = simulation(scene, world, state, device)?;
        Ok(Self {
            name,
            integrator: scene.time.integrator.to_string(),
            device: device.map(|device| device.name().to_owned()),
            simulation,
            frame_rate: scene.time.frame_rate,
            frames,
            from_frame,
            most_seconds: f64::INFINITY,
            done: 0,
            timed_from: 0.0,
            progress: Progress::default(),
            bonds_broken: 0,
            seconds: 0.0,
            setup: start.elapsed().as_secs_f64(),
            bond_steps: 0.0,
            turns: 0,
            wanted_marks: marks,
            marks: Vec::new(),
            error: None,
        })
    }

    /// Makes `steps` nominal steps, but not the last of the run, and then starts the clock.
    ///
    /// # Errors
    /// When a stop is requested.
    pub(super) fn warm_up(&mut self, steps: u32, most_seconds: Option<f64>) -> Result<(), RunError> {
        let last = (self.nominal_steps() - 1).min(steps.into());
        while self.done < last && self.error.is_none() {
            self.step(last - self.done)?;
        }
        self.timed_from = self.frames_done();
        self.progress = Progress::default();
        (self.seconds, self.bond_steps) = (0.0, 0.0);
        self.most_seconds = most_seconds.unwrap_or(f64::INFINITY);
        Ok(())
    }

    /// Advances by a turn.
    ///
    /// # Errors
    /// When a stop is requested. A solver that gives up ends the run only.
    pub(super) fn turn(&mut self) -> Result<(), RunError> {
        let (start, share) = (Instant::now(), self.share());
        self.turns += 1;
        while !self.is_done() {
            self.step(u64::MAX)?;
            if start.elapsed() >= TURN || self.share() - share >= SHARE {
                break;
            }
        }
        Ok(())
    }

    /// Whether the run has ended, or cannot continue.
    pub(super) fn is_done(&self) -> bool {
        self.error.is_some() || self.done == self.nominal_steps() || self.seconds >= self.most_seconds
    }

    /// Completed share of the run, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        (self.frames_done() / f64::from(self.frames)).max(self.seconds / self.most_seconds)
    }

    /// Tries a step, or a block of at most `most` steps to the end of the frame. The clock measures nothing else.
    fn step(&mut self, most: u64) -> Result<(), RunError> {
        let per_frame = u64::from(self.simulation.plan.per_frame);
        let most = most.min(per_frame - self.done % per_frame) as u32;
        let Progress { steps, seconds: Seconds { setup, .. }, .. } = self.progress;
        let start = Instant::now();
        let outcome = self.simulation.try_steps(most, &mut self.progress);
        // the stability limit counts as setup, whenever it is computed
        let setup = self.progress.seconds.setup - setup;
        self.seconds += start.elapsed().as_secs_f64() - setup;
        self.setup += setup;
        self.bonds_broken += self.progress.broken.drain(..).count();
        self.bond_steps += (self.progress.steps - steps) as f64 * self.simulation.world.whole_bond_count() as f64;
        match outcome {
            Ok(0) => {}
            Ok(count) => self.nominal_steps_done(count),
            Err(why) => self.error = Some(why),
        }
        Ok(())
    }

    fn nominal_steps_done(&mut self, count: u32) {
        self.done += u64::from(count);
        let per_frame = u64::from(self.simulation.plan.per_frame);
        if self.done.is_multiple_of(per_frame) {
            let frame = (self.done / per_frame) as u32;
            // rounding must not accumulate over frames
            self.simulation.state.time = (self.from_frame + f64::from(frame)) / self.frame_rate;
            self.error = self.simulation.audit().err();
            if self.wanted_marks.contains(&frame) {
                self.marks.push(Mark::new(frame, &self.simulation, self.bonds_broken));
            }
        }
    }

    fn nominal_steps(&self) -> u64 {
        u64::from(self.frames) * u64::from(self.simulation.plan.per_frame)
    }

    /// Frames simulated since the common start.
    fn frames_done(&self) -> f64 {
        self.simulation.state.time * self.frame_rate - self.from_frame
    }

    /// Row of the run in the report.
    pub(super) fn row(&self) -> RunRow {
        let Simulation { world, plan, .. } = &self.simulation;
        let Progress { steps, step_cuts, newton_iterations, cg_iterations, mut seconds, .. } = self.progress;
        let frames = self.frames_done() - self.timed_from;
        let pieces = Pieces::of(world);
        seconds.setup = self.setup;
        seconds.total = self.setup + self.seconds;
        RunRow {
            name: self.name.clone(),
            integrator: self.integrator.clone(),
            device: self.device.clone(),
            step: plan.step,
            step_in_periods: plan.step / world.period(),
            frames_wanted: self.frames,
            frames,
            steps,
            step_cuts,
            seconds_per_frame: (frames > 0.0).then(|| self.seconds / frames),
            seconds_per_frame_range: None,
            seconds,
            nanoseconds_per_bond_step: (self.bond_steps > 0.0).then(|| 1e9 * seconds.integrate / self.bond_steps),
            newton_iterations,
            cg_iterations,
            bonds: world.whole_bond_count(),
            bonds_broken: self.bonds_broken,
            pieces: pieces.count,
            largest_piece: pieces.largest,
            energy: self.error.is_none().then(|| self.simulation.energy()),
            energy_off: self.error.is_none().then(|| self.simulation.balance.imbalance()),
            momentum: self.simulation.state.momentum(&world.particles).0.into(),
            turns: self.turns,
            error: self.error.as_ref().map(ToString::to_string),
        }
    }
}
