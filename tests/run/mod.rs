//! Whole runs, explicit against implicit.

mod account;
mod at_rest;
mod bounces;
mod breaking;
mod compare;
mod export;
mod fast;
mod forces;
mod frame_columns;
mod interrupt;
mod material_tests;
mod memory;
mod models;
mod random;
mod repro;
mod resume;
mod runtime_estimate;
mod scenes;
mod springs;
mod spurious_energy;
mod step_control;
mod walls;

use std::path::{Path, PathBuf};

use bdem_run::scene::Scene;

use crate::common::scenes::owned;

/// Scenes of the repository.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes")
}

/// One of them, with settings.
fn load(name: &str, set: &[&str]) -> Scene {
    let path = folder().join(name).with_extension("toml");
    Scene::load_with(&path, &owned(set)).unwrap_or_else(|error| panic!("{error}"))
}

/// All integrators, by their names.
const INTEGRATORS: [&str; 6] =
    ["auto", "implicit-euler", "implicit-bdf2", "implicit-midpoint", "explicit-verlet", "explicit-rodrigues"];
