//! \[IBDEM\] Fig 7: how the gradient of one implicit step falls with each way to hold quaternions to unit length.

use super::{Cell, Claim, Report, Setup, Study, Table, load};
use crate::contact::Neighbours;
use crate::plot::{Chart, Line, Panel, Scale};
use crate::run::RunError;
use crate::unit_length::{Iterate, Series, Step, Until, all};

pub(super) const STUDY: Study =
    Study { name: "convergence", about: "gradient over iterations and time, of the ways to hold unit length", run };

/// What counts as converged: the gradient on the manifold over that of the start.
const GOAL: f64 = 1e-6;

/// Where each way goes on to, if it can.
const FARTHEST: f64 = 1e-10;

/// First and second order on the manifold.
const MANIFOLD: [&str; 3] = ["descent", "projection", "nullspace"];

fn run(setup: &Setup) -> Result<Report, RunError> {
    let radius = setup.choose(0.03, 0.06);
    let scene = load("beam_twist", &[format!("bodies.beam.particle_radius={radius}")])?;
    let (world, state) = scene.build()?;
    let contacts = Neighbours::new(&world, &state);
    // a step that turns the beam's end by 3 degrees, all at once
    let step = Step::new(&world, &state, 1.0 / scene.time.frame_rate);
    let until = Until { gradient: FARTHEST, iterations: setup.choose(1000, 100), seconds: setup.choose(15.0, 2.0) };
    let problem = step.problem(&contacts);
    let mut found = Vec::new();
    for method in all() {
        setup.go_on()?;
        setup.log.note(&format!("{}: {} particles", method.name(), state.len()));
        found.push(method.minimise(&problem, &until));
    }
    Ok(Report { table: table(&found, state.len()), claims: claims(&found), charts: charts(&found) })
}

/// Gradient over that of the start.
fn relative(series: &Series, at: &Iterate) -> f64 {
    at.gradient / series.iterates[0].gradient
}

/// Iterations and seconds to the goal, if it was reached.
fn to_goal(series: &Series) -> Option<(usize, f64)> {
    let reached = |(_, at): &(usize, &Iterate)| relative(series, at) <= GOAL;
    series.iterates.iter().enumerate().find(reached).map(|(iteration, at)| (iteration, at.seconds))
}

fn table(found: &[Series], particles: usize) -> Table {
    let mut table = Table::new(&[
        ("way", ""),
        ("particles", ""),
        ("iterations to 1e-6", ""),
        ("time to 1e-6", "s"),
        ("iterations", ""),
        ("linear iterations", ""),
        ("gradient at the end over the start's", ""),
        ("| |q| - 1 | at the end", ""),
    ]);
    for series in found {
        let goal = to_goal(series);
        let (last, linear) = (series.last(), series.iterates.iter().map(|at| at.linear_iterations).sum::<usize>());
        table.rows.push(vec![
            series.method.into(),
            particles.into(),
            goal.map(|(iterations, _)| iterations as f64).into(),
            goal.map(|(_, seconds)| seconds).into(),
            series.iterations().into(),
            linear.into(),
            relative(series, last).into(),
            Cell::from(last.off_length),
        ]);
    }
    table
}

/// How much longer the ways that the paper compares with take than the manifold's of second order.
fn claims(found: &[Series]) -> Vec<Claim> {
    let named = |name: &str| found.iter().find(|series| series.method == name);
    let best = named("nullspace").and_then(to_goal);
    let others = found.iter().filter(|series| !MANIFOLD.contains(&series.method) && series.method != "rotation-vector");
    let slower = others.map(|series| Claim {
        what: format!("time of {} to 1e-6 over the nullspace's; infinite where it does not get there", series.method),
        source: "[IBDEM] Fig 7",
        paper: "more than 1".to_owned(),
        ours: best.map_or(f64::NAN, |(_, best)| to_goal(series).map_or(f64::INFINITY, |(_, other)| other / best)),
    });
    let fall = named("nullspace").map(|series| Claim {
        what: "iterations of the nullspace's to 1e-6".to_owned(),
        source: "[IBDEM] Fig 7",
        paper: "fewest".to_owned(),
        ours: to_goal(series).map_or(f64::INFINITY, |(iterations, _)| iterations as f64),
    });
    fall.into_iter().chain(slower).collect()
}

fn charts(found: &[Series]) -> Vec<Chart> {
    let chart = |name, x_label, x: &dyn Fn(usize, &Iterate) -> f64| {
        let point = |series: &Series, k: usize, at: &Iterate| (x(k, at), relative(series, at));
        let points = |series: &Series| series.iterates.iter().enumerate().map(|(k, at)| point(series, k, at)).collect();
        let line = |series: &Series| Line { label: series.method.to_owned(), points: points(series) };
        let panel = Panel { title: "one step of a twisted beam".to_owned(), lines: found.iter().map(line).collect() };
        Chart { name, x_label, y_label: "gradient over the start's", scale: Scale::Both, panels: vec![panel] }
    };
    vec![
        chart("convergence", "iterations", &|k, _| k as f64),
        chart("convergence_time", "time, s", &|_, at| at.seconds),
    ]
}
