//! Rows of settings by one word.

use bdem_core::energy::Curvature;
use bdem_core::model::FrictionModel;
use bdem_core::simulate::{CgTolerance, IntegratorKind, LinearlyImplicit, StepSize};
use bdem_run::scene::Scene;

use crate::common::scenes;

const BALL: &str = "[scene]\nname = \"ball\"\n[time]\nframe_rate = 100\nframes = 1\nSTEP\n\
    [materials.m]\ndensity = 1000.0\nyoung_modulus = 1e7\npoisson_ratio = 0.2\n\
    [[bodies]]\nname = \"ball\"\nmaterial = \"m\"\nparticle_radius = 0.01\nshape = { sphere = { radius = 0.05 } }\n";

fn ball(preset: &str, step: &str, set: &[&str]) -> Scene {
    scenes::scene(&(preset.to_owned() + &BALL.replace("STEP", step)), set)
}

/// The paper's solver, as printed.
#[test]
fn a_preset_gives_what_the_scene_does_not() {
    let scene = ball("preset = \"ibdem\"\n", "", &[]);
    assert_eq!(
        (scene.time.integrator, scene.time.step),
        (IntegratorKind::ImplicitEuler, Some(StepSize::Periods(20.0)))
    );
    let solver = &scene.solver;
    assert_eq!((solver.hessian, solver.cg_tolerance), (Curvature::Projected, CgTolerance::Forcing));
    assert_eq!((solver.linearly_implicit, solver.reuse_matrix), (LinearlyImplicit::Never, false));
    assert_eq!((scene.contact.friction, solver.jacobi_below), (FrictionModel::VelocityCorrection, 0.0));
    assert!(scene.preset_row().iter().all(|(_, is_own)| !is_own));
    // what a run writes is the same again
    let again = scenes::scene(&scene.resolved_toml(), &[]);
    assert_eq!(again.resolved_toml(), scene.resolved_toml());
    assert!(ball("", "", &[]).preset_row().is_empty());
}

/// Keys beside it, and those of the command line, count before it.
#[test]
fn keys_of_the_scene_win() {
    let scene = ball("preset = \"ibdem\"\n", "step = 1e-4", &["solver.cg_tolerance=0.01", "solver.hessian=exact"]);
    assert_eq!(scene.time.step, Some(StepSize::Seconds(1e-4)));
    assert_eq!((scene.solver.hessian, scene.solver.cg_tolerance), (Curvature::Exact, CgTolerance::Fixed(0.01)));
    let own: Vec<&str> = scene.preset_row().into_iter().filter(|(_, is_own)| *is_own).map(|(set, _)| set).collect();
    assert_eq!(own, ["time.step={periods=20}", "solver.hessian=projected", "solver.cg_tolerance=forcing"]);
    let set = ball("", "", &["preset=ibdem"]);
    assert_eq!(set.solver.cg_tolerance, CgTolerance::Forcing);
}

#[test]
fn wrong_presets_are_refused() {
    let text = "preset = \"idbem\"\n".to_owned() + &BALL.replace("STEP", "");
    let error = Scene::parse("ball.toml".as_ref(), &text, &[]).expect_err("no such preset").to_string();
    assert!(error.contains("ball.toml:1:10") && error.contains("ibdem"), "{error}");
    let text = "preset = \"ibdem\"\n".to_owned() + &BALL.replace("STEP", "");
    let set = ["time.integrator=explicit-verlet".to_owned(), "solver.cg_tolerance=loose".to_owned()];
    let error = Scene::parse("ball.toml".as_ref(), &text, &set).expect_err("no such tolerance").to_string();
    assert!(error.contains("solver.cg_tolerance=loose"), "{error}");
}
