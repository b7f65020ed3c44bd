use bdem_core::simulate::{GaveUp, Progress, Simulation};

use super::first_contacts::FirstContacts;
use super::impact::Impact;
use super::processor_time;

/// Short part of a run from its start, to measure its time and to find impacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialRun {
    /// Simulated time, s.
    pub simulated: f64,
    /// Processor time, s.
    pub seconds: f64,
    /// Processor time per simulated time, in the second half of the trial after its first step. By then setup is complete.
    pub seconds_per_second: f64,
    /// Whether bonds broke.
    pub breaks: bool,
    /// Impact on each breakable body that has one, in the order of the bodies: those of the trial, and those that follow later
    /// from prescribed motions and free flight.
    pub impacts: Vec<Impact>,
}

impl TrialRun {
    /// Advances `simulation` to the time `until` (s), or for this processor time in seconds, but by `MIN_STEPS` at least.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn run(simulation: &mut Simulation, until: f64, seconds: f64) -> Result<Self, GaveUp> {
        let (first, start) = (simulation.state.time, processor_time());
        let mut contacts = FirstContacts::new(&simulation.world, &simulation.state);
        let mut marks = vec![[0.0; 2]];
        let mut progress = Progress::default();
        // a run makes no such searches
        let mut searched = 0.0;
        // rounding may leave a remainder of the last step
        let end = until * (1.0 - 1e-9);
        while simulation.state.time < end && (marks.len() <= MIN_STEPS || processor_time() - start < seconds) {
            let explicit = progress.explicit_steps;
            simulation.try_step(&mut progress)?;
            if progress.explicit_steps == explicit || marks.len().is_multiple_of(LOOK_EVERY) {
                let before = processor_time();
                contacts.look(&simulation.world, &simulation.state);
                searched += processor_time() - before;
            }
            marks.push([simulation.state.time - first, processor_time() - start - searched]);
        }
        contacts.predict(&simulation.world, &simulation.state, until);
        Ok(Self { breaks: !progress.broken.is_empty(), impacts: contacts.impacts(), ..Self::of(&marks) })
    }

    /// Result of `marks`: simulated time and processor time after each step, s. The first one is zero.
    pub fn of(marks: &[[f64; 2]]) -> Self {
        let [simulated, seconds] = marks.last().copied().unwrap_or_default();
        // the first step sets up data for the others
        let after_first = marks.get(1).map_or(0.0, |[_, at]| *at);
        let half = marks.partition_point(|[_, at]| *at < 0.5 * (after_first + seconds));
        let from = marks.iter().take(half + 1).rfind(|[time, _]| *time < simulated);
        let [time, at] = from.copied().unwrap_or_default();
        let seconds_per_second = if simulated > time { (seconds - at) / (simulated - time) } else { 0.0 };
        Self { simulated, seconds, seconds_per_second, ..Self::default() }
    }
}

/// Minimum number of steps of a trial. The first ones include setup.
const MIN_STEPS: usize = 4;

/// Interval of the searches for contacts, in explicit steps without sleeping pieces; others are longer. A search takes about as long
/// as a step.
const LOOK_EVERY: usize = 16;
