//! \[MSC\] Figs 11 and 16: a charged surface in a field from outside, and a charged torus beside a moving charge.
//!
//! Fig 11 prints `[y/z, x/z, 0]` for a field that turns a bunny clockwise. That is a saddle: it is run as printed, and
//! stronger, beside the vortex `[y, -x, 0]/z`. Fig 16 prints a mesh "of a charge 80 uC". On each vertex of a torus of 3 m that
//! would stretch springs of 10 N/m by some hundred times: here it is the charge of the whole mesh.

use std::f64::consts::TAU;

use bdem_core::charge::{ExternalField, Method};
use bdem_core::geometry::Vec3;
use bdem_core::integrate::StepError;
use bdem_core::model::{ExternalCharge, ImposedField, Motion, Pair, Ramp, State, World, WorldBuilder};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::systems::{sphere, torus};
use super::trace::{Integrator, Steps};
use crate::{Cell, Claim, Report, ReportTable, Setup, Study, short};

pub(super) const STUDY: Study =
    Study { name: "charges-external", about: "charged surfaces in fields and beside a charge from outside", run };

/// Strength of the fields that turn the surface visibly within 10 s, V/m; the paper's is 1 V/m.
const STRENGTH: f64 = 2e4;

/// Height of the surface's centre over the plane where the fields have no value, m.
const HEIGHT: f64 = 40.0;

/// Circle of the charge of Fig 16: distance of its centre from the torus's, radius, m, and time of a turn, s.
const CIRCLE: [f64; 3] = [4.0, 3.0, 20.0];

/// State of a run at a time.
struct Measured {
    figure: &'static str,
    case: &'static str,
    /// s.
    time: f64,
    /// Angle about the z axis through the centre, counterclockwise from above, rad.
    turned: f64,
    /// Angular momentum about that axis, kg m2/s.
    angular_momentum: f64,
    /// Distance of the centre from that of the fields' axis, or of the circle, m.
    distance: f64,
    /// Largest extension of a spring over its rest length.
    strain: f64,
}

impl Measured {
    fn cells(&self) -> Vec<Cell> {
        let numbers = [self.time, self.turned, self.angular_momentum, self.distance, self.strain];
        [self.figure, self.case].map(Cell::from).into_iter().chain(numbers.map(Cell::from)).collect()
    }
}

/// Set-up of a run.
struct Case {
    figure: &'static str,
    name: &'static str,
    world: WorldBuilder,
    /// Step and interval of the rows, s, and number of these.
    step: f64,
    interval: f64,
    samples: usize,
    /// Axis of the distances.
    centre: Vec3,
}

fn run(setup: &Setup) -> Result<Report, RunError> {
    let columns = [
        ("figure", ""),
        ("case", ""),
        ("time", "s"),
        ("turned", "rad"),
        ("angular momentum", "kg m2/s"),
        ("distance of the centre", "m"),
        ("largest strain", ""),
    ];
    let mut rows = Vec::new();
    let mut table = ReportTable::new(&columns);
    for case in fields(setup).into_iter().chain([moving_charge(setup)]) {
        setup.log.note(&format!("{}, {}", case.figure, case.name));
        let measured = measure(case).expect("surfaces stay off the singular places");
        table.rows.extend(measured.iter().map(Measured::cells));
        rows.push(measured);
    }
    Ok(Report { table, claims: claims(&rows), charts: charts(&rows) })
}

/// Fig 11: 8 uC a vertex. The stiffness is not printed: 10 N/m.
fn fields(setup: &Setup) -> Vec<Case> {
    let centre = Vec3::new(0.0, 0.0, -HEIGHT);
    let saddle = |strength| ExternalField::Saddle { strength, centre };
    let case = |(name, field)| {
        let mut world = sphere(setup.quick, 10.0, 8e-6);
        let times = 0.0..f64::INFINITY;
        world.external_field(ImposedField { field, factor: Ramp::default(), motion: Motion::Fixed, times });
        let samples = setup.choose(10, 2);
        Case { figure: "Fig 11", name, world, step: 0.05, interval: 1.0, samples, centre: Vec3::zeros() }
    };
    [
        ("saddle as printed, 1 V/m", saddle(1.0)),
        ("saddle, 20 kV/m", saddle(STRENGTH)),
        ("vortex, 20 kV/m", ExternalField::Vortex { strength: STRENGTH, centre }),
    ]
    .map(case)
    .into()
}

/// Fig 16: -42 uC on a circle through the tube of the torus's like, 1000 steps of 0.06 s. The paper prints no path. Here it is
/// clockwise from above.
fn moving_charge(setup: &Setup) -> Case {
    let [distance, radius, turn] = CIRCLE;
    let mut world = torus(10.0, 80e-6 / 145.0);
    world.field(Method::Exact, 0.3);
    let centre = Vec3::new(distance, 0.0, 0.0);
    world.external_charge(ExternalCharge {
        charge: Ramp::constant(-42e-6),
        position: Vec3::new(distance - radius, 0.0, 0.0),
        motion: Motion::Screw { point: centre, axis: Vec3::z(), rate: -TAU / turn, velocity: 0.0 },
    });
    let samples = setup.choose(20, 2);
    Case { figure: "Fig 16", name: "charge on a circle", world, step: 0.06, interval: 3.0, samples, centre }
}

fn measure(Case { figure, name, world, step, interval, samples, centre }: Case) -> Result<Vec<Measured>, StepError> {
    let (world, mut state) = world.build().expect("a charged surface");
    let at_rest = about_centre(&state.p);
    let mut steps = Steps::new(&world, &state, Integrator::ImplicitEuler, step);
    let mut turned: f64 = 0.0;
    let mut rows = Vec::new();
    for _ in 0..samples {
        for _ in 0..(interval / step).round() as usize {
            steps.advance(&mut state)?;
            turned += libm::remainder(angle(&at_rest, &about_centre(&state.p)) - turned, TAU);
        }
        let length = |[i, j]: [usize; 2]| (state.p[j] - state.p[i]).norm();
        let strain = world.bonds().iter().map(|spring| length(spring.ends()) / spring.l0 - 1.0);
        rows.push(Measured {
            figure,
            case: name,
            time: state.time,
            turned,
            angular_momentum: spin(&state, &world),
            distance: (mean(&state.p) - centre).xy().norm(),
            strain: strain.fold(0.0, f64::max),
        });
    }
    Ok(rows)
}

fn mean(x: &[Vec3]) -> Vec3 {
    x.iter().sum::<Vec3>() / x.len() as f64
}

/// Positions from their mean on.
fn about_centre(x: &[Vec3]) -> Vec<Vec3> {
    let centre = mean(x);
    x.iter().map(|x| x - centre).collect()
}

/// Angle about z of the turn that takes `from` closest to `to`, rad.
fn angle(from: &[Vec3], to: &[Vec3]) -> f64 {
    let sum = |of: fn(&Vec3, &Vec3) -> f64| from.iter().zip(to).map(|(a, b)| of(a, b)).sum::<f64>();
    libm::atan2(sum(|a, b| a.x * b.y - a.y * b.x), sum(|a, b| a.x * b.x + a.y * b.y))
}

/// Angular momentum about the z axis through the centre, kg m2/s. All masses are equal.
fn spin(state: &State, world: &World) -> f64 {
    about_centre(&state.p)
        .iter()
        .zip(&state.v)
        .zip(&world.particles.mass)
        .map(|((x, v), mass)| mass * x.cross(v).z)
        .sum()
}

fn claims(cases: &[Vec<Measured>]) -> Vec<Claim> {
    let turned = |row: &Measured| format!("turned after {} s, rad: {}", short(Some(row.time)), row.case);
    let (fields, circle) = cases.split_at(3);
    let ends = fields.iter().filter_map(|rows| rows.last());
    let mut claims: Vec<Claim> =
        ends.map(|row| Claim::new(turned(row), "[MSC] Fig 11", "clockwise (negative)", row.turned)).collect();
    for rows in circle {
        let nearest = rows.iter().map(|row| row.distance).fold(f64::INFINITY, f64::min);
        let what = format!("least distance from the circle's centre, m, of {} m", CIRCLE[0]);
        claims.push(Claim::new(what, "[MSC] Fig 16", "drawn in", nearest));
        claims.extend(rows.last().map(|row| Claim::new(turned(row), "[MSC] Fig 16", "rotates", row.turned)));
    }
    claims
}

/// Angles of Fig 11, and angle and distance of Fig 16.
fn charts(cases: &[Vec<Measured>]) -> Vec<Chart> {
    let line = |label: &str, rows: &[Measured], of: fn(&Measured) -> f64| Line {
        label: label.to_owned(),
        points: rows.iter().map(|row| (row.time, of(row))).collect(),
    };
    let chart = |name, title: &str, y_label, lines| Chart {
        name,
        x_label: "time, s",
        y_label,
        scale: AxisScale::Linear,
        panels: vec![Panel { title: title.to_owned(), lines }],
    };
    let (fields, circle) = cases.split_at(3);
    let angles = fields.iter().map(|rows| line(rows[0].case, rows, |row| row.turned)).collect();
    let of_circle = circle.iter().flat_map(|rows| {
        let turned = line("turned, rad", rows, |row| row.turned);
        [turned, line("distance of the centre from the circle's, m", rows, |row| row.distance)]
    });
    vec![
        chart("charges-external", "Fig 11", "turned, rad", angles),
        chart("charges-external_circle", "Fig 16", "turned, rad; distance, m", of_circle.collect()),
    ]
}
