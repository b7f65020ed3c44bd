//! The charge of a mesh of springs of 2.5 N/m, from Verlet's motion at 0.0045 s over 9 s: \[MSC\] Figs 6 and 14. The duck is not
//! ours: a closed surface in its place.

use bdem_core::geometry::triangulate;
use bdem_core::model::{State, World};
use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::error::FitError;
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};
use bdem_run::run::RunError;

use super::outcome::{LBFGS, Outcome, Positions, Seen, at_most};
use crate::Setup;
use crate::charges::charged_surface;

/// Stiffness of the springs, N/m, and charge of a vertex, C.
const STIFFNESS: f64 = 2.5;
const CHARGE: f64 = 80e-6;

/// Radius of the surface, m: the charges then stretch its springs by a third.
const RADIUS: f64 = 15.0;

/// Time between compared positions, and of the motion, s.
const FRAME: f64 = 0.18;
const TIME: f64 = 9.0;

fn duck(charge: f64) -> (World, State) {
    let mut surface = triangulate::sphere(1);
    surface.x.iter_mut().for_each(|x| *x *= RADIUS * (1.0 + 0.2 * libm::sin(4.0 * x.x) + 0.1 * x.z));
    charged_surface(&surface, STIFFNESS, charge).build().expect("the duck is a world")
}

fn settings(integrator: IntegratorKind, step: f64) -> SimulationSettings {
    SimulationSettings { integrator, step: Some(StepSize::Seconds(step)), ..SimulationSettings::new(FRAME) }
}

fn fit(
    name: &str,
    target: &Positions,
    settings: &SimulationSettings,
    frames: u32,
    paper: &str,
) -> Result<Outcome, RunError> {
    let problem = |q: &[f64]| {
        let run = Run::new(duck(q[0]), settings, frames)?;
        let width = 1e-4 * q[0];
        let change = Change::between(&duck(q[0] - 0.5 * width), &duck(q[0] + 0.5 * width), width);
        let found = gradient(&run, target, &Storage::default(), &[change])?;
        match found.loss.is_finite() {
            true => Ok((found.loss, found.along)),
            false => Err(FitError::NotFinite { loss: found.loss, parameters: q.to_vec() }),
        }
    };
    let wanted = [("q, C", 60e-6, CHARGE, [30e-6, 150e-6])];
    Outcome::of(name, &wanted, (LBFGS, at_most(40)), Some(("[MSC] Figs 6, 14", paper.to_owned())), &problem)
}

pub(super) fn fits(setup: &Setup) -> Result<Vec<Outcome>, RunError> {
    let frames = setup.choose((TIME / FRAME).round() as u32, 4);
    let verlet = IntegratorKind::ExplicitVerlet;
    let seen = Seen::default();
    let fine = Run::new(duck(CHARGE), &settings(verlet, 0.0045), frames);
    fine.and_then(|run| run.loss(&seen)).expect("the target's run succeeds");
    let target = seen.positions();
    let euler = IntegratorKind::ImplicitEuler;
    Ok(vec![
        fit("duck, implicit-explicit at 0.009 s", &target, &settings(euler, 0.009), frames, "fits")?,
        fit("duck, Verlet at 0.009 s", &target, &settings(verlet, 0.009), frames, "fits")?,
        fit("duck, implicit-explicit at 0.18 s", &target, &settings(euler, 0.18), frames, "fits")?,
        fit("duck, Verlet at 0.18 s", &target, &settings(verlet, 0.18), frames, "fails")?,
    ])
}
