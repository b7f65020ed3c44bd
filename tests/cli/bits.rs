//! The same scene gives the same bits on any number of threads, and with any instruction set.

use std::fs;

use crate::cli::{Ended, Workplace, is_result};

/// More particles than a thread takes at once, so that threads do share the work.
const LARGE: [&str; 6] = [
    "--set",
    "bodies.plate.particle_radius=0.0012",
    "--set",
    "bodies.plate.position=[0,0,0.0185]",
    "--set",
    "time.frame_rate=4000",
];

fn assert_same_bits(options: &[&str]) {
    let place = Workplace::new();
    let options = [&LARGE, options].concat();
    let runs = ["1", "2", "5"].into_iter().enumerate();
    let runs: Vec<String> = runs
        .map(|(k, threads)| {
            let run = format!("run{k}");
            place.simulate(&run, &[&["--threads", threads], &options[..]].concat());
            run
        })
        .collect();
    let record = place.record(&runs[0]);
    assert!(record.particles > 4096 && record.bonds_broken > 0, "{record:?}");
    assert_equal_results(&place, &runs);
}

fn assert_equal_results(place: &Workplace, runs: &[String]) {
    let [first, others @ ..] = runs else { unreachable!("there are runs") };
    for file in place.files(first).iter().filter(|name| is_result(name)) {
        let read = |run: &String| fs::read(place.path(run).join(file)).expect("every run has the file");
        let first = read(first);
        assert!(others.iter().all(|run| read(run) == first), "{file} differs");
    }
}

#[test]
fn implicit_runs_do_not_depend_on_threads() {
    for integrator in ["implicit-bdf2", "implicit-midpoint"] {
        assert_same_bits(&["--frames", "2", "--integrator", integrator]);
    }
}

#[test]
fn runs_by_turns_do_not_depend_on_threads() {
    assert_same_bits(&["--frames", "3", "--integrator", "auto"]);
}

#[test]
fn explicit_runs_do_not_depend_on_threads() {
    for integrator in ["explicit-verlet", "explicit-rodrigues"] {
        assert_same_bits(&["--frames", "2", "--integrator", integrator, "--set", "time.step=auto"]);
    }
}

/// Grains that fall onto walls of every shape, at rest and moving.
const GRAINS: &str = r#"
[scene]
name = "grains"
[time]
frame_rate = 200.0
frames = 2
integrator = "explicit-verlet"
[contact]
restitution = 0.4
[materials.grain]
density = 2600.0
young_modulus = 1e6
poisson_ratio = 0.25
friction = 0.5
[[bodies]]
name = "heap"
material = "grain"
particle_radius = 0.004
packing = "random"
bonded = false
shape = { box = { size = [0.12, 0.1, 0.08] } }
position = [0.0, 0.0, 0.072]
velocity = [0.0, 0.0, -3.0]
[[colliders]]
shape = { half_space = { normal = [0.1, 0.0, 1.0], offset = 0.004 } }
[[colliders]]
shape = { sphere = { radius = 0.02 } }
position = [0.04, 0.02, 0.0]
[[colliders]]
shape = { box = { size = [0.03, 0.02, 0.02] } }
position = [-0.04, 0.02, 0.0]
rotation = { axis = [1.0, 1.0, 0.0], degrees = 40.0 }
[[colliders]]
shape = { capsule = { radius = 0.008, height = 0.04 } }
position = [0.0, -0.03, 0.005]
rotation = { axis = [0.0, 1.0, 0.0], degrees = 80.0 }
motion = { screw = { point = [0.0, -0.03, 0.0], axis = [0.0, 1.0, 0.0], rate = 20.0, velocity = 0.1 } }
[[colliders]]
shape = { cone = { radius = 0.02, height = 0.03 } }
position = [0.0, 0.0, 0.012]
[[colliders]]
shape = { tube = { radius = 0.02, inner_radius = 0.015, height = 0.02 } }
position = [0.04, -0.025, 0.005]
[[colliders]]
shape = { cylinder = { radius = 0.01, height = 0.03 } }
position = [-0.04, -0.025, 0.005]
[[colliders]]
shape = { torus = { radius = 0.015, tube_radius = 0.005 } }
position = [0.0, 0.035, 0.005]
[[colliders]]
shape = { ellipsoid = { radii = [0.02, 0.01, 0.015] } }
position = [-0.06, 0.0, 0.0]
motion = { velocity = [0.0, 0.0, 0.5] }
"#;

#[test]
fn grains_and_walls_do_not_depend_on_threads_and_instructions() {
    let place = Workplace::with(GRAINS);
    let machines = [("1", "plain"), ("2", "avx2"), ("16", "avx512")];
    let runs = machines.map(|(threads, level)| {
        let run = format!("run-{level}");
        let words = ["simulate", "scene.toml", "-o", &run, "--threads", threads];
        let ended: Ended = place.command(&words).env("BDEM_SIMD", level).output().expect("the program starts").into();
        ended.expect(0);
        run
    });
    assert!(place.record(&runs[0]).particles > 1024);
    assert_equal_results(&place, &runs);
}
