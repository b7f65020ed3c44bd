//! Loss of a scene as a function of its parameters.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;

use bdem_core::model::{State, World};
use bdem_fit::error::FitError;
use bdem_fit::minimize::{Method, Problem};
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, Report, gradient};
use bdem_run::run::{ExistingRun, KeptPackings, LogLevel, LogOptions, RunError, RunOptions, advance_packed, simulate};
use bdem_run::scene::{PackingStore, Scene, SceneInputs};

use super::file::FitFile;
use super::folder;
use super::journal::{Journal, Shape};
use super::targets::{Targets, evaluation};
use crate::side_by_side;

/// Loss of a fit.
pub(super) struct SceneLoss<'a> {
    pub runs: Runs<'a>,
    pub journal: RefCell<Journal>,
    /// Runs side by side.
    pub side_by_side: NonZeroUsize,
    pub threads: usize,
    /// Of the last sweep.
    pub report: RefCell<Report>,
    /// Whether no evaluation is known yet.
    pub is_first: Cell<bool>,
}

/// Runs of a scene with values of the parameters.
pub(super) struct Runs<'a> {
    pub file: &'a FitFile,
    pub inputs: &'a SceneInputs,
    pub targets: &'a Targets<'a>,
    pub options: &'a RunOptions,
}

/// Share of a parameter, or of its bounds, by which worlds differ for its derivative.
const DIFFERENCE: f64 = 1e-5;

impl Runs<'_> {
    /// The scene with these values.
    pub(super) fn scene(&self, values: &[f64]) -> Result<Scene, RunError> {
        Ok(self.inputs.scene(&self.file.settings(values))?)
    }

    /// Numbers of an evaluation.
    pub(super) fn shape(&self) -> Shape {
        let parameters = self.file.tables.parameters.len();
        let results = match self.file.method() {
            Method::Lbfgs { .. } => 1 + parameters,
            // and the rows beyond the run's curves
            Method::GaussNewton | Method::NelderMead { .. } => self.targets.residuals() + 1,
        };
        Shape { parameters, results }
    }

    fn packings(&self) -> KeptPackings {
        let RunOptions { output, packing_cache, log, .. } = self.options;
        KeptPackings::new(vec![output.join("packings")], packing_cache.clone(), *log)
    }

    fn build(&self, values: &[f64]) -> Result<(Scene, (World, State)), RunError> {
        let scene = self.scene(values)?;
        let (mut world, state) = scene.build_with(&mut self.packings())?;
        world.interrupt = self.options.interrupt.clone();
        Ok((scene, (world, state)))
    }

    /// Derivative of the world by parameter `k`.
    pub(super) fn change(&self, values: &[f64], k: usize) -> Result<Change, RunError> {
        let bounds = self.file.tables.parameters[k].bounds();
        let size = if values[k] == 0.0 { bounds.high - bounds.low } else { values[k].abs() };
        let at = |by: f64| {
            let mut values = values.to_vec();
            values[k] += by * DIFFERENCE * size;
            Ok::<_, RunError>((values[k], self.build(&values)?.1))
        };
        let ((from, low), (to, high)) = (at(-1.0)?, at(1.0)?);
        let [fewer, more] = [&low, &high].map(|(world, _)| world.particles.len());
        if fewer != more {
            let key = &self.file.tables.parameters[k].key;
            let message = format!("{} changes the particles: {fewer} at {from}, {more} at {to}", key.get_ref().name());
            let help = "name a key that leaves their number, such as one of a material";
            return Err(self.file.error(key.span(), message, help).into());
        }
        Ok(Change::between(&low, &high, to - from))
    }

    /// Loss and gradient, and the course of the sweep.
    pub(super) fn gradient(&self, values: &[f64]) -> Result<(Vec<f64>, Report), FitError> {
        let (scene, built) = self.build(values).map_err(evaluation)?;
        let run = Run::new(built, &scene.simulation_settings(), self.targets.last_frame())?;
        let changes = (0..values.len()).map(|k| self.change(values, k));
        let changes = changes.collect::<Result<Vec<_>, _>>().map_err(evaluation)?;
        let fit = &self.file.tables.fit;
        let storage = match fit.disk {
            true => Storage::Disk { folder: self.options.output.clone() },
            false => Storage::Memory { bytes: fit.memory() },
        };
        let gradient = gradient(&run, self.targets, &storage, &changes)?;
        Ok((std::iter::once(gradient.loss).chain(gradient.along).collect(), gradient.report))
    }

    /// Whether the loss at the start, the first of these numbers, changes with every parameter.
    fn check_slopes(&self, values: &[f64], result: &[f64]) -> Result<(), RunError> {
        let flat = result[1..].iter().position(|slope| *slope == 0.0).filter(|_| result[0] != 0.0);
        let Some(k) = flat else { return Ok(()) };
        let key = &self.file.tables.parameters[k].key;
        let message = format!("nothing in the run depends on {} at {:?}", key.get_ref().name(), values[k]);
        let help = "name another key, start it where the run depends on it, or take the method nelder-mead";
        Err(self.file.error(key.span(), message, help).into())
    }

    /// Residuals of a run with these values, and the number of the targets' rows beyond its curves.
    fn residuals(&self, values: &[f64]) -> Result<Vec<f64>, FitError> {
        let scene = self.scene(values).map_err(evaluation)?;
        let mut residuals = Vec::new();
        if self.targets.last_frame() > 0 {
            let (mut frame, mut start) = (0, Vec::new());
            let parts: (&mut dyn PackingStore, _) = (&mut self.packings(), &self.options.interrupt);
            advance_packed(&scene, self.targets.last_frame(), true, parts, |simulation| {
                if frame == 0 {
                    start = simulation.state.p.clone();
                }
                self.targets.add_residuals(frame, &start, &simulation.state, &mut residuals);
                frame += 1;
            })
            .map_err(evaluation)?;
        }
        let mut beyond = 0;
        if self.targets.needs_files() {
            let folder = folder::of_run(&self.options.output).map_err(evaluation)?;
            let options = RunOptions {
                output: folder.path().join("run"),
                existing_run: ExistingRun::Overwrite,
                log: LogOptions { level: LogLevel::Quiet, ..self.options.log },
                packing_cache: self.options.packing_cache.clone(),
                interrupt: self.options.interrupt.clone(),
                ..RunOptions::default()
            };
            simulate(&scene, &options).map_err(evaluation)?;
            beyond = self.targets.add_file_residuals(&options.output, &mut residuals)?;
        }
        residuals.push(beyond as f64);
        Ok(residuals)
    }
}

impl SceneLoss<'_> {
    /// Number of the targets' rows beyond the curves of a run that was evaluated with these values.
    pub(super) fn rows_beyond(&self, values: &[f64]) -> usize {
        let journal = self.journal.borrow();
        let rows = journal.get(values).and_then(|result| result.last()).filter(|_| self.runs.targets.needs_files());
        rows.map_or(0, |rows| *rows as usize)
    }
}

impl Problem for SceneLoss<'_> {
    fn gradient(&self, values: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        let known = self.journal.borrow().get(values).cloned();
        let result = match known {
            Some(result) => result,
            None => {
                // within the thread pool: a thread outside would wake another for every loop
                let runs = &self.runs;
                let (result, report) = rayon::scope(|_| runs.gradient(values))?;
                if self.is_first.replace(false) {
                    runs.check_slopes(values, &result).map_err(evaluation)?;
                }
                *self.report.borrow_mut() = report;
                self.journal.borrow_mut().put(values, result.clone()).map_err(evaluation)?;
                result
            }
        };
        Ok((result[0], result[1..].to_vec()))
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        let known = |point: &Vec<f64>| self.journal.borrow().get(point).is_some();
        let new: Vec<&Vec<f64>> = points.iter().filter(|point| !known(point)).collect();
        let runs = &self.runs;
        let results = side_by_side::map(&new, self.side_by_side, self.threads, |point| runs.residuals(point));
        let results = results.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut journal = self.journal.borrow_mut();
        for (point, result) in new.into_iter().zip(results) {
            journal.put(point, result).map_err(evaluation)?;
        }
        let residuals = |point: &Vec<f64>| {
            let (_, residuals) = journal.get(point).expect("it was put").split_last().expect("rows beyond");
            residuals.to_vec()
        };
        Ok(points.iter().map(residuals).collect())
    }
}
