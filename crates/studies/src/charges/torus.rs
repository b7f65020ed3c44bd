//! \[MSC\] Figs 4 and 9: a charged torus that is released, over the step. The reference is Verlet at a short step.
//!
//! Errors are relative errors of energies; the paper does not say of which. Here they are of the total energy, and of the kinetic
//! energy and those of springs and charges as a vector. Fig 9 has the vertices' distances too.

use bdem_core::model::{State, World};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::systems::torus;
use super::trace::{Integrator, Trace, largest, mean_and_deviation};
use crate::{Cell, Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study =
    Study { name: "charges-torus", about: "energies and positions of a charged torus over the step", run };

/// Step of the reference, s.
const REFERENCE: f64 = 0.001;

/// Errors (also m) from which on a run is not drawn: it is unstable.
const DRAWN: f64 = 10.0;

/// Figures: name, steps, s, and number and length of the intervals, s: 15 s, and 10 s.
const FIGURES: [(&str, &[f64], (usize, f64)); 2] =
    [("Fig 4", &[0.015, 0.03, 0.15], (100, 0.15)), ("Fig 9", &[0.005, 0.1], (50, 0.2))];

/// Run of an integrator at a step, beside the reference.
struct Measured {
    figure: &'static str,
    integrator: Integrator,
    step: f64,
    times: Vec<f64>,
    /// Errors of the total energy and of its parts, and distances, m, at the times.
    energy: Vec<f64>,
    parts: Vec<f64>,
    distance: Vec<f64>,
    /// Whether it came to its end.
    whole: bool,
}

impl Measured {
    fn new(
        start: &(World, State),
        (figure, samples): (&'static str, (usize, f64)),
        integrator: Integrator,
        step: f64,
        reference: &Trace,
    ) -> Self {
        let trace = Trace::new(start, integrator, step, samples);
        Self {
            figure,
            integrator,
            step,
            times: trace.times().collect(),
            energy: trace.energy_errors(reference),
            parts: trace.part_errors(reference),
            distance: trace.distances(reference),
            whole: trace.states.len() == reference.states.len(),
        }
    }

    /// Largest error of the total energy, infinite where the run did not come to its end.
    fn worst(&self) -> f64 {
        if self.whole { largest(&self.energy) } else { f64::INFINITY }
    }

    fn cells(&self) -> Vec<Cell> {
        let last = self.distance.last().copied().filter(|_| self.whole);
        let name = self.integrator.name();
        let mut cells: Vec<Cell> = vec![self.figure.into(), name.into(), self.step.into()];
        let finite = |x: f64| Cell::from(Some(x).filter(|x| self.whole && x.is_finite()));
        cells.extend([
            finite(mean_and_deviation(&self.energy)[0]),
            finite(self.worst()),
            finite(mean_and_deviation(&self.parts)[0]),
        ]);
        cells.extend([last.into(), Cell::from(if self.whole { "yes" } else { "no" })]);
        cells
    }
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("figure", ""),
        ("integrator", ""),
        ("step", "s"),
        ("mean error of the energy", ""),
        ("largest", ""),
        ("mean error of its parts", ""),
        ("distance at the end", "m"),
        ("came to its end", ""),
    ];
    let start = torus(10.0, 6e-6).build().expect("a torus");
    let mut rows = Vec::new();
    for (figure, steps, (samples, interval)) in FIGURES {
        let samples = (setup.choose(samples, 10), interval);
        setup.log.note(&format!("{figure}, reference"));
        let reference = Trace::new(&start, Integrator::Verlet, REFERENCE, samples);
        for &step in steps {
            setup.log.note(&format!("{figure}, {step} s"));
            let measured = |integrator| Measured::new(&start, (figure, samples), integrator, step, &reference);
            rows.extend(Integrator::ALL.map(measured));
        }
    }
    let mut table = ReportTable::new(&columns);
    table.rows = rows.iter().map(Measured::cells).collect();
    Ok(Report { table, claims: claims(&rows), charts: charts(&rows) })
}

/// The paper's words on Figs 4 and 9, and ours.
fn claims(rows: &[Measured]) -> Vec<Claim> {
    let claim = |row: &Measured, paper: &str| {
        Claim::new(
            format!("largest error of the energy, {} s, {}", row.step, row.integrator.name()),
            "[MSC] Fig 4",
            paper,
            row.worst(),
        )
    };
    let words = |row: &Measured| match (row.integrator, row.step > 0.1) {
        (Integrator::ImplicitEuler, _) => Some("below 0.15, stable"),
        (Integrator::Verlet, false) => Some("more exact than theirs"),
        (Integrator::Verlet, true) => Some("unstable"),
        (Integrator::ExplicitEuler, _) => Some("quickly unusable"),
        (Integrator::ImplicitBdf2 | Integrator::LaggedBdf2, _) => None,
    };
    rows.iter().filter(|row| row.figure == "Fig 4").filter_map(|row| Some(claim(row, words(row)?))).collect()
}

fn charts(rows: &[Measured]) -> Vec<Chart> {
    vec![
        over_time(rows, ("charges-torus", "Fig 4", "relative error of the energy"), |row| &row.energy),
        over_time(rows, ("charges-torus_distance", "Fig 9", "distance from the reference, m"), |row| &row.distance),
    ]
}

/// A panel for each step of a figure.
fn over_time(
    rows: &[Measured],
    (name, figure, y_label): (&'static str, &str, &'static str),
    of: impl Fn(&Measured) -> &[f64],
) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    for row in rows.iter().filter(|row| row.figure == figure) {
        let title = format!("{}, {} s", row.figure, row.step);
        // the first sample has no error
        let points = row.times.iter().copied().zip(of(row).iter().copied()).skip(1);
        let points = points.filter(|point| point.1 < DRAWN).collect();
        let line = Line { label: row.integrator.name().to_owned(), points };
        match panels.iter_mut().find(|panel| panel.title == title) {
            Some(panel) => panel.lines.push(line),
            None => panels.push(Panel { title, lines: vec![line] }),
        }
    }
    Chart { name, x_label: "time, s", y_label, scale: AxisScale::Upright, panels }
}
