use std::time::Instant;

use crate::run::{GaveUp, Progress, Simulation};

/// A stretch of a run that was made to see how long it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrialRun {
    /// Simulated time, s.
    pub simulated: f64,
    /// On the wall, s.
    pub seconds: f64,
    /// Seconds on the wall for one of simulated time, in the second half of the trial after its first step: by then it
    /// is under way.
    pub seconds_per_second: f64,
}

impl TrialRun {
    /// Lets `simulation` go on to the time `until` (s), or for so many seconds on the wall, but for some steps at least.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn run(simulation: &mut Simulation, until: f64, seconds: f64) -> Result<Self, GaveUp> {
        let (first, start) = (simulation.state.time, Instant::now());
        let mut marks = vec![[0.0; 2]];
        let mut progress = Progress::default();
        // what rounding leaves of the last step is none
        let end = until * (1.0 - 1e-9);
        while simulation.state.time < end && (marks.len() <= MIN_STEPS || start.elapsed().as_secs_f64() < seconds) {
            simulation.try_step(&mut progress)?;
            // a limit of stability is computed once
            let stepping = start.elapsed().as_secs_f64() - progress.seconds.setup;
            marks.push([simulation.state.time - first, stepping]);
        }
        Ok(Self::of(&marks))
    }

    /// What `marks` say, the first of which are zeros: simulated time and time on the wall after each step, s.
    pub fn of(marks: &[[f64; 2]]) -> Self {
        let [simulated, seconds] = marks.last().copied().unwrap_or_default();
        // the first step sets up what the others use
        let after_first = marks.get(1).map_or(0.0, |[_, at]| *at);
        let half = marks.partition_point(|[_, at]| *at < 0.5 * (after_first + seconds));
        let from = marks.iter().take(half + 1).rfind(|[time, _]| *time < simulated);
        let [time, at] = from.copied().unwrap_or_default();
        let seconds_per_second = if simulated > time { (seconds - at) / (simulated - time) } else { 0.0 };
        Self { simulated, seconds, seconds_per_second }
    }
}

/// Steps of a trial, however long they take: the first ones set up what the others use.
const MIN_STEPS: usize = 4;
