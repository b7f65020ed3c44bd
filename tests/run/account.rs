//! Runs keep their account of energy, and end where it does not close.

use std::path::Path;

use bdem::run::{Cause, GaveUp, Interrupt, RunError, Simulation, advance_to};
use bdem::scene::Scene;

/// Loose grains in a box that spins them, undamped.
const BOX: &str = r#"
[scene]
name = "box"
seed = 5
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 1000.0
frames = 20
integrator = "explicit-verlet"
[materials.grain]
density = 2600.0
young_modulus = 6.6e8
shear_modulus = 2.6e8
[[bodies]]
name = "grains"
material = "grain"
particle_radius = 0.01
packing = "random"
bonded = false
shape = { box = { size = [0.1, 0.1, 0.1] } }
angular_velocity = [100.0, 100.0, 0.0]
[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.05 } }
[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, -1.0], offset = -0.05 } }
[[colliders]]
shape = { half_space = { normal = [0.0, 1.0, 0.0], offset = -0.05 } }
[[colliders]]
shape = { half_space = { normal = [0.0, -1.0, 0.0], offset = -0.05 } }
[[colliders]]
shape = { half_space = { normal = [1.0, 0.0, 0.0], offset = -0.05 } }
[[colliders]]
shape = { half_space = { normal = [-1.0, 0.0, 0.0], offset = -0.05 } }
"#;

fn run(settings: &[&str]) -> Result<Simulation, RunError> {
    let settings: Vec<String> = settings.iter().map(|&set| set.to_owned()).collect();
    let scene = Scene::parse(Path::new("box.toml"), BOX, &settings).expect("a good scene");
    advance_to(&scene, scene.time.frames, true, &Interrupt::default())
}

/// Just below the limit of stability contacts that open and close make energy, and the run says so.
#[test]
fn a_run_that_makes_energy_is_stopped() {
    let Err(RunError::GaveUp(why)) = run(&["time.step.limit=0.95"]) else { panic!("it goes on") };
    let GaveUp { cause: Cause::Account(balance, bound), .. } = &why else { panic!("{why}") };
    assert!(*bound == 0.05 && balance.fault() > 0.05 && balance.fault() < 0.2, "{balance:?}");
    let text = why.to_string();
    println!("{text}");
    assert!(text.contains("energy_bound") && text.contains("{ limit = 0.5 }"), "{text}");
}

/// With steps that the program chooses they do not.
#[test]
fn a_run_that_keeps_its_energy_goes_on() {
    let [auto, half] = ["time.step=auto", "time.step.limit=0.5"].map(|step| run(&[step]).expect("it goes on"));
    println!("{:?}", auto.balance);
    assert!(auto.balance.fault() < 0.02 && auto.state == half.state, "{:?}", auto.balance);
}
