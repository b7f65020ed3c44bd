use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::RunError;
use bdem_run::scene::{Scene, SceneError};

/// Reason why a run has no result.
#[derive(Debug)]
pub(crate) enum Stop {
    /// End by the solver, which is a finding: its message without the remedy.
    Ended(String),
    /// Error of the study.
    Error(RunError),
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Self {
        match error {
            RunError::GaveUp(why) => {
                let text = why.to_string();
                Self::Ended(text.split(';').next().unwrap_or(&text).to_owned())
            }
            other => Self::Error(other),
        }
    }
}

impl From<SceneError> for Stop {
    fn from(error: SceneError) -> Self {
        Self::Error(error.into())
    }
}

/// Newton iterations, and those of each frame, after which a run has failed: an implicit run of the cases takes at most some thousand,
/// and few a frame, unless its steps are cut again and again. They take about two seconds.
const ITERATIONS: [u64; 2] = [50_000, 5];

/// Runs a scene to its end, and calls `look` at the start and at every frame.
pub(crate) fn advance(scene: &Scene, mut look: impl FnMut(&Simulation)) -> Result<(Simulation, Progress), Stop> {
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let mut progress = Progress::default();
    let limit = ITERATIONS[0] + ITERATIONS[1] * u64::from(scene.time.frames);
    look(&simulation);
    for frame in 1..=scene.time.frames {
        // within the thread pool: a thread outside would wake another for every loop
        rayon::scope(|_| advance_frame(&mut simulation, &mut progress, limit))?;
        simulation.state.time = f64::from(frame) / scene.time.frame_rate;
        look(&simulation);
    }
    Ok((simulation, progress))
}

fn advance_frame(simulation: &mut Simulation, progress: &mut Progress, limit: u64) -> Result<(), Stop> {
    let mut left = simulation.plan.per_frame;
    while left > 0 {
        left -= u32::from(simulation.try_step(progress).map_err(RunError::from)?);
        if progress.newton_iterations > limit {
            let time = simulation.state.time;
            return Err(Stop::Ended(format!("{limit} Newton iterations by {time:.6} s")));
        }
    }
    Ok(simulation.audit().map_err(RunError::from)?)
}
