//! Beams of one row of grains: sag, first frequency and Euler's load.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, G, RADIUS, Setting, Target, find_all, mass};

use super::chain::{Bond, SPACING, at, chain};
use super::swing::Swing;

pub(super) const CASES: [Case; 2] = [
    Case::new(
        "cantilever of a row of grains",
        "unit loads: u = sum over bonds of M m/k_b + V v l^2/k_s; frequency by the same and lumped masses",
        "rotary inertia, and large deflections",
        cantilever,
    ),
    Case::new(
        "column under 0.8 of Euler's load",
        "u/u_0 = 3 (tan x - x)/x^3, x = pi/2 sqrt(P/P_E); P_E of the row from 4 k_b tan^2(pi/(4 n)) and k_s",
        "the path after buckling",
        column,
    ),
];

/// Bonds of a beam, its material, and frames a period.
const BONDS: u32 = 10;
const BOND: Bond = Bond { young: 1e8 };
const FRAMES: f64 = 40.0;

/// Deflection (m) of grain `a` by a unit force on grain `b`, counted from the clamped one.
fn flexibility(a: u32, b: u32) -> f64 {
    let arm = |of: u32, bond: u32| (f64::from(of) - f64::from(bond) + 0.5) * SPACING;
    let by = |bond: u32| arm(a, bond) * arm(b, bond) / BOND.bending() + SPACING * SPACING / BOND.shear();
    (1..=a.min(b)).map(by).sum()
}

/// First angular frequency, rad/s: by power iteration, whose eigenvalue is that of flexibility times mass.
fn frequency() -> f64 {
    let mut shape = vec![1.0; BONDS as usize];
    let mut eigenvalue = 1.0;
    for _ in 0..20 {
        let at = |a: u32| (1..=BONDS).map(|b| flexibility(a, b) * mass(RADIUS) * shape[b as usize - 1]).sum::<f64>();
        let next: Vec<f64> = (1..=BONDS).map(at).collect();
        eigenvalue = next[BONDS as usize - 1];
        shape = next.iter().map(|u| u / eigenvalue).collect();
    }
    1.0 / f64::sqrt(eigenvalue)
}

/// Beam whose first grain is clamped, and a force on its last.
fn clamped(force: &[f64; 3]) -> String {
    let end = f64::from(BONDS) * SPACING;
    chain(["beam", "m"], BONDS + 1, 0.0, &Vec3::zeros())
        + &at(0.0, "motion = \"fixed\"")
        + &at(end, &format!("force = {force:?}"))
}

/// Sag and first period, from four swings under a weight that acts at once. Implicit steps take a fortieth of a period.
fn cantilever(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let weight = mass(RADIUS) * G;
    let right = (1..=BONDS).map(|b| flexibility(BONDS, b) * weight).sum::<f64>();
    let period = std::f64::consts::TAU / frequency();
    let conditions = Conditions { gravity: Vec3::z() * -G, ..steady(period) }.lasting(4.0 * period);
    let path = conditions.trace(setting, &clamped(&[0.0; 3]), |at| -at.state.p[BONDS as usize].z);
    let found = path.and_then(|path| Ok([mean(&path), Swing::new(&path, right, period / FRAMES)?.period]));
    // implicit steps are of second order in 2 pi/40
    let targets = [Target::of("sag", "m", right, 0.02 * right), Target::of("first period", "s", period, 0.02 * period)];
    find_all(targets, found)
}

/// Deflection by a small force across the axis, beside that by beam theory: a load wrong by 1 % changes it by 5 %.
fn column(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let share = 0.8;
    let bend = 4.0 * BOND.bending() * libm::pow(libm::tan(std::f64::consts::PI / 4.0 / f64::from(BONDS)), 2.0);
    let euler = bend * BOND.shear() / (BOND.shear() + bend) / SPACING;
    let across = 0.001 * f64::from(BONDS) * SPACING / flexibility(BONDS, BONDS);
    let period = std::f64::consts::TAU / frequency() / f64::sqrt(1.0 - share);
    let conditions = steady(period).lasting(2.0 * period);
    let path = conditions.trace(setting, &clamped(&[-share * euler, 0.0, across]), |at| at.state.p[BONDS as usize].z);
    let x = std::f64::consts::FRAC_PI_2 * f64::sqrt(share);
    let right = 3.0 * (libm::tan(x) - x) / (x * x * x);
    let found = path.map(|path| mean(&path) / (across * flexibility(BONDS, BONDS)));
    Ok(vec![Target::ratio("u/u_0", right, 0.05 * right).find(found)?])
}

fn steady(period: f64) -> Conditions {
    Conditions { young: BOND.young, damping: 0.1, frame_rate: FRAMES / period, ..Conditions::default() }
}

/// Mean over whole periods: the last value is the first again.
fn mean(path: &[f64]) -> f64 {
    path[1..].iter().sum::<f64>() / (path.len() - 1) as f64
}
