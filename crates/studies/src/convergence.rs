//! \[IBDEM\] Fig 7: gradient over the iterations of one implicit step, for each unit-length constraint method.

use bdem_core::internals::contact::Contacts;
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::constraint_methods::{EulerStep, Iterate, Method, Series, Until};
use super::{Cell, Claim, Report, ReportTable, Setup, Study, load};

pub(super) const STUDY: Study =
    Study { name: "convergence", about: "gradient over iterations and time, of unit-length constraint methods", run };

/// Convergence: the gradient on the manifold over that of the start.
const GOAL: f64 = 1e-6;

/// Gradient at which methods stop, over that of the start.
const FARTHEST: f64 = 1e-10;

fn run(setup: &Setup) -> Result<Report, RunError> {
    let radius = setup.choose(0.03, 0.04);
    let scene = load("beam_twist", &[format!("bodies.beam.particle_radius={radius}")])?;
    let (world, state) = scene.build()?;
    let contacts = Contacts::new(&world, &state);
    // this step turns the beam's end by 3 degrees at once
    let step = EulerStep::new(&world, &state, 1.0 / scene.time.frame_rate);
    let until = Until { gradient: FARTHEST, iterations: setup.choose(1000, 100), seconds: setup.choose(15.0, 2.0) };
    let problem = step.problem(&contacts);
    let mut found = Vec::new();
    for method in Method::ALL {
        setup.log.note(&format!("{}: {} particles", method.name(), state.len()));
        found.push(method.minimise(&problem, &until));
    }
    Ok(Report { table: table(&found, state.len()), claims: claims(&found), charts: charts(&found) })
}

/// Gradient over that of the start.
fn relative(series: &Series, at: &Iterate) -> f64 {
    at.gradient / series.iterates[0].gradient
}

/// Iterations and seconds until convergence, if it was reached.
fn to_goal(series: &Series) -> Option<(usize, f64)> {
    let reached = |(_, at): &(usize, &Iterate)| relative(series, at) <= GOAL;
    series.iterates.iter().enumerate().find(reached).map(|(iteration, at)| (iteration, at.seconds))
}

fn table(found: &[Series], particles: usize) -> ReportTable {
    let mut table = ReportTable::new(&[
        ("method", ""),
        ("particles", ""),
        ("iterations to 1e-6", ""),
        ("time to 1e-6", "s"),
        ("iterations", ""),
        ("linear iterations", ""),
        ("gradient at the end over the start's", ""),
        ("quaternions off unit length at the end", ""),
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

/// Claims of the paper: both orders on the manifold are faster than the other methods.
fn claims(found: &[Series]) -> Vec<Claim> {
    let time = |name: &str| found.iter().find(|series| series.method == name).and_then(to_goal).map(|(_, time)| time);
    let claim = |slower: &str, faster: &str| {
        Claim::new(
            format!("time of {slower} to 1e-6 over that of {faster}; infinite without convergence"),
            "[IBDEM] Fig 7",
            "more than 1",
            time(faster).map_or(0.0, |faster| time(slower).unwrap_or(f64::INFINITY) / faster),
        )
    };
    let both = |slower| ["nullspace", "first-order"].map(|faster| claim(slower, faster));
    ["penalty", "lagrange", "augmented"].into_iter().flat_map(both).collect()
}

fn charts(found: &[Series]) -> Vec<Chart> {
    let chart = |name, x_label, x: &dyn Fn(usize, &Iterate) -> f64| {
        let point = |series: &Series, k: usize, at: &Iterate| (x(k, at), relative(series, at));
        let points = |series: &Series| series.iterates.iter().enumerate().map(|(k, at)| point(series, k, at)).collect();
        let line = |series: &Series| Line { label: series.method.to_owned(), points: points(series) };
        let panel = Panel { title: "one step of a twisted beam".to_owned(), lines: found.iter().map(line).collect() };
        Chart { name, x_label, y_label: "gradient over the start's", scale: AxisScale::Both, panels: vec![panel] }
    };
    vec![
        chart("convergence", "iterations", &|k, _| k as f64),
        chart("convergence_time", "time, s", &|_, at| at.seconds),
    ]
}
