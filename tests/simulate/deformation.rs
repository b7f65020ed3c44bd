//! Colliders whose meshes deform.

use std::fmt::Write;
use std::fs;

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;
use tempfile::TempDir;

use crate::common::scenes;
use crate::common::solids::cube;

const INTEGRATORS: [&str; 4] = ["auto", "implicit-bdf2", "implicit-midpoint", "explicit-verlet"];

/// Those that lose no energy in a blow.
const ELASTIC: [&str; 2] = ["auto", "explicit-verlet"];

/// Three balls of 10 mm, 1 mm above a block of 0.2 m whose top is at z = 0: at its left end, in its middle, at its right end.
const BALLS: &str = "x,y,z,radius\n-0.08,0.0,0.011,0.01\n0.0,0.0,0.011,0.01\n0.08,0.0,0.011,0.01\n";

const SCENE: &str = r#"
[scene]
name = "poses"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 1000.0
frames = 15
[contact]
restitution = 1.0
[materials.hard]
density = 2000.0
young_modulus = 1e7
poisson_ratio = 0.2
[[bodies]]
name = "balls"
material = "hard"
bonded = false
packing = { particles = { file = "balls.csv" } }
[[colliders]]
name = "block"
shape = { mesh = { file = "block_00.obj" } }
deformation = { files = "block_##.obj", first = 0, last = 4, frame_rate = 200.0 }
"#;

/// Poses of a block with its top at z = 0 in the first, its vertices at the time t (s) moved by `way`.
fn folder(way: impl Fn(f64, &Vec3) -> Vec3) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("balls.csv"), BALLS).unwrap();
    let (corners, faces) = cube(0.2);
    for k in 0..=4 {
        let mut text = String::new();
        for p in &corners {
            let p = p - Vec3::z() * 0.1;
            let p = p + way(f64::from(k) / 200.0, &p);
            writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z).unwrap();
        }
        faces.iter().for_each(|[a, b, c]| writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap());
        fs::write(folder.path().join(format!("block_{k:02}.obj")), text).unwrap();
    }
    folder
}

fn load(folder: &TempDir, text: &str, set: &[&str]) -> Result<Scene, String> {
    fs::write(folder.path().join("scene.toml"), text).unwrap();
    let path = folder.path().join("scene.toml");
    Scene::load_with(&path, &scenes::owned(set)).map_err(|error| error.to_string())
}

fn run(scene: &Scene) -> Simulation {
    let mut run = scenes::simulated(scene);
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        run.advance_frame(&mut progress).unwrap_or_else(|error| panic!("{error}"));
    }
    run
}

#[test]
fn balls_leave_a_face_that_tilts_with_twice_its_velocity_there() {
    // the top's left edge stays, and its right edge rises at 0.5 m/s
    let folder = folder(|t, p| Vec3::z() * if p.z > -0.1 && p.x > 0.0 { 0.5 * t } else { 0.0 });
    for integrator in ELASTIC {
        let scene = load(&folder, SCENE, &[&format!("time.integrator={integrator}")]).unwrap();
        let run = run(&scene);
        let found: Vec<f64> = run.state.v.iter().map(|v| v.z).collect();
        println!("{integrator}: {found:?} {:?}", run.balance);
        // the left end comes up at 0.05 m/s, and needs 20 ms
        for (found, share) in found.iter().zip([0.0, 0.5, 0.9]) {
            assert!((found - 2.0 * 0.5 * share).abs() < 0.02, "{integrator}: {found} {share}");
        }
        assert!(run.balance.open() < 1e-3, "{integrator}: {:?}", run.balance);
    }
}

#[test]
fn poses_of_a_rigid_motion_are_that_motion() {
    let keys = "keys = [{ time = 0.0 }, { time = 0.02, position = [0.004, 0.0, 0.008] }]";
    let moving = SCENE.replace(
        "deformation = { files = \"block_##.obj\", first = 0, last = 4, frame_rate = 200.0 }",
        &format!("motion = {{ keyframes = {{ {keys} }} }}"),
    );
    let folder = folder(|t, _| Vec3::new(0.2, 0.0, 0.4) * t);
    for integrator in INTEGRATORS {
        let integrator_key = format!("time.integrator={integrator}");
        let set = ["materials.hard.friction=0.4", "time.frames=20", &integrator_key];
        let [deforming, rigid] = [SCENE, &moving].map(|text| run(&load(&folder, text, &set).unwrap()));
        for (a, b) in deforming.state.v.iter().zip(&rigid.state.v) {
            assert!((a - b).norm() < 1e-6 * b.norm(), "{integrator}: {a:?} {b:?}");
            assert!(b.x > 0.01, "{integrator}: friction drags {b:?}");
        }
    }
}

#[test]
fn a_bag_that_is_squeezed_does_work_on_what_it_holds() {
    let text = SCENE.replace("deformation", "inside = true\ndeformation");
    let folder = folder(|t, p| Vec3::new(-8.0 * p.x, -4.0 * p.y, 0.0) * t);
    fs::write(folder.path().join("balls.csv"), BALLS.replace("0.011", "-0.1")).unwrap();
    for integrator in INTEGRATORS {
        let set = [format!("time.integrator={integrator}"), "time.frames=30".to_owned()];
        let run = run(&load(&folder, &text, &set.each_ref().map(String::as_str)).unwrap());
        let speeds: Vec<f64> = run.state.v.iter().map(|v| v.norm()).collect();
        println!("{integrator}: {speeds:?} {:?}", run.balance);
        assert!(speeds[0] > 0.5 && speeds[2] > 0.5, "{integrator}: {speeds:?}");
        assert!(run.balance.open() < 1e-3, "{integrator}: {:?}", run.balance);
        assert!(run.state.p.iter().all(|p| p.x.abs() < 0.1 * (1.0 - 8.0 * 0.02)), "{integrator}: {:?}", run.state.p);
    }
}

#[test]
fn what_is_no_deformation_is_refused() {
    let folder = folder(|_, _| Vec3::zeros());
    let wrong = |from: &str, to: &str| load(&folder, &SCENE.replace(from, to), &[]).unwrap_err();
    let mut cases = vec![
        (wrong("block_##.obj", "block.obj"), "one run of #"),
        (wrong("block_##.obj", "block_###.obj"), "block_000.obj: cannot be read"),
        (wrong("last = 4", "last = 5"), "block_05.obj: cannot be read"),
        (wrong("frame_rate = 200.0 }", "frame_rate = 0.0 }"), "frame_rate"),
        (wrong("first = 0", "first = 9"), "from first, 9"),
        (wrong("deformation", "motion = { velocity = [0.0, 0.0, 1.0] }\ndeformation"), "has no motion"),
        (wrong("{ mesh = { file = \"block_00.obj\" } }", "{ sphere = { radius = 0.1 } }"), "only a mesh deforms"),
    ];
    fs::write(folder.path().join("block_03.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    cases.push((wrong("poses", "poses"), "block_03.obj has 3 vertices and 1 triangles, and block_00.obj has 8 and 12"));
    let inside_out = fs::read_to_string(folder.path().join("block_02.obj")).unwrap().replace("v 0.1", "v -0.3");
    fs::write(folder.path().join("block_03.obj"), inside_out).unwrap();
    cases.push((wrong("poses", "poses"), "block_03.obj: the mesh is inside out"));
    for (message, wanted) in cases {
        assert!(message.contains(wanted), "{message}");
    }
}
