//! Step control as a function of the outcomes of steps.

use bdem_core::integrate::{StepReport, stability};
use bdem_core::simulate::{ControlSettings, Outcome, Share, StepControl, StepPlan, Verdict};

use crate::common::scenes::{built, scene};

use Verdict::{Commit, GiveUp, Retry};

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
        explicit_substeps: None,
    };
    let mut control = StepControl::new(plan, &ControlSettings::default(), 1000);
    while control.step().dt != 0.5f64.powi(halved) {
        control.update(&if halved < 4 { made(0.001, 1, 0) } else { Outcome::Failed });
    }
    control
}

fn made(deviation: f64, max_newton_iterations: u32, broken: usize) -> Outcome {
    Outcome::Solved { report: StepReport { deviation, max_newton_iterations, ..Default::default() }, broken }
}

fn making(share: f64, uses_history: bool) -> Outcome {
    Outcome::Solved {
        report: StepReport { deviation: 0.004, spurious_energy: share, uses_history, ..Default::default() },
        broken: 0,
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

/// Each row: the halvings, the outcome of a step there, the decision, and the halvings of the next step.
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
    for (halvings, outcome, verdict, next) in table {
        let (found, after) = control(halvings).after(&outcome);
        assert_eq!(found, verdict, "{halvings}, {outcome:?}");
        assert_eq!(after.step().dt, 0.5f64.powi(next), "{halvings}, {outcome:?}");
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
        explicit_substeps: None,
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
        let (world, state) = built(&scene(&text, &[]));
        (Share::new(&world), stability::limit(&world, &state))
    };
    let soft =
        |young: &str| format!("[materials.soft]\ndensity = 2000.0\nyoung_modulus = {young}\npoisson_ratio = 0.25\n");
    let (alike, limit) = share(&soft("1e8"), true);
    assert!(alike.of_limit == 0.9 && alike.of_others < 0.9 * limit, "{alike:?} {limit}");
    let (softer, limit) = share(&soft("1e5"), true);
    assert!(softer.of_limit == 0.9 && limit > 0.0, "{softer:?} {limit}");
    assert!((softer.of_others / alike.of_others - 1.0).abs() < 1e-12, "the grain is the same: {softer:?} {alike:?}");
    let (alone, _) = share("", false);
    assert!(alone.of_limit == 0.25 && alone.of_others == f64::INFINITY, "{alone:?}");
}
