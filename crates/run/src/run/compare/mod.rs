//! Comparison of integrators, with the same start, threads, kernels and fracture rule. The runs alternate.

mod baseline;
mod contender;
mod lane;
mod mark;
mod repeats;
mod report;
mod table;

use std::path::PathBuf;
use std::sync::Arc;

use crate::scene::Scene;

pub use baseline::{Baseline, BaselineError};
pub use contender::{Contender, ContenderStep};
pub use report::{Comparison, Differences, PairRow, RunRow};

use super::progress::ProgressDisplay;
use super::{KeptPackings, LogLevel, LogOptions, RunError, StepDevice, advance_packed};
use bdem_core::interrupt::Interrupt;
use bdem_core::model::{State, World};
use lane::Lane;

/// Contenders and extent of a comparison.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Integrators and steps of the runs.
    pub contenders: Vec<Contender>,
    /// Share of the computed stability limit for [`ContenderStep::Stable`].
    pub stable_share: f64,
    /// Frame to start from. The scene's own integrator advances to it.
    pub from_frame: u32,
    /// Number of frames of explicit runs, if less than the scene's `time.frames`.
    pub explicit_frames: Option<u32>,
    /// Limit on the wall-clock time of a run, s.
    pub most_seconds: Option<f64>,
    /// Number of nominal steps of each run before its clock starts.
    pub warm_up: u32,
    /// Number of times that all runs are repeated, at least one.
    pub repeats: u32,
    /// Whether to omit progress on stderr.
    pub quiet: bool,
    /// Folder of packings that runs share, if any.
    pub packing_cache: Option<PathBuf>,
    /// Device that takes the steps of `explicit-verlet`; this machine's processors without one.
    pub device: Option<Arc<dyn StepDevice>>,
}

/// Share of the computed stability limit for explicit runs. The limit is for small strains. 0.95 of it was stable where 0.98
/// was not.
pub const STABLE_SHARE: f64 = 0.95;

impl CompareOptions {
    /// These contenders over the whole scene.
    pub fn new(contenders: Vec<Contender>) -> Self {
        Self {
            contenders,
            stable_share: STABLE_SHARE,
            from_frame: 0,
            explicit_frames: None,
            most_seconds: None,
            warm_up: 0,
            repeats: 1,
            quiet: true,
            packing_cache: None,
            device: None,
        }
    }

    /// Packings that runs share.
    pub fn packings(&self) -> KeptPackings {
        let level = if self.quiet { LogLevel::Quiet } else { LogLevel::Normal };
        KeptPackings::new(Vec::new(), self.packing_cache.clone(), LogOptions { level, ..LogOptions::default() })
    }

    /// Scene of each run: `scene` with the contender's integrator and step.
    pub fn scenes(&self, scene: &Scene) -> Vec<Scene> {
        self.contenders.iter().map(|contender| contender.scene(scene, self.stable_share)).collect()
    }

    /// Number of frames of `contender`.
    fn frames(&self, contender: &Contender, scene: &Scene) -> u32 {
        let most = if contender.integrator.is_explicit() { self.explicit_frames } else { None };
        most.unwrap_or(u32::MAX).min(scene.time.frames)
    }

    /// Names of the contenders, as in [`Comparison::runs`].
    pub fn names(&self) -> Vec<String> {
        contender::names(&self.contenders)
    }
}

/// Runs `scene` with each contender, with repetitions. The runs alternate: the next turn is that of the run with the least
/// completed share. So other load on the machine affects all of them.
///
/// # Errors
/// When the scene cannot be built, the device cannot take its steps, a stop is requested, or the solver gave up before the first
/// frame. A contender that gives up later has the error in its row.
pub fn compare(scene: &Scene, options: &CompareOptions) -> Result<Comparison, RunError> {
    let mut packings = options.packings();
    let start =
        advance_packed(scene, options.from_frame, options.quiet, (&mut packings, &Interrupt::default()), |_| {})?;
    let (world, state) = (start.world, start.state);
    let radius = world.particles.radius.clone();
    let mut comparison = heading(scene, options, &world);
    let mut repeats = Vec::new();
    for (world, state) in std::iter::repeat_n((world, state), options.repeats as usize) {
        let mut lanes = lanes(scene, options, world, state)?;
        // within the thread pool: a thread outside would wake another for every loop
        rayon::scope(|_| run(scene, options, &mut lanes))?;
        let runs: Vec<RunRow> = lanes.iter().map(Lane::row).collect();
        let pairs = pairs(&runs, &lanes, &radius, options.from_frame);
        repeats.push((runs, pairs));
    }
    (comparison.runs, comparison.pairs) = repeats::merge(repeats);
    Ok(comparison)
}

fn heading(scene: &Scene, options: &CompareOptions, world: &World) -> Comparison {
    Comparison {
        version: env!("CARGO_PKG_VERSION").into(),
        scene: scene.name().into(),
        digest: scene.digest(),
        threads: rayon::current_num_threads(),
        repeats: options.repeats,
        particles: world.particles.len(),
        bonds: world.whole_bond_count(),
        period: world.period(),
        frame_rate: scene.time.frame_rate,
        from_frame: options.from_frame,
        brought_by: (options.from_frame > 0).then(|| scene.time.integrator.to_string()),
        stable_share: options.stable_share,
        warm_up: options.warm_up,
        most_seconds: options.most_seconds,
        ..Default::default()
    }
}

fn lanes(scene: &Scene, options: &CompareOptions, world: World, state: State) -> Result<Vec<Lane>, RunError> {
    let contenders = &options.contenders;
    let ends: Vec<u32> = contenders.iter().map(|c| options.frames(c, scene)).collect();
    // the last run takes the original, so that a single run needs no more memory than `simulate`
    let starts = std::iter::repeat_n((world, state), contenders.len());
    let runs = options.scenes(scene).into_iter().zip(options.names()).zip(&ends).zip(starts);
    let device = options.device.as_deref();
    runs.map(|(((scene, name), &frames), start)| Lane::new(name, &scene, start, device, frames, ends.clone())).collect()
}

/// Warms up the runs and then alternates between them.
fn run(scene: &Scene, options: &CompareOptions, lanes: &mut [Lane]) -> Result<(), RunError> {
    for lane in &mut *lanes {
        lane.warm_up(options.warm_up, options.most_seconds)?;
    }
    let mut display = ProgressDisplay::new(0, scene.time.frames, options.quiet);
    let behind = |a: &&mut Lane, b: &&mut Lane| a.share().total_cmp(&b.share());
    while let Some(lane) = lanes.iter_mut().filter(|lane| !lane.is_done()).min_by(behind) {
        let frame = (lane.share() * f64::from(scene.time.frames)) as u32;
        lane.turn().inspect_err(|_| display.end())?;
        display.frame(frame, "in turns", false);
    }
    display.frame(scene.time.frames, "all runs", false);
    display.end();
    Ok(())
}

/// All pairs of runs.
fn pairs(runs: &[RunRow], lanes: &[Lane], radius: &[f64], from_frame: u32) -> Vec<PairRow> {
    let two = |i: usize, j: usize| PairRow {
        run: runs[i].name.clone(),
        against: runs[j].name.clone(),
        speedup: speedup(&runs[i], &runs[j]),
        speedup_range: None,
        differences: last_common(&lanes[i], &lanes[j]).map(|[a, b]| a.less(b, radius, from_frame)),
    };
    (0..runs.len()).flat_map(|i| (i + 1..runs.len()).map(move |j| (i, j))).map(|(i, j)| two(i, j)).collect()
}

fn speedup(run: &RunRow, against: &RunRow) -> Option<f64> {
    let both_went_well = run.error.is_none() && against.error.is_none();
    Some(against.seconds_per_frame? / run.seconds_per_frame?).filter(|_| both_went_well)
}

/// Marks of two runs at their last common frame.
fn last_common<'a>(a: &'a Lane, b: &'a Lane) -> Option<[&'a mark::Mark; 2]> {
    let same = |x: &'a mark::Mark| b.marks.iter().find(|y| y.frame == x.frame).map(|y| [x, y]);
    a.marks.iter().rev().find_map(same)
}
