//! \[IBDEM\] Figs 11, 12: time of a frame of a draping beam, explicit and implicit, over its stiffness and its number
//! of particles.

use bdem_pictures::plot::{AxisScale, Chart, Panel};
use bdem_run::run::RunError;
use bdem_run::run::compare::CompareOptions;
use bdem_run::scene::{Scene, SceneError};

use super::race::{self, Lines, Race};
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

/// Acceleration of gravity of the scene, m/s2.
const GRAVITY: f64 = 9.81;

/// Height and width of the beams, m.
const HEIGHT: f64 = 0.3;

/// Young's modulus and density of the packing over those of the bonds and of the grains: along rows of hexagonal close packing
/// with G = 0.4 E, less 5 % for the faces; and the share of the volume.
const OF_PACKING: [f64; 2] = [1.56, 0.74];

/// Beam, held at one end, whose own weight bends its tip by about a fifth of its length at rest.
struct Beam {
    /// Young's modulus of the bonds, Pa.
    young_modulus: f64,
    /// Thousands of particles.
    thousands: f64,
}

impl Beam {
    /// Stiffness E h^2/rho over gravity, m3.
    fn stiffness_over_weight(&self) -> f64 {
        const DENSITY: f64 = 2600.0;
        let [modulus, density] = OF_PACKING;
        modulus * self.young_modulus * HEIGHT.powi(2) / (density * DENSITY * GRAVITY)
    }

    /// Length, m: the tip sinks by 3 rho g L^4/(2 E h^2), by Euler's beam.
    fn length(&self) -> f64 {
        libm::cbrt(0.2 * 2.0 / 3.0 * self.stiffness_over_weight())
    }

    /// Period of the first mode, s: 2 pi L^2/3.516 sqrt(12 rho/(E h^2)).
    fn period(&self) -> f64 {
        std::f64::consts::TAU * self.length().powi(2) / 3.516
            * libm::sqrt(12.0 / (GRAVITY * self.stiffness_over_weight()))
    }

    /// Radius of the particles, m.
    fn radius(&self) -> f64 {
        0.0066 * libm::cbrt(64.766 / self.thousands * self.length() / 1.25)
    }

    fn scene(&self) -> Result<Scene, SceneError> {
        let half = 0.5 * self.length();
        let radius = self.radius();
        load(
            "beam_drape",
            &[
                format!("bodies.beam.shape={{ box = {{ size = [{}, {HEIGHT}, {HEIGHT}] }} }}", 2.0 * half),
                format!("bodies.beam.particle_radius={radius}"),
                format!(
                    "constraints.0.region={{ box = {{ min = [{}, -1, -1], max = [{}, 1, 1] }} }}",
                    -2.0 * half,
                    4.0 * radius - half
                ),
                format!("materials.hard.young_modulus={:e}", self.young_modulus),
            ],
        )
    }
}

/// Figure of the paper.
struct Figure {
    name: &'static str,
    source: &'static str,
    column: (&'static str, &'static str),
    x_label: &'static str,
    /// Unit of x in claims.
    unit: &'static str,
    /// Place of a beam on the axis.
    x: fn(&Beam) -> f64,
}

fn stiffness(setup: &Setup) -> Result<Report, RunError> {
    let thousands = setup.choose(64.0, 1.0);
    let moduli: &[f64] = setup.choose(&[1e6, 1e7, 1e8, 1e9], &[1e6, 1e9]);
    let beams = moduli.iter().map(|&young_modulus| Beam { young_modulus, thousands });
    let figure = Figure {
        name: "stiffness",
        source: "[IBDEM] Fig 11",
        column: ("Young's modulus", "Pa"),
        x_label: "Young's modulus, Pa",
        unit: "Pa",
        x: |beam| beam.young_modulus,
    };
    measure(setup, &figure, beams)
}

fn scale(setup: &Setup) -> Result<Report, RunError> {
    let sizes: &[f64] = setup.choose(&[2.0, 6.0, 19.0, 64.0], &[0.5, 2.0]);
    let beams = sizes.iter().map(|&thousands| Beam { young_modulus: 1e9, thousands });
    let figure = Figure {
        name: "scale",
        source: "[IBDEM] Fig 12",
        column: ("particles wanted", "thousands"),
        x_label: "particles, thousands",
        unit: "thousand particles",
        x: |beam| beam.thousands,
    };
    measure(setup, &figure, beams)
}

fn measure(setup: &Setup, figure: &Figure, beams: impl Iterator<Item = Beam>) -> Result<Report, RunError> {
    let columns = [figure.column, ("length", "m"), ("from", "s")];
    let mut report = Report { table: race::table(&columns), ..Report::default() };
    let mut lines = Lines::default();
    for beam in beams {
        let mut scene = beam.scene()?;
        scene.time.frames = setup.choose(2, 1);
        // where the tip is fastest: a quarter of a period after the start from rest
        let from_frame = (0.25 * beam.period() * scene.time.frame_rate).round() as u32;
        let options = CompareOptions { from_frame, ..CompareOptions::new(race::usual()) };
        let found = race::run(setup, &scene, options)?;
        let x = (figure.x)(&beam);
        for race in Race::all(&found) {
            let own = vec![x.into(), beam.length().into(), (f64::from(from_frame) / scene.time.frame_rate).into()];
            report.table.rows.push([own, race.cells()].concat());
            lines.add(&race.run.name, x, race.run.seconds_per_frame);
            if race.is_compared() {
                report.claims.push(claim(figure, x, &race));
            }
        }
    }
    let panels = vec![Panel { title: format!("draping beam, {}", figure.source), lines: lines.0 }];
    let (x_label, y_label) = (figure.x_label, "seconds a frame");
    report.charts.push(Chart { name: figure.name, x_label, y_label, scale: AxisScale::Both, panels });
    Ok(report)
}

fn claim(figure: &Figure, x: f64, race: &Race) -> Claim {
    Claim::new(
        format!("speedup of {} over explicit at 0.2 T: {} {}", race.run.name, short(Some(x)), figure.unit),
        figure.source,
        PAPER,
        race.over_papers().unwrap_or(f64::NAN),
    )
}
