//! Where to weaken a plate so that a chosen corner breaks off, and no other. The plate is four tiles, glued: a and b are held at
//! their far edge, c and d are free. All fall, the held edge stops, and the rest breaks off where its joints are weak. The strengths
//! of the joints a-c, b-d and c-d vary, without derivatives, until d alone breaks off.

use bdem_core::simulate::Simulation;
use bdem_fit::minimize::Method;
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

use super::outcome::{ByRuns, Outcome, at_most};
use crate::Setup;

const SCENE: &str = include_str!("plate.toml");

/// Joints whose strengths vary, by their bodies, and whether they should break.
const JOINTS: [(&str, [u16; 2], bool); 3] = [("ac", [0, 2], false), ("bd", [1, 3], true), ("cd", [2, 3], true)];

/// Bounds of a strength, Pa, and the plate's own.
const BOUNDS: [f64; 2] = [2e5, 2e7];
const STRENGTH: f64 = 2e6;

/// Weight of a change of strength by a factor of ten: the least weakening that does it is wanted.
const CHANGE: f64 = 0.05;

fn joint_bonds(simulation: &Simulation, bodies: [u16; 2]) -> f64 {
    let body = &simulation.world.particles.body;
    let ends = |bond: &bdem_core::model::Bond| [body[bond.i as usize], body[bond.j as usize]];
    simulation.world.whole_bonds().filter(|bond| ends(bond) == bodies).count() as f64
}

fn residuals(values: &[f64], frames: u32) -> Result<Vec<f64>, RunError> {
    let sets = JOINTS.iter().zip(values).flat_map(|((name, ..), value)| {
        ["tensile_strength", "shear_strength"].map(|key| format!("materials.{name}.{key}={value:?}"))
    });
    let scene = Scene::parse("plate.toml".as_ref(), SCENE, &sets.collect::<Vec<_>>())?;
    let mut whole: Vec<[f64; 3]> = Vec::new();
    advance_with(&scene, frames, true, |simulation| {
        whole.push(JOINTS.map(|(_, bodies, _)| joint_bonds(simulation, bodies)));
    })?;
    // over all frames, not at the last alone: joints break whole, and when they do depends on the strengths smoothly
    let wrong = JOINTS.iter().enumerate().map(|(k, (.., breaks))| {
        let share = whole.iter().map(|bonds| bonds[k]).sum::<f64>() / (whole.len() as f64 * whole[0][k]);
        if *breaks { share } else { 1.0 - share }
    });
    Ok(wrong.chain(values.iter().map(|value| CHANGE * libm::log10(value / STRENGTH))).collect())
}

pub(super) fn fit(setup: &Setup) -> Result<Outcome, RunError> {
    let wanted = JOINTS.map(|(name, ..)| (name, STRENGTH, f64::NAN, BOUNDS));
    let method = Method::NelderMead { samples: setup.choose(16, 2) };
    let frames = setup.choose(80, 4);
    let problem = ByRuns("breakage has no gradient", |values: &[f64]| residuals(values, frames));
    Outcome::of("plate, strengths of joints, Pa", &wanted, (method, at_most(setup.choose(60, 8))), None, &problem)
}
