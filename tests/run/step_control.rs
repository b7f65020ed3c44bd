//! Step control as a function of the outcomes of steps.

use std::path::Path;

use bdem_core::integrate::{StepKind, StepReport, stability};
use bdem_core::simulate::{ControlSettings, ExplicitBlock, Outcome, Share, StepControl, StepPlan, Verdict};
use bdem_run::scene::Scene;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use Verdict::{Commit, GiveUp, Retry};

/// Steps of half the limit.
const HALF: Share = Share { of_limit: 0.5, of_grains: f64::INFINITY };

/// Control of steps from a second down to a 16th by choice, and to a 64th at most, in a world of 1000 bonds. The next step is a
/// second halved this number of times.
fn control(halved: i32) -> StepControl {
    let plan = StepPlan {
        step: 1.0,
        per_frame: 1,
        finest: 4,
        deepest: 6,
        runaway: 5,
        limit: None,
        field_share: 0.05,
        explicit_block: None,
    };
    let mut control = StepControl::new(plan, &ControlSettings::default(), 1000);
    while control.step().dt != 0.5f64.powi(halved) {
        control.update(&if halved < 4 { made(0.001, 1, 0) } else { Outcome::Failed });
    }
    control
}

fn made(deviation: f64, max_newton_iterations: u32, broken: usize) -> Outcome {
    Outcome::Solved {
        report: StepReport { deviation, max_newton_iterations, ..Default::default() },
        broken,
        lightly_loaded: false,
    }
}

fn making(share: f64, uses_history: bool) -> Outcome {
    Outcome::Solved {
        report: StepReport { deviation: 0.004, spurious_energy: share, uses_history, ..Default::default() },
        broken: 0,
        lightly_loaded: false,
    }
}

/// A step with spurious energy is repeated without history if it had one, then at shorter lengths, and finally committed.
#[test]
fn a_step_of_spurious_energy_drops_its_history_and_is_cut() {
    let mut control = control(5);
    let tries = [(true, Retry, 5, true), (false, Retry, 6, true), (false, Commit, 6, false)];
    for (uses_history, verdict, halved, drop_history) in tries {
        assert_eq!(control.update(&making(0.01, uses_history)), verdict);
        assert_eq!((control.step().dt, control.step().drop_history), (0.5f64.powi(halved), drop_history));
    }
}

/// Each row: the level, the outcome of a step there, the decision, and the level of the next step.
#[test]
fn what_follows_from_what() {
    // the limits: 0.005 radii, 2 broken bonds of a step that is not the shortest, 32 of any
    let (easy, fair, off, far) = (0.001, 0.004, 0.006, 0.03);
    let table = [
        // an easy step grows where a longer one fits: at the start of two of its length it does not
        (0, made(easy, 1, 0), Commit, 0),
        (4, made(easy, 1, 0), Commit, 4),
        // a step of large deviation or many iterations is followed by a shorter one; the shortest stays
        (2, made(off, 1, 0), Commit, 3),
        (2, made(fair, 7, 0), Commit, 3),
        (4, made(off, 9, 0), Commit, 4),
        // repeated because of its deviation, shorter in proportion, but no shorter than by choice
        (2, made(far, 1, 0), Retry, 4),
        (0, made(far, 1, 0), Retry, 3),
        (4, made(far, 1, 0), Commit, 4),
        // it breaks too much
        (2, made(fair, 1, 3), Retry, 3),
        (2, made(fair, 1, 2), Commit, 2),
        (4, made(fair, 1, 32), Commit, 4),
        (4, made(fair, 1, 33), Retry, 5),
        (5, made(fair, 1, 33), Commit, 5),
        // spurious energy: repeated without history at the same length, or shorter if it had none
        (2, making(0.01, true), Retry, 2),
        (2, making(0.01, false), Retry, 3),
        (2, making(0.002, true), Commit, 2),
        // it fails
        (0, Outcome::Failed, Retry, 1),
        (5, Outcome::Failed, Retry, 6),
        (6, Outcome::Failed, GiveUp, 6),
    ];
    for (level, outcome, verdict, next) in table {
        let (found, after) = control(level).after(&outcome);
        assert_eq!(found, verdict, "{level}, {outcome:?}");
        assert_eq!(after.step().dt, 0.5f64.powi(next), "{level}, {outcome:?}");
        assert_eq!(after.step().is_retry, verdict != Commit);
    }
}

#[test]
fn steps_grow_back_where_the_longer_one_fits() {
    let mut control = control(4);
    let mut taken = Vec::new();
    while taken.is_empty() || !control.is_at_nominal() {
        taken.push(control.step().dt);
        assert_eq!(control.update(&made(0.001, 1, 0)), Commit);
    }
    let sixteenth = 1.0 / 16.0;
    assert_eq!(taken, [1.0, 1.0, 2.0, 4.0, 8.0].map(|k| k * sixteenth));
    // a cut that was forced grows back at once
    control = self::control(4);
    assert_eq!(control.update(&Outcome::Failed), Retry);
    for _ in 0..2 {
        assert_eq!(control.step().dt, 0.5 * sixteenth);
        assert_eq!(control.update(&made(0.004, 9, 1)), Commit);
    }
    assert_eq!(control.step().dt, sixteenth);
}

/// Steps of a second down to a quarter, for which explicit steps may stand, in a world of 1000 bonds.
fn begun_by_turns() -> StepControl {
    let explicit_block = Some(ExplicitBlock { level: 2, share: HALF, sleeps: false, estimate: 7 });
    let plan = StepPlan {
        step: 1.0,
        per_frame: 1,
        finest: 2,
        deepest: 2,
        runaway: 2,
        limit: None,
        field_share: 0.05,
        explicit_block,
    };
    StepControl::new(plan, &ControlSettings::default(), 1000)
}

fn is_explicit(control: &StepControl) -> bool {
    control.step().kind != StepKind::Implicit
}

/// The same after its first four blocks of explicit steps, in which nothing broke.
fn by_turns() -> StepControl {
    let mut control = begun_by_turns();
    (0..4).for_each(|_| take_block(&mut control, 0.001, 0));
    assert!(!is_explicit(&control));
    control
}

/// What begins may be a wave, which an implicit step would damp.
#[test]
fn the_first_blocks_are_explicit_where_nothing_sleeps() {
    let mut control = begun_by_turns();
    for _ in 0..4 {
        assert!(is_explicit(&control));
        take_block(&mut control, 0.001, 0);
    }
    assert!(!is_explicit(&control));
}

/// Makes a block of explicit steps, ten by the limit. The last has this deviation, and each breaks this number of bonds.
fn take_block(control: &mut StepControl, deviation: f64, broken: usize) {
    if control.asks_for_limit() {
        assert_eq!(control.step().dt, 0.25 / 7.0);
        control.set_limit(0.05);
    }
    for k in 0..10 {
        let step = control.step();
        assert_eq!((step.dt, step.kind), (0.025, StepKind::Explicit { first: k == 0, last: k == 9 }));
        assert!(k == 0 || !control.is_at_nominal());
        let deviation = if k == 9 { deviation } else { 0.0 };
        assert_eq!(control.update(&made(deviation, 0, broken)), Commit);
    }
}

/// A shortest implicit step that is not acceptable is replaced by explicit steps.
#[test]
fn explicit_steps_take_over() {
    let slips = [made(0.001, 1, 1), made(0.02, 1, 0), making(0.01, false), Outcome::Failed];
    for slip in slips {
        let mut control = by_turns();
        assert!(!is_explicit(&control) && control.step().dt == 0.25);
        assert_eq!(control.update(&slip), Retry, "{slip:?}");
        assert!(is_explicit(&control), "{slip:?}");
    }
    // a longer step is cut first
    let mut control = by_turns();
    (0..2).for_each(|_| assert_eq!(control.update(&made(0.001, 1, 0)), Commit));
    assert_eq!(control.step().dt, 0.5);
    assert_eq!(control.update(&made(0.001, 1, 1)), Retry);
    assert!(!is_explicit(&control) && control.step().dt == 0.25);
}

/// ... as is one that takes more work than they do: two blocks of seven steps and more in two steps, each of the work of
/// fifteen.
#[test]
fn expensive_steps_end_their_turn() {
    for (newton_iterations, ends) in [(0, false), (4, true)] {
        let mut control = by_turns();
        for _ in 0..2 {
            assert!(!is_explicit(&control));
            let report = StepReport { deviation: 0.004, newton_iterations, ..Default::default() };
            assert_eq!(control.update(&Outcome::Solved { report, broken: 0, lightly_loaded: false }), Commit);
        }
        assert_eq!(is_explicit(&control), ends);
    }
}

/// A few weak bonds that break in a lightly loaded world are no running crack.
#[test]
fn a_trickle_ends_no_turn() {
    let breaking = |broken, lightly_loaded| Outcome::Solved { report: StepReport::default(), broken, lightly_loaded };
    let control = || {
        let explicit_block = Some(ExplicitBlock { level: 0, share: HALF, sleeps: false, estimate: 10 });
        let plan = StepPlan {
            step: 1.0,
            per_frame: 1,
            finest: 0,
            deepest: 0,
            runaway: 0,
            limit: None,
            field_share: 0.05,
            explicit_block,
        };
        let mut control = StepControl::new(plan, &ControlSettings::default(), 8000);
        control.set_limit(0.2);
        (0..40).for_each(|_| assert_eq!(control.update(&breaking(0, false)), Commit));
        control
    };
    for (broken, asks, lightly_loaded, runs) in
        [(0, false, false, false), (2, true, true, false), (2, true, false, true), (3, false, true, true)]
    {
        let mut control = control();
        assert_eq!(control.asks_for_load(broken), asks);
        control.update(&breaking(broken, lightly_loaded));
        assert_eq!(is_explicit(&control), runs, "{broken} {lightly_loaded}");
    }
    // the sum over a block of ten counts, at its end
    for (last, asks) in [(0, true), (1, true), (2, false)] {
        let mut control = control();
        control.update(&Outcome::Failed);
        control.set_limit(0.2);
        for k in 0..9 {
            assert!(!control.asks_for_load(1));
            control.update(&breaking(usize::from(k == 3), false));
        }
        assert_eq!(control.asks_for_load(last), asks);
    }
}

/// Implicit steps are tried again after eight blocks without a crack, because this turn did not pay; after twice that the next
/// time.
#[test]
fn implicit_steps_come_back() {
    let mut control = by_turns();
    for wait in [8, 16, 32, 64, 64] {
        assert_eq!(control.update(&Outcome::Failed), Retry);
        take_block(&mut control, 0.001, 1);
        for _ in 0..wait {
            assert!(is_explicit(&control));
            take_block(&mut control, 0.001, 0);
        }
        assert!(!is_explicit(&control) && control.step().dt == 0.25, "{wait}");
    }
    // not where they would deviate too far
    assert_eq!(control.update(&Outcome::Failed), Retry);
    (0..70).for_each(|_| take_block(&mut control, 0.006, 0));
    assert!(is_explicit(&control));
    take_block(&mut control, 0.004, 0);
    assert!(!is_explicit(&control));
}

/// A nominal step is complete where its blocks are.
#[test]
fn blocks_fill_a_nominal_step() {
    let mut control = by_turns();
    assert_eq!(control.update(&Outcome::Failed), Retry);
    for k in 1..=8 {
        take_block(&mut control, 0.001, 1);
        assert_eq!(control.is_at_nominal(), k % 4 == 0);
    }
}

/// Explicit steps are halved while they must be, down to an eighth here, and grow where they fit.
#[test]
fn explicit_steps_are_shortened_until_they_are_allowed() {
    let mut plan = StepPlan {
        step: 1.0,
        per_frame: 1,
        finest: 0,
        deepest: 3,
        runaway: 0,
        limit: None,
        field_share: 0.05,
        explicit_block: None,
    };
    let mut control = StepControl::new(plan, &ControlSettings::default(), 0);
    for (allowed, dt) in [(1.0, 1.0), (0.3, 0.25), (1.0, 0.25), (1.0, 0.5), (0.01, 0.125)] {
        control.shorten(|dt| dt <= allowed);
        assert_eq!(control.step().dt, dt);
        assert_eq!(control.update(&made(0.0, 0, 0)), Commit);
    }
    plan.deepest = 0;
    let mut control = StepControl::new(plan, &ControlSettings::default(), 0);
    control.shorten(|_| false);
    assert_eq!(control.step().dt, 1.0);
}

/// A block, or what is left of it, is divided where its steps are too long, and the next one anew.
#[test]
fn blocks_are_divided_for_shorter_steps() {
    let mut control = by_turns();
    assert_eq!(control.update(&Outcome::Failed), Retry);
    control.set_limit(0.05);
    for (allowed, count) in [(0.02, 20), (0.02, 20), (1.0, 10), (0.007, 40)] {
        for k in 0..count {
            control.shorten(|dt| dt <= allowed);
            let (first, last) = (k == 0, k + 1 == count);
            let step = control.step();
            assert_eq!((step.dt, step.kind), (0.25 / f64::from(count), StepKind::Explicit { first, last }));
            control.update(&made(0.0, 0, 1));
        }
    }
    // ten steps of 0.025 s, of which the last seven become fourteen
    for k in 0..17 {
        control.shorten(|dt| dt <= if k < 3 { 0.03 } else { 0.02 });
        let dt = 0.25 / if k < 3 { 10.0 } else { 20.0 };
        let (first, last) = (k == 0, k == 16);
        assert_eq!((control.step().dt, control.step().kind), (dt, StepKind::Explicit { first, last }));
        control.update(&made(0.0, 0, 1));
    }
}

/// Steps of a second down to a 16th, whose pieces may sleep.
fn with_sleep() -> StepControl {
    let explicit_block = Some(ExplicitBlock { level: 4, share: HALF, sleeps: true, estimate: 7 });
    let plan = StepPlan {
        step: 1.0,
        per_frame: 1,
        finest: 4,
        deepest: 4,
        runaway: 4,
        limit: None,
        field_share: 0.05,
        explicit_block,
    };
    StepControl::new(plan, &ControlSettings::default(), 1000)
}

/// A step with sleeping pieces of this share of the work of explicit ones, or before such steps.
fn asleep(work: f64, broken: usize) -> Outcome {
    Outcome::Solved {
        report: StepReport { asleep_work: Some(work), ..Default::default() },
        broken,
        lightly_loaded: false,
    }
}

/// A step of a kind and a length, and its outcome and decision.
fn go(control: &mut StepControl, kind: StepKind, dt: f64, outcome: &Outcome, verdict: Verdict) {
    assert_eq!((control.step().kind, control.step().dt), (kind, dt), "{outcome:?}");
    assert_eq!(control.update(outcome), verdict, "{outcome:?}");
}

const BLOCK: StepKind = StepKind::Asleep { far: false };
const FLIGHT: StepKind = StepKind::Asleep { far: true };

/// Work of a step without active pieces.
const FLIES: f64 = 0.0;

/// Where all pieces fly, steps grow up to a frame. With active pieces or possible contacts they are as long as a block.
#[test]
fn sleeping_pieces_fly_far() {
    let mut control = with_sleep();
    control.set_limit(1.0 / 160.0);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(FLIES, 0), Commit);
    for dt in [1.0, 2.0, 4.0, 8.0].map(|k| k / 16.0) {
        go(&mut control, FLIGHT, dt, &asleep(FLIES, 0), Commit);
    }
    assert!(control.is_at_nominal());
    go(&mut control, FLIGHT, 1.0, &Outcome::Failed, Retry);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(0.05, 3), Commit);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(0.05, 3), Commit);
}

/// Explicit steps follow where nearly all pieces are active, and pieces fall asleep again once that pays.
#[test]
fn active_worlds_take_explicit_steps() {
    let mut control = with_sleep();
    control.set_limit(1.0 / 160.0);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(0.9, 1), Commit);
    for (last, next) in [(asleep(0.9, 1), true), (made(0.0, 0, 1), true), (asleep(0.1, 1), false)] {
        for k in 0..20 {
            let kind = StepKind::Explicit { first: k == 0, last: k == 19 };
            let outcome = if k == 19 { last } else { made(0.0, 0, 0) };
            go(&mut control, kind, 1.0 / 320.0, &outcome, Commit);
        }
        assert_eq!(matches!(control.step().kind, StepKind::Explicit { .. }), next, "{last:?}");
    }
    assert_eq!(control.step().kind, BLOCK);
}

/// A failed block is left to explicit steps, which report the cause.
#[test]
fn a_block_that_fails_is_left_to_explicit_steps() {
    let mut control = with_sleep();
    control.set_limit(1.0 / 160.0);
    go(&mut control, BLOCK, 1.0 / 16.0, &Outcome::Failed, Retry);
    assert!(matches!(control.step().kind, StepKind::Explicit { .. }));
    for halvings in 1..=6 {
        assert_eq!(control.update(&Outcome::Failed), Verdict::Retry);
        control.shorten(|_| true);
        assert_eq!(control.step().dt, 1.0 / 320.0 / f64::from(1 << halvings));
    }
    assert_eq!(control.update(&Outcome::Failed), Verdict::GiveUp);
}

/// An explicit step that fails is halved, with what is left of its block. The next block has the usual steps.
#[test]
fn failed_explicit_steps_are_halved_within_their_block() {
    let mut control = by_turns();
    assert_eq!(control.update(&Outcome::Failed), Retry);
    control.set_limit(0.05);
    for k in 0..17 {
        if k == 3 {
            assert_eq!(control.update(&Outcome::Failed), Retry);
        }
        control.shorten(|_| true);
        assert_eq!(control.step().dt, 0.25 / if k < 3 { 10.0 } else { 20.0 });
        assert_eq!(control.update(&made(0.0, 0, 1)), Commit);
    }
    assert_eq!((control.step().dt, control.step().kind), (0.025, StepKind::Explicit { first: true, last: false }));
}

/// Implicit steps follow where nothing breaks and their work is less than that of active pieces, by measurement or by
/// assumption. One without iterations has the work of five explicit steps, and a block has forty. The measured work of steps
/// with sleeping pieces decays.
#[test]
fn implicit_steps_follow_where_they_pay() {
    let mut control = with_sleep();
    control.set_limit(1.0 / 320.0);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(0.6, 1), Commit);
    go(&mut control, BLOCK, 1.0 / 16.0, &asleep(0.6, 0), Commit);
    // the deviation keeps the next step from growing
    let report = StepReport { asleep_work: Some(0.05), deviation: 0.004, ..Default::default() };
    let implicit = Outcome::Solved { report, broken: 0, lightly_loaded: false };
    let mut steps = 0;
    while control.step().kind == StepKind::Implicit {
        go(&mut control, StepKind::Implicit, 1.0 / 16.0, &implicit, Commit);
        steps += 1;
    }
    assert!((10..60).contains(&steps), "{steps}");
    for (work, broken, kind) in [(0.1, 0, BLOCK), (0.6, 1, BLOCK), (0.6, 0, StepKind::Implicit)] {
        go(&mut control, BLOCK, 1.0 / 16.0, &asleep(work, broken), Commit);
        assert_eq!(control.step().kind, kind, "{work} {broken}");
    }
}

/// Possible outcomes at any time.
fn outcomes() -> Vec<Outcome> {
    let works = [None, Some(0.0), Some(0.01), Some(0.3), Some(0.75), Some(1.5)];
    let reports = works.into_iter().flat_map(|asleep_work| {
        let report = StepReport { asleep_work, ..Default::default() };
        [
            report,
            StepReport { deviation: 0.006, ..report },
            StepReport { deviation: 1.0, ..report },
            StepReport { spurious_energy: 0.1, uses_history: true, ..report },
            StepReport { spurious_energy: 0.1, uses_history: false, ..report },
            StepReport { max_newton_iterations: 9, newton_iterations: 40, cg_iterations: 900, ..report },
        ]
    });
    let made = reports.flat_map(|report| {
        [(0, false), (1, true), (1, false), (100, false)].map(|(broken, lightly_loaded)| Outcome::Solved {
            report,
            broken,
            lightly_loaded,
        })
    });
    std::iter::once(Outcome::Failed).chain(made).collect()
}

/// Maximum number of trials in a row that any outcomes let a control drop. All of them are tried at each trial.
fn longest_retry(control: &StepControl, outcomes: &[Outcome], most: usize) -> usize {
    let mut seen: Vec<StepControl> = vec![*control];
    for attempts in 0..=most {
        let mut next: Vec<StepControl> = Vec::new();
        for (verdict, after) in seen.iter().flat_map(|control| outcomes.iter().map(|outcome| control.after(outcome))) {
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

/// Every trial is committed, cut or given up. No outcomes make a control drop more steps in a row than there are lengths, plus
/// one of each without history, and one for each kind of step.
#[test]
fn every_attempt_ends() {
    let outcomes = outcomes();
    for (name, start) in [("by lengths", control(0)), ("by turns", begun_by_turns()), ("with sleep", with_sleep())] {
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let histories = prop::collection::vec(0..outcomes.len(), 0..60);
        for _ in 0..200 {
            let history = histories.new_tree(&mut runner).expect("a history").current();
            let mut control = start;
            for k in history {
                if control.asks_for_limit() {
                    control.set_limit(0.05);
                }
                control.update(&outcomes[k]);
                let longest = longest_retry(&control, &outcomes, 32);
                assert!(longest <= 2 * 7 + 3, "{name}: {longest} attempts from {control:?}");
            }
        }
    }
}

/// One grain beside a block takes steps of 0.9 of the limit, which the block's bonds set, and no longer ones than its own
/// contact allows, whatever the block is made of. Grains alone take half of the limit.
#[test]
fn a_grain_shortens_steps_where_its_bounce_asks_for_it() {
    let share = |materials: &str, block: bool| {
        let mut text = format!(
            "[scene]\nname = \"g\"\n[time]\nframe_rate = 50.0\nframes = 1\n[materials.hard]\ndensity = 2000.0\nyoung_modulus = 1e8\n\
             poisson_ratio = 0.25\n{materials}[[bodies]]\nname = \"grain\"\nmaterial = \"hard\"\nparticle_radius = 0.005\nbonded = false\n\
             shape = {{ box = {{ size = [0.012, 0.012, 0.012] }} }}\nposition = [0.0, 0.0, 0.5]\n"
        );
        if block {
            text += "[[bodies]]\nname = \"block\"\nmaterial = \"soft\"\nparticle_radius = 0.005\nshape = { box = { size = [0.05, 0.05, 0.05] } }\n";
        }
        let scene = Scene::parse(Path::new("g.toml"), &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let (world, state) = scene.build().expect("a scene");
        (
            StepPlan::new(&scene.simulation_settings(), &world, &state).explicit_block.expect("auto").share,
            stability::limit(&world, &state),
        )
    };
    let soft =
        |young: &str| format!("[materials.soft]\ndensity = 2000.0\nyoung_modulus = {young}\npoisson_ratio = 0.25\n");
    let (alike, limit) = share(&soft("1e8"), true);
    assert!(alike.of_limit == 0.9 && alike.of_grains < 0.9 * limit, "{alike:?} {limit}");
    let (softer, limit) = share(&soft("1e5"), true);
    assert!(softer.of_limit == 0.9 && limit > 0.0, "{softer:?} {limit}");
    assert!((softer.of_grains / alike.of_grains - 1.0).abs() < 1e-12, "the grain is the same: {softer:?} {alike:?}");
    let (alone, _) = share("", false);
    assert!(alone.of_limit == 0.25 && alone.of_grains == f64::INFINITY, "{alone:?}");
}
