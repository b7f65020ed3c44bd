use bdem_core::model::{ContactLaw, FrictionModel};
use bdem_core::simulate::{IntegratorKind, StepSize};
use bdem_run::run::RunError;

use super::advance::Stop;

/// Contact law, friction rule, integrator and step under which a case runs.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Normal contact law.
    pub law: ContactLaw,
    /// Friction rule.
    pub rule: FrictionModel,
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Step. `None` for the integrator's default.
    pub step: Option<StepSize>,
}

/// Quantity with its right value.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name of the quantity.
    pub quantity: String,
    /// Unit, empty where there is none.
    pub unit: &'static str,
    /// Right value, in the unit.
    pub right: f64,
    /// Bound on the error of a right result, in the unit.
    pub tolerance: f64,
}

/// Target, and the value found for it or the reason why there is none.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Quantity and right value.
    pub target: Target,
    /// Value found, in the target's unit.
    pub found: Result<f64, String>,
}

/// Verification test: a scene of a few grains whose motion is known.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Name, which says what happens.
    pub name: &'static str,
    /// Source of the right values: an equation, and the paper of the test.
    pub source: &'static str,
    /// Errors that the test would not show.
    pub weakness: &'static str,
    /// Whether its grains have sliding friction: otherwise the friction rule does not matter.
    pub has_friction: bool,
    /// Reason why a setting cannot pass by design.
    pub cannot: fn(&Setting) -> Option<&'static str>,
    /// Runs it.
    pub run: fn(&Setting) -> Result<Vec<Finding>, RunError>,
}

impl Case {
    /// Case without friction that every setting can pass.
    pub(crate) const fn new(
        name: &'static str,
        source: &'static str,
        weakness: &'static str,
        run: fn(&Setting) -> Result<Vec<Finding>, RunError>,
    ) -> Self {
        Self { name, source, weakness, has_friction: false, cannot: never, run }
    }
}

impl Target {
    /// Target without a unit.
    pub(crate) fn ratio(quantity: impl Into<String>, right: f64, tolerance: f64) -> Self {
        Self::of(quantity, "", right, tolerance)
    }

    /// Target in a unit.
    pub(crate) fn of(quantity: impl Into<String>, unit: &'static str, right: f64, tolerance: f64) -> Self {
        Self { quantity: quantity.into(), unit, right, tolerance }
    }

    /// Finding of one target from a run. A run that the solver gave up is a finding.
    pub(crate) fn find(self, found: Result<f64, Stop>) -> Result<Finding, RunError> {
        Ok(Finding { target: self, found: found.map_or_else(ended, |value| Ok(Ok(value)))? })
    }
}

/// Findings of the targets that one run measures together.
pub(crate) fn find_all<const N: usize>(
    targets: [Target; N],
    found: Result<[f64; N], Stop>,
) -> Result<Vec<Finding>, RunError> {
    let found = found.map_or_else(ended, |values| Ok(Ok(values)))?;
    let one = |k: usize| found.as_ref().map(|values| values[k]).map_err(Clone::clone);
    Ok(targets.into_iter().enumerate().map(|(k, target)| Finding { target, found: one(k) }).collect())
}

/// Verdict of a run that the solver ended. Other errors are the study's.
fn ended<T>(stop: Stop) -> Result<Result<T, String>, RunError> {
    match stop {
        Stop::Ended(why) => Ok(Err(format!("ended with: {why}"))),
        Stop::Error(error) => Err(error),
    }
}

impl Finding {
    /// Difference of the value found from the right one, in the unit.
    pub fn error(&self) -> Option<f64> {
        self.found.as_ref().ok().map(|found| found - self.target.right)
    }

    /// Whether the error is within the tolerance.
    pub fn is_right(&self) -> bool {
        self.error().is_some_and(|error| error.abs() <= self.target.tolerance)
    }

    /// Verdict in words.
    pub fn verdict(&self) -> String {
        match (&self.found, self.error()) {
            (Err(why), _) => why.clone(),
            _ if self.is_right() => "right".to_owned(),
            (_, error) => format!("off by {}", crate::short(error)),
        }
    }
}

/// For cases that every setting can pass.
pub(crate) fn never(_: &Setting) -> Option<&'static str> {
    None
}

/// For cases in which friction turns grains.
pub(crate) fn without_torque(setting: &Setting) -> Option<&'static str> {
    let corrects = setting.rule == FrictionModel::VelocityCorrection;
    corrects.then_some("[IBDEM] eq 34 slows centres: friction makes no torque")
}

/// For cases with a free rigid body.
pub(crate) fn without_rigid_bodies(setting: &Setting) -> Option<&'static str> {
    (!setting.integrator.moves_rigid_bodies()).then_some("moves no free rigid bodies")
}

/// For cases in which friction holds a block.
pub(crate) fn without_hold(setting: &Setting) -> Option<&'static str> {
    let corrects = setting.rule == FrictionModel::VelocityCorrection;
    corrects.then_some("[IBDEM] eq 34 acts after a step: a held block creeps by g sin(a) dt/2")
}

/// For cases in which friction holds a rigid block.
pub(crate) fn without_rigid_hold(setting: &Setting) -> Option<&'static str> {
    without_rigid_bodies(setting).or(without_hold(setting))
}
