//! \[IBDEM\] Figs 11, 12: time of a frame of a draping beam, explicit and implicit, over its stiffness and its number
//! of particles.

use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;
use bdem_run::run::compare::CompareOptions;

use super::race::{self, Race};
use super::{Claim, Report, Setup, Study, load, short};

pub(super) const STIFFNESS: Study = Study {
    name: "stiffness",
    about: "explicit and implicit time over Young's modulus, of a draping beam",
    run: stiffness,
};

pub(super) const SCALE: Study = Study {
    name: "scale",
    about: "explicit and implicit time over the number of particles, of a draping beam",
    run: scale,
};

/// Speedup of the paper for both figures.
const PAPER: &str = "3 to 6";

/// Radius (m) at which the beam has this number of thousand particles.
fn radius(thousands: f64) -> f64 {
    0.0066 * libm::cbrt(64.766 / thousands)
}

/// Point of a figure: x, Young's modulus of the beam (Pa), and its number of particles (thousands).
type Point = [f64; 3];

/// Figure of the paper.
struct Figure {
    name: &'static str,
    source: &'static str,
    column: (&'static str, &'static str),
    x_label: &'static str,
    /// Unit of x in claims.
    unit: &'static str,
}

fn stiffness(setup: &Setup) -> Result<Report, RunError> {
    let thousands = setup.choose(19.0, 1.0);
    let moduli: &[f64] = setup.choose(&[1e6, 1e7, 1e8, 1e9], &[1e6, 1e9]);
    let points: Vec<Point> = moduli.iter().map(|&e| [e, e, thousands]).collect();
    let figure = Figure {
        name: "stiffness",
        source: "[IBDEM] Fig 11",
        column: ("Young's modulus", "Pa"),
        x_label: "Young's modulus, Pa",
        unit: "Pa",
    };
    measure(setup, &figure, &points)
}

fn scale(setup: &Setup) -> Result<Report, RunError> {
    let sizes: &[f64] = setup.choose(&[2.0, 6.0, 19.0, 64.0], &[0.5, 2.0]);
    let points: Vec<Point> = sizes.iter().map(|&n| [n, 1e9, n]).collect();
    let figure = Figure {
        name: "scale",
        source: "[IBDEM] Fig 12",
        column: ("particles wanted", "thousands"),
        x_label: "particles, thousands",
        unit: "thousand particles",
    };
    measure(setup, &figure, &points)
}

fn measure(setup: &Setup, figure: &Figure, points: &[Point]) -> Result<Report, RunError> {
    let mut report = Report { table: race::table(&[figure.column]), ..Report::default() };
    let mut lines: Vec<Line> = Vec::new();
    for &[x, young_modulus, thousands] in points {
        let set = [
            format!("bodies.beam.particle_radius={}", radius(thousands)),
            format!("materials.hard.young_modulus={young_modulus:e}"),
        ];
        let found = race::run(setup, &load("beam_drape", &set)?, options(setup))?;
        for race in Race::all(&found) {
            report.table.rows.push([vec![x.into()], race.cells()].concat());
            report.claims.push(claim(figure, x, &race));
            add(&mut lines, x, &race);
        }
    }
    let panels = vec![Panel { title: format!("draping beam, steps of 0.008 s, {}", figure.source), lines }];
    let (x_label, y_label) = (figure.x_label, "seconds a frame");
    report.charts.push(Chart { name: figure.name, x_label, y_label, scale: AxisScale::Both, panels });
    Ok(report)
}

/// Comparison options. Each run is timed for a while, not to its end.
fn options(setup: &Setup) -> CompareOptions {
    let most_seconds = Some(setup.choose(5.0, 0.3));
    CompareOptions { most_seconds, warm_up: race::WARM_UP, ..CompareOptions::new(race::usual()) }
}

fn claim(figure: &Figure, x: f64, race: &Race) -> Claim {
    Claim::new(
        format!("speedup of implicit over explicit at 0.2 T: {} {}", short(Some(x)), figure.unit),
        figure.source,
        PAPER,
        race.over_papers().unwrap_or(f64::NAN),
    )
}

/// Point of each line, from one race.
fn add(lines: &mut Vec<Line>, x: f64, race: &Race) {
    for (k, (label, seconds)) in race.lines().into_iter().enumerate() {
        if lines.len() == k {
            lines.push(Line { label: label.to_owned(), points: Vec::new() });
        }
        lines[k].points.extend(seconds.map(|seconds| (x, seconds)));
    }
}
