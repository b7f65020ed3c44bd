//! Friction and restitution of a block that is thrown onto a floor, bounces and slides: without derivatives, from the places of
//! its particles.

use bdem_core::geometry::Vec3;
use bdem_fit::error::FitError;
use bdem_fit::minimize::{Method, Problem};
use bdem_run::run::{RunError, advance_with};
use bdem_run::scene::Scene;

use super::outcome::{Outcome, at_most};
use crate::Setup;

const SCENE: &str = include_str!("block.toml");

/// True friction and restitution.
const TRUTH: [f64; 2] = [0.3, 0.6];

struct Block {
    frames: u32,
    target: Vec<Vec<Vec3>>,
}

fn places(values: &[f64], frames: u32) -> Result<Vec<Vec<Vec3>>, RunError> {
    let set = [format!("materials.wood.friction={:?}", values[0]), format!("contact.restitution={:?}", values[1])];
    let scene = Scene::parse("block.toml".as_ref(), SCENE, &set)?;
    let mut found = Vec::new();
    advance_with(&scene, frames, true, |simulation| found.push(simulation.state.p.clone()))?;
    Ok(found)
}

impl Problem for Block {
    fn gradient(&self, _: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        Err(FitError::Optimizer("bounces have no gradient".to_owned()))
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        let of = |point: &Vec<f64>| {
            let found = places(point, self.frames).map_err(|error| FitError::Evaluation(Box::new(error)))?;
            let pairs: Vec<(Vec3, Vec3)> =
                found.into_iter().zip(&self.target).flat_map(|(a, b)| a.into_iter().zip(b.iter().copied())).collect();
            let per = (1.0 / pairs.len() as f64).sqrt();
            Ok(pairs.iter().flat_map(|(a, b)| ((a - b) * per).iter().copied().collect::<Vec<_>>()).collect())
        };
        points.iter().map(of).collect()
    }
}

pub(super) fn fit(setup: &Setup) -> Result<Outcome, RunError> {
    let frames = setup.choose(40, 4);
    let problem = Block { frames, target: places(&TRUTH, frames)? };
    let wanted = [("friction", 0.5, TRUTH[0], [0.05, 0.95]), ("restitution", 0.4, TRUTH[1], [0.1, 0.95])];
    let method = Method::NelderMead { samples: setup.choose(12, 2) };
    Outcome::of("block", &wanted, (method, at_most(setup.choose(90, 8))), None, &problem)
}
