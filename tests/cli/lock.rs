//! Two runs and one output folder.

use std::process::{Child, Stdio};

use crate::cli::{Workplace, wait_for};

/// A run that takes hours, past its first frame.
fn long_run(place: &Workplace) -> Child {
    let words = ["simulate", "scene.toml", "-o", "run", "--frames", "1000000", "--threads", "1", "--quiet"];
    let child = place.command(&words).stderr(Stdio::null()).spawn().expect("the program starts");
    wait_for(&place.path("run/ply/plate.0000001.ply"));
    child
}

#[test]
fn a_second_run_is_refused_until_the_first_is_dead() {
    let place = Workplace::new();
    let mut first = long_run(&place);
    for more in [&[][..], &["--overwrite"]] {
        let second = place.run(&[&["simulate", "scene.toml", "-o", "run"], more].concat());
        second.expect(2);
        second.expect_error(&["error: run is locked by a run, process ", &first.id().to_string(), "--output"]);
    }
    assert!(place.path("run/ply/plate.0000001.ply").exists(), "what is running is not removed");

    first.kill().expect("SIGKILL");
    first.wait().expect("it is dead");
    assert!(place.path("run/.lock").exists(), "it had no time to tidy up");
    place.simulate("run", &["--overwrite", "--frames", "1"]);
    assert!(!place.path("run/.lock").exists());
}
