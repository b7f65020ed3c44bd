//! \[RODR\] on its own systems: the pendulum of its Fig 1, and the torus that strikes a wall of Figs 3 to 7.
//!
//! ```text
//! pendulum   errors, conserved quantities, map 26 with its free phi
//! torus      energies, momenta, a long run, orders
//! ```

pub mod pendulum;
mod torus;

use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::trajectory::{Errors, order};
use super::{Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study = Study {
    name: "rodrigues",
    about: "maps of [RODR] on its pendulum and its torus: errors over the step, momenta, energy over long times",
    run,
};

/// Claims and table of the study.
struct Findings(Report);

/// Run that a statement of the paper is about.
#[derive(Clone, Copy)]
struct Statement<'a> {
    /// System and map.
    of: &'a str,
    /// Place in the paper.
    figure: &'static str,
    /// Step, s.
    step: f64,
    /// End, s.
    end: f64,
}

impl Findings {
    /// Adds a quantity with the paper's words on it and its value.
    fn add(&mut self, at: &Statement, quantity: &str, paper: &str, found: f64) {
        let row = vec![at.figure.into(), at.of.into(), at.step.into(), at.end.into(), quantity.into(), found.into()];
        self.0.table.rows.push(row);
        self.0.claims.push(Claim::new(format!("{}: {quantity}", at.of), at.figure, paper, found));
    }

    /// Adds orders, of which the paper says that of the energy, and 1 for trajectories.
    fn add_orders(&mut self, at: &Statement, of_energy: &str, errors: &[Errors]) {
        let paper = |words: &'static str| if of_energy == "-" { "-" } else { words };
        self.add(at, "order of the energy", of_energy, order(errors, |e| e.energy));
        self.add(at, "order of the trajectory by eq 37", paper("1"), order(errors, |e| e.norm));
        self.add(at, "order of the trajectory by the norm of the difference", "-", order(errors, |e| e.path));
    }

    /// Adds the greatest changes of both momenta with the wall's impulse, over the momentum at the start.
    fn add_momenta(&mut self, at: &Statement, [linear, angular]: [f64; 2]) {
        self.add(at, "greatest change of momentum, with the wall's impulse", "rounding", linear);
        self.add(at, "greatest change of angular momentum, with the wall's impulse", "rounding", angular);
    }
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [("figure", ""), ("run", ""), ("step", "s"), ("end", "s"), ("quantity", ""), ("found", "")];
    let mut findings = Findings(Report { table: ReportTable::new(&columns), ..Report::default() });
    let pendulum = pendulum::measure(setup, &mut findings);
    let torus = torus::measure(setup, &mut findings)?;
    let mut report = findings.0;
    report.charts = vec![
        errors_chart("rodrigues_fig1", "three-dimensional pendulum", &pendulum),
        over_time("rodrigues_fig4", "energy, J", vec![panel("torus, map 25, h = 1e-3", torus.energies)]),
        over_time("rodrigues_fig5", "energy over the first", vec![panel("torus", torus.long)]),
        errors_chart("rodrigues_fig7", "torus", &torus.errors),
    ];
    Ok(report)
}

fn panel(title: &str, lines: Vec<Line>) -> Panel {
    Panel { title: title.to_owned(), lines }
}

fn over_time(name: &'static str, y_label: &'static str, panels: Vec<Panel>) -> Chart {
    Chart { name, x_label: "time t", y_label, scale: AxisScale::Linear, panels }
}

/// Errors of the energy and of trajectories over the step, by map.
fn errors_chart(name: &'static str, system: &str, all: &[(String, Vec<Errors>)]) -> Chart {
    let lines = |of: fn(&Errors) -> f64| {
        let line = |(map, errors): &(String, Vec<Errors>)| {
            let points = errors.iter().map(|errors| (errors.step, of(errors))).collect();
            Line { label: map.clone(), points }
        };
        all.iter().map(line).collect()
    };
    let panels = vec![
        panel(&format!("{system}: E(t)-error, eq 38"), lines(|e| e.energy)),
        panel(&format!("{system}: q(t)-error, eq 37"), lines(|e| e.norm)),
    ];
    Chart { name, x_label: "time step h", y_label: "error", scale: AxisScale::Both, panels }
}
