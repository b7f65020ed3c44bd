//! Tests of `crates/run/src/scene`.

mod attributes;
mod build;
mod charges;
mod density;
mod errors;
mod files;
mod fuzz;
mod glue;
mod load;
mod macroscopic;
mod maps;
mod mesh;
mod mesh_bodies;
mod motions;
mod overrides;
mod packing;
mod preset;
mod regions;
mod schema;
mod slips;
mod specimen;
mod springs;
mod strengths;
mod wholeness;

use std::path::Path;

use bdem_run::scene::{Scene, SceneError};

use crate::common::scenes::owned;

/// A scene with something of everything.
const PLATE: &str = r#"[scene]
name = "plate"

[time]
frame_rate = 480.0
frames = 120

[solver]
newton_iterations = 30
amg = { sweeps = 1 }

[materials.ceramic]
density = 2600.0
young_modulus = 1e9
poisson_ratio = 0.25
tensile_strength = 5e6
weibull_modulus = 10.0
friction = 0.5

[[bodies]]
name = "plate"
material = "ceramic"
particle_radius = 0.01
shape = { cylinder = { radius = 0.1, height = 0.06 } }
position = [0.0, 0.0, 0.05]
rotation = { axis = [1.0, 0.0, 0.0], degrees = 10.0 }

[[bodies]]
name = "ball"
material = "ceramic"
particle_radius = 0.005
shape = { sphere = { radius = 0.03 } }
position = [0.0, 0.0, 0.2]
velocity = [0.0, 0.0, -5.0]

[[constraints]]
region = { box = { min = [-0.2, -0.2, -1.0], max = [0.2, -0.05, 1.0] } }
motion = "fixed"

[[constraints]]
motion = { rotation = { point = [0.0, 0.0, 0.0], axis = [0.0, 2.0, 0.0], rate = 3.0 } }

[constraints.region.box]
min = [-0.2, 0.05, -1.0]
max = [0.2, 0.2, 1.0]

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 2.0], offset = -0.02 } }

[output]
every = 2
"#;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(Path::new("scene.toml"), text, &[])
}

fn parse_with(overrides: &[&str]) -> Result<Scene, SceneError> {
    Scene::parse(Path::new("scene.toml"), PLATE, &owned(overrides))
}

/// [`PLATE`] with one piece of text, which occurs once, replaced.
fn edited(from: &str, to: &str) -> String {
    assert_eq!(PLATE.matches(from).count(), 1, "{from}");
    PLATE.replace(from, to)
}

/// Columns of a line of a table of cases, with its line breaks. None for blank lines and remarks.
fn case(line: &str) -> Option<Vec<String>> {
    let is_case = !line.is_empty() && !line.starts_with('#');
    is_case.then(|| line.split(" | ").map(|column| column.replace("\\n", "\n")).collect())
}

/// All cases of a table with this many columns.
fn cases<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let columns = |columns: Vec<String>| columns.try_into().unwrap_or_else(|wrong| panic!("{wrong:?}"));
    table.lines().filter_map(case).map(columns)
}
