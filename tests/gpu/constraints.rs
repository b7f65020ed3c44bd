//! Held particles, loads and winds.

use bdem_core::energy::Reactions;
use bdem_core::model::{self, Action, Constraint, Ease, Key, Keyframes, Motion, Ramp, Wind, Wrench};
use bdem_core::prelude::*;

use crate::{beam, both, ends, error, greatest, on_card, steps};

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

/// A grip that moves through keyframes, and lets go.
#[test]
fn a_grip_lets_go() {
    let ease = Some(Ease { points: [0.4, 0.0, 0.6, 1.0] });
    let key = |time: f64, position: Vec3, turn: Vec3| Key { time, position, turn, ease };
    let far = key(4e-3, Vec3::new(1e-3, 2e-3, 0.0), Vec3::x() * 0.1);
    let keys = vec![key(0.0, Vec3::zeros(), Vec3::zeros()), far, key(8e-3, Vec3::zeros(), Vec3::zeros())];
    let (mut world, start) = beam(rubber(), [Some(Motion::Fixed), None]);
    let motion = Motion::Keyframes(Keyframes { pivot: Vec3::zeros(), keys });
    let hold = Constraint::moved(ends(&start.p, 1.0), motion);
    world.constraints.push(Constraint { times: 0.0..6e-3, ..hold });
    assert_moves_alike(world, start, Flow::Held);
}

/// Reactions of grips are those of the processor.
#[test]
fn grips_have_the_same_reactions() {
    let pull = Motion::Velocity(Vec3::new(0.5, 0.1, 0.0));
    let (world, start) = beam(rubber(), [Some(Motion::Fixed), Some(pull)]);
    let (simulations, _) = both(world, start, 1000, 300);
    let reactions = simulations.each_ref().map(|simulation| {
        let Simulation { world, contacts, state, .. } = simulation;
        let reactions = Reactions::new(world, contacts, state, simulation.forces());
        let gradient = reactions.gradient();
        world
            .constraints
            .iter()
            .map(|grip| reactions.on_constraint(grip, &gradient, &Vec3::zeros()))
            .collect::<Vec<_>>()
    });
    for (a, b) in reactions[0].iter().zip(&reactions[1]) {
        println!("{} {}", a.force.transpose(), b.force.transpose());
        assert!((a.force - b.force).norm() < 1e-4 * a.force.norm(), "{} {}", a.force, b.force);
        assert!((a.torque - b.torque).norm() < 1e-4 * a.torque.norm(), "{} {}", a.torque, b.torque);
    }
}

/// A block of more kicks than have their constraints on the card at once.
#[test]
fn long_blocks_are_as_short_ones() {
    let screw = Motion::Screw { point: Vec3::zeros(), axis: Vec3::x(), rate: 10.0, velocity: 0.2 };
    let (world, start) = beam(rubber(), [Some(Motion::Fixed), Some(screw)]);
    let run = |block| {
        let mut card = on_card(world.clone(), start.clone());
        steps(&mut card, 5000, block).expect("steps");
        card.audit().expect("the account closes");
        assert!(card.balance.imbalance() < 1e-5, "{:?}", card.balance);
        (card.state.clone(), card.flows()[Flow::Held])
    };
    let ((long, work), (short, of_short)) = (run(5000), run(500));
    let moved = greatest(long.p.iter().zip(&start.p).map(|(a, b)| a - b));
    let apart = greatest(long.p.iter().zip(&short.p).map(|(a, b)| a - b));
    assert!(apart < 1e-5 * moved, "{apart} of {moved}");
    assert!((work - of_short).abs() < 1e-4 * work, "{work} {of_short}");
}
