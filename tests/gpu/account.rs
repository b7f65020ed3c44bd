//! The account of energy.

use bdem_core::model::{Action, Constraint, Motion, Ramp, Wrench};
use bdem_core::prelude::*;

use crate::{beam, ends, on_card, softening, steps, stone, thrown};

/// Takes blocks of steps, and audits after each. The bounds are below those of `tests/run/account.rs`.
fn audited(world: World, start: State, blocks: u32) -> Simulation {
    let mut card = on_card(world, start);
    for _ in 0..blocks {
        steps(&mut card, 100, 100).unwrap_or_else(|why| panic!("{why}"));
        card.audit().unwrap_or_else(|why| panic!("{why}"));
        println!("{:?} {:.1e}", card.balance, card.balance.imbalance());
        assert!(card.balance.open() < 1e-5 && card.balance.imbalance() < 1e-3, "{:?} {:?}", card.balance, card.flows());
    }
    card
}

#[test]
fn waves_keep_their_energy() {
    let (world, start) = thrown(Material::elastic("stone", 1000.0, 1e9, 0.25));
    audited(world, start, 10);
}

#[test]
fn damping_is_accounted_for() {
    let (world, start) = thrown(Material { damping: 0.05, ..Material::elastic("stone", 1000.0, 1e9, 0.25) });
    let card = audited(world, start, 10);
    assert!(card.flows()[Flow::Damping] > 0.05 * card.balance.scale, "{:?}", card.flows());
}

#[test]
fn fracture_is_accounted_for() {
    let (world, start) = thrown(stone());
    let card = audited(world, start, 6);
    assert!(card.flows()[Flow::Fracture] > 0.05 * card.balance.scale, "{:?}", card.flows());
}

#[test]
fn softening_is_accounted_for() {
    let (world, start) = softening();
    let card = audited(world, start, 6);
    assert!(card.flows()[Flow::Fracture] > 0.05 * card.balance.scale, "{:?}", card.flows());
}

#[test]
fn loads_are_accounted_for() {
    let (mut world, start) = beam(stone(), [Some(Motion::Fixed), None]);
    let load = Wrench { force: Vec3::new(0.0, 0.3, 0.6), torque: Vec3::new(1e-3, 0.0, 2e-3) };
    let factor = Ramp::through(vec![[0.0, 0.0], [5e-4, 1.0]]).expect("a ramp");
    let action = Action::Load(load);
    world.constraints.push(Constraint { factor, ..Constraint::new(ends(&start.p, 1.0), action) });
    let card = audited(world, start, 10);
    assert!(card.flows()[Flow::Loads] > 0.1 * card.balance.scale, "{:?}", card.flows());
}

#[test]
fn grips_are_accounted_for() {
    let screw = Motion::Screw { point: Vec3::new(0.0, 0.02, 0.0), axis: Vec3::x(), rate: 10.0, velocity: 0.2 };
    let material = Material { damping: 0.02, ..Material::elastic("rubber", 1000.0, 1e7, 0.25) };
    let (mut world, start) = beam(material, [Some(Motion::Fixed), Some(screw)]);
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    let card = audited(world, start, 10);
    assert!(card.flows()[Flow::Held] > 0.1 * card.balance.scale, "{:?}", card.flows());
}
