//! Bits of runs, and trials that are dropped.

use bdem_core::integrate::{Integrator, Step, StepError};
use bdem_core::internals::contact::Contacts;
use bdem_core::prelude::*;
use bdem_gpu::block::Card;

use crate::{device, on_card, steps, stone, thrown};

/// Stone of which bonds break, with a grip.
fn world() -> (World, State) {
    thrown(Material { damping: 0.02, ..stone() })
}

#[test]
fn runs_have_the_same_bits() {
    let run = || {
        let (world, start) = world();
        let mut card = on_card(world, start);
        let progress = steps(&mut card, 200, 80).expect("steps");
        let bonds: Vec<u32> = progress.broken.iter().map(|event| event.bond).collect();
        (card.state.clone(), bonds, *card.flows())
    };
    assert!(run() == run());
}

/// Blocks that a card takes while its state is read have the same bits, and one that is begun and not wanted leaves none.
#[test]
fn blocks_that_begin_early_have_the_same_bits() {
    let run = |early: bool| {
        let (world, start) = world();
        let mut card = on_card(world, start);
        let mut progress = Progress::default();
        for begun in [70, 70, 30, 90] {
            if early {
                card.begin_steps(begun);
            }
            let _ = card.energy();
            assert_eq!(card.try_steps(70, &mut progress).expect("steps"), 70);
        }
        (card.state.clone(), progress.broken.len(), *card.flows())
    };
    assert!(run(true) == run(false));
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    let (world, start) = world();
    let mut whole = on_card(world.clone(), start.clone());
    steps(&mut whole, 100, 100).expect("steps");
    let mut resumed = on_card(world, start);
    resumed.restore(whole.snapshot()).expect("the same scene");
    for run in [&mut whole, &mut resumed] {
        steps(run, 200, 100).expect("steps");
    }
    assert!(whole.world.whole_bond_count() < whole.world.first_bonds.iter().sum::<u32>() as usize / 2);
    assert!(whole.state == resumed.state && whole.flows() == resumed.flows());
}

/// A run goes on from one device to the other.
#[test]
fn a_checkpoint_goes_to_the_processor_and_back() {
    let (world, start) = world();
    let mut card = on_card(world.clone(), start.clone());
    steps(&mut card, 100, 100).expect("steps");
    let mut processor = crate::on_processor(world.clone(), start.clone());
    // the step is the same, and so its plan
    processor.restore(card.snapshot()).expect("the same scene");
    steps(&mut processor, 100, 1).expect("steps");
    let mut back = on_card(world, start);
    back.restore(processor.snapshot()).expect("the same scene");
    steps(&mut back, 100, 100).expect("steps");
    steps(&mut card, 200, 100).expect("steps");
    let apart = crate::greatest(card.state.p.iter().zip(&back.state.p).map(|(a, b)| a - b));
    assert!(apart < 1e-7, "{apart}");
    back.audit().expect("the account closes");
    assert!(back.balance.imbalance() < 1e-3, "{:?}", back.balance);
}

/// A block that is not committed or that is stopped leaves nothing behind.
#[test]
fn dropped_blocks_leave_no_trace() {
    let (world, start) = world();
    let mut contacts = Contacts::new(&world, &start);
    let block = |count| Step { count, ..Step::new(1e-6) };
    let mut card = |count| {
        let mut card = Card::new(&device(), &world).unwrap_or_else(|refusal| panic!("{refusal}"));
        let trial = card.trial(&world, &mut contacts, &start, block(count)).expect("a block");
        let first = (trial.end.clone(), trial.broken.len());
        (first, card)
    };
    let ((end, broken), _) = card(300);
    assert!(broken > 10);
    let (_, mut card) = card(400);
    world.interrupt.request(2);
    let stopped = card.trial(&world, &mut Contacts::new(&world, &start), &start, block(300)).err();
    assert_eq!(stopped, Some(StepError::Interrupted));
    world.interrupt.clear();
    let trial = card.trial(&world, &mut Contacts::new(&world, &start), &start, block(300)).expect("a block");
    assert!(*trial.end == end && trial.broken.len() == broken);
}
