//! The stiffness of the t-shirt that hangs at ten times gravity, from 20 N/m: \[MSC\] Fig 10. The target has 50 N/m.
//!
//! The paper prints neither mass nor step. A step of implicit Euler has a single minimum while compressed springs, which push
//! sideways with k (1 - l/l0), are weaker than inertia, m/h^2: 0.012 N/m for the scene's 10 g at 1/60 s, of k = 50 N/m. Cloth
//! buckles within such steps, and its end depends on k in jumps. So the shirt has the weight of cotton here, and shorter steps.

use std::path::Path;

use bdem_core::model::{State, World};
use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::error::FitError;
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::outcome::{LBFGS, Outcome, Seen, at_most};
use crate::Setup;
use crate::scenes::folder_with;

const SCENE: &str = include_str!("../../../../scenes/tshirt.toml");
const MESH: &str = include_str!("../../../../scenes/tshirt.obj");

/// Mass of a vertex, kg: 0.1 kg in all, 160 g/m2.
const MASS: f64 = 3.36e-5;

/// Time between compared positions, s: the fall and the first rise are ten.
const FRAME: f64 = 1.0 / 60.0;

/// Step, s.
const STEP: f64 = FRAME / 8.0;

fn shirt(folder: &Path, stiffness: f64) -> Result<(World, State), RunError> {
    let set =
        [("stiffness", stiffness), ("mass", MASS)].map(|(key, value)| format!("bodies.shirt.springs.{key}={value:?}"));
    Ok(Scene::parse(&folder.join("tshirt.toml"), SCENE, &set)?.build()?)
}

fn failed(error: RunError) -> FitError {
    FitError::Evaluation(Box::new(error))
}

pub(super) fn fit(setup: &Setup) -> Result<Outcome, RunError> {
    let folder = folder_with("tshirt.obj", MESH)?;
    let frames = setup.choose(10, 1);
    let settings = SimulationSettings {
        integrator: IntegratorKind::ImplicitEuler,
        step: Some(StepSize::Seconds(STEP)),
        ..SimulationSettings::new(FRAME)
    };
    let problem = |target| {
        let (settings, folder) = (&settings, folder.path());
        move |k: &[f64]| {
            let at = |k: f64| shirt(folder, k).map_err(failed);
            let run = Run::new(at(k[0])?, settings, frames)?;
            let change = Change::between(&at(k[0] * 0.999)?, &at(k[0] * 1.001)?, 0.002 * k[0]);
            let found = gradient(&run, &target, &Storage::default(), &[change])?;
            Ok((found.loss, found.along))
        }
    };
    let seen = Seen::default();
    let run = Run::new(shirt(folder.path(), 50.0)?, &settings, frames);
    let made = run.and_then(|run| run.loss(&seen));
    let wanted = [("k, N/m", 20.0, 50.0, [5.0, 500.0])];
    let paper = Some(("[MSC] Fig 10", "50".to_owned()));
    if let Err(error) = made {
        let broken = move |_: &[f64]| Err(FitError::Optimizer(error.to_string()));
        return Outcome::of("t-shirt", &wanted, (LBFGS, at_most(1)), paper, &broken);
    }
    Outcome::of("t-shirt", &wanted, (LBFGS, at_most(20)), paper, &problem(seen.positions()))
}
