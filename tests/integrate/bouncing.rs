//! A block that bounces on a floor without damping and friction.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Integrator, Verlet};
use bdem_core::internals::contact::Neighbours;

use crate::common::system::{block, energy, floor, material, moved_rigidly};

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// Between bounces, and over all of them, what swings and flies has the energy that the fall gave.
#[test]
fn verlet_keeps_the_energy_between_bounces() {
    let (mut world, start) = block(material(1e7, 4e6, 2600.0), [0.1, 0.1, 0.08], RADIUS);
    let start = moved_rigidly(&start, &Vec3::new(0.2, 0.1, 0.0), &Vec3::zeros());
    let low = start.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let drop = 0.02;
    world.gravity = Vec3::z() * -G;
    world.colliders = vec![floor(low - RADIUS - drop, 0.0)];
    let mut state = start.clone();
    let mut contacts = Neighbours::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let first = energy(&world, &contacts, &state);
    let given = world.particles.mass.iter().sum::<f64>() * G * drop;
    let (mut bounces, mut touched) = (0, false);
    while bounces < 3 {
        verlet.step(&world, &mut contacts, &mut state, 0.2 * world.period()).expect("a stable step");
        let touches = state.p.iter().any(|p| world.colliders[0].at(state.time).touch(p, RADIUS).is_some());
        if touched && !touches {
            bounces += 1;
            let off = (energy(&world, &contacts, &state) - first) / given;
            println!("after {bounces} bounces at {:.3} s: {off:.1e} of the energy of the fall", state.time);
            assert!(off.abs() < 0.01, "{off}");
        }
        touched = touches;
    }
}
