//! Values in another unit, and names in another program's words: what a scene's author reads.

use std::fs;
use std::path::Path;

use bdem_run::scene::Scene;

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

/// An edit of the good scene, and parts of the one warning: the place, the value and the likely one.
type Slip = (&'static str, &'static str, &'static [&'static str]);

const WARNINGS: &[Slip] = &[
    (
        "density = 2600.0",
        "density = 2.6",
        &["tile.toml:15:11: density is 2.6 kg/m3, lighter than any foam", "2600 for g/cm3?"],
    ),
    ("density = 2600.0", "density = 2.6e6", &["density is 2.6e6 kg/m3, denser than osmium", "2600 for g/m3?"]),
    (
        "= 30e9",
        "= 30",
        &[
            "tile.toml:16:17: young_modulus is 30 Pa, softer than any gel",
            "usual are 1000 to 1.3e12 Pa",
            "30e9 for GPa?",
        ],
    ),
    ("= 30e9", "= 0.03e3", &["16 | young_modulus = 0.03e3", "^^^^^^", "30e9 for GPa?"]),
    ("= 30e9", "= 30e3", &["sound travels at 3.39683 m/s in it", "30e9 for MPa"]),
    ("= 30e9", "= 30e13", &["stiffer than diamond"]),
    (
        "poisson_ratio = 0.25",
        "shear_modulus = 12",
        &["17:17: shear_modulus is 12 Pa, softer than any gel", "12e9 for GPa?"],
    ),
    (
        "poisson_ratio = 0.25",
        "shear_modulus = 12000",
        &["shear_modulus is 12000 Pa, 400e-9 of young_modulus", "12e9 for MPa?"],
    ),
    (
        "tensile_strength = 4e6",
        "tensile_strength = 4",
        &["tensile_strength is 4 Pa, weaker than fresh snow", "4e6 for MPa?"],
    ),
    (
        "tensile_strength = 4e6",
        "tensile_strength = 4000",
        &["tensile_strength is 4000 Pa, 133.333e-9 of young_modulus", "4e6 for kPa?"],
    ),
    ("shear_strength = 4e6", "shear_strength = 60", &["19:18: shear_strength is 60 Pa", "60e6 for MPa?"]),
    ("shear_strength = 4e6", "shear_strength = 4e12", &["stronger than graphene"]),
    (
        "weibull_modulus = 10.0",
        "weibull_modulus = 0.5",
        &["weibull_modulus is 0.5, with more scatter than any solid", "ceramics have 5 to 20"],
    ),
    (
        "friction = 0.5",
        "friction = 30",
        &["21:12: friction is 30, rougher than rubber", "0.577 for an angle of 30 degrees?"],
    ),
    ("rolling_friction = 0.01", "rolling_friction = 2.0", &["rolling_friction is 2", "0.02 for percent?"]),
    ("damping = 0.05", "damping = 5", &["damping is 5, above critical damping", "0.05 for percent?"]),
    ("damping = 0.05", "ring_down = 2000", &["ring_down is 2000 s, longer than any bell rings", "2 for ms?"]),
    ("-9.81", "-9810", &["3:11: gravity is 9810 m/s2, stronger than the sun's", "9.81 for mm/s2?"]),
    ("-9.81", "-981", &["9.81 for cm/s2?"]),
    ("frame_rate = 480.0", "frame_rate = 0.04", &["frame_rate is 0.04 frames per second", "25 for 0.04 s a frame?"]),
    ("step = 1e-4", "step = 0.1", &["step is 0.1 s, longer than a frame (0.00208333 s)", "100e-6 for ms?"]),
    ("stiffness = 1.0", "stiffness = 1e8", &["stiffness is 100e6 times the default", "not a stiffness in N/m"]),
    ("-5.0]", "-5000.0]", &["velocity is 5000 m/s, faster than any bullet", "5 for mm/s?"]),
    ("10.0]\n", "1e6]\n", &["angular_velocity is 1e6 rad/s, faster than a dentist's drill"]),
    ("rate = 3.0", "rate = 4e5", &["rate is 400e3 rad/s", "41887.9 for turns a minute?"]),
    ("degrees = 45.0", "degrees = 0.7854", &["degrees is 0.7854, a multiple of pi/12", "45 for radians?"]),
    ("start = 0.001", "start = 8", &["start is 8 s, and the run ends at 0.0333333 s", "0.008 for ms?"]),
    ("time = 0.03,", "time = 16.0,", &["time is 16 s, and the run ends at", "0.016 for ms?"]),
    ("friction = 0.4\n", "friction = 40\n", &["42:12: friction is 40", "for an angle of 40 degrees?"]),
    (
        "particle_radius = 0.003\nshape = { box = { size = [0.12, 0.08, 0.016] } }",
        "particle_radius = 3.0\nshape = { box = { size = [120, 80, 16] } }",
        &["the shape is 120 m wide; usual are 1e-6 to 100 m", "0.12 for millimetres?"],
    ),
];

/// The same for errors, where nothing could be meant.
const ERRORS: &[Slip] = &[
    ("density = 2600.0", "density = 2.6e-9", &["density is 2.6e-9 kg/m3", "2600 for t/mm3?"]),
    ("= 30e9", "= 30e-3", &["young_modulus is 0.03 Pa", "30e6 for GPa?"]),
    ("weibull_modulus = 10.0", "weibull_modulus = 0.1", &["tile.toml:20:19: weibull_modulus is 0.1"]),
    ("friction = 0.5", "friction = 500", &["friction is 500", "it is a ratio of forces"]),
    (
        "poisson_ratio = 0.25",
        "poisson_ratio = 25",
        &["poisson_ratio is 25.0, but must be above -1", "0.25 for percent?"],
    ),
    ("particle_radius = 0.003", "particle_radius = 3", &["thinner than one particle", "0.003 for millimetres?"]),
    (
        "[0.12, 0.08, 0.016]",
        "[120, 80, 16]",
        &["particles, more than the limit of 5e7", "the shape is 120 m wide: 0.12 for millimetres?"],
    ),
    ("density =", "rho =", &["unknown key `rho`", "did you mean `density`?"]),
    ("young_modulus =", "E =", &["unknown key `E`", "did you mean `young_modulus`?"]),
    ("tensile_strength =", "strength =", &["did you mean `tensile_strength` or `shear_strength`?"]),
    ("frame_rate =", "fps =", &["did you mean `frame_rate`?"]),
    ("particle_radius =", "radius =", &["did you mean `particle_radius`?"]),
    ("\"implicit-euler\"", "\"verlet\"", &["tile.toml:9:14: unknown name `verlet`", "did you mean `explicit-verlet`?"]),
    ("\"implicit-euler\"", "\"euler\"", &["did you mean `implicit-euler`?"]),
    ("\"implicit-euler\"", "\"explicit\"", &["did you mean `explicit-verlet` or `explicit-rodrigues`?"]),
    ("\"implicit-euler\"", "\"leapfrog\"", &["did you mean `explicit-verlet`?"]),
];

fn tile(set: &[&str]) -> Result<Scene, String> {
    let set: Vec<String> = set.iter().map(|&set| set.to_owned()).collect();
    Scene::parse(Path::new("tile.toml"), TILE, &set).map_err(|error| error.to_string())
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
fn slips_of_units_are_warned_of_once() {
    assert_eq!(tile(&[]).expect("a good scene").warnings(), &[] as &[String]);
    for (from, to, fragments) in WARNINGS {
        let scene = edited(from, to).unwrap_or_else(|error| panic!("{to}: {error}"));
        let warnings = scene.warnings();
        assert_eq!(warnings.len(), 1, "{to}: {warnings:#?}");
        expect(&warnings[0], fragments);
    }
}

#[test]
fn slips_that_mean_nothing_are_errors() {
    for (from, to, fragments) in ERRORS {
        let error = edited(from, to).expect_err(to);
        expect(&error, fragments);
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
    let all = [scenes("scenes"), scenes("src/templates")].concat();
    assert!(all.len() > 25);
    for scene in all {
        assert_eq!(scene.warnings(), &[] as &[String], "{}", scene.name());
    }
}
