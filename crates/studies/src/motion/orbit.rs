//! Two opposite charges that circle each other.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Ball, Case, Conditions, Finding, RADIUS, Setting, Target, find_all, mass};

use super::conserved::{Conserved, angular_target, dissipates, energy_target, quantities};

pub(super) const CASES: [Case; 1] = [Case::new(
    "two charges on a circle",
    "Coulomb: v^2 = k q^2/(4 m R); distance, energy and angular momentum stay",
    "an eccentric orbit",
    circle,
)];

/// Charge of either grain, C, and the radius R of their circle, m.
const CHARGE: f64 = 1e-6;
const R: f64 = 0.1;
/// Coulomb's constant, N m2/C2.
const COULOMB: f64 = 8.987_551_792_3e9;

/// Two turns. The tolerances are those of second order: the square of the angle of a frame, at 40 frames a turn 0.025 and at 100 0.004.
fn circle(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let speed = (COULOMB * CHARGE * CHARGE / (4.0 * mass(RADIUS) * R)).sqrt();
    let grain = |name: &str, side: f64| {
        let charge = side * CHARGE;
        Ball::new(Vec3::x() * (side * R), Vec3::y() * (side * speed)).text(name)
            + &format!("[[charges]]\nbody = \"{name}\"\ncharge = {charge:?}\n")
    };
    let objects = grain("a", 1.0) + &grain("b", -1.0);
    let at = |frames: f64| {
        let period = std::f64::consts::TAU * R / speed;
        let conditions = Conditions { frame_rate: frames / period, ..Conditions::default() }.lasting(2.0 * period);
        let mut distances = Vec::new();
        let mut kept = Vec::new();
        let end = conditions.run(setting, &objects, |at| {
            distances.push((at.state.p[1] - at.state.p[0]).norm());
            kept.push(quantities(at));
        });
        let found = end.map(|_| {
            let kept: Conserved = kept.into_iter().collect();
            let far = distances.iter().map(|d| (d / (2.0 * R) - 1.0).abs()).fold(0.0, f64::max);
            [far, kept.energy_error(setting), kept.angular_error()]
        });
        let (when, turn) = (format!(", {frames} frames a turn"), std::f64::consts::TAU / frames);
        let tolerance = 0.5 * turn * turn;
        // implicit Euler loses the turn of a step each radian
        let dissipated = if dissipates(setting) { 4.0 * std::f64::consts::PI * turn } else { tolerance };
        let targets = [
            Target::ratio(format!("change of distance{when}"), 0.0, dissipated),
            energy_target(setting, &when, tolerance),
            angular_target(&when, dissipated),
        ];
        find_all(targets, found)
    };
    Ok([at(40.0)?, at(100.0)?].concat())
}
