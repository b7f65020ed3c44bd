//! Runs that end before their last frame: what they leave, and the exit code.

use std::process::{Command, Stdio};

use bdem::output::RunState;
use bdem::output::ply::read_frame;

use crate::cli::{UNBREAKABLE, Workplace, rows, wait_for};

/// Starts a run that would take hours, sends it a signal after its first frame, and expects the exit code.
#[cfg(unix)]
fn interrupted_by(signal: &str, code: i32) {
    let place = Workplace::new();
    let mut command = place.command(&["simulate", "scene.toml", "-o", "run", "--frames", "1000000", "--quiet"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for(&place.path("run/ply/plate.0000001.ply"));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
    let ended: crate::cli::Ended = child.wait_with_output().expect("the program ends").into();
    ended.expect(code);
    ended.expect_error(&["error: stopped by signal", "the frames written so far are whole"]);

    let record = place.record("run");
    assert_eq!((record.state, record.error), (RunState::Interrupted, None));
    assert!(place.path(&format!("run/checkpoints/plate.{:07}.ckpt", record.frames)).exists());
    assert_eq!(rows(&place.read("run/metrics.csv")).len() as u32, record.frames + 1);
    for frame in 0..=record.frames {
        read_frame(&place.path(&format!("run/ply/plate.{frame:07}.ply"))).expect("a whole frame");
    }
}

#[cfg(unix)]
#[test]
fn a_run_stops_at_sigint() {
    interrupted_by("-INT", 130);
}

#[cfg(unix)]
#[test]
fn a_run_stops_at_sigterm() {
    interrupted_by("-TERM", 143);
}

/// Runs a scene that the solver gives up on; returns the number of frames before.
fn gives_up(options: &[&str], fragments: &[&str]) -> u32 {
    let place = Workplace::new();
    let ended = place.run(&[&["simulate", "scene.toml", "-o", "run"], options].concat());
    ended.expect(4);
    ended.expect_error(&["error: the solver gave up at "]);
    ended.expect_error(fragments);

    let record = place.record("run");
    assert_eq!(record.state, RunState::Failed);
    assert!(ended.err.contains(&record.error.expect("the record says why")));
    for frame in 0..=record.frames {
        read_frame(&place.path(&format!("run/ply/plate.{frame:04}.ply"))).expect("a whole frame");
    }
    record.frames
}

#[test]
fn an_explicit_step_far_above_the_limit_is_given_up() {
    let step = ["--integrator", "explicit-verlet", "--set", "time.step={ periods = 1.2 }"];
    let fragments =
        ["the explicit step ", " s is beyond the stable limit ", "; try time.step = { limit = 0.9 } or shorter"];
    let frames = gives_up(&[&step, &UNBREAKABLE[..]].concat(), &fragments);
    assert_eq!(frames, 0, "before anything is amiss");
    gives_up(&step, &fragments);
}

#[test]
fn an_explicit_step_at_the_limit_is_made() {
    let options = ["--integrator", "explicit-verlet", "--frames", "1", "--set", "time.step={ limit = 1.0 }"];
    Workplace::new().simulate("run", &options);
}

/// The usual step is a fifth of a period T, which knows nothing of contacts as stiff as these.
#[test]
fn a_step_beyond_the_limit_of_contacts_is_given_up() {
    let stiff = ["--integrator", "explicit-verlet", "--set", "contact.stiffness=1e8"];
    let frames = gives_up(&[&stiff, &UNBREAKABLE[..]].concat(), &["is beyond the stable limit ", "limit = 0.9"]);
    assert_eq!(frames, 0, "before anything is amiss");
}

#[test]
fn a_newton_that_may_not_iterate_is_given_up() {
    let settings = [
        "time.integrator=implicit-bdf2",
        "solver.newton_iterations=1",
        "time.control.halvings=0",
        "solver.newton_tolerance=1e-14",
        "time.step=1e-3",
    ];
    let options: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
    gives_up(&options, &["Newton did not converge in 1 iterations", "time.control.halvings"]);
}
