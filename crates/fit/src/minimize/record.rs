use std::cell::RefCell;

use crate::error::FitError;

use super::{Bounds, Limits, Minimum, Problem};

/// An evaluation of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Parameters.
    pub parameters: &'a [f64],
    /// Loss.
    pub loss: f64,
    /// Derivatives by the parameters, where the method has them.
    pub gradient: Option<&'a [f64]>,
    /// Whether it is the least loss so far.
    pub is_best: bool,
}

/// Reason for an end at which [`Evaluations::has_converged`].
pub(super) const HAS_CONVERGED: &str = "no parameter changes by 1e-4 of itself";

/// Evaluations of a minimisation in free parameters. Their errors say why it ends before its optimiser does.
pub(super) struct Evaluations<'a> {
    problem: &'a dyn Problem,
    pub bounds: &'a [Bounds],
    limits: Limits,
    state: RefCell<State<'a>>,
}

struct State<'a> {
    progress: &'a mut dyn FnMut(&Evaluation),
    count: usize,
    best: Option<(f64, Vec<f64>)>,
    /// Error that ended it, which the optimiser cannot carry.
    failed: Option<FitError>,
}

impl<'a> Evaluations<'a> {
    pub(super) fn new(
        problem: &'a dyn Problem,
        bounds: &'a [Bounds],
        limits: Limits,
        progress: &'a mut dyn FnMut(&Evaluation),
    ) -> Self {
        let state = RefCell::new(State { progress, count: 0, best: None, failed: None });
        Self { problem, bounds, limits, state }
    }

    /// Whether each parameter changes by a small share of itself from one set of free parameters to another.
    pub(super) fn has_converged(&self, from: &[f64], to: &[f64]) -> bool {
        /// Change of a parameter at which it has converged, as a share of it.
        const CONVERGED: f64 = 1e-4;
        let mut pairs = self.parameters(from).into_iter().zip(self.parameters(to));
        pairs.all(|(from, to)| (to - from).abs() <= CONVERGED * to.abs())
    }

    fn parameters(&self, free: &[f64]) -> Vec<f64> {
        free.iter().zip(self.bounds).map(|(u, bounds)| bounds.bounded(*u)).collect()
    }

    /// Loss and its derivatives by free parameters.
    pub(super) fn gradient(&self, free: &[f64]) -> Result<(f64, Vec<f64>), String> {
        self.begin(1)?;
        let parameters = self.parameters(free);
        let (loss, gradient) = self.kept(self.problem.gradient(&parameters))?;
        self.note(parameters, loss, Some(&gradient))?;
        let slopes = free.iter().zip(self.bounds).map(|(u, bounds)| bounds.slope(*u));
        Ok((loss, gradient.iter().zip(slopes).map(|(by, slope)| by * slope).collect()))
    }

    /// Residuals at free parameters.
    pub(super) fn residuals(&self, free: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, String> {
        self.begin(free.len())?;
        let points: Vec<Vec<f64>> = free.iter().map(|free| self.parameters(free)).collect();
        let residuals = self.kept(self.problem.residuals(&points))?;
        for (point, residuals) in points.into_iter().zip(&residuals) {
            self.note(point, residuals.iter().map(|r| r * r).sum(), None)?;
        }
        Ok(residuals)
    }

    /// Losses at free parameters.
    pub(super) fn losses(&self, free: &[Vec<f64>]) -> Result<Vec<f64>, String> {
        self.begin(free.len())?;
        let points: Vec<Vec<f64>> = free.iter().map(|free| self.parameters(free)).collect();
        let losses = self.kept(self.problem.losses(&points))?;
        for (point, loss) in points.into_iter().zip(&losses) {
            self.note(point, *loss, None)?;
        }
        Ok(losses)
    }

    /// Ends the minimisation where `more` evaluations exceed the limit, or the loss is small enough.
    fn begin(&self, more: usize) -> Result<(), String> {
        let state = self.state.borrow();
        if state.best.as_ref().is_some_and(|(loss, _)| *loss <= self.limits.loss) {
            return Err("the loss is as small as was asked for".to_owned());
        }
        if state.count > 0 && state.count + more > self.limits.evaluations {
            return Err(format!("{} evaluations were allowed", self.limits.evaluations));
        }
        Ok(())
    }

    fn kept<T>(&self, result: Result<T, FitError>) -> Result<T, String> {
        result.map_err(|error| {
            self.state.borrow_mut().failed = Some(error);
            String::new()
        })
    }

    fn note(&self, parameters: Vec<f64>, loss: f64, gradient: Option<&[f64]>) -> Result<(), String> {
        if !loss.is_finite() {
            return self.kept(Err(FitError::NotFinite { loss, parameters }));
        }
        let state = &mut *self.state.borrow_mut();
        state.count += 1;
        let is_best = state.best.as_ref().is_none_or(|(best, _)| loss < *best);
        (state.progress)(&Evaluation { number: state.count, parameters: &parameters, loss, gradient, is_best });
        if is_best {
            state.best = Some((loss, parameters));
        }
        Ok(())
    }

    /// The least loss, or the error that ended the minimisation.
    pub(super) fn finish(self, ended: Result<String, String>) -> Result<Minimum, FitError> {
        let State { count, best, failed, .. } = self.state.into_inner();
        if let Some(error) = failed {
            return Err(error);
        }
        let why = ended.unwrap_or_else(|why| why);
        match best {
            Some((loss, parameters)) => Ok(Minimum { parameters, loss, evaluations: count, why }),
            None => Err(FitError::Optimizer(why)),
        }
    }
}
