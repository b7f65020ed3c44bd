//! Bodies that are held until a time, and then move with their own velocities.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::{Progress, Simulation};

use crate::common::scenes;

/// A block that flies at 5 m/s once it is released.
const BLOCK: &str = r#"
[scene]
name = "release"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 100.0
frames = 20
[materials.hard]
density = 2000.0
young_modulus = 1e9
poisson_ratio = 0.2
tensile_strength = 1e6
shear_strength = 1e6
[[bodies]]
name = "block"
material = "hard"
particle_radius = 0.005
shape = { box = { size = [0.04, 0.03, 0.03] } }
position = [0.0, 0.0, 1.0]
velocity = [0.0, 0.0, -5.0]
angular_velocity = [0.0, 2.0, 0.0]
[[constraints]]
body = "block"
motion = "fixed"
release = 0.0937
"#;

const INTEGRATORS: [&str; 4] = ["auto", "implicit-bdf2", "implicit-midpoint", "explicit-verlet"];

/// Run of all frames, with its mean velocity, displacement and spin.
fn run(text: &str, set: &[&str]) -> (Simulation, Progress, [Vec3; 3]) {
    let scene = scenes::scene(text, set);
    let mut run = scenes::simulated(&scene);
    let (start, mut progress) = (run.state.clone(), Progress::default());
    for _ in 0..scene.time.frames {
        run.advance_frame(&mut progress).unwrap_or_else(|error| panic!("{error}"));
    }
    let count = run.state.len() as f64;
    let mean = |of: &[Vec3]| of.iter().sum::<Vec3>() / count;
    let means = [mean(&run.state.v), mean(&run.state.p) - mean(&start.p), mean(&run.state.w)];
    (run, progress, means)
}

#[test]
fn what_was_fixed_moves_with_its_own_velocity() {
    for integrator in INTEGRATORS {
        let (run, _, [velocity, way, spin]) = run(BLOCK, &[&format!("time.integrator={integrator}")]);
        println!("{integrator}: {velocity:?} {way:?} {spin:?} {:?}", run.balance);
        assert!((velocity - Vec3::z() * -5.0).norm() < 1e-3, "{integrator}: {velocity:?}");
        assert!((spin - Vec3::y() * 2.0).norm() < 0.02, "{integrator}: {spin:?}");
        // steps end at the release
        assert!((way.z / (-5.0 * (0.2 - 0.0937)) - 1.0).abs() < 0.01, "{integrator}: {way:?}");
        assert!(run.balance.open() < 1e-3, "{integrator}: {:?}", run.balance);
    }
}

#[test]
fn what_was_moved_goes_on_as_it_was() {
    let drawn = BLOCK.replace("motion = \"fixed\"", "motion = { velocity = [1.0, 0.0, 0.0] }");
    let (_, _, [velocity, ..]) = run(&drawn, &[]);
    assert!((velocity - Vec3::x()).norm() < 1e-3, "{velocity:?}");
    // at rest from later on, it has come to rest
    let caught = BLOCK.replace("motion = \"fixed\"", "motion = \"fixed\"\nstart = 0.02");
    let (_, _, [velocity, ..]) = run(&caught, &[]);
    assert!(velocity.norm() < 1e-9, "{velocity:?}");
    // held on by another
    let held_on = format!("{BLOCK}[[constraints]]\nbody = \"block\"\nstart = 0.0937\nmotion = \"fixed\"\n");
    let (_, _, [velocity, ..]) = run(&held_on, &[]);
    assert_eq!(velocity, Vec3::zeros());
}

#[test]
fn what_was_released_falls_asleep() {
    let (_, progress, _) = run(BLOCK, &["time.control.sleep_below=0.5"]);
    println!("{progress:?}");
    assert!(progress.asleep_steps > 0, "{progress:?}");
    let held = BLOCK.replace("release = 0.0937\n", "");
    let (_, progress, _) = run(&held, &["time.control.sleep_below=0.5"]);
    assert_eq!(progress.asleep_steps, 0, "{progress:?}");
}
