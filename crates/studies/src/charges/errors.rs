//! \[MSC\] Figs 5, 12 and 13: errors of the energy over the step, and over stiffness and charge, on a closed surface.
//!
//! The surface is made by code, in place of the paper's bunny. Errors are relative errors of the total energy, beside Verlet.

use bdem_core::model::{State, World};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use rayon::prelude::*;

use super::systems::{SPHERE, sphere};
use super::trace::{Integrator, Trace, largest, mean_and_deviation};
use crate::{Cell, Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study =
    Study { name: "charges-errors", about: "energies of a charged surface over step, stiffness and charge", run };

/// The paper's integrator.
const EULER: Integrator = Integrator::ImplicitEuler;

/// Integrators of Fig 5.
const INTEGRATORS: [Integrator; 3] = [EULER, Integrator::ImplicitBdf2, Integrator::Verlet];

/// Setting and errors of a run.
struct Measured {
    figure: &'static str,
    integrator: Integrator,
    /// N/m.
    stiffness: f64,
    /// uC.
    charge: f64,
    /// s.
    step: f64,
    /// End of the interval of errors, s.
    time: f64,
    /// Errors of the total energy at the samples of the interval, empty where the run did not come to its end.
    errors: Vec<f64>,
    /// Distance of the vertices from those of the reference at the end, m.
    distance: Option<f64>,
}

impl Measured {
    /// Largest error, infinite where the run did not come to its end.
    fn worst(&self) -> f64 {
        if self.errors.is_empty() { f64::INFINITY } else { largest(&self.errors) }
    }

    fn cells(&self) -> Vec<Cell> {
        let name = self.integrator.name();
        let mut cells: Vec<Cell> = vec![self.figure.into(), name.into(), self.stiffness.into(), self.charge.into()];
        cells.extend([self.step.into(), self.time.into()]);
        let [mean, deviation] = mean_and_deviation(&self.errors);
        let finite = |x: f64| Cell::from(Some(x).filter(|x| x.is_finite()));
        cells.extend([finite(mean), finite(deviation), finite(self.worst()), self.distance.into()]);
        cells
    }
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("figure", ""),
        ("integrator", ""),
        ("stiffness", "N/m"),
        ("charge", "uC"),
        ("step", "s"),
        ("time", "s"),
        ("mean error of the energy", ""),
        ("its deviation", ""),
        ("largest", ""),
        ("distance at the end", "m"),
    ];
    let figures = [over_steps(setup), over_settings(setup), over_time(setup)];
    let mut table = ReportTable::new(&columns);
    table.rows = figures.iter().flatten().map(Measured::cells).collect();
    let claims = claims(&figures);
    let charts = vec![step_chart(&figures[0]), setting_chart(&figures[1]), time_chart(&figures[2])];
    Ok(Report { table, claims, charts })
}

fn start(setup: &Setup, stiffness: f64, charge: f64) -> (World, State) {
    sphere(setup.quick, stiffness, 1e-6 * charge).build().expect("a surface")
}

/// Fig 5: the last 5 of 30 s.
fn over_steps(setup: &Setup) -> Vec<Measured> {
    let (samples, interval): (usize, f64) = (setup.choose(150, 10), 0.2);
    let last = setup.choose(25, 5);
    let steps: &[f64] = setup.choose(&[0.025, 0.05, 0.1, 0.2], &[0.05, 0.2]);
    let stiffness = 0.5;
    let mut rows = Vec::new();
    for charge in [6.0, 8.0] {
        setup.log.note(&format!("Fig 5, {charge} uC"));
        let start = start(setup, stiffness, charge);
        let reference = Trace::new(&start, Integrator::Verlet, 0.01, (samples, interval));
        let settings: Vec<(Integrator, f64)> =
            INTEGRATORS.iter().flat_map(|&integrator| steps.iter().map(move |&step| (integrator, step))).collect();
        rows.par_extend(settings.into_par_iter().map(|(integrator, step)| {
            let trace = Trace::new(&start, integrator, step, (samples, interval));
            let whole = trace.states.len() > samples;
            let errors = if whole { trace.energy_errors(&reference)[samples - last..].to_vec() } else { Vec::new() };
            let distance = trace.distances(&reference).last().copied().filter(|_| whole);
            let time = samples as f64 * interval;
            Measured { figure: "Fig 5", integrator, stiffness, charge, step, time, errors, distance }
        }));
    }
    rows
}

/// Fig 12: frame 100 at 0.05 s, beside Verlet at 0.01 s.
fn over_settings(setup: &Setup) -> Vec<Measured> {
    let (step, frames) = (0.05, setup.choose(100, 20));
    let stiffnesses: &[f64] = setup.choose(&[2.0, 4.0, 7.0, 10.0], &[2.0, 10.0]);
    let charges: &[f64] = setup.choose(&[1.0, 2.0, 4.0, 6.0], &[1.0, 6.0]);
    let settings: Vec<(f64, f64)> =
        charges.iter().flat_map(|&charge| stiffnesses.iter().map(move |&stiffness| (stiffness, charge))).collect();
    setup.log.note(&format!("Fig 12, {} settings", settings.len()));
    let measured = |(stiffness, charge): (f64, f64)| {
        let (start, samples) = (start(setup, stiffness, charge), (1, f64::from(frames) * step));
        let reference = Trace::new(&start, Integrator::Verlet, 0.01, samples);
        let trace = Trace::new(&start, EULER, step, samples);
        let (errors, distance) =
            (trace.energy_errors(&reference)[1..].to_vec(), trace.distances(&reference)[1..].first().copied());
        Measured { figure: "Fig 12", integrator: EULER, stiffness, charge, step, time: samples.1, errors, distance }
    };
    settings.into_par_iter().map(measured).collect()
}

/// Fig 13: the times of its pictures, at 0.15 s beside Verlet at 0.05 s.
fn over_time(setup: &Setup) -> Vec<Measured> {
    setup.log.note("Fig 13");
    let (stiffness, charge, step) = (4.3, 5.0, 0.15);
    let (start, interval) = (start(setup, stiffness, charge), 0.75);
    let pictures: &[usize] = setup.choose(&[2, 5, 10, 15, 20], &[2]);
    let samples = (pictures[pictures.len() - 1], interval);
    let reference = Trace::new(&start, Integrator::Verlet, 0.05, samples);
    let trace = Trace::new(&start, EULER, step, samples);
    let (errors, distances) = (trace.energy_errors(&reference), trace.distances(&reference));
    let row = |&picture: &usize| {
        let (time, errors) = (picture as f64 * interval, errors.get(picture).copied().into_iter().collect());
        let distance = distances.get(picture).copied();
        Measured { figure: "Fig 13", integrator: EULER, stiffness, charge, step, time, errors, distance }
    };
    pictures.iter().map(row).collect()
}

fn claims([fig_5, fig_12, fig_13]: &[Vec<Measured>; 3]) -> Vec<Claim> {
    let worst = |rows: &mut dyn Iterator<Item = &Measured>| rows.map(Measured::worst).fold(0.0, f64::max);
    let mut claims = Vec::new();
    for integrator in INTEGRATORS {
        for charge in [6.0, 8.0] {
            let what = format!("largest error over all steps, {charge} uC, {}", integrator.name());
            let ours = worst(&mut fig_5.iter().filter(|row| row.integrator == integrator && row.charge == charge));
            let paper = if integrator == EULER { "stays low over the step" } else { "-" };
            claims.push(Claim::new(what, "[MSC] Fig 5", paper, ours));
        }
    }
    claims.push(Claim::new(
        "largest error over stiffness and charge",
        "[MSC] Fig 12",
        "0.2",
        worst(&mut fig_12.iter()),
    ));
    let last = fig_13.last().expect("a picture");
    claims.push(Claim::new(format!("error at {} s", last.time), "[MSC] Fig 13", "0.14", last.worst()));
    claims
}

/// Mean errors over the step, a panel for each charge.
fn step_chart(rows: &[Measured]) -> Chart {
    let panel = |charge: f64| {
        let line = |integrator: Integrator| {
            let rows = rows.iter().filter(|row| row.integrator == integrator && row.charge == charge);
            let points = rows.filter(|row| !row.errors.is_empty());
            let points =
                points.map(|row| (row.step, mean_and_deviation(&row.errors)[0])).filter(|point| point.1 < 10.0);
            Line { label: integrator.name().to_owned(), points: points.collect() }
        };
        Panel { title: format!("Fig 5, {charge} uC"), lines: INTEGRATORS.map(line).into() }
    };
    let (x_label, y_label) = ("step, s", "mean relative error of the energy");
    Chart { name: "charges-errors", x_label, y_label, scale: AxisScale::Both, panels: [6.0, 8.0].map(panel).into() }
}

/// Errors over the charge, a line for each stiffness.
fn setting_chart(rows: &[Measured]) -> Chart {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let (label, point) = (format!("{} N/m", row.stiffness), (row.charge, row.worst()));
        match lines.iter_mut().find(|line| line.label == label) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { label, points: vec![point] }),
        }
    }
    let panels = vec![Panel { title: "Fig 12, at 0.05 s".to_owned(), lines }];
    let (x_label, y_label) = ("charge, uC", "relative error of the energy at frame 100");
    Chart { name: "charges-errors_settings", x_label, y_label, scale: AxisScale::Upright, panels }
}

/// Errors of the energy over time, and distances of the vertices.
fn time_chart(rows: &[Measured]) -> Chart {
    let line = |label: &str, of: &dyn Fn(&Measured) -> f64| Line {
        label: label.to_owned(),
        points: rows.iter().map(|row| (row.time, of(row))).collect(),
    };
    let lines = vec![
        line("relative error of the energy", &Measured::worst),
        line("distance from Verlet's vertices, over the radius", &|row| row.distance.unwrap_or(f64::NAN) / SPHERE),
    ];
    let panels = vec![Panel { title: "Fig 13, 4.3 N/m, 5 uC, at 0.15 s".to_owned(), lines }];
    Chart { name: "charges-errors_time", x_label: "time, s", y_label: "error", scale: AxisScale::Linear, panels }
}
