//! Runs that end before their last frame: what they leave, and the exit code.

use std::fs;

use bdem_run::output::RunState;
use bdem_run::output::ply::read_frame;

#[cfg(target_os = "linux")]
use std::process::Child;
#[cfg(unix)]
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::thread::sleep;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::cli::{Ended, is_result, wait_for};
use crate::cli::{UNBREAKABLE, Workplace, rows};

/// A body whose packing takes minutes.
pub(super) const PACKING: &str = r#"[scene]
name = "egg"

[time]
frame_rate = 24.0
frames = 2

[materials.clay]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2

[[bodies]]
name = "egg"
material = "clay"
particle_radius = 0.004
shape = { ellipsoid = { radii = [0.6, 0.5, 0.4] } }
packing = "random"
"#;

/// A brick that hits the floor, in steps of a thousand periods: each takes a second and more.
const LONG: &str = r#"[scene]
name = "brick"

[time]
frame_rate = 24.0
frames = 2
step = 0.04
integrator = "implicit-bdf2"

[materials.clay]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2
friction = 0.5

[[bodies]]
name = "brick"
material = "clay"
particle_radius = 0.01
shape = { box = { size = [0.45, 0.3, 0.3] } }
position = [0.0, 0.0, 0.16]
rotation = { axis = [0.0, 1.0, 0.0], degrees = 3.0 }
velocity = [0.3, 0.0, -1.0]

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = -0.03 } }
"#;

/// Starts the program, which is to be stopped.
#[cfg(unix)]
pub(super) fn start(place: &Workplace, words: &[&str]) -> std::process::Child {
    place.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Sends a signal to a program that it has to end by, and expects the exit code.
#[cfg(unix)]
pub(super) fn stop(child: std::process::Child, signal: &str, code: i32) -> Ended {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let ended: Ended = child.wait_with_output().expect("the program ends").into();
    ended.expect(code);
    ended.expect_error(&[&format!("error: stopped by signal {}", code - 128), "written so far are whole"]);
    ended
}

/// Starts a run that would take hours, sends it a signal after its first frame, and expects the exit code.
#[cfg(unix)]
fn interrupted_by(signal: &str, code: i32) {
    let place = Workplace::new();
    let child = start(&place, &["simulate", "scene.toml", "-o", "run", "--frames", "1000000", "--quiet"]);
    wait_for(&place.path("run/ply/plate.0000001.ply"));
    stop(child, signal, code);

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

#[cfg(target_os = "linux")]
#[test]
fn a_run_stops_at_sighup() {
    interrupted_by("-HUP", 129);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_ignores_sighup_goes_on() {
    let place = Workplace::new();
    let script = "trap '' HUP; exec \"$BDEM\" simulate scene.toml -o run --frames 1000000 --quiet";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).current_dir(place.path("")).env("BDEM", env!("CARGO_BIN_EXE_bdem"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell");
    wait_for(&place.path("run/ply/plate.0000001.ply"));
    let sent = std::process::Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    // signals of the lowest number come first
    stop(child, "-TERM", 143);
}

/// The step is left, and made again by the run that goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_run_stops_within_a_long_step() {
    let place = Workplace::with(LONG);
    let begun = Instant::now();
    place.simulate("whole", &["--quiet"]);
    let whole = begun.elapsed();
    for (share, signal, code) in [(0.0, "-TERM", 143), (0.1, "-INT", 130), (0.3, "-TERM", 143)] {
        let run = format!("run{share}");
        let words = ["simulate", "scene.toml", "-o", &run, "--resume", "--quiet"];
        let child = start(&place, &words);
        wait_for(&place.path(&format!("{run}/ply/brick.0000.ply")));
        sleep(whole.mul_f64(share));
        stop(child, signal, code);
        let record = place.record(&run);
        // a busy machine may have come a frame further
        assert_eq!(record.state, RunState::Interrupted);
        assert!(place.path(&format!("{run}/checkpoints/brick.{:04}.ckpt", record.frames)).exists());

        place.run(&words).expect(0);
        for file in place.files("whole").iter().filter(|file| is_result(file)) {
            let [whole, broken] = ["whole", &run].map(|run| fs::read(place.path(run).join(file)).expect("a file"));
            assert_eq!(whole, broken, "{file} after {share} of the run");
        }
    }
}

/// Charges in a field of so many grid points that it takes seconds.
#[cfg(target_os = "linux")]
const FIELD: &str = r#"[scene]
name = "cloud"

[time]
frame_rate = 24.0
frames = 2
integrator = "explicit-verlet"

[materials.dust]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2

[[bodies]]
name = "cloud"
material = "dust"
particle_radius = 0.01
shape = { box = { size = [0.2, 0.2, 0.2] } }

[[charges]]
body = "cloud"
charge = 1e-9

[field]
method = "ddef"
points = 30000
"#;

/// A field that is cut short has no part in a step.
#[cfg(target_os = "linux")]
#[test]
fn a_run_stops_within_a_long_field() {
    let place = Workplace::with(FIELD);
    let child = start(&place, &["simulate", "scene.toml", "-o", "run", "--quiet"]);
    wait_for(&place.path("run/ply/cloud.0000.ply"));
    sleep(Duration::from_millis(300));
    stop(child, "-TERM", 143);
    let record = place.record("run");
    assert_eq!((record.state, record.frames), (RunState::Interrupted, 0));
    assert!(place.path("run/checkpoints/cloud.0000.ckpt").exists());
}

/// Waits until a program listens to signals, and some milliseconds more.
#[cfg(target_os = "linux")]
fn wait_until_it_listens(child: &Child, milliseconds: u64) {
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process that is not reaped");
        assert!(!status.contains("State:\tZ"), "it ended before it listened");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?.trim().to_owned();
        // signals count from one, and SIGTERM is 15
        Some(u64::from_str_radix(&caught, 16).ok()? & (1 << 14) != 0)
    };
    while listens() != Some(true) {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(milliseconds));
}

#[cfg(target_os = "linux")]
#[test]
fn a_scene_that_is_being_packed_stops() {
    let place = Workplace::with(PACKING);
    for (words, signal, code) in
        [(&["simulate", "scene.toml", "-o", "run"][..], "-TERM", 143), (&["check", "scene.toml"], "-INT", 130)]
    {
        let child = start(&place, words);
        wait_until_it_listens(&child, 300);
        stop(child, signal, code);
        assert_eq!(place.files("run").into_iter().collect::<Vec<_>>(), ["run.json"], "no frame, and no lock");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_check_stops_within_a_long_step() {
    let place = Workplace::with(&LONG.replace("radius = 0.01", "radius = 0.004"));
    let child = start(&place, &["check", "scene.toml"]);
    wait_until_it_listens(&child, 1500);
    let ended = stop(child, "-TERM", 143);
    assert_eq!(ended.out, "");
}

/// A run that was stopped before goes on: its folder is locked while its scene is packed.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_resumed_stops_while_it_is_packed_and_leaves_no_lock() {
    let place = Workplace::with(PACKING);
    fs::create_dir_all(place.path("run")).expect("a folder");
    fs::write(place.path("run/run.json"), "{}").expect("a record of nothing");
    let child = start(&place, &["simulate", "scene.toml", "-o", "run", "--resume"]);
    wait_for(&place.path("run/.lock"));
    sleep(Duration::from_millis(300));
    stop(child, "-TERM", 143);
    assert_eq!(place.files("run").into_iter().collect::<Vec<_>>(), ["run.json"]);
}

/// What makes a file of each frame stops amid one, and leaves no part of it.
#[cfg(target_os = "linux")]
#[test]
fn what_makes_files_of_frames_stops() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1", "--quiet"]);
    for frame in 2..500 {
        let [from, to] = [1, frame].map(|frame| place.path(&format!("run/ply/plate.{frame:04}.ply")));
        fs::copy(from, to).expect("space for a frame");
    }
    for words in [&["convert", "run", "--to", "ply"][..], &["render", "run"], &["render", "run", "--surface"]] {
        let child = start(&place, words);
        // some of the 500 frames: a fast machine converts them all within 700 ms
        wait_until_it_listens(&child, 100);
        stop(child, "-TERM", 143);
        for file in place.files("run") {
            assert!(!file.ends_with(".part"), "{words:?} leaves {file}");
        }
    }
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
