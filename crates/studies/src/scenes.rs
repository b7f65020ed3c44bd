use std::io;
use std::path::Path;

use bdem_run::output::OutputError;
use bdem_run::run::RunError;
use bdem_run::scene::{Scene, SceneError};
use tempfile::TempDir;

macro_rules! scenes {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*]
    };
}

/// Scenes that studies run. They are part of the program, which thus needs no folder of them.
const SCENES: [(&str, &str); 16] = scenes![
    "bar",
    "beam_drape",
    "beam_drape_soft",
    "beam_stretch",
    "beam_twist",
    "beam_twisting",
    "cloth",
    "cloth_woven",
    "hourglass",
    "jelly",
    "paper",
    "rope",
    "slab",
    "textile",
    "three_point_bending",
    "window"
];

/// Scene of the folder `scenes`, with the overrides `set` as of `--set`.
///
/// # Errors
/// When an override is invalid.
///
/// # Panics
/// When no study runs a scene of this name.
pub fn load(name: &str, set: &[String]) -> Result<Scene, SceneError> {
    let found = SCENES.iter().find(|(scene, _)| *scene == name);
    let (name, text) = found.unwrap_or_else(|| panic!("no study runs a scene {name}"));
    Scene::parse(&Path::new("scenes").join(name).with_extension("toml"), text, set)
}

/// Overrides as [`load`] takes them.
pub(crate) fn words(set: &[&str]) -> Vec<String> {
    set.iter().map(|&word| word.to_owned()).collect()
}

/// Temporary folder with a file of this name that a scene reads.
pub(crate) fn folder_with(name: &str, content: &str) -> Result<TempDir, RunError> {
    let temporary = |error: io::Error| OutputError::file("make a folder in", &std::env::temp_dir())(error);
    let folder = tempfile::tempdir().map_err(temporary)?;
    let file = folder.path().join(name);
    std::fs::write(&file, content).map_err(OutputError::file("write", &file))?;
    Ok(folder)
}
