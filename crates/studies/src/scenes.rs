use std::path::Path;

use bdem_run::scene::{Scene, SceneError};

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
