//! Pendulum: a mass on a stiff spring.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, G, Setting, Target, find_all};

use super::conserved::dissipates;
use super::swing::Swing;

pub(super) const CASES: [Case; 1] = [Case::new(
    "pendulum on a stiff spring",
    "2 pi sqrt(l/g) (1 + a^2/16 + 11 a^4/3072)",
    "the spring's own oscillation",
    swings,
)];

/// Length, m, and frames a small swing.
const LENGTH: f64 = 0.2;
const FRAMES: f64 = 200.0;
/// Mass, kg.
const MASS: f64 = 0.01;
/// Angle from the vertical at the start, degrees.
const START: f64 = 30.0;

/// Four swings from 30 degrees. Implicit Euler divides the energy of small ones by 1 + (w dt)^2 a step: it is of first order.
fn swings(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let period = std::f64::consts::TAU * f64::sqrt(LENGTH / G);
    let half = 0.5 * LENGTH;
    let (sin, cos) = libm::sincos(START.to_radians());
    let objects = format!(
        "[[bodies]]\nname = \"pendulum\"\nparticle_radius = {half:?}\nsprings = {{ stiffness = 1e4, mass = {MASS:?} }}\n\
         packing = {{ rope = {{ length = {:?}, strands = 1 }} }}\nposition = [{:?}, 0.0, {:?}]\n\
         rotation = {{ axis = [0.0, 1.0, 0.0], degrees = {:?} }}\n\
         [[constraints]]\nregion = {{ nearest = {{ point = [0.0, 0.0, 0.0] }} }}\nmotion = \"fixed\"\n",
        4.0 * half,
        half * sin,
        -half * cos,
        90.0 - START
    );
    let conditions = Conditions { gravity: Vec3::z() * -G, frame_rate: FRAMES / period, ..Conditions::default() };
    let path = conditions.lasting(4.0 * period).trace(setting, &objects, |at| {
        let free = at.state.p.iter().max_by(|a, b| a.norm().total_cmp(&b.norm())).expect("two particles");
        (libm::atan2(free.x, -free.z), at.energy() + MASS * G * LENGTH)
    });
    let found = path.and_then(|path| {
        let angles: Vec<f64> = path.iter().map(|at| at.0).collect();
        let swing = Swing::new(&angles, 0.0, 1.0 / conditions.frame_rate)?;
        Ok([swing.period / (period * swing.stretch()), path[path.len() - 1].1 / path[0].1])
    });
    let step = std::f64::consts::TAU / FRAMES;
    let (left, tolerance) =
        if dissipates(setting) { (libm::pow(1.0 + step * step, -4.0 * FRAMES), 0.05) } else { (1.0, 0.005) };
    // by the first amplitude, which implicit Euler does not keep
    let period_tolerance = if dissipates(setting) { 0.02 } else { 0.005 };
    let targets = [
        Target::ratio("period over the right one", 1.0, period_tolerance),
        Target::ratio("energy left", left, tolerance),
    ];
    find_all(targets, found)
}
