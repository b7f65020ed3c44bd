//! Integrators beside each other: the same start, threads, kernels and fracture rule, in turns.

mod baseline;
mod contender;
mod lane;
mod mark;
mod report;
mod table;

use crate::model::{State, World};
use crate::scene::Scene;

pub use baseline::{Baseline, BaselineError};
pub use contender::{Contender, ContenderStep};
pub use report::{Comparison, Differences, PairRow, RunRow};

use super::progress::ProgressDisplay;
use super::{RunError, advance_to};
use lane::Lane;

/// What is to be compared, and for how long.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub contenders: Vec<Contender>,
    /// Share of the computed limit of stability that [`ContenderStep::Stable`] takes.
    pub stable_share: f64,
    /// The frame to start from; the scene's own integrator brings all runs there.
    pub from_frame: u32,
    /// Frames that explicit runs are timed over, where that is less than the scene's `time.frames`.
    pub explicit_frames: Option<u32>,
    /// Seconds on the wall after which a run ends, whatever its frames.
    pub most_seconds: Option<f64>,
    /// Nominal steps of each run before its clock starts.
    pub warm_up: u32,
    /// No progress on stderr.
    pub quiet: bool,
}

/// Share of the computed limit of stability that explicit runs take. The limit is for small strains; 0.95 of
/// it has been stable where 0.98 was not.
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
            quiet: true,
        }
    }

    /// What each of the runs runs: `scene` with its own integrator and step.
    pub fn scenes(&self, scene: &Scene) -> Vec<Scene> {
        self.contenders.iter().map(|contender| contender.scene(scene, self.stable_share)).collect()
    }

    /// Frames that `contender` is to simulate.
    fn frames(&self, contender: &Contender, scene: &Scene) -> u32 {
        let most = if contender.integrator.is_explicit() { self.explicit_frames } else { None };
        most.unwrap_or(u32::MAX).min(scene.time.frames)
    }

    /// The contenders' names, as [`Comparison::runs`] will have them.
    pub fn names(&self) -> Vec<String> {
        contender::names(&self.contenders)
    }
}

/// Runs `scene` under each of the contenders. They take turns, always the one that is least far through its run, so that what
/// else the machine does hits all of them.
///
/// # Errors
/// When the scene cannot become a world, a signal came, or the solver gave up before the frame to start from. A contender
/// that gives up later is told of in its row.
pub fn compare(scene: &Scene, options: &CompareOptions) -> Result<Comparison, RunError> {
    let start = advance_to(scene, options.from_frame, options.quiet)?;
    let (world, state) = (start.world, start.state);
    let radius = world.particles.radius.clone();
    let mut comparison = heading(scene, options, &world);
    let mut lanes = lanes(scene, options, world, state);
    // on a thread of the pool: one outside would have to wake another for every loop
    rayon::scope(|_| run(scene, options, &mut lanes))?;
    comparison.runs = lanes.iter().map(Lane::row).collect();
    comparison.pairs = pairs(&comparison.runs, &lanes, &radius, options.from_frame);
    Ok(comparison)
}

fn heading(scene: &Scene, options: &CompareOptions, world: &World) -> Comparison {
    Comparison {
        version: env!("CARGO_PKG_VERSION").into(),
        scene: scene.name().into(),
        digest: scene.digest(),
        threads: rayon::current_num_threads(),
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

fn lanes(scene: &Scene, options: &CompareOptions, world: World, state: State) -> Vec<Lane> {
    let contenders = &options.contenders;
    let ends: Vec<u32> = contenders.iter().map(|c| options.frames(c, scene)).collect();
    // the last run takes the original, so that a single one needs no more memory than `simulate` does
    let starts = std::iter::repeat_n((world, state), contenders.len());
    let runs = options.scenes(scene).into_iter().zip(options.names()).zip(&ends).zip(starts);
    runs.map(|(((scene, name), &frames), (world, state))| Lane::new(name, &scene, world, state, frames, ends.clone()))
        .collect()
}

/// Warms the runs up, and then lets them take turns.
fn run(scene: &Scene, options: &CompareOptions, lanes: &mut [Lane]) -> Result<(), RunError> {
    for lane in &mut *lanes {
        lane.warm_up(options.warm_up, options.most_seconds)?;
    }
    let mut display = ProgressDisplay::new(0, scene.time.frames, None, options.quiet);
    let behind = |a: &&mut Lane, b: &&mut Lane| a.share().total_cmp(&b.share());
    while let Some(lane) = lanes.iter_mut().filter(|lane| !lane.is_done()).min_by(behind) {
        let frame = (lane.share() * f64::from(scene.time.frames)) as u32;
        lane.turn().inspect_err(|_| display.end())?;
        display.frame(frame, "in turns");
    }
    display.frame(scene.time.frames, "all runs");
    display.end();
    Ok(())
}

/// Every two runs beside each other.
fn pairs(runs: &[RunRow], lanes: &[Lane], radius: &[f64], from_frame: u32) -> Vec<PairRow> {
    let two = |i: usize, j: usize| PairRow {
        run: runs[i].name.clone(),
        against: runs[j].name.clone(),
        speedup: speedup(&runs[i], &runs[j]),
        differences: last_common(&lanes[i], &lanes[j]).map(|[a, b]| a.less(b, radius, from_frame)),
    };
    (0..runs.len()).flat_map(|i| (i + 1..runs.len()).map(move |j| (i, j))).map(|(i, j)| two(i, j)).collect()
}

fn speedup(run: &RunRow, against: &RunRow) -> Option<f64> {
    let both_went_well = run.error.is_none() && against.error.is_none();
    Some(against.seconds_per_frame? / run.seconds_per_frame?).filter(|_| both_went_well)
}

/// What two runs were like at the last frame at which both were looked at.
fn last_common<'a>(a: &'a Lane, b: &'a Lane) -> Option<[&'a mark::Mark; 2]> {
    let same = |x: &'a mark::Mark| b.marks.iter().find(|y| y.frame == x.frame).map(|y| [x, y]);
    a.marks.iter().rev().find_map(same)
}
