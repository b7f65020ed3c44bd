//! Positions beyond the extent of fixed point.

use bdem_core::integrate::StepError;
use bdem_core::prelude::*;
use bdem_core::simulate::Cause;

use crate::{beam, error, on_card, on_processor, steps};

/// A beam at rest falls far beyond the extent of the start in one block.
#[test]
fn blocks_that_leave_the_extent_are_repeated() {
    let (mut world, start) = beam(Material::elastic("rubber", 1000.0, 1e7, 0.25), [None, None]);
    world.gravity.y = 1e7;
    let (mut processor, mut card) = (on_processor(world.clone(), start.clone()), on_card(world, start.clone()));
    for simulation in [&mut processor, &mut card] {
        steps(simulation, 100, 100).unwrap_or_else(|why| panic!("{why}"));
    }
    let way = card.state.p[0].y - start.p[0].y;
    let both = [processor, card];
    println!("{way} m, {:.1e}", error(&start, &both));
    assert!(way > 16.0 * 0.2 && error(&start, &both) < 1e-5);
}

/// Beyond the limit of stability a run ends with the reason, and the state stays.
#[test]
fn instability_is_an_error() {
    let (mut world, start) = crate::thrown(Material::elastic("stone", 1000.0, 1e9, 0.25));
    // stiffer than the plan of steps knows
    let mut card = on_card(world.clone(), start.clone());
    let bonds = world.bonds().to_vec().into_iter().map(|mut bond| {
        bond.k.n *= 100.0;
        bond
    });
    world = World::new(world.materials.clone(), world.particles.clone(), bonds.collect());
    card.world = world;
    let why = steps(&mut card, 1000, 1000).expect_err("it is not stable");
    println!("{why}");
    assert!(matches!(why.cause, Cause::Step(StepError::Unstable { .. } | StepError::NotFinite { .. })), "{why}");
    assert!(card.state == start);
}
