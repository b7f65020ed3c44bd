//! Runs keep their account of energy, and end where it does not close.

use bdem_core::energy::Flow;
use bdem_core::simulate::{Cause, GaveUp, Simulation};
use bdem_run::run::{RunError, advance_to};

use crate::common::scenes::{built, scene};

/// What is around them.
const HEAD: &str = r#"
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
"#;

/// Loose grains between walls on all sides, undamped.
const BOX: &str = include_str!("../common/grains_in_a_box.toml");

fn run(settings: &[&str]) -> Result<Simulation, RunError> {
    let scene = scene(&[HEAD, BOX].concat(), settings);
    advance_to(&scene, scene.time.frames, true)
}

/// Just below the limit of stability undamped contacts that open and close make energy, and the run says so.
#[test]
fn a_run_that_makes_energy_is_stopped() {
    let Err(RunError::GaveUp(why)) = run(&["time.step.limit=0.95", "contact.restitution=1"]) else {
        panic!("it goes on")
    };
    let GaveUp { cause: Cause::Account(balance, bound), .. } = &why else { panic!("{why}") };
    assert!(*bound == 0.05 && balance.gain() > 0.05 && balance.gain() < 0.2, "{balance:?}");
    assert!(balance.open() < 5e-3, "it is known what made it: {balance:?}");
    let text = why.to_string();
    println!("{text}");
    assert!(text.contains("energy_bound") && text.contains("{ limit = 0.5 }"), "{text}");
}

/// With steps that the program chooses they do not.
#[test]
fn a_run_that_keeps_its_energy_goes_on() {
    let [auto, half] = ["time.step=auto", "time.step.limit=0.25"].map(|step| run(&[step]).expect("it goes on"));
    println!("{:?}", auto.balance);
    assert!(auto.balance.imbalance() < 0.02 && auto.state == half.state, "{:?}", auto.balance);
}

/// A rigid body and a bonded one that meet, whose friction corrects velocities: the rigid one moves as one all the same.
#[test]
fn corrected_velocities_of_a_rigid_body_balance() {
    let text = r#"
        [scene]
        name = "meeting"
        gravity = [0.0, 0.0, 0.0]
        [time]
        frame_rate = 1000.0
        frames = 20
        integrator = "explicit-verlet"
        step = { limit = 0.25 }
        [contact]
        friction = "velocity-correction"
        [materials.stone]
        density = 2600.0
        young_modulus = 1e7
        poisson_ratio = 0.25
        friction = 0.5
        rolling_friction = 0.1
        [[bodies]]
        name = "rigid"
        material = "stone"
        particle_radius = 0.01
        shape = { box = { size = [0.08, 0.08, 0.06] } }
        rigid = true
        velocity = [0.5, 0.0, 2.0]
        angular_velocity = [5.0, 60.0, 3.0]
        [[bodies]]
        name = "bonded"
        material = "stone"
        particle_radius = 0.01
        shape = { sphere = { radius = 0.03 } }
        position = [0.0, 0.0, 0.065]
    "#;
    let scene = scene(text, &[]);
    let (world, state) = built(&scene);
    let (before, _) = state.momentum(&world.particles);
    let end = advance_to(&scene, scene.time.frames, true).expect("it goes on");
    let (after, _) = end.state.momentum(&end.world.particles);
    println!("{:?} {:?}", end.balance, end.flows());
    assert!(
        end.flows()[Flow::Friction] > 1e-3 * end.balance.scale && end.balance.imbalance() < 5e-3,
        "{:?}",
        end.balance
    );
    assert!((after - before).norm() < 1e-10 * before.norm(), "{before} {after}");
    let rigid = end.world.rigid[0].particles.clone();
    assert!(rigid.clone().all(|i| end.state.w[i] == end.state.w[rigid.start]), "it spins as one");
}
