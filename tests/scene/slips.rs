//! Values in another unit, and names in another program's words: what a scene's author reads.

use std::fs;
use std::path::Path;

use bdem_run::scene::Scene;

use crate::common::scenes::owned;
use crate::scene::case;

/// A good scene, which no warning comes with.
const TILE: &str = r#"[scene]
name = "tile"
gravity = [0.0, 0.0, -9.81]

[time]
frame_rate = 480.0
frames = 16
step = 1e-4
integrator = "implicit-euler"

[contact]
stiffness = 1.0

[materials.clay]
density = 2600.0
young_modulus = 30e9
poisson_ratio = 0.25
tensile_strength = 4e6
shear_strength = 4e6
weibull_modulus = 10.0
friction = 0.5
rolling_friction = 0.01
damping = 0.05

[[bodies]]
name = "tile"
material = "clay"
particle_radius = 0.003
shape = { box = { size = [0.12, 0.08, 0.016] } }
position = [0.0, 0.0, 0.04]
rotation = { axis = [1.0, 0.0, 0.0], degrees = 45.0 }
velocity = [0.0, 0.0, -5.0]
angular_velocity = [0.0, 0.0, 10.0]

[[constraints]]
region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.05, 1.0, 1.0] } }
motion = { rotation = { point = [0.0, 0.0, 0.0], axis = [1.0, 0.0, 0.0], rate = 3.0 } }
start = 0.001

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -1.0 } }
friction = 0.4
motion = { keyframes = { keys = [{ time = 0.0 }, { time = 0.03, position = [0.0, 0.0, 0.1] }] } }
"#;

fn tile(set: &[&str]) -> Result<Scene, String> {
    Scene::parse(Path::new("tile.toml"), TILE, &owned(set)).map_err(|error| error.to_string())
}

fn edited(from: &str, to: &str) -> Result<Scene, String> {
    assert!(TILE.contains(from), "{from}");
    Scene::parse(Path::new("tile.toml"), &TILE.replacen(from, to, 1), &[]).map_err(|error| error.to_string())
}

fn expect(message: &str, fragments: &[&str]) {
    for fragment in fragments {
        assert!(message.contains(fragment), "no {fragment:?} in:\n{message}");
    }
}

#[test]
fn slips_of_units_are_warned_of_once_or_refused() {
    assert_eq!(tile(&[]).expect("a good scene").warnings(), &[] as &[String]);
    for case in include_str!("slips.txt").lines().filter_map(case) {
        let [kind, from, to, fragments @ ..] = &case[..] else { panic!("{case:?}") };
        let message = match (&kind[..], edited(from, to)) {
            ("warning", Ok(scene)) if scene.warnings().len() == 1 => scene.warnings()[0].clone(),
            ("error", Err(error)) => error,
            (_, other) => panic!("{to}: {:#?}", other.map(|scene| scene.warnings().to_vec())),
        };
        assert!(!fragments.is_empty(), "{case:?}");
        fragments.iter().for_each(|fragment| expect(&message, &[fragment]));
    }
}

#[test]
fn a_slip_of_set_is_blamed_on_it() {
    let scene = tile(&["materials.clay.young_modulus=70"]).expect("a scene");
    expect(&scene.warnings()[0], &["--set materials.clay.young_modulus=70: young_modulus is 70 Pa", "70e9 for GPa?"]);
    let cut = tile(&["time.frames=1"]).expect("a scene");
    assert_eq!(cut.warnings(), &[] as &[String], "times after a trial's end are no slips");
}

/// A cube of this width as an OBJ file.
fn cube(width: f64) -> String {
    let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|side| width * side as f64);
    let corners = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n"));
    let faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
    corners.chain(faces.map(|face| format!("f {face}\n"))).collect()
}

#[test]
fn a_mesh_in_millimetres_is_asked_for_its_scale() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tile.toml");
    fs::write(folder.path().join("cube.obj"), cube(85.0)).expect("space");
    let scene = |radius: &str, scale: &str| {
        let shape = format!("particle_radius = {radius}\nshape = {{ mesh = {{ file = \"cube.obj\"{scale} }} }}");
        let text = TILE.replace("particle_radius = 0.003\nshape = { box = { size = [0.12, 0.08, 0.016] } }", &shape);
        Scene::parse(&path, &text, &[]).map_err(|error| error.to_string())
    };
    let question = "the mesh is 85 m wide: scale = 0.001 for millimetres, 0.01 for centimetres?";
    expect(&scene("0.003", "").expect_err("it is too large"), &["more than the limit of 5e7", question]);
    expect(
        &scene("3.0", "").expect("a scene").warnings()[0],
        &["tile.toml:", "the mesh is 85 m wide; usual", question],
    );
    for (radius, scale) in [("3.0", ", scale = 1.0"), ("0.003", ", scale = 0.001")] {
        assert_eq!(scene(radius, scale).expect("a scene").warnings(), &[] as &[String], "{scale}");
    }
}

/// All scenes in this folder of the repository.
fn scenes(folder: &str) -> Vec<Scene> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let scenes = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    scenes.map(|path| Scene::load(&path).unwrap_or_else(|error| panic!("{error}"))).collect()
}

#[test]
fn shipped_scenes_and_templates_come_without_warnings() {
    let all = [scenes("scenes"), scenes("crates/jobs/src/templates")].concat();
    assert!(all.len() > 25);
    for scene in all {
        assert_eq!(scene.warnings(), &[] as &[String], "{}", scene.name());
    }
}
