//! Walls and held particles under loads, and pressures on bodies: closed forms under every integrator.

use bdem_core::energy::Reactions;
use bdem_core::geometry::{Mat3, Vec3};
use bdem_core::model::{Action, State, World};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::scene::Scene;

use crate::common::scenes::{built, scene, simulated};

const INTEGRATORS: [&str; 6] =
    ["explicit-verlet", "explicit-rodrigues", "implicit-euler", "implicit-bdf2", "implicit-midpoint", "auto"];

/// Block of damped bonds between a floor and a platen, without weight.
const BLOCK: &str = r#"
[scene]
name = "block"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 500.0
frames = 20
[materials.stone]
density = 2000.0
young_modulus = 1e8
poisson_ratio = 0.2
damping = 0.3
[[bodies]]
name = "block"
material = "stone"
particle_radius = 0.01
shape = { box = { size = [0.1, 0.1, 0.2] } }
[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.104 } }
seat = [0.0, 0.0, 1.0]
friction = 0.0
[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, -1.0], offset = -0.107 } }
seat = [0.0, 0.0, -1.0]
friction = 0.0
drive = { axis = [0.0, 0.0, -2.0], force = 200.0, mass = 1.0 }
"#;

fn run(scene: &Scene) -> Simulation {
    let mut simulation = simulated(scene);
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        simulation.advance_frame(&mut progress).expect("the account balances");
    }
    simulation
}

/// Displacement (m) of a wall along z.
fn lift(simulation: &Simulation, wall: usize) -> f64 {
    simulation.world.walls[wall].motion.pose(simulation.state.time).shift.z
}

/// A block and a sphere in free flight under 3 N, of 2 kg, or at most at 0.5 m/s.
fn free(law: &str) -> String {
    let sphere = "[[colliders]]\nshape = { sphere = { radius = 0.01 } }\nposition = [3.0, 0.0, 0.0]\n";
    format!("{BLOCK}{sphere}drive = {{ axis = [0.0, 0.0, 1.0], force = 3.0, {law} }}\n")
}

#[test]
fn a_free_collider_follows_newtons_law_or_has_the_speed_of_its_servo() {
    for integrator in INTEGRATORS {
        let integrator = format!("time.integrator={integrator}");
        let falling = run(&scene(&free("mass = 2.0"), &[&integrator, "time.step=1e-5"]));
        let time = falling.state.time;
        let fell = 0.5 * 3.0 / 2.0 * time * time;
        assert!((lift(&falling, 2) / fell - 1.0).abs() < 1e-6, "{integrator}: {} of {fell} m", lift(&falling, 2));
        let pushed = run(&scene(&free("speed = 0.5"), &[&integrator, "time.step=1e-5", "time.frames=5"]));
        let way = 0.5 * pushed.state.time;
        assert!((lift(&pushed, 2) / way - 1.0).abs() < 1e-9, "{integrator}: {} of {way} m", lift(&pushed, 2));
    }
}

#[test]
fn a_platen_comes_to_rest_where_the_block_balances_its_load() {
    let mut rests = Vec::new();
    for law in ["mass = 1.0", "mass = 0.01", "speed = 0.2"] {
        let text = BLOCK.replace("mass = 1.0", law);
        for integrator in INTEGRATORS {
            let done = run(&scene(&text, &[&format!("time.integrator={integrator}"), "time.frames=80"]));
            let reactions = Reactions::new(&done.world, &done.contacts, &done.state, done.forces());
            let force = reactions.on_wall(1, &Vec3::zeros()).force.z;
            assert!((force / 200.0 - 1.0).abs() < 0.02, "{law}, {integrator}: {force} N");
            rests.push(lift(&done, 1));
        }
    }
    // all at one place, about that of a bar of this E between contacts
    let mean = rests.iter().sum::<f64>() / rests.len() as f64;
    assert!(rests.iter().all(|rest| (rest / mean - 1.0).abs() < 0.02), "{rests:?}");
    assert!((-mean) > 0.5 * 200.0 * 0.2 / (0.01 * 1e8) && (-mean) < 4.0 * 200.0 * 0.2 / (0.01 * 1e8), "{mean}");
}

#[test]
fn a_grip_pulls_with_its_force() {
    let text = BLOCK[..BLOCK.find("[[colliders]]").expect("colliders")].to_owned()
        + r#"
[[constraints]]
region = { box = { min = [-1.0, -1.0, -1.0], max = [1.0, 1.0, -0.08] } }
motion = "fixed"
[[constraints]]
region = { box = { min = [-1.0, -1.0, 0.08], max = [1.0, 1.0, 1.0] } }
drive = { axis = [0.0, 0.0, 1.0], pressure = 2e4, area = 0.01 }
"#;
    let mut lifts = Vec::new();
    for integrator in INTEGRATORS {
        let done = run(&scene(&text, &[&format!("time.integrator={integrator}"), "time.frames=40"]));
        let [low, high] = [0, 1].map(|k| {
            let held = done.world.constraints[k].particles.iter();
            held.map(|&i| done.state.p[i as usize].z).fold(f64::NEG_INFINITY, f64::max)
        });
        lifts.push(high - low);
        let motion = done.world.constraints[1].motion().expect("a grip");
        assert!(motion.twist(done.state.time + 1e-6).velocity.norm() < 1e-3, "{integrator} does not come to rest");
    }
    let mean = lifts.iter().sum::<f64>() / lifts.len() as f64;
    assert!(lifts.iter().all(|lift| (lift - mean).abs() < 1e-6), "{lifts:?}");
}

/// Forces of the pressure of a constraint, and their moments about the origin with the particles' places, the sum of `p f^T`, N m.
fn pressure(world: &World, start: &State, p: &[Vec3]) -> (Vec3, Mat3) {
    assert!(matches!(&world.constraints[0].action, Action::Loads(_)), "a pressure");
    let mut torque = Vec3::zeros();
    let sums =
        world.constraints[0].loads(0.0, start, 0.0).fold((Vec3::zeros(), Mat3::zeros()), |(sum, moment), (i, load)| {
            torque += p[i].cross(&load.force) + load.torque;
            (sum + load.force, moment + p[i] * load.force.transpose())
        });
    assert!(torque.norm() < 1e-9, "{torque:?}");
    sums
}

#[test]
fn a_pressure_acts_on_outer_faces_alone() {
    let head = BLOCK[..BLOCK.find("[[bodies]]").expect("bodies")].to_owned();
    for (shape, volume) in [
        ("box = { size = [0.2, 0.3, 0.4] }", 0.024),
        ("cylinder = { radius = 0.1, height = 0.4 }", 0.004 * std::f64::consts::PI),
        ("sphere = { radius = 0.15 }", 0.0045 * std::f64::consts::PI),
    ] {
        let body = format!(
            "[[bodies]]\nname = \"b\"\nmaterial = \"stone\"\nparticle_radius = 0.02\npacking = \"random\"\n\
             shape = {{ {shape} }}\nposition = [1.0, 2.0, 3.0]\nrotation = {{ axis = [1.0, 1.0, 0.0], degrees = 30.0 }}\n\
             [[constraints]]\nbody = \"b\"\npressure = 1e4\n"
        );
        let of = |more: &str| {
            let (world, state) = built(&scene(&(head.clone() + &body + more), &[]));
            let arms: Vec<Vec3> = state.p.iter().map(|p| p - Vec3::new(1.0, 2.0, 3.0)).collect();
            pressure(&world, &state, &arms)
        };
        let (sum, moment) = of("");
        assert!(sum.norm() < 1e-9, "{shape}: {sum:?}");
        // of the faces themselves it is -p V; particles' centres are a radius inside
        let trace = -moment.trace() / (3.0 * 1e4 * volume);
        assert!((0.8..1.0).contains(&trace), "{shape}: {trace}");
        assert!((moment - moment.transpose()).norm() < 0.03 * moment.norm(), "{shape}: {moment}");
        let axis = Vec3::new(0.0, 0.0, 1.0);
        let (sum, moment) = of("pressure_across = [0.0, 0.0, 3.0]\n");
        assert!(sum.norm() < 1e-9 && (moment * axis).norm() < 1e-9, "{shape}: {moment}");
    }
}

#[test]
fn a_pressure_on_all_faces_compresses_alike_under_every_integrator() {
    let text = BLOCK[..BLOCK.find("[[colliders]]").expect("colliders")].to_owned()
        + "[[constraints]]\nbody = \"block\"\npressure = 1e5\nkeyframes = [{ time = 0.0, factor = 0.0 }, { time = 0.01, factor = 1.0 }]\n";
    let mut spans = Vec::new();
    for integrator in INTEGRATORS {
        let (_, start) = built(&scene(&text, &[]));
        let done = run(&scene(&text, &[&format!("time.integrator={integrator}")]));
        let span = |p: &[Vec3]| {
            p.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max)
                - p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min)
        };
        spans.push(1.0 - span(&done.state.p) / span(&start.p));
    }
    let mean = spans.iter().sum::<f64>() / spans.len() as f64;
    // a lattice of bonds: the order of p (1 - 2 nu)/E
    assert!((2e-4..2e-3).contains(&mean), "{mean}");
    assert!(spans.iter().all(|span| (span / mean - 1.0).abs() < 0.02), "{spans:?}");
}

/// Angular momentum (kg m2/s) about the centre of mass.
fn angular_momentum(simulation: &Simulation) -> Vec3 {
    let (particles, state) = (&simulation.world.particles, &simulation.state);
    let mass: f64 = particles.mass.iter().sum();
    let centre = state.p.iter().zip(&particles.mass).map(|(p, m)| p * *m).sum::<Vec3>() / mass;
    let of =
        |i: usize| (state.p[i] - centre).cross(&state.v[i]) * particles.mass[i] + state.w[i] * particles.inertia[i];
    (0..state.len()).map(of).sum()
}

#[test]
fn a_free_body_under_pressure_does_not_spin_up() {
    let head = BLOCK[..BLOCK.find("[[colliders]]").expect("colliders")].to_owned();
    let text = head + "angular_velocity = [0.0, 0.3, 2.0]\n[[constraints]]\nbody = \"block\"\npressure = 1e5\n";
    for integrator in INTEGRATORS {
        let scene = scene(&text, &[&format!("time.integrator={integrator}"), "time.frames=25"]);
        let before = angular_momentum(&simulated(&scene));
        let after = angular_momentum(&run(&scene));
        println!("{integrator}: {before:?} to {after:?}");
        assert!((after - before).norm() < 0.05 * before.norm(), "{integrator}: {before:?} to {after:?}");
    }
}
