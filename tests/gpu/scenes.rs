//! Scenes as files have them: plates of ten seeds, and scenes that went wrong elsewhere.

use std::path::Path;

use bdem_core::energy::Reactions;
use bdem_core::prelude::*;
use bdem_run::scene::Scene;

use crate::{on_card_with, steps};

pub(crate) fn scene(text: &str, seed: u64) -> Scene {
    let text = format!("[scene]\nname = \"test\"\nseed = {seed}\n{text}");
    Scene::parse(Path::new("test.toml"), &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Simulation of a scene on a card, and on the processor.
pub(crate) fn both(scene: &Scene) -> [Simulation; 2] {
    let (world, state) = scene.build().unwrap_or_else(|error| panic!("{error}"));
    let settings = scene.simulation_settings();
    [on_card_with(&settings, world.clone(), state.clone()), Simulation::new(world, state, &settings)]
}

pub(crate) fn advance(simulation: &mut Simulation, frames: u32) -> Progress {
    let mut progress = Progress::default();
    for _ in 0..frames {
        simulation.advance_frame(&mut progress).unwrap_or_else(|why| panic!("{why}"));
    }
    progress
}

pub(crate) const FLOOR: &str = "[[colliders]]\nshape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }\n";

const PLATE: &str = r#"
[time]
frame_rate = 2000.0
frames = 4
integrator = "explicit-verlet"
step = "auto"
[materials.ceramic]
density = 2600.0
young_modulus = 2e8
poisson_ratio = 0.25
tensile_strength = 1.2e6
shear_strength = 1.2e6
weibull_modulus = 8.0
friction = 0.3
damping = 0.02
[[bodies]]
name = "plate"
material = "ceramic"
particle_radius = 0.003
shape = { box = { size = [0.06, 0.05, 0.012] } }
position = [0.0, 0.0, 0.02]
rotation = { axis = [1.0, 0.3, 0.0], degrees = 20.0 }
velocity = [0.0, 0.0, -6.0]
"#;

/// Of plates with other strengths as many bonds break as on the processor, within 3 % in the mean.
#[test]
fn plates_of_ten_seeds_break_alike() {
    let (mut sums, mut bonds) = ([0; 2], 0);
    for seed in 1..=10 {
        let scene = scene(&format!("{PLATE}{FLOOR}"), seed);
        let broken = both(&scene).map(|mut run| {
            bonds = run.world.bonds().len();
            advance(&mut run, 4).broken.len()
        });
        println!("seed {seed}: {broken:?} of {bonds}");
        (0..2).for_each(|k| sums[k] += broken[k]);
    }
    let [card, processor] = sums;
    assert!(processor > bonds, "{processor} in all of {bonds} bonds each");
    assert!(card.abs_diff(processor) * 100 <= 3 * processor, "{card} and {processor}");
}

/// Scene of one ball: frames a second, Young's modulus (Pa), other keys of its material, restitution, radius (m), and what it has
/// and strikes.
fn ball(frame_rate: f64, [young_modulus, restitution, radius]: [f64; 3], material: &str, rest: &str) -> Scene {
    let text = format!(
        "gravity = [0.0, 0.0, 0.0]\n[time]\nframe_rate = {frame_rate:?}\nframes = 40\nintegrator = \"explicit-verlet\"\n\
         step = \"auto\"\n[contact]\nrestitution = {restitution:?}\n[materials.m]\ndensity = 2500.0\n\
         young_modulus = {young_modulus:?}\npoisson_ratio = 0.25\n{material}\n[[bodies]]\nname = \"ball\"\n\
         material = \"m\"\nparticle_radius = {radius:?}\nbonded = false\n\
         shape = {{ sphere = {{ radius = {:?} }} }}\n{rest}",
        1.01 * radius
    );
    scene(&text, 1)
}

/// A ball of restitution 0.5, at 240 frames a second.
#[test]
fn a_ball_bounces_at_any_frame_rate() {
    let text = format!("position = [0.0, 0.0, 0.0105]\nvelocity = [0.0, 0.0, -1.0]\n{FLOOR}");
    let [mut card, _] = both(&ball(240.0, [1e8, 0.5, 0.01], "", &text));
    while card.state.v[0].z < 0.0 {
        advance(&mut card, 1);
    }
    let left = card.state.v[0].z;
    assert!((left - 0.5).abs() < 0.01, "{left} m/s");
}

/// Into the edge of the inside of a box.
#[test]
fn a_ball_leaves_an_edge() {
    let text = "position = [0.01, 0.025, 0.01]\nvelocity = [-3.0, 0.0, -3.0]\n[[colliders]]\n\
                shape = { box = { size = [0.05, 0.05, 0.05] } }\nposition = [0.025, 0.025, 0.025]\ninside = true\n";
    let [mut card, _] = both(&ball(2000.0, [1e8, 0.5, 0.002], "", text));
    assert_eq!(card.state.len(), 1);
    advance(&mut card, 10);
    assert!((card.state.v[0] - Vec3::new(1.5, 0.0, 1.5)).norm() < 0.05, "{:?}", card.state.v[0]);
}

/// Rolling inside of a bowl: kinetic energy and the spin about the normal stay.
#[test]
fn a_ball_in_a_bowl_keeps_its_spin() {
    let text = "position = [0.19, 0.0, 0.0]\nvelocity = [0.0, 2.85, 0.0]\nangular_velocity = [300.0, 0.0, -285.0]\n\
                [[colliders]]\nshape = { sphere = { radius = 0.2 } }\ninside = true\n";
    let [mut card, _] = both(&ball(50.0, [1e7, 0.5, 0.01], "friction = 1.0", text));
    let energy = |run: &Simulation| {
        let State { v, w, .. } = &run.state;
        let particles = &run.world.particles;
        0.5 * (particles.mass[0] * v[0].norm_squared() + particles.inertia[0] * w[0].norm_squared())
    };
    let start = energy(&card);
    advance(&mut card, 25);
    let (n, w) = (card.state.p[0].normalize(), card.state.w[0]);
    println!("{} of {start} J, {} rad/s", energy(&card), w.dot(&n));
    assert!((energy(&card) / start - 1.0).abs() < 2e-3, "{} of {start} J", energy(&card));
    assert!((w.dot(&n) / 300.0 - 1.0).abs() < 2e-3, "{} rad/s", w.dot(&n));
}

/// Forces on a moving wall over all steps are the ball's change of momentum, and their work that of the account, in blocks of one step
/// and of several.
#[test]
fn forces_on_a_wall_are_the_impulse() {
    let text = format!(
        "position = [0.0, 0.0, 0.0105]\nvelocity = [0.0, 0.0, -1.0]\n{FLOOR}motion = {{ velocity = [0.0, 0.0, 0.5] }}\n"
    );
    let scene = ball(1000.0, [1e6, 0.2, 0.01], "", &text);
    let speeds = [1, 7, 1000].map(|block| {
        let [mut card, _] = both(&scene);
        let (mut impulse, dt, start) = (0.0, card.plan.step, card.state.v[0].z);
        while card.state.time < 0.02 {
            steps(&mut card, block, block as u32).expect("a step");
            let reactions = Reactions::new(&card.world, &card.contacts, &card.state, card.forces());
            impulse -= reactions.on_wall(0, &Vec3::zeros()).force.z * dt * block as f64;
        }
        let change = card.world.particles.mass[0] * (card.state.v[0].z - start);
        println!("{block}: {impulse} of {change} N s, {} J, {} m/s", card.flows()[Flow::Walls], card.state.v[0].z);
        assert!(block > 1 || (impulse / change - 1.0).abs() < 2e-6, "{impulse} of {change} N s");
        assert!((card.flows()[Flow::Walls] / (0.5 * change) - 1.0).abs() < 1e-3, "{} J", card.flows()[Flow::Walls]);
        card.state.v[0].z
    });
    assert!(speeds.iter().all(|v| (v - 0.8).abs() < 0.01 && (v - speeds[0]).abs() < 1e-5), "{speeds:?}");
}

/// Two grains that touch beside a bonded pair keep their momentum, the first particle of the scene among them.
#[test]
fn bonds_elsewhere_take_no_contact() {
    for place in [0.1, 0.5] {
        let mut builder = World::builder();
        let grain = builder.material(Material::elastic("grain", 2500.0, 1e7, 0.2));
        for x in [0.0, 0.015, place, place + 0.008] {
            builder.particle(Vec3::x() * x, 0.004, grain);
        }
        builder.bond(2, 3);
        let (world, mut state) = builder.build().expect("a world");
        state.v[0].x = 1.0;
        let mut card = on_card_with(&crate::settings(), world, state);
        while card.state.time < 0.02 {
            steps(&mut card, 100, 100).expect("steps");
        }
        let v = &card.state.v;
        assert!((v[0].x + v[1].x - 1.0).abs() < 1e-6 && v[1].x > 0.1, "{v:?}");
    }
}

/// A plate far from the origin breaks as at it, or is refused.
#[test]
fn positions_far_away_are_held_or_refused() {
    let text = format!("{PLATE}{FLOOR}").replace("[0.0, 0.0, 0.02]", "[PLACE, 0.0, 0.02]");
    let broken = |place: &str| {
        let [mut card, _] = both(&scene(
            &text.replace("PLACE", place).replace("[time]", &format!("[output]\norigin = [{place}, 0.0, 0.0]\n[time]")),
            1,
        ));
        let mut progress = Progress::default();
        (0..4).try_for_each(|_| card.advance_frame(&mut progress)).map(|()| progress.broken.len())
    };
    let [here, far] = ["0.0", "1e5"].map(|place| broken(place).expect("frames"));
    assert!(far.abs_diff(here) * 20 < here, "{here} and {far}");
    let why = broken("8e5").expect_err("too far").to_string();
    assert!(why.contains("positions go beyond") && why.contains("--device cpu"), "{why}");
}

/// A grain without contacts passes another and a floor.
#[test]
fn grains_without_contacts_pass() {
    let mut builder = World::builder();
    let grain = builder.material(Material::elastic("grain", 2500.0, 1e7, 0.2));
    let floor = Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: -0.1 }));
    builder.wall(floor);
    for z in [0.0, 0.03, 0.06] {
        builder.particle(Vec3::z() * z, 0.004, grain);
    }
    builder.without_contacts(2);
    let (world, mut state) = builder.build().expect("a world");
    state.v[2].z = -10.0;
    let mut card = on_card_with(&crate::settings(), world, state);
    while card.state.time < 0.04 {
        steps(&mut card, 100, 100).expect("steps");
    }
    assert!(card.state.p[2].z < -0.3 && (0..2).all(|i| card.state.v[i].norm() == 0.0), "{:?}", card.state.p);
}

/// A tile of glass that flies for most of the first frame onto a ball.
fn tile(material: &str, restitution: f64) -> Scene {
    let text = format!(
        r#"
gravity = [0.0, 0.0, 0.0]
[time]
frame_rate = 2000.0
frames = 3
integrator = "explicit-verlet"
step = {{ limit = 0.5 }}
[contact]
restitution = {restitution}
[materials.glass]
preset = "glass"
softness = 50
{material}
[[bodies]]
name = "tile"
material = "glass"
particle_radius = 0.004
shape = {{ box = {{ size = [0.08, 0.06, 0.016] }} }}
position = [0.0, 0.0, 0.02]
velocity = [0.0, 0.0, -6.0]
[[colliders]]
shape = {{ sphere = {{ radius = 0.01 }} }}
"#
    );
    scene(&text, 1)
}

/// Steps that are taken twice, since lists of neighbours have grown long in flight, are as on the processor: so are the bonds that break.
#[test]
fn repeated_steps_begin_with_the_same_forces() {
    let scene = tile("friction = 0.0\nrolling_friction = 0.0\ndamping = 0.0\n", 1.0);
    let [broken, on_card] = both(&scene).map(|mut simulation| advance(&mut simulation, 3).broken);
    println!("{} and {} bonds", broken.len(), on_card.len());
    assert!(broken.len() > 100 && broken.len() == on_card.len());
    assert!(broken.iter().zip(&on_card).take(50).all(|(a, b)| (a.time - b.time).abs() < 1e-9));
}

/// Energy is accounted for where rolling friction turns particles of bonds that are damped, and that break.
#[test]
fn rolling_friction_beside_breaks_is_accounted_for() {
    let [mut card, _] = both(&tile("", 0.5));
    let broken = advance(&mut card, 3).broken.len();
    println!("{broken} bonds, {:?}", card.balance);
    assert!(broken > 50 && card.flows()[Flow::Friction] > 0.05 * card.balance.scale, "{:?}", card.flows());
    assert!(card.balance.open() < 2e-5, "{:?}", card.balance);
}

/// A soft ball whose inner particles, between bonds on all sides, come nearer than their radii has no contacts there, as on the processor.
#[test]
fn surrounded_particles_have_no_contacts() {
    let text = format!(
        "gravity = [0.0, 0.0, 0.0]\n[time]\nframe_rate = 3000.0\nframes = 9\nintegrator = \"explicit-verlet\"\nstep = {{ limit = 0.3 }}\n\
         [contact]\nrestitution = 1.0\n[materials.rubber]\ndensity = 1100.0\nyoung_modulus = 2e6\npoisson_ratio = 0.25\n[[bodies]]\n\
         name = \"ball\"\nmaterial = \"rubber\"\nparticle_radius = 0.004\nshape = {{ sphere = {{ radius = 0.025 }} }}\n\
         position = [0.0, 0.0, 0.05]\nvelocity = [0.0, 0.0, -20.0]\n{FLOOR}"
    );
    let [card, processor] = both(&scene(&text, 1)).map(|mut simulation| {
        advance(&mut simulation, 9);
        simulation
            .world
            .particles
            .mass
            .iter()
            .zip(&simulation.state.v)
            .map(|(m, v)| 0.5 * m * v.norm_squared())
            .sum::<f64>()
    });
    println!("{card} and {processor} J");
    assert!((card / processor - 1.0).abs() < 1e-4, "{card} J, {processor} J");
}
