//! Small scenes: their texts parsed, built and run.

use std::path::Path;

use bdem_core::model::{State, World};
use bdem_core::simulate::Simulation;
use bdem_run::scene::Scene;

/// Floor at z = 0.
pub(crate) const FLOOR: &str = "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }\n";

/// Scene of a text, with settings as those of `--set`.
pub(crate) fn scene(text: &str, set: &[&str]) -> Scene {
    Scene::parse(Path::new("test.toml"), text, &owned(set)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Settings as [`Scene::parse`] takes them.
pub(crate) fn owned(set: &[&str]) -> Vec<String> {
    set.iter().map(|&set| set.to_owned()).collect()
}

/// World of a scene, and its start.
pub(crate) fn built(scene: &Scene) -> (World, State) {
    scene.build().unwrap_or_else(|error| panic!("{error}"))
}

/// Simulation of a scene, at its start.
pub(crate) fn simulated(scene: &Scene) -> Simulation {
    let (world, state) = built(scene);
    Simulation::new(world, state, &scene.simulation_settings())
}
