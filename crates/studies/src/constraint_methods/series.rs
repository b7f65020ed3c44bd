use std::time::{Duration, Instant};

use bdem_core::model::State;
use serde::Serialize;

use super::Problem;

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// Gradient on the manifold over that of the start.
    pub gradient: f64,
    /// Limit on the number of iterations.
    pub iterations: usize,
    /// Wall-clock time, s.
    pub seconds: f64,
}

/// Measurements after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Iterate {
    /// Wall-clock time so far without that of measuring, s.
    pub seconds: f64,
    /// Norm of the gradient on the manifold with normalised quaternions, N.
    pub gradient: f64,
    /// Objective with normalised quaternions, J.
    pub objective: f64,
    /// Greatest | |q| - 1 | before the normalisation.
    pub off_length: f64,
    /// Iterations of the linear solver in this iteration.
    pub linear_iterations: usize,
}

/// Reason of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The gradient on the manifold reached the goal.
    Converged,
    /// The method's own residual reached the goal, but the gradient on the manifold did not: a penalty's minimum.
    Settled,
    /// The line search found no decrease.
    Stalled,
    /// The limit on iterations or time was reached.
    Ended,
}

/// Iterations of a method on a problem.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the method.
    pub method: &'static str,
    /// Measurements of the start and of each iteration.
    pub iterates: Vec<Iterate>,
    /// Reason of the end.
    pub outcome: StopReason,
    /// Last iterate, with quaternions as the method left them.
    pub end: State,
}

impl Series {
    /// Number of iterations.
    pub fn iterations(&self) -> usize {
        self.iterates.len() - 1
    }

    /// Last measurement.
    pub fn last(&self) -> &Iterate {
        self.iterates.last().expect("the start is there")
    }
}

/// Recorder of a series, with its clock.
pub(super) struct SeriesRecorder<'a> {
    problem: &'a Problem<'a>,
    until: &'a Until,
    series: Series,
    spent: Duration,
    since: Instant,
}

impl<'a> SeriesRecorder<'a> {
    pub(super) fn new(method: &'static str, problem: &'a Problem, until: &'a Until) -> Self {
        let end = problem.start.clone();
        let series = Series { method, iterates: Vec::new(), outcome: StopReason::Ended, end };
        Self { problem, until, series, spent: Duration::ZERO, since: Instant::now() }
    }

    /// Measure an iterate. Returns whether to continue; the clock stops meanwhile.
    pub(super) fn note(&mut self, x: &State, linear_iterations: usize) -> bool {
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

    /// Gradient that counts as converged, N, once the start is measured.
    pub(super) fn goal(&self) -> f64 {
        self.until.gradient * self.series.iterates[0].gradient
    }

    /// End for another reason than the stopping criteria.
    pub(super) fn stop(&mut self, outcome: StopReason) {
        self.series.outcome = outcome;
    }

    pub(super) fn finish(self) -> Series {
        self.series
    }
}
