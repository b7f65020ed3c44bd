//! What a user can get wrong: the exit code, and what the message says.

use std::fs;

use crate::cli::{COMMANDS, PLATE, Workplace};

/// An edit of the good scene, and what the message must say: the line, and what is wrong.
type Case = (&'static str, &'static str, &'static [&'static str]);

const SCENES: &[Case] = &[
    ("frames = 3", "frames = = 3", &["scene.toml:6:", "6 | frames = = 3"]),
    ("frames = 3", "framess = 3", &["scene.toml:6:1: unknown key `framess`", "did you mean `frames`?"]),
    ("frames = 3", "frames = 1000000000000", &["scene.toml:6:10:", "1000000000000"]),
    ("frames = 3", "frames = 0", &["scene.toml:6:10: frames is 0, but must be at least 1"]),
    ("radius = 0.003", "radius = -0.003", &["scene.toml:21:19: particle_radius is -0.003", "a positive number"]),
    ("radius = 0.003", "radius = nan", &["scene.toml:21:19: particle_radius is NaN"]),
    ("radius = 0.003", "radius = 0.01", &["scene.toml:22:", "thinner than one particle"]),
    ("radius = 0.003", "radius = 1e-6", &["scene.toml:21:19:", "more than the limit of 5e7"]),
    (
        "ratio = 0.25",
        "ratio = -0.9999999999999",
        &["scene.toml:11:17: poisson_ratio is -0.9999999999999, by which the bonds' shear modulus is 4.99", "from -1"],
    ),
    ("-5.0]", "nan]", &["scene.toml:25:12: velocity is [0.0, 0.0, NaN]"]),
    ("\"ceramic\"", "\"pewter\"", &["scene.toml:20:12: there is no material \"pewter\"", "these materials: ceramic"]),
    ("density = 2600.0\n", "", &["scene.toml:8:1: missing key `density`"]),
    ("0.02]", "0.001]", &["scene.toml:23:12: body \"plate\" is", "deep in collider 0"]),
    (
        "[[colliders]]",
        "[[bodies]]\nname = \"second\"\nmaterial = \"ceramic\"\nparticle_radius = 0.003\n\
         shape = { sphere = { radius = 0.02 } }\nposition = [0.0, 0.0, 0.02]\n\n[[colliders]]",
        &["scene.toml:27:1: body \"second\" overlaps body \"plate\""],
    ),
];

/// Words of a command line, and the exit code and what the message says.
const COMMAND_LINES: &[(&[&str], i32, &[&str])] = &[
    (&[], 2, &["Usage: bdem <COMMAND>"]),
    (&["simulate"], 2, &["<SCENE>"]),
    (&["smulate", "scene.toml"], 2, &["'smulate'", "simulate"]),
    (&["simulate", "scene.toml", "--frames", "1000000000000"], 2, &["1000000000000", "--frames"]),
    (&["simulate", "scene.toml", "--threads", "0"], 2, &["--threads"]),
    (&["simulate", "scene.toml", "--threads", "100000"], 2, &["--threads 100000: expected at most 1024"]),
    (&["simulate", "scene.toml", "--frames", "0"], 3, &["error: --frames 0: frames is 0", "at least 1"]),
    (
        &["simulate", "scene.toml", "--integrator", "rk4"],
        3,
        &["error: --integrator rk4: unknown name `rk4`", "`implicit-euler`", "did you mean `explicit-verlet`?"],
    ),
    (
        &["check", "scene.toml", "--integrator", "verlet"],
        3,
        &["--integrator verlet:", "did you mean `explicit-verlet`?"],
    ),
    (&["compare", "scene.toml", "--integrators", "verlet,auto"], 2, &["did you mean `explicit-verlet`?"]),
    (&["simulate", "scene.toml", "--set", "time.frames"], 3, &["--set time.frames", "expected key.path=value"]),
    (&["check", "scene.toml", "--set", "bodies.cup.position=[0,0,1]"], 3, &["there is no cup"]),
    (&["check", "missing.toml"], 3, &["missing.toml: cannot be read"]),
    (&["simulate", "missing.toml", "--resume"], 3, &["missing.toml: cannot be read"]),
    (&["compare", "missing.toml"], 3, &["missing.toml: cannot be read"]),
    (&["sweep", "scene.toml"], 2, &["nothing varies"]),
    (&["sweep", "scene.toml", "--seeds", "2-1"], 2, &["--seeds", "2-1 is no range"]),
    (
        &["sweep", "scene.toml", "--vary", "materials.ceramic.density=[]"],
        2,
        &["materials.ceramic.density: the list is empty"],
    ),
    (&["sweep", "scene.toml", "--seeds", "1", "--jobs", "0"], 2, &["--jobs"]),
    (&["simulate", "."], 5, &["cannot be read"]),
    (&["simulate", "scene.toml", "-o", "scene.toml/run"], 5, &["cannot make the folder scene.toml/run"]),
];

#[test]
fn wrong_scenes_are_told_with_their_line() {
    for (from, to, fragments) in SCENES {
        assert_eq!(PLATE.matches(from).count(), 1, "{from}");
        let place = Workplace::with(&PLATE.replace(from, to));
        let ended = place.run(&["simulate", "scene.toml", "-o", "run"]);
        ended.expect(3);
        ended.expect_error(fragments);
        assert!(!place.path("run").exists(), "{to}: nothing is written for a scene that is wrong");
    }
}

#[test]
fn scenes_without_bodies_are_wrong() {
    let without = PLATE.find("[[bodies]]").expect("a body");
    for (text, fragment) in [
        ("", "scene.toml:1:1: missing key `scene`"),
        ("[scene]\nname = \"plate\"\n", "missing key `time`"),
        (&PLATE[..without], "the scene has no bodies"),
    ] {
        let ended = Workplace::with(text).run(&["check", "scene.toml"]);
        ended.expect(3);
        ended.expect_error(&[fragment]);
    }
}

#[test]
fn bytes_that_are_no_text_are_wrong() {
    let place = Workplace::new();
    fs::write(place.path("scene.toml"), [b'#', 0xff, 0xfe]).expect("space");
    let ended = place.run(&["check", "scene.toml"]);
    ended.expect(3);
    ended.expect_error(&["scene.toml:1:2: this is not UTF-8 text"]);
}

/// Paths need not be text.
#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_no_text_is_taken() {
    use std::os::unix::ffi::OsStrExt;
    let place = Workplace::new();
    let name = std::ffi::OsStr::from_bytes(b"na\xffme");
    fs::create_dir(place.path("").join(name)).expect("a folder");
    let (scene, run) = (place.path("").join(name).join("s.toml"), place.path("").join(name).join("run"));
    fs::rename(place.path("scene.toml"), &scene).expect("it is there");
    let ended = |words: &[&str], path: &std::path::Path| -> crate::cli::Ended {
        place.command(words).arg(path).output().expect("the program starts").into()
    };
    let simulate = place.command(&["simulate", "--frames", "1", "-o"]).arg(&run).arg(&scene).output();
    crate::cli::Ended::from(simulate.expect("the program starts")).expect(0);
    ended(&["check"], &scene).expect(0);
    for command in ["info", "convert", "view", "plot"] {
        ended(&[command], &run).expect(0);
    }
}

/// Results do not depend on the number of threads.
#[test]
fn of_many_threads_some_are_started() {
    let place = Workplace::new();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let ended = place.simulate("run", &["--frames", "1", "--threads", "1000"]);
    assert_eq!(place.record("run").threads, (16 * processors).min(1000));
    if processors < 62 {
        ended.expect_error(&[&format!("; {} are started", 16 * processors)]);
    }
}

#[test]
fn command_lines_that_are_wrong() {
    for (words, code, fragments) in COMMAND_LINES {
        let place = Workplace::new();
        let ended = place.run(words);
        ended.expect(*code);
        ended.expect_error(fragments);
    }
}

#[test]
fn slips_of_units_are_warned_of_by_every_command_that_loads_a_scene() {
    let place = Workplace::with(&PLATE.replace("young_modulus = 1e9", "young_modulus = 1000"));
    let compare = ["compare", "scene.toml", "--seconds", "0.01", "--integrators", "auto,explicit-verlet@0.2"];
    for words in [&["check", "scene.toml"][..], &["simulate", "scene.toml"], &compare] {
        let ended = place.run(&[words, &["--frames", "1"]].concat());
        ended.expect_error(&["warning: scene.toml:10:17: young_modulus is 1000 Pa, 0.384615 times density", "for MPa"]);
    }
    let quiet = place.run(&["simulate", "scene.toml", "--frames", "1", "--overwrite", "--quiet"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn the_version_tells_the_build() {
    let place = Workplace::new();
    let ended = place.run(&["--version"]);
    ended.expect(0);
    let line = ended.out.trim_end();
    let number = env!("CARGO_PKG_VERSION");
    let build = line.strip_prefix(&format!("bdem {number} (commit ")).and_then(|rest| rest.strip_suffix(')'));
    let words: Vec<&str> = build.unwrap_or_else(|| panic!("{line}")).split(", ").collect();
    let is_commit = words[0] == "unknown" || words[0].len() == 12 && words[0].bytes().all(|c| c.is_ascii_hexdigit());
    assert!(is_commit && words.len() == 2, "{line}");
    let level = place.command(&["--version"]).env("BDEM_SIMD", "plain").output().expect("it starts");
    assert!(String::from_utf8_lossy(&level.stdout).ends_with("vectors plain)\n"));
}

#[test]
fn help_names_what_is_there() {
    let ended = Workplace::new().run(&["--help"]);
    ended.expect(0);
    for word in COMMANDS.iter().chain(&["Exit codes:"]) {
        assert!(ended.out.contains(word), "no {word} in:\n{}", ended.out);
    }
}

#[test]
fn help_of_every_command_has_examples() {
    for command in COMMANDS {
        let ended = Workplace::new().run(&[command, "--help"]);
        ended.expect(0);
        let example = format!("bdem {command}");
        assert!(ended.out.matches(&example).count() > 1, "no example in:\n{}", ended.out);
    }
}

/// A terminal obeys escape sequences, wherever they come from.
#[test]
fn control_characters_of_files_do_not_reach_the_terminal() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let record = place.read("run/run.json").replace("\"plate\"", "\"\\u001b[31mred\\u009b2J\"");
    let frame = fs::read(place.path("run/ply/plate.0001.ply")).expect("a frame");
    let comment = frame.windows(6).position(|window| window == b"units:").expect("a comment");
    let coloured = [&frame[..comment], b"x: \x1b[2J\ncomment ", &frame[comment..]].concat();
    fs::write(place.path("run/ply/plate.0001.ply"), coloured).expect("space");
    fs::write(place.path("run/run.json"), record).expect("space");
    fs::write(place.path("a\u{1b}[31m.toml"), "[scene]\n\"na\\u001b[31mme\" = 1\n").expect("space");
    fs::write(place.path("key.toml"), "[scene]\n\"na\\u001b[31mme\" = 1\n").expect("space");
    for words in [
        &["info", "run"][..],
        &["info", "run/ply/plate.0001.ply"],
        &["info", "run", "--format", "csv"],
        &["info", "run", "--format", "json"],
        &["check", "a\u{1b}[31m.toml"],
        &["check", "key.toml"],
        &["check", "key.toml", "--log-format", "json"],
        &["info", "no\u{1b}[31mne"],
    ] {
        let ended = place.run(words);
        let text = ended.out + &ended.err;
        assert!(!text.contains(['\u{1b}', '\u{9b}']), "{words:?}: {text:?}");
    }
    place.run(&["info", "run"]).out.find("\\u001b[31mred\\u009b2J").expect("the name, escaped");
}
