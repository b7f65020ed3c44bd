//! The state machine of `integrator = "auto"` as a function of the outcomes of steps.

use bdem_core::integrate::{SleepReport, StepKind, StepReport};
use bdem_core::simulate::{ControlSettings, ExplicitSubsteps, Machine, Outcome, StepPlan, Verdict};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use Verdict::{Commit, GiveUp, Retry};

/// Steps of a second halved up to this number of times, for which explicit steps may stand, in a world of 1000 bonds.
fn machine(halvings: u32, sleeps: bool, steps: u32) -> Machine {
    let substeps = ExplicitSubsteps { halvings, sleeps: sleeps.then_some(0.0), steps };
    let plan = StepPlan {
        step: 1.0,
        per_frame: 1,
        finest: halvings,
        deepest: halvings,
        runaway: halvings,
        limit: None,
        field_share: 0.05,
        explicit_substeps: Some(substeps),
    };
    Machine::new(plan, false, &ControlSettings::default(), 1000)
}

fn made(deviation: f64, newton_iterations: u32, broken: usize) -> Outcome {
    Outcome::Solved { report: StepReport { deviation, newton_iterations, ..Default::default() }, broken }
}

/// The same outcome with this report on sleeping pieces.
fn asleep(outcome: Outcome, sleep: SleepReport) -> Outcome {
    match outcome {
        Outcome::Failed => outcome,
        Outcome::Solved { report, broken } => Outcome::Solved { report: StepReport { sleep, ..report }, broken },
    }
}

fn spurious() -> Outcome {
    let report = StepReport { deviation: 0.004, spurious_energy: 0.01, ..Default::default() };
    Outcome::Solved { report, broken: 0 }
}

fn is_explicit(machine: &Machine) -> bool {
    matches!(machine.next().kind, StepKind::Explicit { .. })
}

/// Number of explicit steps in a block.
const STEPS: u32 = 200;

/// Makes a block of explicit steps. Its end has this deviation, and each step breaks this number of bonds.
fn take_block(machine: &mut Machine, deviation: f64, broken: usize) {
    for k in 0..STEPS {
        let next = machine.next();
        let kind = StepKind::Explicit { first: k == 0, last: k == STEPS - 1 };
        assert_eq!((next.dt, next.kind), (0.25 / f64::from(STEPS), kind));
        assert!(k == 0 || !machine.is_at_nominal());
        let deviation = if k == STEPS - 1 { deviation } else { 0.0 };
        assert_eq!(machine.update(&made(deviation, 0, broken)), Commit);
    }
}

/// Steps of a second down to a quarter, after the first four blocks, in which nothing broke.
fn by_turns() -> Machine {
    let mut machine = machine(2, false, STEPS);
    for _ in 0..4 {
        assert!(is_explicit(&machine));
        take_block(&mut machine, 0.001, 0);
    }
    assert_eq!((machine.next().kind, machine.next().dt), (StepKind::Implicit, 0.25));
    machine
}

/// A shortest implicit step that is not acceptable is replaced by explicit steps. A longer one is cut first.
#[test]
fn explicit_steps_take_over() {
    for slip in [made(0.001, 1, 1), made(0.02, 1, 0), spurious(), Outcome::Failed] {
        let mut machine = by_turns();
        assert_eq!(machine.update(&slip), Retry, "{slip:?}");
        assert!(is_explicit(&machine) && machine.next().is_retry, "{slip:?}");
    }
    // one that goes off is committed
    let mut machine = by_turns();
    assert_eq!(machine.update(&made(0.006, 1, 0)), Commit);
    assert!(is_explicit(&machine));
    let mut machine = by_turns();
    (0..2).for_each(|_| assert_eq!(machine.update(&made(0.001, 1, 0)), Commit));
    assert_eq!(machine.next().dt, 0.5);
    assert_eq!(machine.update(&made(0.001, 1, 1)), Retry);
    assert_eq!((machine.next().kind, machine.next().dt), (StepKind::Implicit, 0.25));
}

/// A turn of implicit steps ends where they took the work of two blocks more than explicit ones.
#[test]
fn expensive_steps_end_their_turn() {
    let mut machine = by_turns();
    let mut taken = 0;
    while !is_explicit(&machine) {
        // the deviation keeps the next step from growing
        assert_eq!(machine.update(&made(0.004, 30, 0)), Commit);
        taken += 1;
    }
    assert_eq!(taken, 4, "10 (1 + 30) - 200 steps of excess each, and 400 at most");
    let mut machine = by_turns();
    (0..100).for_each(|_| assert_eq!(machine.update(&made(0.004, 3, 0)), Commit));
    assert!(!is_explicit(&machine));
}

/// What a turn of implicit steps took in vain is at most a twentieth of what follows.
#[test]
fn implicit_steps_come_back() {
    let mut machine = by_turns();
    // a failed step counts as thirteen times ten explicit ones, in blocks of 200
    assert_eq!(machine.update(&Outcome::Failed), Retry);
    for blocks in 1..=13 {
        assert!(is_explicit(&machine), "{blocks}");
        take_block(&mut machine, 0.001, usize::from(blocks == 1));
    }
    assert!(!is_explicit(&machine), "130/200 of a block, over a twentieth, is thirteen");
    // a crack must have stopped for four blocks
    assert_eq!(machine.update(&Outcome::Failed), Retry);
    (0..20).for_each(|_| take_block(&mut machine, 0.001, 1));
    for _ in 0..4 {
        assert!(is_explicit(&machine));
        take_block(&mut machine, 0.001, 0);
    }
    assert!(!is_explicit(&machine));
    // not where they would deviate too far
    assert_eq!(machine.update(&Outcome::Failed), Retry);
    (0..70).for_each(|_| take_block(&mut machine, 0.006, 0));
    assert!(is_explicit(&machine));
    take_block(&mut machine, 0.004, 0);
    assert!(!is_explicit(&machine));
}

/// A nominal step is complete where its blocks are.
#[test]
fn blocks_fill_a_nominal_step() {
    let mut machine = by_turns();
    assert_eq!(machine.update(&Outcome::Failed), Retry);
    for k in 1..=8 {
        take_block(&mut machine, 0.001, 1);
        assert_eq!(machine.is_at_nominal(), k % 4 == 0);
    }
}

/// A block, or what is left of it, is divided where its steps are too long, and the next one anew.
#[test]
fn blocks_are_divided_for_shorter_steps() {
    let mut machine = machine(2, false, 10);
    for (allowed, count) in [(0.02, 20), (0.02, 20), (1.0, 10), (0.007, 40)] {
        for k in 0..count {
            machine.shorten(|dt, is_explicit| !is_explicit || dt <= allowed);
            let kind = StepKind::Explicit { first: k == 0, last: k + 1 == count };
            assert_eq!((machine.next().dt, machine.next().kind), (0.25 / f64::from(count), kind));
            machine.update(&made(0.0, 0, 1));
        }
    }
    // ten steps of 0.025 s, of which the last seven become fourteen
    for k in 0..17 {
        machine.shorten(|dt, is_explicit| !is_explicit || dt <= if k < 3 { 0.03 } else { 0.02 });
        let kind = StepKind::Explicit { first: k == 0, last: k == 16 };
        let dt = 0.25 / if k < 3 { 10.0 } else { 20.0 };
        assert_eq!((machine.next().dt, machine.next().kind), (dt, kind));
        machine.update(&made(0.0, 0, 1));
    }
    // implicit steps that are too long even where they are shortest are replaced
    let mut machine = by_turns();
    machine.shorten(|_, is_explicit| is_explicit);
    assert!(is_explicit(&machine));
}

/// An explicit step that fails is halved, with what is left of its block. The next block has the usual steps.
#[test]
fn failed_explicit_steps_are_halved_within_their_block() {
    let mut machine = machine(2, false, 10);
    for k in 0..17 {
        if k == 3 {
            assert_eq!(machine.update(&Outcome::Failed), Retry);
        }
        assert_eq!(machine.next().dt, 0.25 / if k < 3 { 10.0 } else { 20.0 });
        assert_eq!(machine.update(&made(0.0, 0, 1)), Commit);
    }
    let kind = StepKind::Explicit { first: true, last: false };
    assert_eq!((machine.next().dt, machine.next().kind), (0.025, kind));
}

/// Steps of a second down to a 16th, whose pieces may sleep, with blocks of 400 steps.
fn with_sleep() -> Machine {
    machine(4, true, 400)
}

/// A step of a kind and a length that breaks this number of bonds, and has this work with sleeping pieces.
fn go(machine: &mut Machine, kind: StepKind, dt: f64, work: f64, broken: usize) {
    go_free(machine, kind, dt, SleepReport { work: Some(work), ..SleepReport::default() }, broken);
}

fn go_free(machine: &mut Machine, kind: StepKind, dt: f64, sleep: SleepReport, broken: usize) {
    assert_eq!((machine.next().kind, machine.next().dt), (kind, dt));
    assert_eq!(machine.update(&asleep(made(0.004, 0, broken), sleep)), Commit);
}

/// Where all pieces fly, a step is as long as they are known to do so, up to a frame. With active pieces or contacts it is as long
/// as a block.
#[test]
fn sleeping_pieces_fly_far() {
    let mut machine = with_sleep();
    let free = |blocks: f64| SleepReport { work: Some(0.0), free: blocks / 16.0, ..SleepReport::default() };
    // a step begins where one of its length does
    for (dt, left) in
        [(1.0, 15.0), (1.0, 20.0), (2.0, 18.0), (4.0, 30.0), (8.0, 22.0), (16.0, 5.5), (4.0, 1.5), (1.0, 0.5)]
    {
        go_free(&mut machine, StepKind::Asleep, dt / 16.0, free(left), 0);
    }
    go(&mut machine, StepKind::Asleep, 1.0 / 16.0, 0.0, 0);
    (0..2).for_each(|_| go(&mut machine, StepKind::Asleep, 1.0 / 16.0, 0.05, 3));
}

/// Explicit steps follow where steps with sleeping pieces take more work than they do, and pieces fall asleep again once that
/// pays.
#[test]
fn active_worlds_take_explicit_steps() {
    let mut machine = with_sleep();
    go(&mut machine, StepKind::Asleep, 1.0 / 16.0, 1.1, 1);
    for (work, explicit) in [(Some(0.9), true), (None, true), (Some(0.1), false)] {
        for k in 0..400 {
            let kind = StepKind::Explicit { first: k == 0, last: k == 399 };
            assert_eq!(machine.next().kind, kind);
            let work = if k == 399 { work } else { None };
            let outcome = made(0.0, 0, usize::from(k == 5));
            assert_eq!(machine.update(&asleep(outcome, SleepReport { work, ..SleepReport::default() })), Commit);
        }
        assert_eq!(is_explicit(&machine), explicit, "{work:?}");
    }
    assert_eq!(machine.next().kind, StepKind::Asleep);
}

/// A failed block is left to explicit steps, which report the cause.
#[test]
fn a_block_that_fails_is_left_to_explicit_steps() {
    let mut machine = with_sleep();
    assert_eq!(machine.update(&Outcome::Failed), Retry);
    assert!(is_explicit(&machine));
    for halvings in 1..=6 {
        assert_eq!(machine.update(&Outcome::Failed), Retry);
        assert_eq!(machine.next().dt, 1.0 / 16.0 / 400.0 / f64::from(1 << halvings));
    }
    assert_eq!(machine.update(&Outcome::Failed), GiveUp);
}

/// Implicit steps follow where nothing broke or woke for four blocks and their work is less, by measurement or untried.
#[test]
fn implicit_steps_follow_where_they_pay() {
    let mut machine = with_sleep();
    go(&mut machine, StepKind::Asleep, 1.0 / 16.0, 0.6, 1);
    (0..4).for_each(|_| go(&mut machine, StepKind::Asleep, 1.0 / 16.0, 0.6, 0));
    let mut steps = 0;
    while machine.next().kind == StepKind::Implicit {
        // 10 of 400 explicit steps; asleep it would be a hundredth, but 0.6 was measured last
        go(&mut machine, StepKind::Implicit, 1.0 / 16.0, 0.01, 0);
        steps += 1;
    }
    assert!((40..100).contains(&steps), "{steps}");
    for work in [0.01, 0.6] {
        go(&mut machine, StepKind::Asleep, 1.0 / 16.0, work, 0);
    }
    assert_eq!(machine.next().kind, StepKind::Implicit);
}

/// Possible outcomes at any time.
fn outcomes() -> Vec<Outcome> {
    let reports = [
        StepReport::default(),
        StepReport { deviation: 0.006, ..Default::default() },
        StepReport { deviation: 1.0, ..Default::default() },
        StepReport { spurious_energy: 0.1, uses_history: true, ..Default::default() },
        StepReport { spurious_energy: 0.1, ..Default::default() },
        StepReport { max_newton_iterations: 9, newton_iterations: 40, cg_iterations: 900, ..Default::default() },
    ];
    let works = [None, Some(0.0), Some(0.01), Some(0.3), Some(0.75), Some(1.5)];
    let made = works.into_iter().flat_map(|work| {
        reports.into_iter().flat_map(move |report| {
            [0, 1, 100].map(|broken| {
                let free = if work == Some(0.0) { 0.3 } else { 0.0 };
                asleep(Outcome::Solved { report, broken }, SleepReport { work, woken: broken == 1, free })
            })
        })
    });
    std::iter::once(Outcome::Failed).chain(made).collect()
}

/// Maximum number of trials in a row that any outcomes let a machine drop. All of them are tried at each trial.
fn longest_retry(machine: &Machine, outcomes: &[Outcome], most: usize) -> usize {
    let mut seen: Vec<Machine> = vec![*machine];
    for attempts in 0..=most {
        let mut next: Vec<Machine> = Vec::new();
        let after = seen.iter().flat_map(|machine| outcomes.iter().map(|outcome| machine.after(outcome)));
        for (verdict, after) in after {
            if verdict == Retry && !next.contains(&after) {
                next.push(after);
            }
        }
        if next.is_empty() {
            return attempts;
        }
        seen = next;
    }
    most + 1
}

/// Every trial is committed, cut or given up. No outcomes make a machine drop more steps in a row than there are lengths, plus
/// one of each without history, and one for each kind of step.
#[test]
fn every_attempt_ends() {
    let outcomes = outcomes();
    for (name, start) in [("by turns", machine(2, false, 20)), ("with sleep", machine(4, true, 20))] {
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let histories = prop::collection::vec(0..outcomes.len(), 0..60);
        for _ in 0..200 {
            let history = histories.new_tree(&mut runner).expect("a history").current();
            let mut machine = start;
            for k in history {
                machine.update(&outcomes[k]);
                let longest = longest_retry(&machine, &outcomes, 32);
                assert!(longest <= 2 * 7 + 3, "{name}: {longest} attempts from {machine:?}");
            }
        }
    }
}
