//! Breaks of single bonds, whose ends are both held.

use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, RADIUS, Setting, Stop, Target, find_all};

pub(super) const CASES: [Case; 4] = [
    Case::new("bond that is stretched", "sigma = E v t/l", "compression", stretched),
    Case::new("bond that is sheared", "tau = G v t/l", "a bond whose ends turn", sheared),
    Case::new("bond that is bent", "sigma = E r w t/l", "shear, which a bent chain has too", bent),
    Case::new("bond that is twisted", "tau = G r w t/l", "tension, which a twisted yarn has too", twisted),
];

/// Strength, Pa, and Young's modulus, Pa. G is E/(2 (1 + nu)) with Poisson's ratio 0.25.
const STRENGTH: f64 = 2e6;
const E: f64 = 1e9;
const SHEAR: f64 = 0.4 * E;
/// Time of the break, s.
const TIME: f64 = 4e-4;

/// A bond along x between a fixed grain and one that moves. Stress and time of its break.
fn breaks(setting: &Setting, motion: &str, is_shear: bool) -> Result<Vec<Finding>, RunError> {
    let length = 4.0 * RADIUS;
    let held = |x: f64, motion: &str| {
        format!("[[constraints]]\nregion = {{ nearest = {{ point = [{x:?}, 0.0, 0.0] }} }}\nmotion = {motion}\n")
    };
    let objects = format!(
        "[[bodies]]\nname = \"pair\"\nmaterial = \"m\"\nparticle_radius = {RADIUS:?}\n\
         packing = {{ rope = {{ length = {length:?}, strands = 1 }} }}\n{}{}",
        held(-RADIUS, "\"fixed\""),
        held(RADIUS, motion)
    );
    let conditions = Conditions {
        young: E,
        damping: 0.0,
        strength: STRENGTH,
        frame_rate: 2000.0,
        frames: 6,
        ..Conditions::default()
    };
    let found = conditions.breaks(setting, &objects).and_then(|broken| {
        let event = broken.first().ok_or_else(|| Stop::Ended("no break".to_owned()))?;
        Ok([if is_shear { event.tau } else { event.sigma }, event.time])
    });
    let targets = [Target::of("stress", "Pa", STRENGTH, 0.02 * STRENGTH), Target::of("time", "s", TIME, 0.02 * TIME)];
    find_all(targets, found)
}

/// A rotation of the second grain about a point on the bond's axis.
fn rotation(x: f64, axis: [f64; 3], rate: f64) -> String {
    format!("{{ rotation = {{ point = [{x:?}, 0.0, 0.0], axis = {axis:?}, rate = {rate:?} }} }}")
}

fn stretched(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let v = STRENGTH / E * 2.0 * RADIUS / TIME;
    breaks(setting, &format!("{{ velocity = [{v:?}, 0.0, 0.0] }}"), false)
}

fn sheared(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let v = STRENGTH / SHEAR * 2.0 * RADIUS / TIME;
    breaks(setting, &format!("{{ velocity = [0.0, {v:?}, 0.0] }}"), true)
}

/// About the bond's middle: its direction then is that of the mean of both ends, without shear.
fn bent(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    breaks(setting, &rotation(0.0, [0.0, 0.0, 1.0], 2.0 * STRENGTH / E / TIME), false)
}

fn twisted(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    breaks(setting, &rotation(0.0, [1.0, 0.0, 0.0], 2.0 * STRENGTH / SHEAR / TIME), true)
}
