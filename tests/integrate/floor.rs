//! Bodies on a floor: they stay, and they slide to rest.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule, Verlet};
use bdem_core::internals::contact::{Contacts, correct_velocities};
use bdem_core::model::{Material, State, World};
use bdem_core::simulate::{Predictor, SolverSettings};

use crate::common::system::{at_rest, block, bonded, energy, floor, kinetic_energy, material};
use crate::integrate::implicit_euler::to_the_last_digit;

const E: f64 = 1e7;
const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// A block that touches a floor with all spheres of its lowest layer, and how many those are.
fn standing_block(friction: f64, damping: f64) -> (World, State, usize) {
    let damped = Material { damping, ..material(E, 0.4 * E, 2600.0) };
    let (mut world, state) = block(damped, [0.1, 0.1, 0.08], RADIUS);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.gravity = Vec3::z() * -G;
    world.walls = vec![floor(low - RADIUS, friction)];
    let touching = state.p.iter().filter(|p| p.z < low + 1e-6 * RADIUS).count();
    (world, state, touching)
}

fn weight(world: &World) -> f64 {
    world.particles.mass.iter().sum::<f64>() * G
}

/// How far (m) the block's weight pushes its lowest layer into the floor, m g/k.
fn static_penetration(world: &World, touching: usize) -> f64 {
    weight(world) / (touching as f64 * world.contact_stiffness_of(0))
}

fn centre(state: &State) -> Vec3 {
    state.p.iter().sum::<Vec3>() / state.len() as f64
}

/// Let go as it just touches: it sinks and swings back, and no energy comes from anywhere.
#[test]
fn verlet_leaves_a_body_at_rest_on_the_floor() {
    let (world, start, touching) = standing_block(0.0, 0.0);
    let sink = static_penetration(&world, touching);
    let mut state = start.clone();
    let mut contacts = Contacts::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let first = energy(&world, &contacts, &state);
    let given = weight(&world) * sink;
    let (mut lowest, mut drift, mut gain) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..5000 {
        verlet.step(&world, &mut contacts, &mut state, 0.2 * world.period()).expect("a stable step");
        let moved = centre(&state) - centre(&start);
        lowest = lowest.min(moved.z);
        drift = drift.max(moved.xy().norm());
        gain = gain.max((energy(&world, &contacts, &state) - first) / given);
    }
    // by half as much again for the block is pressed by its own weight, and twice that for it was let go at once
    assert!(lowest < -2.0 * sink && lowest > -3.0 * sink, "{}", lowest / sink);
    assert!(drift < 1e-6 * sink && gain < 1e-3, "{:e} {gain:e}", drift / sink);
}

/// Where a block has moved (static penetrations) after some steps of 50 T, and how hard (over its weight) it rests on
/// the floor.
struct Rest {
    moved: Vec3,
    load: f64,
    kinetic: Vec<f64>,
}

fn come_to_rest(settings: &SolverSettings, friction: f64, steps: usize) -> Rest {
    let (world, start, touching) = standing_block(friction, 0.0);
    let mut state = start.clone();
    let mut contacts = Contacts::new(&world, &state);
    let mut euler = Implicit::new(TimeRule::Euler, &world, settings);
    let dt = 50.0 * world.period();
    let held = vec![false; state.len()];
    let step = |_| {
        euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        correct_velocities(&world, &contacts, &held, &mut state, dt);
        kinetic_energy(&world, &state)
    };
    let kinetic = (0..steps).map(step).collect();
    let push = |i: usize| -> f64 {
        let gaps = world.walls.iter().map(|c| c.at(state.time).distance(&state.p[i]) - RADIUS);
        gaps.map(|gap| -gap.min(0.0) * world.contact_stiffness_of(i)).sum()
    };
    Rest {
        moved: (centre(&state) - centre(&start)) / static_penetration(&world, touching),
        load: (0..state.len()).map(push).sum::<f64>() / weight(&world),
        kinetic,
    }
}

/// Long implicit steps come to rest at once, where the floor bears the weight: the lowest layer sinks by m g/k and the rest
/// by half as much again, for the block is pressed by its own weight.
#[test]
fn implicit_euler_leaves_a_body_at_rest_on_the_floor() {
    for friction in [0.0, 0.5] {
        let rest = come_to_rest(&to_the_last_digit(Predictor::Geodesic), friction, 200);
        assert!((-1.6..-1.0).contains(&rest.moved.z) && rest.moved.xy().norm() < 0.2, "{}", rest.moved);
        assert!((rest.load - 1.0).abs() < 1e-8, "{}", rest.load);
        assert!(rest.kinetic[199] < 1e-10 * rest.kinetic[0], "{:e}", rest.kinetic[199]);
    }
}

/// A step starts deep in the floor, where free fall ends, and Newton's tolerance leaves some of that.
#[test]
fn friction_holds_a_body_at_rest_at_the_default_tolerance() {
    let rest = come_to_rest(&SolverSettings::default(), 0.5, 200);
    assert!((-1.6..-1.0).contains(&rest.moved.z) && rest.moved.xy().norm() < 1.0, "{}", rest.moved);
    assert!((rest.load - 1.0).abs() < 0.05, "{}", rest.load);
    assert!(rest.kinetic.iter().all(|k| *k <= rest.kinetic[0]) && rest.kinetic[199] < 1e-6 * rest.kinetic[0]);
}

/// Without friction nothing holds a body sideways but its own momentum, which conjugate gradients keep to their tolerance.
#[test]
fn the_floor_hardly_pushes_sideways_at_the_default_tolerance() {
    for periods in [1.0, 2.5, 5.0, 10.0, 50.0] {
        let (world, mut state, _) = standing_block(0.0, 0.0);
        let mut contacts = Contacts::new(&world, &state);
        let mut euler = Implicit::new(TimeRule::Euler, &world, &SolverSettings::default());
        let (dt, steps) = (periods * world.period(), 100);
        for _ in 0..steps {
            euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        }
        let sideways = state.momentum(&world.particles).0.xy().norm() / (weight(&world) * dt * f64::from(steps));
        // short steps go without multigrid, whose coarse space keeps rigid motion straight
        let limit = if periods < SolverSettings::default().jacobi_below { 3e-3 } else { 1e-4 };
        assert!(sideways < limit, "{periods} T: {sideways:e} of its weight");
    }
}

/// How fast (m/s) a block slides along x after each of `steps`, that starts at `speed`, settled in the floor.
fn slide(friction: f64, speed: f64, dt: f64, steps: usize) -> Vec<f64> {
    let (world, mut state, touching) = standing_block(friction, 0.2);
    let sink = static_penetration(&world, touching);
    state.p.iter_mut().for_each(|p| p.z -= sink);
    state.v.fill(Vec3::x() * speed);
    let mut contacts = Contacts::new(&world, &state);
    let mut euler = Implicit::new(TimeRule::Euler, &world, &SolverSettings::default());
    let held = vec![false; state.len()];
    let mass: f64 = world.particles.mass.iter().sum();
    let after = |_| {
        euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        correct_velocities(&world, &contacts, &held, &mut state, dt);
        state.momentum(&world.particles).0.x / mass
    };
    (0..steps).map(after).collect()
}

#[test]
fn a_sliding_block_slows_by_mu_g_and_stops() {
    let (friction, speed, dt) = (0.3, 0.3, 2e-3);
    let speeds = slide(friction, speed, dt, 150);
    let stop = (speed / (friction * G * dt)) as usize;
    let half = stop / 2;
    let slowing = (speed - speeds[half - 1]) / (half as f64 * dt);
    assert!((slowing / (friction * G) - 1.0).abs() < 0.03, "{slowing} m/s2, mu g = {}", friction * G);
    assert!(speeds[stop + 10..].iter().all(|v| v.abs() < 0.01 * speed), "{:?}", &speeds[stop..]);
}

#[test]
fn without_friction_a_block_slides_on() {
    let speeds = slide(0.0, 0.3, 2e-3, 100);
    assert!(speeds.iter().all(|v| (v / 0.3 - 1.0).abs() < 1e-4), "{speeds:?}");
}

/// One sphere alone swings about its static penetration, and has the floor's push from there.
#[test]
fn one_sphere_swings_about_its_static_penetration() {
    let mut world = bonded(material(E, 0.4 * E, 2600.0), &[Vec3::zeros()], &[RADIUS], &[]);
    world.gravity = Vec3::z() * -G;
    world.walls = vec![floor(-RADIUS, 0.0)];
    let sink = static_penetration(&world, 1);
    let mut state = at_rest(vec![Vec3::zeros()]);
    let mut contacts = Contacts::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let mut heights = Vec::new();
    for _ in 0..20_000 {
        verlet.step(&world, &mut contacts, &mut state, 0.05 * world.period()).expect("a stable step");
        heights.push(state.p[0].z / sink);
    }
    let (low, high) = heights.iter().fold((0.0f64, -1.0f64), |(l, h), &x| (l.min(x), h.max(x)));
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    assert!((low + 2.0).abs() < 1e-2 && high.abs() < 1e-2 && (mean + 1.0).abs() < 1e-2, "{low} {high} {mean}");
}
