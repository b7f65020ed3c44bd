use std::cell::RefCell;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_fit::error::FitError;
use bdem_fit::minimize::{Bounds, Evaluation, Limits, Method, Problem, minimize};
use bdem_fit::run::{Loss, StateGradient};
use bdem_run::run::RunError;

use super::number;
use crate::{Cell, Claim};

/// Course and result of a fit.
pub(super) struct Outcome {
    pub name: String,
    pub parameters: Vec<Parameter>,
    /// Of each evaluation.
    pub losses: Vec<f64>,
    /// Place in a paper, and its words.
    pub paper: Option<(&'static str, String)>,
    /// Reason why there is no result.
    pub failed: Option<String>,
}

/// A parameter and what was found.
pub(super) struct Parameter {
    pub name: &'static str,
    pub start: f64,
    pub found: f64,
    /// NaN where there is none.
    pub truth: f64,
}

/// A parameter to find: name, start, true value and bounds.
pub(super) type Wanted = (&'static str, f64, f64, [f64; 2]);

impl Outcome {
    /// Fit of these parameters.
    pub(super) fn of(
        name: impl Into<String>,
        wanted: &[Wanted],
        (method, limits): (Method, Limits),
        paper: Option<(&'static str, String)>,
        problem: &dyn Problem,
    ) -> Result<Self, RunError> {
        let start: Vec<f64> = wanted.iter().map(|(_, start, ..)| *start).collect();
        let bounds: Vec<Bounds> = wanted.iter().map(|(.., [low, high])| Bounds { low: *low, high: *high }).collect();
        let losses = RefCell::new(Vec::new());
        let mut progress = |evaluation: &Evaluation| losses.borrow_mut().push(evaluation.loss);
        let result = minimize(method, &start, &bounds, limits, &mut progress, problem);
        let (found, failed) = match result {
            Ok(minimum) => (minimum.parameters, None),
            Err(error) => (vec![f64::NAN; start.len()], Some(why(error)?)),
        };
        let parameter = |(&(name, start, truth, _), found): (&Wanted, f64)| Parameter { name, start, found, truth };
        let parameters = wanted.iter().zip(found).map(parameter).collect();
        Ok(Self { name: name.into(), parameters, losses: losses.into_inner(), paper, failed })
    }

    pub(super) fn rows(&self) -> Vec<Vec<Cell>> {
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let row = |parameter: &Parameter| {
            let name = self.failed.as_ref().map_or_else(|| self.name.clone(), |why| format!("{}: {why}", self.name));
            vec![
                Cell::Text(name),
                Cell::Text(parameter.name.to_owned()),
                number(parameter.start),
                number(parameter.found),
                number(parameter.truth),
                number(self.losses.first().copied().unwrap_or(f64::NAN)),
                number(least),
                number(self.losses.len() as f64),
            ]
        };
        self.parameters.iter().map(row).collect()
    }

    pub(super) fn claims(&self) -> Vec<Claim> {
        let Some((source, paper)) = &self.paper else { return Vec::new() };
        let claim = |parameter: &Parameter| {
            Claim::new(format!("{}, {}", self.name, parameter.name), source, paper.clone(), parameter.found)
        };
        self.parameters.iter().map(claim).collect()
    }
}

/// Words for an error of a fit.
fn why(error: FitError) -> Result<String, RunError> {
    match error {
        FitError::Evaluation(error) => match error.downcast::<RunError>() {
            Ok(error) => Err(*error),
            Err(error) => Ok(error.to_string()),
        },
        error => Ok(error.to_string()),
    }
}

/// Problem whose residuals are those of runs of the program, without a gradient for this reason.
pub(super) struct ByRuns<F>(pub &'static str, pub F);

impl<F: Fn(&[f64]) -> Result<Vec<f64>, RunError>> Problem for ByRuns<F> {
    fn gradient(&self, _: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        Err(FitError::Optimizer(self.0.to_owned()))
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        let of = |point: &Vec<f64>| (self.1)(point).map_err(|error| FitError::Evaluation(Box::new(error)));
        points.iter().map(of).collect()
    }
}

/// Mean of the squared distances of particles to positions (m) at the frames after the start.
pub(super) struct Positions(pub Vec<Vec<Vec3>>);

impl Loss for Positions {
    fn at(&self, frame: u32, _: &World, state: &State, mut by: Option<&mut StateGradient>) -> f64 {
        let Some(target) = (frame as usize).checked_sub(1).and_then(|k| self.0.get(k)) else { return 0.0 };
        let per = 1.0 / (self.0.len() * target.len()) as f64;
        let mut sum = 0.0;
        for (i, target) in target.iter().enumerate() {
            let off = state.p[i] - target;
            sum += per * off.norm_squared();
            if let Some(by) = &mut by {
                by.p[i] += off * (2.0 * per);
            }
        }
        sum
    }
}

/// Loss that keeps the positions it gets.
#[derive(Default)]
pub(super) struct Seen(pub std::sync::Mutex<Vec<Vec<Vec3>>>);

impl Loss for Seen {
    fn at(&self, frame: u32, _: &World, state: &State, _: Option<&mut StateGradient>) -> f64 {
        if frame > 0 {
            self.0.lock().expect("no other thread has it").push(state.p.clone());
        }
        0.0
    }
}

impl Seen {
    pub(super) fn positions(self) -> Positions {
        Positions(self.0.into_inner().expect("no other thread has it"))
    }
}

/// Limits of a fit.
pub(super) fn at_most(evaluations: usize) -> Limits {
    Limits { evaluations, loss: 0.0 }
}

pub(super) const LBFGS: Method = Method::Lbfgs { memory: 7 };
