//! Oblique impacts, and impacts of spinning grains.

use bdem_core::geometry::Vec3;
use bdem_core::model::ContactLaw;
use bdem_run::run::RunError;

use super::reference::{pair_ratio, rebound, wall_ratio};
use crate::cases::{Ball, Case, Conditions, Finding, RADIUS, Setting, Stop, Target, floor, never, without_torque};

pub(super) const CASES: [Case; 7] = [
    Case {
        name: "oblique impact, speed of the contact point",
        source: "equations of motion with k_t = 2/7 k; Chung and Ooi 2011, test 5",
        weakness: "the tangential dashpot, which an elastic contact has not",
        has_friction: true,
        cannot: without_torque,
        run: points,
    },
    Case {
        name: "oblique impact at three times the speed",
        source: "psi' is a function of psi alone; Maw, Barber and Fawcett 1976",
        weakness: "the function itself",
        has_friction: true,
        cannot: without_torque,
        run: similarity,
    },
    Case {
        name: "oblique impact that slides, speed",
        source: "v_t'/v_t = 1 - mu (1 + e)/tan(theta); Chung and Ooi 2011, test 4",
        weakness: "the tangential spring, which does not unload",
        has_friction: true,
        cannot: never,
        run: sliding_speeds,
    },
    Case {
        name: "oblique impact that slides, spin",
        source: "r w'/v_n = 5/2 mu (1 + e); Chung and Ooi 2011, test 4",
        weakness: "the tangential spring, which does not unload",
        has_friction: true,
        cannot: without_torque,
        run: sliding_spins,
    },
    Case {
        name: "spinning grain on a floor",
        source: "v_t'/(mu v_n) = 2/7 (psi - psi'); Chung and Ooi 2011, test 6",
        weakness: "spin about the normal",
        has_friction: true,
        cannot: without_torque,
        run: spinning,
    },
    Case {
        name: "two spinning grains",
        source: "v_t'/(mu v_n) = 1/7 (psi - psi'); Chung and Ooi 2011, test 7",
        weakness: "spin about the normal",
        has_friction: true,
        cannot: without_torque,
        run: equal_pair,
    },
    Case {
        name: "two spinning grains of radii 1 to 3",
        source: "v_t'/(mu v_n) = 2/7 m_2/(m_1 + m_2) (psi - psi'); Chung and Ooi 2011, test 8",
        weakness: "spin about the normal",
        has_friction: true,
        cannot: without_torque,
        run: unequal_pair,
    },
];

/// Normal speed, m/s. The overlap is then 0.3 % of a radius, so that arms are radii.
const NORMAL: f64 = 0.1;
/// Time after which such an impact is over, s: the gap takes 5 ms.
const OVER: f64 = 0.025;
/// Gap at the start, m.
const GAP: f64 = 0.05 * RADIUS;
/// Coefficient of friction of elastic impacts.
const FRICTION: f64 = 0.3;
/// psi of the table: by the linear law two contacts stick and two slide.
const PSI: [f64; 4] = [1.5, 3.0, 5.0, 10.0];
/// Tolerance of psi', whose range is -3.5 to 3.
const TOLERANCE: f64 = 0.05;

/// Velocity (m/s) and angular velocity (rad/s) after an impact.
type Rebound = (Vec3, Vec3);

/// Impact on a floor, from a velocity (m/s) and an angular velocity (rad/s).
fn impact(setting: &Setting, conditions: Conditions, v: Vec3, w: Vec3) -> Result<Rebound, Stop> {
    let ball = Ball { w, ..Ball::new(Vec3::z() * (RADIUS + GAP), v) };
    let end = conditions.lasting(OVER).run(setting, &(ball.text("ball") + &floor()), |_| ())?.state;
    Ok((end.v[0], end.w[0]))
}

fn elastic() -> Conditions {
    Conditions { friction: FRICTION, ..Conditions::default() }
}

/// psi' found from `psi`.
pub(super) fn psi_after(setting: &Setting, psi: f64) -> Result<f64, Stop> {
    psi_at(setting, psi, NORMAL)
}

/// psi' found from `psi` at a `normal` speed (m/s).
fn psi_at(setting: &Setting, psi: f64, normal: f64) -> Result<f64, Stop> {
    let unit = FRICTION * normal;
    let (v, w) = impact(setting, elastic(), Vec3::new(psi * unit, 0.0, -normal), Vec3::zeros())?;
    Ok((v.x - RADIUS * w.y) / unit)
}

/// psi' by the laws of contact.
pub(super) fn right_psi(law: ContactLaw, psi: f64) -> f64 {
    rebound(law, wall_ratio(law, NORMAL), psi)
}

fn points(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let at = |&psi: &f64| {
        let target = Target::ratio(format!("psi', psi {psi}"), right_psi(setting.law, psi), TOLERANCE);
        target.find(psi_after(setting, psi))
    };
    PSI.iter().map(at).collect()
}

fn similarity(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let slow = |psi: f64| psi_after(setting, psi);
    let change = |psi: f64| slow(psi).and_then(|slow| Ok(psi_at(setting, psi, 3.0 * NORMAL)? - slow));
    let at = |&psi: &f64| Target::ratio(format!("change of psi', psi {psi}"), 0.0, TOLERANCE).find(change(psi));
    PSI.iter().map(at).collect()
}

/// Friction, restitution and angles of aluminium oxide on glass in test 4, whose material is stiffer. Ratios of an
/// impact that slides do not depend on stiffness and speed.
const SLIDING_FRICTION: f64 = 0.092;
const SLIDING_RESTITUTION: f64 = 0.98;
/// Angles from the normal, degrees: from 33 on such an impact slides throughout by either law.
const ANGLES: [f64; 3] = [45.0, 60.0, 80.0];

/// Ratio v_t'/v_t of an impact at an angle (degrees) from the normal.
pub(super) fn right_ratio(degrees: f64) -> f64 {
    1.0 - SLIDING_FRICTION * (1.0 + SLIDING_RESTITUTION) / libm::tan(degrees.to_radians())
}

/// Velocities before and after an impact at an angle (degrees) from the normal, and the angular velocity after it.
fn at_angle(setting: &Setting, degrees: f64) -> Result<(Vec3, Rebound), Stop> {
    let conditions =
        Conditions { friction: SLIDING_FRICTION, restitution: SLIDING_RESTITUTION, ..Conditions::default() };
    let v = Vec3::new(NORMAL * libm::tan(degrees.to_radians()), 0.0, -NORMAL);
    Ok((v, impact(setting, conditions, v, Vec3::zeros())?))
}

/// v_t'/v_t found.
pub(super) fn speed_ratio(setting: &Setting, degrees: f64) -> Result<f64, Stop> {
    at_angle(setting, degrees).map(|(before, (after, _))| after.x / before.x)
}

fn sliding_speeds(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let at = |&degrees: &f64| {
        let target = Target::ratio(format!("v_t'/v_t, {degrees} degrees"), right_ratio(degrees), 0.005);
        target.find(speed_ratio(setting, degrees))
    };
    ANGLES.iter().map(at).collect()
}

fn sliding_spins(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let right = 2.5 * SLIDING_FRICTION * (1.0 + SLIDING_RESTITUTION);
    let at = |&degrees: &f64| {
        let spin = at_angle(setting, degrees).map(|(_, (_, w))| RADIUS * w.y / NORMAL);
        Target::ratio(format!("r w'/v_n, {degrees} degrees"), right, 0.01).find(spin)
    };
    ANGLES.iter().map(at).collect()
}

fn spinning(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let unit = FRICTION * NORMAL;
    let at = |&psi: &f64| {
        let w = Vec3::y() * (psi * unit / RADIUS);
        let found = impact(setting, elastic(), Vec3::z() * -NORMAL, w).map(|(v, _)| v.x / unit);
        let right = 2.0 / 7.0 * (psi - right_psi(setting.law, psi));
        Target::ratio(format!("v_t'/(mu v_n), psi {psi}"), right, TOLERANCE).find(found)
    };
    PSI.iter().map(at).collect()
}

fn equal_pair(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    spinning_pair(setting, 1.0)
}

fn unequal_pair(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    spinning_pair(setting, 3.0)
}

/// Impacts of two grains with the same angular velocity, the lower one `size` times as large. The result is the tangential speed
/// of the upper one.
fn spinning_pair(setting: &Setting, size: f64) -> Result<Vec<Finding>, RunError> {
    let unit = FRICTION * NORMAL;
    let at = |&psi: &f64| {
        let w = Vec3::y() * (psi * unit / (RADIUS * (1.0 + size)));
        let high = Ball { w, ..Ball::new(Vec3::z() * (RADIUS * (1.0 + size) + GAP), Vec3::z() * -NORMAL) };
        let low = Ball { w, radius: size * RADIUS, ..Ball::new(Vec3::zeros(), Vec3::zeros()) };
        let share = low.mass() / (low.mass() + high.mass());
        let end = elastic().lasting(OVER).run(setting, &(low.text("low") + &high.text("high")), |_| ());
        let ratio = pair_ratio(setting.law, [low.radius, high.radius], NORMAL);
        let right = 2.0 / 7.0 * share * (psi - rebound(setting.law, ratio, psi));
        let target = Target::ratio(format!("v_t'/(mu v_n), psi {psi}"), right, TOLERANCE);
        target.find(end.map(|end| end.state.v[1].x / unit))
    };
    PSI.iter().map(at).collect()
}
