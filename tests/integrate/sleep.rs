//! Steps in which pieces sleep do what explicit steps of all do.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Auto, Integrator, Step, StepKind};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;

use crate::common::scenes::{self, FLOOR};

/// Materials, without walls and gravity; what follows are bodies.
const WORLD: &str = r#"
[scene]
name = "sleep"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 500.0
frames = 10
[materials.hard]
density = 2000.0
density_of = "grains"
young_modulus = 1e9
poisson_ratio = 0.2
friction = 0.3
tensile_strength = 1e6
shear_strength = 1e6
[materials.soft]
density = 2000.0
density_of = "grains"
young_modulus = 1e6
poisson_ratio = 0.2
"#;

/// A box of a material: its size in particles of 5 mm along each edge, where it is, how it moves and turns.
fn body(name: &str, material: &str, size: [f64; 3], place: [f64; 3], speed: [f64; 3], spin: [f64; 3]) -> String {
    let size = size.map(|n| 0.0102 * n);
    format!(
        "[[bodies]]\nname = \"{name}\"\nmaterial = \"{material}\"\nparticle_radius = 0.005\npacking = {{ hexagonal = {{ fit = false }} }}\nshape = {{ box = {{ size = {size:?} }} }}\n\
         position = {place:?}\nvelocity = {speed:?}\nangular_velocity = {spin:?}\n"
    )
}

/// Scene of these bodies.
fn scene(bodies: &str, settings: &[&str]) -> Scene {
    scenes::scene(&(WORLD.to_owned() + bodies), settings)
}

/// A run of a scene after all its frames, with what it counted.
fn run(bodies: &str, settings: &[&str]) -> (Simulation, Progress) {
    let scene = scene(bodies, settings);
    let mut run = scenes::simulated(&scene);
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        for _ in 0..run.plan.per_frame {
            run.advance(&mut progress).unwrap_or_else(|error| panic!("{error}"));
        }
        run.audit().unwrap_or_else(|error| panic!("{error}"));
    }
    (run, progress)
}

const SLEEPS: &str = "time.control.sleep_below=0.5";
const VERLET: [&str; 2] = ["time.integrator=explicit-verlet", "time.step={limit=0.25}"];

fn centre(run: &Simulation, body: u16) -> Vec3 {
    let particles = &run.world.particles;
    let of = (0..run.state.len()).filter(|&i| particles.body[i] == body);
    let (sum, mass) = of.fold((Vec3::zeros(), 0.0), |(sum, mass), i| {
        (sum + run.state.p[i] * particles.mass[i], mass + particles.mass[i])
    });
    sum / mass
}

/// Elastic energy, J.
fn elastic(run: &Simulation) -> f64 {
    let energies = bdem_core::energy::Potential::new(&run.world, &run.contacts).energies(&run.state);
    energies.elastic()
}

/// A bar that flies and tumbles about its middle axis, far from everything: its momentum and angular momentum stay, in few steps.
#[test]
fn a_tumbling_bar_flies_far() {
    let bar = body("bar", "hard", [8.0, 3.0, 2.0], [0.0; 3], [1.0, 2.0, 3.0], [5.0, 20.0, 1.0]);
    let (run, progress) = run(&bar, &[SLEEPS]);
    assert!(progress.steps < 20 && progress.asleep_steps == progress.steps, "{progress:?}");
    let (world, start) = scenes::built(&scene(&bar, &[]));
    let [before, after] = [&start, &run.state].map(|state| state.momentum(&world.particles));
    assert!((after.0 - before.0).norm() < 1e-9 * before.0.norm());
    assert!((after.1 - before.1).norm() < 1e-6 * before.1.norm(), "{:?} {:?}", before.1, after.1);
    assert!(run.balance.open() < 1e-6 && run.balance.gain() < 1e-6, "{:?}", run.balance);
}

/// Two blocks meet off their centres and part: where they are then, and how fast, is what Verlet's steps make of them.
#[test]
fn blocks_meet_as_by_explicit_steps() {
    let blocks = body("a", "hard", [4.0, 4.0, 4.0], [0.0; 3], [0.4, 0.0, 0.0], [0.0, 0.0, 3.0])
        + &body("b", "hard", [4.0, 4.0, 4.0], [0.045, 0.015, 0.005], [-0.2, 0.0, 0.0], [0.0; 3]);
    let (verlet, _) = run(&blocks, &VERLET);
    let (sleeps, progress) = run(&blocks, &[SLEEPS]);
    assert!(progress.asleep_steps > 10 && progress.broken.is_empty(), "{progress:?}");
    for body in [0, 1] {
        let [exact, found] = [&verlet, &sleeps].map(|run| centre(run, body));
        assert!((exact - found).norm() < 0.05 * 0.005, "body {body}: {exact:?} {found:?}");
    }
    let [exact, found] = [&verlet, &sleeps].map(|run| run.state.momentum(&run.world.particles));
    assert!((exact.0 - found.0).norm() < 1e-9, "{exact:?} {found:?}");
    assert!(sleeps.balance.imbalance() < 0.01, "{:?}", sleeps.balance);
}

/// A bar that spins faster than its strength allows never sleeps: rho w^2 L^2/8 is twice the strength.
#[test]
fn a_bar_that_spins_too_fast_bursts() {
    let length: f64 = 0.01 * 16.0;
    let spin = f64::sqrt(8.0 * 2.0 * 1e6 / 2000.0) / length;
    let bar = body("bar", "hard", [16.0, 3.0, 3.0], [0.0; 3], [0.0; 3], [0.0, 0.0, spin]);
    let (_, exact) = run(&bar, &VERLET);
    let (sleeps, found) = run(&bar, &[SLEEPS]);
    let [exact, found] = [exact, found].map(|progress| progress.broken.len() as f64);
    assert!(exact > 20.0 && (found / exact - 1.0).abs() < 0.3, "{exact} {found}");
    assert!(sleeps.balance.imbalance() < 0.02, "{:?}", sleeps.balance);
}

/// A soft bar is drawn long by its spin, though nothing can break it.
#[test]
fn a_soft_bar_that_spins_is_strained() {
    let bar = body("bar", "soft", [16.0, 3.0, 3.0], [0.0; 3], [0.0; 3], [0.0, 0.0, 60.0]);
    let damped = "materials.soft.damping=0.3";
    let (verlet, _) = run(&bar, &[VERLET[0], VERLET[1], damped]);
    let (sleeps, _) = run(&bar, &[SLEEPS, damped]);
    let [exact, found] = [elastic(&verlet), elastic(&sleeps)];
    assert!(exact > 0.0 && (found / exact - 1.0).abs() < 0.1, "{exact} {found}");
}

/// A slab that a block falls on, by Verlet's steps and with sleeping pieces: means over several blows of the bonds that broke
/// and of the final energy (J). Which bonds break changes with the last bit, and so does what is left of a blow.
fn blows(material: &[&str]) -> [[f64; 2]; 2] {
    const BLOWS: usize = 5;
    let [mut broken, mut energy] = [[0.0; 2]; 2];
    for k in 0..BLOWS {
        let place = [0.02 + 0.0013 * k as f64, 0.01 - 0.0007 * k as f64, 0.065];
        let slab = body("slab", "hard", [12.0, 12.0, 2.0], [0.0, 0.0, 0.03], [0.0; 3], [0.0; 3])
            + &body("block", "hard", [3.0, 3.0, 3.0], place, [0.0, 0.0, -8.0], [0.0; 3])
            + FLOOR;
        for (which, settings) in [&VERLET[..], &[SLEEPS]].into_iter().enumerate() {
            let (run, progress) = run(&slab, &[settings, material].concat());
            assert!(which == 0 || progress.asleep_steps > 0, "{progress:?}");
            assert!(run.balance.imbalance() < 0.02, "{:?}", run.balance);
            broken[which] += progress.broken.len() as f64 / BLOWS as f64;
            energy[which] += run.energy() / BLOWS as f64;
        }
    }
    [broken, energy]
}

/// The slab wakes, and breaks as much as by Verlet's steps.
#[test]
fn a_blow_wakes_and_breaks() {
    let [broken, energy] = blows(&[]);
    assert!(broken[0] > 20.0 && (broken[1] / broken[0] - 1.0).abs() < 0.3, "{broken:?}");
    assert!((energy[1] / energy[0] - 1.0).abs() < 0.1, "{energy:?}");
}

/// Bonds that soften do so while other pieces sleep.
#[test]
fn a_blow_wakes_and_softens() {
    let [broken, energy] = blows(&["materials.hard.fracture_energy=30.0"]);
    println!("{broken:?} {energy:?}");
    assert!(broken[0] > 10.0 && (broken[1] / broken[0] - 1.0).abs() < 0.3, "{broken:?}");
    assert!((energy[1] / energy[0] - 1.0).abs() < 0.1, "{energy:?}");
}

/// Blocks that lie on each other and on a floor come to rest and stay. They are too strong to chip: single particles bounce on
/// for longer, by Verlet too, which takes 0.28 s here.
#[test]
fn a_heap_lies_still() {
    let mut heap = FLOOR.to_owned();
    for k in 0..3 {
        let z = 0.0165 + 0.0345 * f64::from(k);
        heap += &body(&format!("b{k}"), "hard", [4.0, 4.0, 3.0], [0.004 * f64::from(k), 0.0, z], [0.0; 3], [0.0; 3]);
    }
    let settings = [
        SLEEPS,
        "scene.gravity=[0,0,-9.81]",
        "time.frame_rate=100",
        "time.frames=30",
        "contact.restitution=0.3",
        "materials.hard.tensile_strength=1e7",
        "materials.hard.shear_strength=1e7",
    ];
    let (run, progress) = run(&heap, &settings);
    let fastest = run.state.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    assert!(fastest < 2e-3, "{fastest} m/s, {progress:?}");
    assert!(run.balance.imbalance() < 0.01, "{:?}", run.balance);
}

/// A trial that is dropped changes nothing.
#[test]
fn a_trial_changes_nothing() {
    let bodies = body("a", "hard", [4.0, 4.0, 4.0], [0.0; 3], [4.0, 0.0, 0.0], [0.0; 3])
        + &body("b", "hard", [4.0, 4.0, 4.0], [0.05, 0.0, 0.0], [0.0; 3], [0.0; 3]);
    let scene = scene(&bodies, &[SLEEPS]);
    let (world, state) = scenes::built(&scene);
    let mut steps = Auto::new(&world, &scene.simulation_settings().solver, 0.5, 1.0);
    let mut contacts = bdem_core::internals::contact::Contacts::new(&world, &state);
    let bytes = |steps: &Auto| postcard::to_stdvec(&steps.history()).expect("saved steps have bytes");
    let before = bytes(&steps);
    let next = |dt| Step { kind: StepKind::Asleep, explicit_dt: 2e-6, ..Step::new(dt) };
    let end = steps.trial(&world, &mut contacts, &state, next(1e-4)).expect("a step").end.clone();
    assert_eq!(bytes(&steps), before);
    let again = steps.trial(&world, &mut contacts, &state, next(1e-4)).expect("a step").end.clone();
    assert!(end == again && end != state);
}
