//! Held particles, loads and winds.

use bdem_core::model::{self, Action, Constraint, Motion, Ramp, Wind, Wrench};
use bdem_core::prelude::*;

use crate::{beam, both, ends, error};

fn rubber() -> Material {
    Material { damping: 0.02, ..Material::elastic("rubber", 1000.0, 1e7, 0.25) }
}

/// Work of constraints and of loads on the processor and on the card.
fn works(simulations: &[Simulation; 2], flow: Flow) -> [f64; 2] {
    simulations.each_ref().map(|simulation| simulation.flows()[flow])
}

fn assert_moves_alike(world: World, start: State, flow: Flow) {
    let (simulations, _) = both(world, start.clone(), 1000, 300);
    let error = error(&start, &simulations);
    let [processor, card] = works(&simulations, flow);
    println!("error {error:.1e}, {flow:?} {processor:.6e} {card:.6e} J");
    assert!(error < 5e-6, "{error}");
    assert!((processor - card).abs() < 2e-3 * processor.abs(), "{processor} {card}");
}

/// A tensile test: one grip is fixed, and the other moves.
#[test]
fn a_moved_grip_pulls() {
    let pull = Motion::Velocity(Vec3::new(0.5, 0.0, 0.0));
    let (world, start) = beam(rubber(), [Some(Motion::Fixed), Some(pull)]);
    assert_moves_alike(world, start, Flow::Held);
}

#[test]
fn a_turned_grip_twists() {
    let screw = Motion::Screw { point: Vec3::new(0.0, 0.02, 0.0), axis: Vec3::x(), rate: 10.0, velocity: 0.2 };
    let (world, start) = beam(rubber(), [Some(Motion::Fixed), Some(screw)]);
    assert_moves_alike(world, start, Flow::Held);
}

#[test]
fn loads_and_winds_push() {
    let (mut world, start) = beam(rubber(), [Some(Motion::Fixed), None]);
    let load = Wrench { force: Vec3::new(0.0, 0.01, 0.02), torque: Vec3::new(1e-5, 0.0, 2e-5) };
    let factor = Ramp::through(vec![[0.0, 0.0], [2e-3, 1.0]]).expect("a ramp");
    world
        .constraints
        .push(Constraint { factor: factor.clone(), ..Constraint::new(ends(&start.p, 1.0), Action::Load(load)) });
    world.winds.push(Wind {
        flow: model::Flow::Along(Vec3::y()),
        acceleration: 20.0,
        origin: Vec3::zeros(),
        falloff: f64::INFINITY,
        factor,
        times: 0.0..f64::INFINITY,
    });
    assert_moves_alike(world, start, Flow::Loads);
}
