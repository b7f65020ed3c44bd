//! Waves along a row of grains.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::IntegratorKind;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, DENSITY, Finding, RADIUS, Setting, Stop, Target, find_all};

use super::chain::{Bond, SPACING, at, chain};

pub(super) const CASES: [Case; 2] = [
    Case::new(
        "wave along a row of grains",
        "Schrodinger 1914: v_n/V = integral of 2 n J_2n(x)/x from 0 to 2 t sqrt(k/m)",
        "shear waves",
        front,
    ),
    Case::new(
        "row of grains that spalls",
        "d'Alembert: tension begins as far from the free end as the striker is long, when both reflections meet there",
        "cracks after the first",
        spall,
    ),
];

const BOND: Bond = Bond { young: 1e7 };
/// Speed of the row, m/s, and number of its bonds.
const SPEED: f64 = 0.1;
const BONDS: u32 = 100;
/// Grains at which the front is measured.
const GRAINS: [u32; 2] = [20, 60];

/// Speed of grain `n` over that of the row, at the times 0, 1, ... up to `last`, in units of sqrt(m/k), after grain 0 was stopped.
fn speeds(n: u32, last: u32) -> Vec<f64> {
    const PARTS: u32 = 20;
    let order = 2 * n as i32;
    let of = |x: f64| if x > 0.0 { f64::from(order) * libm::jn(order, x) / x } else { 0.0 };
    let width = 2.0 / f64::from(PARTS);
    let mut stopped = 0.0;
    let mut speeds = vec![1.0];
    for k in 0..last * PARTS {
        let x = f64::from(k) * width;
        stopped += width / 6.0 * (of(x) + 4.0 * of(x + 0.5 * width) + of(x + width));
        if (k + 1) % PARTS == 0 {
            speeds.push(1.0 - stopped);
        }
    }
    speeds
}

/// Time at which a speed falls through a half, in intervals of the values.
fn arrival(speeds: &[f64]) -> Result<f64, Stop> {
    let crossing = |(k, pair): (usize, &[f64])| {
        (pair[0] > 0.5 && pair[1] <= 0.5).then(|| k as f64 + (pair[0] - 0.5) / (pair[0] - pair[1]))
    };
    speeds.windows(2).enumerate().find_map(crossing).ok_or_else(|| Stop::Ended("no front".to_owned()))
}

/// The row flies along itself, and its first grain is held.
fn front(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let objects = chain(["row", "m"], BONDS + 1, 0.0, &(Vec3::x() * SPEED)) + &at(0.0, "motion = \"fixed\"");
    let (frame_rate, frames) = (BOND.lattice(), BONDS);
    let conditions = Conditions { young: BOND.young, damping: 0.0, frame_rate, frames, ..Conditions::default() };
    let path = conditions.trace(setting, &objects, |at| GRAINS.map(|n| at.state.v[n as usize].x / SPEED));
    let right = GRAINS.map(|n| speeds(n, frames));
    let between = |[near, far]: [&[f64]; 2]| -> Result<f64, Stop> {
        Ok(f64::from(GRAINS[1] - GRAINS[0]) / (arrival(far)? - arrival(near)?))
    };
    let found = path.and_then(|path| {
        let found = [0, 1].map(|k| path.iter().map(|at| at[k]).collect::<Vec<f64>>());
        let apart = found[0].iter().zip(&right[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        Ok([between([&found[0], &found[1]])?, apart])
    });
    let speed = between([&right[0], &right[1]]).unwrap_or(f64::NAN);
    let targets = [
        Target::ratio("speed of the front over l sqrt(k/m)", speed, 0.01),
        Target::ratio("greatest error of v/V, 20 bonds from the end", 0.0, 0.1),
    ];
    let mut findings = find_all(targets, found)?;
    // implicit steps of a frame, sqrt(m/k), round the front off
    findings.truncate(if setting.integrator.is_only_implicit() { 1 } else { 2 });
    Ok(findings)
}

/// Grains of the striker and of the row, and their speed, m/s.
const STRIKER: u32 = 10;
const ROW: u32 = 40;
const STRIKE: f64 = 1.0;

/// A row that is struck by a shorter one. Its bonds hold 0.7 of the tension that the waves make, so that the first break is where
/// and when it rises.
fn spall(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let gap = 0.01 * RADIUS;
    let hard = format!(
        "[fracture]\naxial = \"tension\"\n[materials.hard]\ndensity = {DENSITY:?}\ndensity_of = \"grains\"\nyoung_modulus = {:?}\npoisson_ratio = 0.25\n",
        BOND.young
    );
    let objects = hard
        + &chain(["row", "m"], ROW, 0.0, &Vec3::zeros())
        + &chain(["striker", "hard"], STRIKER, -gap - f64::from(STRIKER) * SPACING, &(Vec3::x() * STRIKE));
    // sigma = rho c V/2 by mass and stiffness of the row
    let tension = 0.5 * STRIKE * BOND.young / (SPACING * BOND.lattice());
    let conditions = Conditions {
        young: BOND.young,
        damping: 0.0,
        strength: 0.7 * tension,
        frame_rate: BOND.lattice(),
        frames: 80,
        ..Conditions::default()
    };
    let found = conditions.breaks(setting, &objects).and_then(|broken| {
        let event = broken.first().ok_or_else(|| Stop::Ended("no break".to_owned()))?;
        let end = (f64::from(ROW) - 0.5) * SPACING;
        Ok([(end - event.x) / SPACING, (event.time - gap / STRIKE) * BOND.lattice()])
    });
    // implicit steps of a frame, sqrt(m/k), round the fronts off
    let late = match setting.integrator {
        IntegratorKind::ImplicitEuler => 10.0,
        kind if kind.is_only_implicit() => 6.0,
        _ => 2.5,
    };
    let targets = [
        Target::of("distance from the free end", "grains", f64::from(STRIKER), 3.0),
        Target::of("time after the blow", "sqrt(m/k)", f64::from(ROW + STRIKER), late),
    ];
    find_all(targets, found)
}
