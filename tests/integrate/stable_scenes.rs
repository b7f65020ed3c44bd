//! Whole scenes at the longest stable step: bodies that meet each other and walls gain no energy, and do so not far
//! beyond it.

use bdem_core::integrate::{Integrator, Verlet, stability};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Progress, Simulation};

use crate::common::scenes::{self, FLOOR, scene};
use crate::common::system::{energy, kinetic_energy};

const HEAD: &str = r#"
[scene]
name = "meeting"
seed = 5
gravity = [0.0, 0.0, 0.0]

[time]
frame_rate = 1000.0
frames = 4
integrator = "explicit-verlet"
step = { limit = 0.95 }

[contact]
restitution = 1.0

[materials.grain]
density = 2600.0
density_of = "grains"
young_modulus = 6.6e8
shear_modulus = 2.6e8

[materials.light]
density = 600.0
density_of = "grains"
young_modulus = 5e9
shear_modulus = 2e9
"#;

/// Loose grains that are thrown on a floor.
const THROWN: &str = r#"
[[bodies]]
name = "grains"
material = "grain"
particle_radius = 0.01
packing = "random-loose"
bonded = false
shape = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.0, 0.0, 0.051]
velocity = [0.0, 0.0, -10.0]
"#;

/// The same of radii in a wide range, and light and stiff ones on top.
const MIXED: &str = r#"
[[bodies]]
name = "grains"
material = "grain"
packing = { random-loose = { radius_range = [0.005, 0.015] } }
bonded = false
shape = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.0, 0.0, 0.051]
velocity = [0.0, 0.0, -10.0]

[[bodies]]
name = "cover"
material = "light"
packing = { random-loose = { radius_range = [0.004, 0.008] } }
bonded = false
shape = { box = { size = [0.1, 0.1, 0.04] } }
position = [0.0, 0.0, 0.123]
velocity = [0.0, 0.0, -20.0]
"#;

/// Loose grains thrown at a bonded body that lies on the floor.
const BOTH: &str = r#"
[[bodies]]
name = "brick"
material = "grain"
particle_radius = 0.01
packing = "random-loose"
shape = { box = { size = [0.12, 0.12, 0.08] } }
position = [0.0, 0.0, 0.041]

[[bodies]]
name = "grains"
material = "grain"
particle_radius = 0.01
packing = "random-loose"
bonded = false
shape = { box = { size = [0.1, 0.1, 0.08] } }
position = [0.0, 0.0, 0.123]
velocity = [0.0, 0.0, -10.0]
"#;

/// A rigid ball between loose grains and the floor.
const RIGID: &str = r#"
[[bodies]]
name = "ball"
material = "grain"
particle_radius = 0.01
rigid = true
shape = { sphere = { radius = 0.04 } }
position = [0.0, 0.0, 0.042]
velocity = [0.0, 0.0, -10.0]
angular_velocity = [30.0, 0.0, 0.0]
"#;

/// Loose grains between walls on all sides.
const BOX: &str = include_str!("../common/grains_in_a_box.toml");

/// Start of a scene of these parts.
fn system(parts: &[&str], settings: &[&str]) -> (World, State) {
    scenes::built(&scene(&(HEAD.to_owned() + &parts.concat()), settings))
}

fn simulation(parts: &[&str], settings: &[&str]) -> Simulation {
    scenes::simulated(&scene(&(HEAD.to_owned() + &parts.concat()), settings))
}

/// The greatest energy (J) in so many steps of this `share` of the limit, without end if a step fails.
fn greatest_energy(world: &World, start: &State, share: f64, steps: usize) -> f64 {
    let dt = share * stability::limit(world, start);
    let (mut contacts, mut state) = (Contacts::new(world, start), start.clone());
    let mut verlet = Verlet::new(world);
    let mut greatest: f64 = 0.0;
    for _ in 0..steps {
        if verlet.step(world, &mut contacts, &mut state, dt).is_err() {
            return f64::INFINITY;
        }
        greatest = greatest.max(energy(world, &contacts, &state));
    }
    greatest
}

/// At 0.95 of the limit the energy is that of the start, or what a moving wall `may` make of it, but for some percent
/// that a bounce of few steps is off; at `far` times the limit it is many times as much.
fn holds(name: &str, (world, state): &(World, State), may: f64, far: f64) {
    let start = energy(world, &Contacts::new(world, state), state);
    let [below, beyond] = [0.95, far].map(|share| greatest_energy(world, state, share, 3000) / start);
    assert!(below <= 1.05 * may, "{name}: {below}");
    assert!(beyond > 2.0 * may, "{name}: {beyond}");
}

#[test]
fn grains_thrown_on_a_floor_keep_their_energy() {
    holds("thrown", &system(&[THROWN, FLOOR], &[]), 1.0, 2.0);
}

#[test]
fn grains_of_unlike_size_and_stiffness_keep_their_energy() {
    holds("mixed", &system(&[MIXED, FLOOR], &[]), 1.0, 2.5);
}

#[test]
fn grains_and_a_bonded_body_that_meet_keep_their_energy() {
    holds("both", &system(&[BOTH, FLOOR], &[]), 1.0, 1.2);
}

#[test]
fn grains_by_hertz_keep_their_energy() {
    holds("Hertz", &system(&[THROWN, FLOOR], &["contact.law=hertz"]), 1.0, 2.5);
}

#[test]
fn a_rigid_body_keeps_its_energy() {
    holds("rigid", &system(&[RIGID, FLOOR], &[]), 1.0, 2.5);
    let above = "bodies.grains.position=[0.0, 0.0, 0.14]";
    holds("rigid and grains", &system(&[RIGID, THROWN, FLOOR], &[above]), 1.0, 2.0);
}

/// Between walls grains bounce without end: at the limit itself their energy creeps up, at a quarter of it it stays, but for
/// what contacts are off by halfway, which goes with the square of the step.
#[test]
fn grains_in_a_box_keep_their_energy_at_a_quarter_of_the_limit() {
    let (world, state) = system(&[BOX], &[]);
    let start = energy(&world, &Contacts::new(&world, &state), &state);
    let greatest = greatest_energy(&world, &state, 0.25, 4000);
    assert!(greatest < 1.03 * start, "{}", greatest / start);
}

/// Seen from the wall grains come and leave at its speed: at most they come to fly twice as fast as it, thrice as fast
/// as they flew.
#[test]
fn a_moving_wall_gives_no_more_than_its_speed_makes() {
    let moving = "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.001 } }\n\
                  motion = { velocity = [0.0, 0.0, 10.0] }\n";
    holds("moving", &system(&[THROWN, moving], &[]), 9.0, 2.0);
}

/// Friction only takes.
#[test]
fn grains_that_rub_gain_nothing() {
    let rough = ["materials.grain.friction=0.5"];
    holds("rough", &system(&[THROWN, FLOOR], &rough), 1.0, 2.0);
    holds("rough, both", &system(&[BOTH, FLOOR], &rough), 1.0, 1.2);
}

/// Bonds that break leave contacts, and take their energy with them.
#[test]
fn a_body_that_breaks_gains_nothing() {
    let brittle = ["materials.grain.tensile_strength=2e6", "materials.grain.shear_strength=2e6"];
    let (mut simulation, mut progress) = (simulation(&[BOTH, FLOOR], &brittle), Progress::default());
    let start = kinetic_energy(&simulation.world, &simulation.state);
    for _ in 0..500 {
        simulation.advance(&mut progress).expect("a stable step");
        assert!(simulation.energy() <= 1.02 * start, "{} {start}", simulation.energy());
    }
    assert!(!progress.broken.is_empty());
}

/// Whatever the scene asks for: a step beyond the limit is not made.
#[test]
fn a_step_beyond_the_limit_of_contacts_is_refused() {
    for step in ["{ periods = 1.5 }", "1e-3"] {
        let mut simulation = simulation(&[THROWN, FLOOR], &[&format!("time.step={step}")]);
        let why = simulation.advance(&mut Progress::default()).expect_err("it is too long").to_string();
        assert!(why.contains("beyond the stable limit") && why.contains("limit = 0.9"), "{why}");
    }
}
