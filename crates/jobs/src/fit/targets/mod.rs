//! Targets of a fit, and residuals of runs to them.
//!
//! ```text
//! point_of_body  displacement of a point of a body, as a mean of those of particles
//! motion         frames and tracks: displacements from the start
//! curve          columns of metrics.csv and load curves, over time or displacement
//! ```

mod curve;
mod motion;
mod point_of_body;

use std::path::Path;

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_fit::error::FitError;
use bdem_fit::run::Loss;
use bdem_fit::sweep::StateGradient;
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::file::{FitFile, Target};
use super::journal::Input;
use super::residuals::RunResiduals;
use crate::error::JobError;

use curve::CurveTarget;
use motion::MotionTarget;

/// Targets of a fit.
pub(super) struct Targets<'a> {
    motions: Vec<MotionTarget>,
    curves: Vec<CurveTarget>,
    /// Residuals of the caller.
    own: Option<&'a dyn RunResiduals>,
    /// Positions of the particles at the start, m, from which displacements count in a sweep.
    start: Vec<Vec3>,
}

impl<'a> Targets<'a> {
    /// Targets of `file`, and the caller's `own`, for a `scene` that starts with `start`.
    pub(super) fn read(
        file: &FitFile,
        own: Option<&'a dyn RunResiduals>,
        scene: &Scene,
        start: &(World, State),
    ) -> Result<Self, JobError> {
        let (mut motions, mut curves) = (Vec::new(), Vec::new());
        for target in &file.tables.targets {
            match target.is_curve() {
                true => curves.push(CurveTarget::read(file, target, scene)?),
                false => motions.push(MotionTarget::read(file, target, scene, start)?),
            }
        }
        Ok(Self { motions, curves, own, start: start.1.p.clone() })
    }

    /// Whether runs need their files.
    pub(super) fn needs_files(&self) -> bool {
        !self.curves.is_empty() || self.own.is_some()
    }

    /// Number of residuals of a run.
    pub(super) fn residuals(&self) -> usize {
        let motions = self.motions.iter().map(MotionTarget::residuals);
        let curves = self.curves.iter().map(CurveTarget::residuals);
        motions.sum::<usize>() + curves.sum::<usize>() + self.own.map_or(0, RunResiduals::count)
    }

    /// Sum of the weights: the loss of a run in which nothing moves and no load acts.
    pub(super) fn weight(&self) -> f64 {
        self.motions.iter().map(|target| target.weight).chain(self.curves.iter().map(|target| target.weight)).sum()
    }

    /// Names of the targets, those of motions first, and digests of their values.
    pub(super) fn inputs(&self, file: &FitFile) -> Vec<Input> {
        let places = |is_curve: bool| {
            let targets = file.tables.targets.iter();
            let of_kind = targets.filter(move |target| target.is_curve() == is_curve);
            of_kind.filter_map(Target::path).map(|path| file.beside(path.get_ref()).display().to_string())
        };
        let motions = places(false).zip(&self.motions).map(|(name, target)| Input::new(name, &target.digest()));
        let curves = places(true).zip(&self.curves).map(|(name, target)| Input::new(name, &target.digest()));
        let own = self.own.map(|own| Input::new("residuals", &own.digest()));
        motions.chain(curves).chain(own).collect()
    }

    /// Last frame that motions need.
    pub(super) fn last_frame(&self) -> u32 {
        self.motions.iter().map(MotionTarget::last_frame).max().unwrap_or(0)
    }

    /// Adds the residuals of displacements from `start` (m) to a frame.
    pub(super) fn add_residuals(&self, frame: u32, start: &[Vec3], state: &State, to: &mut Vec<f64>) {
        for target in &self.motions {
            target.misfits(frame, start, &state.p, |_, misfit| to.extend((misfit * target.scale()).iter()));
        }
    }

    /// Adds the residuals of the files of a run in the folder `run`. Returns the number of the targets' rows beyond its curves.
    pub(super) fn add_file_residuals(&self, run: &Path, to: &mut Vec<f64>) -> Result<usize, FitError> {
        let mut beyond = 0;
        for target in &self.curves {
            beyond += target.add_residuals(run, to).map_err(evaluation)?;
        }
        if let Some(own) = self.own {
            to.extend(own_residuals(own, run)?);
        }
        Ok(beyond)
    }
}

/// Error of an evaluation.
pub(super) fn evaluation(error: impl Into<RunError>) -> FitError {
    FitError::Evaluation(Box::new(error.into()))
}

/// Residuals of the caller for a run. Their number is checked.
fn own_residuals(own: &dyn RunResiduals, run: &Path) -> Result<Vec<f64>, FitError> {
    let residuals = own.of_run(run).map_err(FitError::Evaluation)?;
    if residuals.len() == own.count() {
        return Ok(residuals);
    }
    let (found, count) = (residuals.len(), own.count());
    Err(FitError::Evaluation(
        format!("a run has {found} residuals of {count}: give the same number for every run").into(),
    ))
}

impl Loss for Targets<'_> {
    fn at(&self, frame: u32, _: &World, state: &State, mut by: Option<&mut StateGradient>) -> f64 {
        let mut sum = 0.0;
        for target in &self.motions {
            let weight = target.scale() * target.scale();
            target.misfits(frame, &self.start, &state.p, |point, misfit| {
                sum += weight * misfit.norm_squared();
                if let Some(by) = &mut by {
                    point.add_gradient(misfit * (2.0 * weight), &mut by.p);
                }
            });
        }
        sum
    }
}
