//! A simulation that is taken up again goes on as if it had never been stopped.

use bdem_core::simulate::{Progress, Simulation, Snapshot};
use bdem_run::output::{Checkpoint, RunRecord};

use crate::common::scenes::{scene, simulated};

/// A brick of soft bonds that is thrown at another, both sliding on a floor: bonds break, contacts come and go, and tangential.
const BRICKS: &str = r#"
[scene]
name = "bricks"
seed = 3

[time]
frame_rate = 1000.0
frames = 20

[materials.stone]
density = 2000.0
young_modulus = 1e8
poisson_ratio = 0.2
tensile_strength = 4e5
shear_strength = 4e5
weibull_modulus = 5.0
friction = 0.4
damping = 0.1

[[bodies]]
name = "left"
material = "stone"
particle_radius = 0.01
shape = { box = { size = [0.13, 0.1, 0.1] } }
position = [-0.08, 0.0, 0.05]
velocity = [6.0, 0.0, 0.0]
angular_velocity = [0.0, 3.0, 0.0]

[[bodies]]
name = "right"
material = "stone"
particle_radius = 0.01
shape = { box = { size = [0.13, 0.1, 0.1] } }
position = [0.08, 0.02, 0.05]

[[bodies]]
name = "bullet"
material = "stone"
particle_radius = 0.01
rigid = true
shape = { sphere = { radius = 0.03 } }
position = [0.0, 0.0, 0.2]
velocity = [0.0, 0.0, -20.0]

[[constraints]]
body = "right"
region = { box = { min = [0.12, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
force = [0.5, 0.0, 0.0]
release = 0.004

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.001 } }
"#;

/// Simulation of [`BRICKS`].
pub(super) fn bricks(settings: &[&str]) -> Simulation {
    simulated(&scene(BRICKS, settings))
}

/// The `fresh` simulation with a snapshot of the stopped one, by way of a file's bytes.
pub(super) fn taken_up(stopped: &Simulation, mut fresh: Simulation) -> Simulation {
    let checkpoint = Checkpoint::new(&RunRecord::default(), &stopped.snapshot()).expect("it can be written");
    let snapshot: Snapshot = checkpoint.payload(1 << 30).expect("it can be read");
    fresh.restore(snapshot).expect("it is of the same scene");
    fresh
}

/// Steps one simulation without a break, and one that is stopped and taken up before every `every`-th step. The result is
/// the number of bonds that broke.
pub(super) fn goes_on_alike(fresh: impl Fn() -> Simulation, steps: usize, every: usize) -> usize {
    let (mut whole, mut broken) = (fresh(), fresh());
    let [mut without, mut with] = [Progress::default(), Progress::default()];
    for step in 0..steps {
        if step % every == 0 {
            broken = taken_up(&broken, fresh());
        }
        // a step may be one of several within a nominal one, or have to be done again
        whole.try_step(&mut without).unwrap_or_else(|why| panic!("step {step}: {why}"));
        broken.try_step(&mut with).unwrap_or_else(|why| panic!("step {step}: {why}"));
        assert_eq!(whole.state, broken.state, "step {step}");
    }
    assert_eq!((without.newton_iterations, without.cg_iterations), (with.newton_iterations, with.cg_iterations));
    assert_eq!(without.broken, with.broken);
    without.broken.len()
}

fn bricks_go_on_alike(settings: &[&str], steps: usize, every: usize) {
    println!("{settings:?}");
    let broken = goes_on_alike(|| bricks(settings), steps, every);
    assert!(broken > 20, "{broken} bonds broke");
}

#[test]
fn under_verlet() {
    bricks_go_on_alike(&["time.integrator=explicit-verlet", "time.step=auto"], 600, 7);
}

#[test]
fn under_verlet_with_velocity_correction() {
    bricks_go_on_alike(
        &["time.integrator=explicit-verlet", "time.step=auto", "contact.friction=\"velocity-correction\""],
        400,
        5,
    );
}

#[test]
fn under_rodrigues_parameters() {
    for map in [23, 25, 27] {
        let integrator = format!("time.integrator.explicit-rodrigues.map={map}");
        bricks_go_on_alike(&[&integrator, "time.step=auto"], 500, 9);
    }
}

#[test]
fn under_bdf2_with_steps_that_change() {
    bricks_go_on_alike(&["time.integrator=implicit-bdf2", "time.step=auto"], 120, 3);
}

#[test]
fn by_turns() {
    for step in ["auto", "{ periods = 60 }"] {
        bricks_go_on_alike(&["time.integrator=auto", &format!("time.step={step}")], 600, 7);
    }
}

#[test]
fn under_implicit_euler_with_multigrid() {
    let long = ["time.integrator=implicit-euler", "time.step.periods=8", "solver.amg.dense_size=60"];
    bricks_go_on_alike(&long, 40, 2);
}

/// Of spheres alone.
#[test]
fn under_the_midpoint_rule() {
    for end in ["start", "end"] {
        let integrator = format!("time.integrator.implicit-midpoint.projected_at={end}");
        bricks_go_on_alike(&[&integrator, "time.step.periods=2", "bodies.bullet.rigid=false"], 90, 8);
    }
}

#[test]
fn under_bdf2_with_the_exact_hessian() {
    let exact = ["time.integrator=implicit-bdf2", "time.step.periods=8", "solver.hessian=exact"];
    bricks_go_on_alike(&exact, 40, 2);
}

#[test]
fn what_is_of_another_scene_is_refused() {
    let snapshot = |settings: &[&str]| {
        let checkpoint = Checkpoint::new(&RunRecord::default(), &bricks(settings).snapshot()).expect("written");
        checkpoint.payload::<Snapshot>(1 << 30).expect("it can be read")
    };
    let refused = |other: &[&str]| bricks(&[]).restore(snapshot(other)).is_none();
    assert!(!refused(&[]));
    assert!(refused(&["time.integrator=explicit-verlet"]));
    assert!(refused(&["time.frame_rate=500"]));
    assert!(refused(&["bodies.left.particle_radius=0.009"]));
}
