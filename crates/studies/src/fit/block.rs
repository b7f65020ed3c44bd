//! Friction and restitution of a block that is thrown onto a floor, bounces and slides: without derivatives, from the places of
//! its particles.

use bdem_core::geometry::Vec3;
use bdem_fit::minimize::Method;
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

use super::outcome::{ByRuns, Outcome, at_most};
use crate::Setup;

const SCENE: &str = include_str!("block.toml");

/// True friction and restitution.
const TRUTH: [f64; 2] = [0.3, 0.6];

fn places(values: &[f64], frames: u32) -> Result<Vec<Vec<Vec3>>, RunError> {
    let set = [format!("materials.wood.friction={:?}", values[0]), format!("contact.restitution={:?}", values[1])];
    let scene = Scene::parse("block.toml".as_ref(), SCENE, &set)?;
    let mut found = Vec::new();
    advance_with(&scene, frames, true, |simulation| found.push(simulation.state.p.clone()))?;
    Ok(found)
}

/// Distances of particles from the `target` (m), over the root of their number.
fn residuals(found: Vec<Vec<Vec3>>, target: &[Vec<Vec3>]) -> Vec<f64> {
    let pairs: Vec<(Vec3, Vec3)> =
        found.into_iter().zip(target).flat_map(|(a, b)| a.into_iter().zip(b.iter().copied())).collect();
    let per = (1.0 / pairs.len() as f64).sqrt();
    pairs.iter().flat_map(|(a, b)| ((a - b) * per).iter().copied().collect::<Vec<_>>()).collect()
}

pub(super) fn fit(setup: &Setup) -> Result<Outcome, RunError> {
    let frames = setup.choose(40, 4);
    let target = places(&TRUTH, frames)?;
    let problem = ByRuns("bounces have no gradient", |values: &[f64]| Ok(residuals(places(values, frames)?, &target)));
    let wanted = [("friction", 0.5, TRUTH[0], [0.05, 0.95]), ("restitution", 0.4, TRUTH[1], [0.1, 0.95])];
    let method = Method::NelderMead { samples: setup.choose(12, 2) };
    Outcome::of("block", &wanted, (method, at_most(setup.choose(90, 8))), None, &problem)
}
