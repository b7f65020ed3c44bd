use std::time::{Duration, Instant};

use serde::Serialize;

use crate::model::State;

use super::Problem;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// The gradient on the manifold over that of the start.
    pub gradient: f64,
    pub iterations: usize,
    /// Wall-clock time, s.
    pub seconds: f64,
}

/// Where a way is after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Iterate {
    /// Wall-clock time so far without that of measuring, s.
    pub seconds: f64,
    /// Norm of the gradient on the manifold, N, where quaternions are normalised.
    pub gradient: f64,
    /// The objective there, J.
    pub objective: f64,
    /// The greatest | |q| - 1 | before they are.
    pub off_length: f64,
    /// Iterations of the linear solver in this iteration.
    pub linear_iterations: usize,
}

/// Why a way stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The gradient on the manifold is as small as was asked for.
    Converged,
    /// What the way drives to zero is as small, the gradient on the manifold is not: a penalty's minimum.
    Settled,
    /// No step along the direction makes it better.
    Stalled,
    /// After as many iterations, or as much time, as were allowed.
    Ended,
}

/// What a way did with a problem.
#[derive(Clone, Debug)]
pub struct Series {
    pub method: &'static str,
    /// The start, and one entry for each iteration.
    pub iterates: Vec<Iterate>,
    pub outcome: StopReason,
    /// The last iterate, its quaternions as long as the way left them.
    pub end: State,
}

impl Series {
    /// How many iterations it took.
    pub fn iterations(&self) -> usize {
        self.iterates.len() - 1
    }

    /// The last entry.
    pub fn last(&self) -> &Iterate {
        self.iterates.last().expect("the start is there")
    }
}

/// A series that is being written, with the clock that it goes by.
pub struct SeriesRecorder<'a> {
    problem: &'a Problem<'a>,
    until: &'a Until,
    series: Series,
    spent: Duration,
    since: Instant,
}

impl<'a> SeriesRecorder<'a> {
    pub fn new(method: &'static str, problem: &'a Problem, until: &'a Until) -> Self {
        let end = problem.start.clone();
        let series = Series { method, iterates: Vec::new(), outcome: StopReason::Ended, end };
        Self { problem, until, series, spent: Duration::ZERO, since: Instant::now() }
    }

    /// Notes where an iteration led. Whether to go on; the clock stands still meanwhile.
    pub fn note(&mut self, x: &State, linear_iterations: usize) -> bool {
        self.spent += self.since.elapsed();
        let (gradient, objective, off_length) = self.problem.measure(x);
        let seconds = self.spent.as_secs_f64();
        self.series.iterates.push(Iterate { seconds, gradient, objective, off_length, linear_iterations });
        self.series.end.clone_from(x);
        let is_done = gradient <= self.goal();
        if is_done {
            self.series.outcome = StopReason::Converged;
        }
        self.since = Instant::now();
        !is_done && self.series.iterations() < self.until.iterations && seconds < self.until.seconds
    }

    /// The gradient that is small enough, N, once the start is noted.
    pub fn goal(&self) -> f64 {
        self.until.gradient * self.series.iterates[0].gradient
    }

    /// Over, for another reason than those of `Until`.
    pub fn stop(&mut self, outcome: StopReason) {
        self.series.outcome = outcome;
    }

    pub fn finish(self) -> Series {
        self.series
    }
}
