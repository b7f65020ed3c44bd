//! Forces that a run writes, beside the momentum that they change.

use bdem_core::geometry::Vec3;
use bdem_run::output::{Columns, OutputError};
use bdem_run::run::{LogLevel, LogOptions, RunError, RunOptions, simulate};

use crate::cases::{Ball, Case, Conditions, Finding, RADIUS, Setting, Stop, Target, find_all, floor};

pub(super) const CASES: [Case; 2] = [
    Case::new(
        "forces on a moving wall",
        "sum of F dt = change of momentum; -sum of F dx = work_walls",
        "forces that rise and fall within a step",
        on_wall,
    ),
    Case::new(
        "forces on a held grain",
        "sum of F dt = change of momentum",
        "forces that rise and fall within a step",
        on_grain,
    ),
];

/// Restitution: without a dashpot forces are those of springs alone.
const RESTITUTION: f64 = 0.2;

/// Ball that comes down at 1 m/s from a gap of two radii.
fn ball() -> String {
    Ball::new(Vec3::z() * 3.0 * RADIUS, -Vec3::z()).text("ball")
}

/// Tables `forces.csv` and `metrics.csv` of a run with a row of forces a step.
fn tables(setting: &Setting, objects: &str) -> Result<[Columns; 2], Stop> {
    let conditions = Conditions { restitution: RESTITUTION, frame_rate: 200.0, ..Conditions::default() }.lasting(0.06);
    let scene = conditions.scene(setting, &format!("[output]\nforces_every = 1\n{objects}"))?;
    let folder = tempfile::tempdir().map_err(|error| cannot("make", std::env::temp_dir())(error))?;
    let log = LogOptions { level: LogLevel::Quiet, ..LogOptions::default() };
    let output = folder.path().join("run");
    simulate(&scene, &RunOptions { output: output.clone(), log, ..RunOptions::default() })?;
    let read = |name: &str| Columns::read(&output.join(name)).map_err(|error| Stop::Error(error.into()));
    Ok([read("forces.csv")?, read("metrics.csv")?])
}

fn cannot(what: &'static str, path: std::path::PathBuf) -> impl FnOnce(std::io::Error) -> RunError {
    move |error| OutputError::file(what, &path)(error).into()
}

fn column(table: &Columns, name: &str) -> Vec<f64> {
    table.column(name).expect("a column of every run").collect()
}

/// Sum of force times the change of `over`, row by row.
fn sum(forces: &[f64], over: &[f64]) -> f64 {
    over.windows(2).zip(&forces[1..]).map(|(pair, force)| force * (pair[1] - pair[0])).sum()
}

/// Change of a column from the first to the last row.
fn change(values: &[f64]) -> f64 {
    values[values.len() - 1] - values[0]
}

fn on_wall(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let wall = floor() + "name = \"wall\"\nmotion = { velocity = [0.0, 0.0, 0.5] }\n";
    let found = tables(setting, &(ball() + &wall)).map(|[forces, metrics]| {
        let force = column(&forces, "wall.force_z");
        let impulse = -sum(&force, &column(&forces, "time")) / change(&column(&metrics, "momentum_z"));
        let work = -sum(&force, &column(&forces, "wall.displacement_z"));
        [impulse, work / change(&column(&metrics, "work_walls"))]
    });
    let targets = ["sum of F dt over change of momentum", "-sum of F dx over work_walls"];
    find_all(targets.map(|quantity| Target::ratio(quantity, 1.0, 1e-3)), found)
}

fn on_grain(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let held = Ball::new(Vec3::zeros(), Vec3::zeros()).text("held")
        + "[[constraints]]\nname = \"holder\"\nbody = \"held\"\nmotion = \"fixed\"\n";
    let found = tables(setting, &(ball() + &held)).map(|[forces, metrics]| {
        let impulse = sum(&column(&forces, "holder.force_z"), &column(&forces, "time"));
        -impulse / change(&column(&metrics, "momentum_z"))
    });
    Ok(vec![Target::ratio("sum of F dt over change of momentum", 1.0, 1e-3).find(found)?])
}
