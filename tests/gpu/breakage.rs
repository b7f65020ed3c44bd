//! Bonds that break and soften.

use bdem_core::integrate::{BlockDecay, Step};
use bdem_core::internals::contact::ContactState;
use bdem_core::model::{AxialStress, BondStatus, Criterion, Gradient, HeldParticles};
use bdem_core::prelude::*;
use bdem_core::simulate::FractureEvent;
use bdem_gpu::steps::{Outcome, Program, Steps};

use crate::{RADIUS, both, device, error, softening, stone, thrown};

/// The same bonds break on both devices, at the same times under the same loads.
fn assert_same_breaks(world: World, start: State, block: u32) {
    let bonds = world.bonds().len();
    let (ends, [processor, card]) = both(world, start.clone(), 400, block);
    let sorted = |progress: &Progress| {
        let mut events = progress.broken.clone();
        events.sort_by(|a, b| a.time.total_cmp(&b.time).then((a.i, a.j).cmp(&(b.i, b.j))));
        events
    };
    let [processor, card] = [&processor, &card].map(sorted);
    println!("{} of {bonds} bonds break", card.len());
    assert!(processor.len() > bonds / 10 && processor.len() < bonds, "{} of {bonds}", processor.len());
    assert_eq!(processor.len(), card.len());
    for (a, b) in processor.iter().zip(&card) {
        assert_same_event(a, b);
    }
    let [whole, on_card] = ends.each_ref().map(|simulation| simulation.world.whole_bond_count());
    assert_eq!(whole, on_card);
    let error = error(&start, &ends);
    assert!(error < 1e-3, "{error}");
}

fn assert_same_event(a: &FractureEvent, b: &FractureEvent) {
    assert_eq!((a.bond, a.i, a.j), (b.bond, b.i, b.j));
    assert!((a.time - b.time).abs() < 1e-12, "{} {}", a.time, b.time);
    let near = |a: f64, b: f64, scale: f64| assert!((a - b).abs() < 1e-3 * scale, "{a} {b}");
    let strength = 1.2e6;
    near(a.sigma, b.sigma, strength);
    near(a.tau, b.tau, strength);
    near(a.energy, b.energy, a.energy);
    near(a.x, b.x, RADIUS);
    near(a.normal_y, b.normal_y, 1.0);
}

#[test]
fn the_same_bonds_break() {
    for (axial, block) in [(AxialStress::Tension, 400), (AxialStress::Magnitude, 130)] {
        let (mut world, start) = thrown(stone());
        world.axial = axial;
        assert_same_breaks(world, start, block);
    }
}

#[test]
fn the_same_bonds_break_by_coulomb() {
    let criterion = Criterion { friction: 0.6, moment_share: 0.5 };
    let (world, start) = thrown(Material { criterion, ..stone() });
    assert_same_breaks(world, start, 400);
}

#[test]
fn the_same_bonds_soften() {
    let (world, start) = softening();
    let bonds = world.bonds().len();
    let (ends, _) = both(world, start.clone(), 200, 150);
    let statuses = ends.each_ref().map(|simulation| simulation.world.bond_statuses());
    let count = |of: &dyn Fn(&BondStatus) -> bool| statuses.each_ref().map(|all| all.iter().filter(|s| of(s)).count());
    let [broken, broken_on_card] = count(&|status| matches!(status, BondStatus::Broken | BondStatus::Gone));
    let [softened, on_card] = count(&|status| matches!(status, BondStatus::Softened(_)));
    println!("{broken} {broken_on_card} of {bonds} bonds break, {softened} {on_card} soften");
    assert!(softened > bonds / 20 && broken > 0);
    assert_eq!((broken, softened), (broken_on_card, on_card));
    let mut worst = 0f64;
    for (a, b) in statuses[0].iter().zip(&statuses[1]) {
        if let (BondStatus::Softened(a), BondStatus::Softened(b)) = (a, b) {
            worst = worst.max((a - b).abs() / (a - 1.0).max(0.01));
        }
    }
    let error = error(&start, &ends);
    println!("{error:.1e} {worst:.1e}");
    assert!(error < 5e-6 && worst < 5e-3, "{error} {worst}");
}

#[test]
fn a_block_with_too_many_breaks_says_so() {
    let (world, start) = thrown(stone());
    let program = Program::new(&device(), &world).expect("a law that is recorded");
    let mut holding = HeldParticles::new(&world);
    let block = Step { count: 300, ..Step::new(1e-6) };
    let still = vec![Gradient::default(); start.len()];
    let mut run = |room| {
        let mut steps = Steps::new(&program, &world, 256.0, room, 0);
        steps.begin(&world, (&start, &ContactState::default()), &still, &mut holding, (block, &BlockDecay::default()));
        steps.finish(|| false)
    };
    assert_eq!([run(4), run(1000)], [Outcome::TooManyBreaks, Outcome::Done]);
}
