//! Templates of material tests with large particles, beside their closed forms. Tolerances are those of large particles: what
//! the templates themselves reach is in the book, Material tests.

use std::path::Path;

use bdem_run::output::{Columns, FORCES};
use bdem_run::run::{ExistingRun, LoadCurve, LogLevel, LogOptions, RunOptions, simulate};
use bdem_run::scene::Scene;
use tempfile::TempDir;

use crate::common::scenes::owned;

/// Young's modulus (Pa), tension (Pa) and density (kg/m3) of the templates' material.
const MODULUS: f64 = 2e9;
const TENSION: f64 = 3e6;
const DENSITY: f64 = 1e3;

/// Folder of a run of a template with the particle radius (m), without frames.
fn run(name: &str, body: &str, radius: f64) -> TempDir {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("crates/jobs/src/templates/{name}.toml"));
    let radius = format!("bodies.{body}.particle_radius={radius}");
    let scene = Scene::load_with(&path, &owned(&[&radius, "output.every=1000"])).expect("a good scene");
    assert_eq!(scene.warnings(), &[] as &[String]);
    let folder = tempfile::tempdir().expect("a folder");
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let options =
        RunOptions { output: folder.path().to_owned(), existing_run: ExistingRun::Keep, log, ..RunOptions::default() };
    simulate(&scene, &options).expect("it runs");
    folder
}

fn curve(name: &str, body: &str, radius: f64) -> LoadCurve {
    let folder = run(name, body, radius);
    LoadCurve::read(folder.path()).expect("its files are there").expect("a specimen")
}

#[track_caller]
fn check(what: &str, measured: Option<f64>, closed: f64, [least, most]: [f64; 2]) {
    let ratio = measured.expect("a result") / closed;
    println!("{what}: {ratio:.3} of the closed form");
    assert!((least..most).contains(&ratio), "{what}: {ratio:.3} of the closed form");
}

#[test]
fn a_bar_breaks_at_its_tension() {
    let curve = curve("tension", "bar", 0.004);
    check("modulus", curve.modulus(), MODULUS, [0.9, 1.1]);
    check("strength", curve.strength(), TENSION, [0.9, 1.1]);
}

/// By Mohr and Coulomb, with the cohesion 5.25 MPa and the friction angle of 30 degrees.
#[test]
fn a_block_is_crushed_at_its_strength_and_under_pressure_beyond() {
    let (cohesion, k) = (5.25e6, 3.0_f64);
    let free = 2.0 * cohesion * k.sqrt();
    let pressed = curve("compression", "block", 0.002);
    check("modulus", pressed.modulus(), MODULUS, [0.9, 1.1]);
    check("strength", pressed.strength(), free, [0.85, 1.15]);
    let confined = curve("triaxial", "block", 0.002);
    check("modulus under pressure", confined.modulus(), MODULUS, [0.9, 1.1]);
    check("strength under pressure", confined.strength(), free + (k - 1.0) * 2e6, [0.95, 1.3]);
}

/// c + s tan(phi), with the cohesion 2 MPa, the normal stress of 1 MPa, and 30 degrees.
#[test]
fn a_block_shears_at_its_cohesion_and_friction() {
    let closed = 2e6 + 1e6 / 3.0_f64.sqrt();
    check("strength", curve("shear", "block", 0.002).strength(), closed, [0.9, 1.2]);
}

#[test]
fn a_disc_splits_at_its_tension() {
    check("strength", curve("brazilian", "disc", 0.0016).strength(), TENSION, [0.85, 1.1]);
}

/// With the shear of the beam by Timoshenko, 2.4 (1 + nu) (h/L)^2 of its deflection.
#[test]
fn a_beam_bends_as_its_modulus_says() {
    let curve = curve("bending3", "beam", 0.0024);
    let sheared = 1.0 / (1.0 + 2.4 * 1.2 * 0.12 * 0.12);
    check("modulus", curve.modulus(), sheared * MODULUS, [0.8, 1.05]);
    check("strength", curve.strength(), TENSION, [1.3, 1.8]);
}

#[test]
fn a_crack_from_a_notch_takes_its_fracture_energy() {
    // as in the template: with larger particles the ligament would be three high
    let curve = curve("notched", "beam", 0.002);
    check("fracture energy", curve.fracture_energy(), 60.0, [0.8, 1.25]);
}

#[test]
fn a_wave_runs_through_a_bar_at_its_speed() {
    let folder = run("wave", "bar", 0.004);
    let forces = Columns::read(&folder.path().join(FORCES)).expect("its files are there");
    let column = |name: &str| forces.column(name).expect("a column").collect::<Vec<f64>>();
    let times = column("time");
    let arrival = |probe: &str| {
        let velocities = column(&format!("{probe}.velocity_x"));
        times[velocities.iter().rposition(|velocity| *velocity < 0.05).expect("a wave")]
    };
    let speed = 0.2 / (arrival("far") - arrival("near"));
    check("speed", Some(speed), (MODULUS / DENSITY).sqrt(), [0.9, 1.05]);
}
