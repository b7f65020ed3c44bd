//! Asymmetry of the derivatives of torques, \[ROD\] eqs 16 to 25: of the force law of \[BDEM21\], and of laws with an energy.

use bdem_core::energy::Potential;
use bdem_core::geometry::{Mat3, Vec3, rotation};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Bond, BondModel, Gradient, Material, Particles, State, World};
use bdem_pictures::plot::{AxisScale, Chart, Line, Panel};
use bdem_run::run::RunError;

use super::{Cell, Claim, Report, ReportTable, Setup, Study};

pub(super) const STUDY: Study = Study {
    name: "asymmetry",
    about: "asymmetry of the derivatives of torques by the angle between two particles, of each bond law",
    run,
};

/// Radius of both particles, m. Asymmetries do not depend on it.
const RADIUS: f64 = 0.01;

/// Angle of central differences, rad.
const DIFFERENCE: f64 = 1e-5;

fn run(setup: &Setup) -> Result<Report, RunError> {
    let mut report = Report {
        table: ReportTable::new(&[("bond law", ""), ("angle", "rad"), ("asymmetry of K_ij", "")]),
        ..Report::default()
    };
    let angles: &[f64] = setup.choose(&[0.01, 0.03, 0.1, 0.3, 1.0, 2.0], &[0.1, 1.0]);
    let mut lines = Vec::new();
    for model in BondModel::ALL.iter().filter(|model| model.has_orientation()) {
        let found: Vec<_> = angles.iter().map(|&angle| (angle, asymmetry(&joined(model), angle))).collect();
        let cells = |&(angle, share): &(f64, f64)| vec![model.name.into(), angle.into(), Cell::from(share)];
        report.table.rows.extend(found.iter().map(cells));
        let paper = if *model == BondModel::FORCE_2021 { "asymmetric" } else { "-" };
        let what = format!("{}: greatest asymmetry of K_ij", model.name);
        let most = found.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        report.claims.push(Claim::new(what, "[ROD] eqs 16-25", paper, most));
        lines.push(Line { label: model.name.to_owned(), points: found });
    }
    let panels = vec![Panel { title: "|K_ij - K_ji^T| / |K_ij|".to_owned(), lines }];
    let (x_label, y_label) = ("angle between the particles, rad", "asymmetry");
    report.charts.push(Chart { name: "asymmetry", x_label, y_label, scale: AxisScale::Both, panels });
    Ok(report)
}

/// Two particles joined by a bond of this law.
fn joined(model: &'static BondModel) -> World {
    let material = Material { bond: model, ..Material::elastic("rubber", 1000.0, 1e6, 0.25) };
    let mut particles = Particles::default();
    (0..2).for_each(|_| particles.push(RADIUS, material.density, 0, 0));
    let mass = [particles.mass[0], particles.mass[1]];
    let bond = Bond::new(0, [0, 1], Vec3::x() * (2.0 * RADIUS), [RADIUS; 2], mass, &material);
    World::new(vec![material], particles, vec![bond])
}

/// |K_ij - K_ji^T| / |K_ij| with K_ij the derivative of the torque on i by the rotation of j, for j rotated by `angle` (rad) in bending and
/// twist alike.
fn asymmetry(world: &World, angle: f64) -> f64 {
    let axis = Vec3::new(1.0, 1.0, 0.5).normalize();
    let at = State {
        time: 0.0,
        p: vec![Vec3::zeros(), Vec3::x() * (2.0 * RADIUS)],
        q: vec![rotation::exp(&Vec3::zeros()), rotation::exp(&(axis * (0.5 * angle)))],
        v: vec![Vec3::zeros(); 2],
        w: vec![Vec3::zeros(); 2],
    };
    let [k_ij, k_ji] = [[0, 1], [1, 0]].map(|[of, by]| derivative(world, &at, of, by));
    (k_ij - k_ji.transpose()).norm() / k_ij.norm()
}

/// Derivative of the torque on particle `of` by the rotation vector of particle `by`, N m.
fn derivative(world: &World, at: &State, of: usize, by: usize) -> Mat3 {
    let contacts = Contacts::none(world, at);
    let torque = |turn: Vec3| {
        let mut state = at.clone();
        state.q[by] = rotation::exp(&(turn * 0.5)) * state.q[by];
        let mut gradient = [Gradient::default(); 2];
        Potential::new(world, &contacts).gradient(&state, &mut gradient);
        -gradient[of].theta
    };
    let column = |axis: usize| {
        let turn = Vec3::ith(axis, DIFFERENCE);
        (torque(turn) - torque(-turn)) / (2.0 * DIFFERENCE)
    };
    Mat3::from_columns(&[0, 1, 2].map(column))
}
