//! Bodies on a floor: they stay, and they slide to rest.

use bdem::contact::{Neighbours, apply_friction};
use bdem::energy::Potential;
use bdem::geometry::Vec3;
use bdem::integrate::{ImplicitEuler, Integrator, Verlet};
use bdem::model::{Material, State, World};
use bdem::optimize::SolverSettings;

use crate::system::{block, bonded, floor, material};

const E: f64 = 1e7;
const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// A block that touches a floor with all spheres of its lowest layer, and how many those are.
fn standing_block(friction: f64, damping: f64) -> (World, State, usize) {
    let damped = Material { damping, ..material(E, 0.4 * E, 2600.0) };
    let (mut world, state) = block(damped, [0.1, 0.1, 0.08], RADIUS);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.gravity = Vec3::z() * -G;
    world.colliders = vec![floor(low - RADIUS, friction)];
    let touching = state.p.iter().filter(|p| p.z < low + 1e-6 * RADIUS).count();
    (world, state, touching)
}

/// How far (m) the block's weight pushes its lowest layer into the floor, m g/k.
fn static_penetration(world: &World, touching: usize) -> f64 {
    let weight = world.particles.mass.iter().sum::<f64>() * G;
    weight / (touching as f64 * world.contact_stiffness_of(0))
}

fn centre(state: &State) -> Vec3 {
    state.p.iter().sum::<Vec3>() / state.len() as f64
}

fn energy(world: &World, contacts: &Neighbours, state: &State) -> f64 {
    let (linear, spin) = state.kinetic_energy(&world.particles);
    linear + spin + Potential { world, contacts, damping: None }.value(state)
}

/// Lets go just above contact: it sinks by the static penetration and swings as far again, and no energy comes from
/// anywhere.
#[test]
fn verlet_leaves_a_body_at_rest_on_the_floor() {
    let (world, start, touching) = standing_block(0.0, 0.0);
    let sink = static_penetration(&world, touching);
    let mut state = start.clone();
    let mut contacts = Neighbours::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let first = energy(&world, &contacts, &state);
    let given = world.particles.mass.iter().sum::<f64>() * G * sink;
    let (mut lowest, mut drift, mut gain) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..5000 {
        verlet.step(&world, &mut contacts, &mut state, 0.2 * world.period()).expect("a stable step");
        let moved = centre(&state) - centre(&start);
        lowest = lowest.min(moved.z);
        drift = drift.max(moved.xy().norm());
        gain = gain.max((energy(&world, &contacts, &state) - first) / given);
    }
    println!("sink {sink:e} lowest {:e} drift {:e} gain {gain:e}", lowest / sink, drift / sink);
    assert!(lowest > -4.0 * sink);
    assert!(drift < 0.01 * sink && gain < 0.05);
}

/// Long implicit steps come to rest at once, where the floor bears the weight.
#[test]
fn implicit_euler_leaves_a_body_at_rest_on_the_floor() {
    let (world, start, touching) = standing_block(0.5, 0.0);
    let sink = static_penetration(&world, touching);
    let mut state = start.clone();
    let mut contacts = Neighbours::new(&world, &state);
    let mut euler = ImplicitEuler::new(&world, &SolverSettings::default());
    let dt = 50.0 * world.period();
    let held = vec![false; state.len()];
    let mut kinetic = Vec::new();
    for _ in 0..200 {
        euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        apply_friction(&world, &contacts, &held, &mut state, dt);
        let (linear, spin) = state.kinetic_energy(&world.particles);
        kinetic.push(linear + spin);
    }
    let moved = centre(&state) - centre(&start);
    let potential = Potential { world: &world, contacts: &contacts, damping: None };
    let floor: f64 = (0..state.len())
        .flat_map(|i| potential.walls(i, &state.p[i]).collect::<Vec<_>>())
        .map(|(gap, _)| -gap * world.contact_stiffness_of(0))
        .sum();
    let weight = world.particles.mass.iter().sum::<f64>() * G;
    println!(
        "moved {:?} sink {sink:e} floor {:e} kin {:e} {:e}",
        moved / sink,
        floor / weight - 1.0,
        kinetic[0],
        kinetic[199]
    );
    assert!(moved.xy().norm() < 0.01 * sink && moved.z < 0.0 && moved.z > -2.0 * sink);
    assert!((floor / weight - 1.0).abs() < 1e-3);
    assert!(kinetic[199] < 1e-6 * kinetic[0]);
}

/// Where and how fast a block slides that starts at `speed` along x, settled in the floor, after each of `steps`.
fn slide(friction: f64, speed: f64, dt: f64, steps: usize) -> Vec<f64> {
    let (world, mut state, touching) = standing_block(friction, 0.2);
    let sink = static_penetration(&world, touching);
    state.p.iter_mut().for_each(|p| p.z -= sink);
    state.v.fill(Vec3::x() * speed);
    let mut contacts = Neighbours::new(&world, &state);
    let mut euler = ImplicitEuler::new(&world, &SolverSettings::default());
    let held = vec![false; state.len()];
    let mass: f64 = world.particles.mass.iter().sum();
    let after = |_| {
        euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        apply_friction(&world, &contacts, &held, &mut state, dt);
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
    println!("slowing {} end {:e} {:?}", slowing / (friction * G), speeds[149], &speeds[stop - 3..stop + 10]);
    assert!((slowing / (friction * G) - 1.0).abs() < 0.03, "{slowing} m/s2, mu g = {}", friction * G);
    assert!(speeds[stop + 10..].iter().all(|v| v.abs() < 0.01 * speed), "{:?}", &speeds[stop..]);
}

#[test]
fn without_friction_a_block_slides_on() {
    let speeds = slide(0.0, 0.3, 2e-3, 100);
    println!("{:e}", speeds[99] / 0.3 - 1.0);
    assert!(speeds.iter().all(|v| (v / 0.3 - 1.0).abs() < 1e-4), "{speeds:?}");
}

/// One sphere alone swings about its static penetration, and has the floor's push from there.
#[test]
fn one_sphere_swings_about_its_static_penetration() {
    let mut world = bonded(material(E, 0.4 * E, 2600.0), &[Vec3::zeros()], &[RADIUS], &[]);
    world.gravity = Vec3::z() * -G;
    world.colliders = vec![floor(-RADIUS, 0.0)];
    let sink = static_penetration(&world, 1);
    let mut state = crate::system::at_rest(vec![Vec3::zeros()]);
    let mut contacts = Neighbours::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let mut heights = Vec::new();
    for _ in 0..20_000 {
        verlet.step(&world, &mut contacts, &mut state, 0.05 * world.period()).expect("a stable step");
        heights.push(state.p[0].z / sink);
    }
    let (low, high) = heights.iter().fold((0.0f64, -1.0f64), |(l, h), &x| (l.min(x), h.max(x)));
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    println!("{low} {high} {mean}");
    assert!((low + 2.0).abs() < 1e-2 && high.abs() < 1e-2 && (mean + 1.0).abs() < 1e-2, "{low} {high} {mean}");
}
