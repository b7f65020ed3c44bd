//! Every command with standard output and standard error that are full, closed or a broken pipe, and every file of a run
//! replaced by a pipe, a folder or an endless device.

use std::fs::{self, File};
use std::io::pipe;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bdem_run::output::RunState;

use crate::cli::{COMMANDS, Ended, Workplace};

/// Limit on the time of a command, s. They take a tenth of a second alone.
const LIMIT: Duration = Duration::from_secs(60);

/// Words of each command but `calibrate`, which takes minutes, in a folder with a scene and a run of it. They may be repeated.
fn words(command: &str) -> &'static str {
    match command {
        "simulate" => "simulate scene.toml -o again --frames 1 --overwrite",
        "sweep" => "sweep scene.toml --frames 1 --seeds 1-2 -o sweep --overwrite",
        "compare" => "compare scene.toml --frames 1 --integrators implicit-euler,implicit-bdf2 --json -",
        "study" => "study",
        "check" => "check scene.toml --frames 1",
        "fit" => "fit fit.toml --overwrite",
        "info" => "info run",
        "convert" => "convert run --to usd --overwrite",
        "plot" => "plot run",
        "view" => "view run",
        "devices" => "devices",
        "render" => "render run --frames 1 --size 64x64 --overwrite",
        "new" => "new",
        "schema" => "schema",
        "completions" => "completions bash",
        "man" => "man",
        other => panic!("{other} is not attacked"),
    }
}

/// Commands that print their result.
const PRINT: [&str; 11] =
    ["devices", "sweep", "compare", "study", "check", "fit", "info", "new", "schema", "completions", "man"];

/// A fit to the run's frames.
const FIT: &str = r#"[fit]
name = "plate"
scene = "short.toml"
method = "nelder-mead"
evaluations = 2

[[parameters]]
key = "materials.ceramic.damping"
start = 0.1
bounds = [0.01, 0.5]

[[targets]]
frames = "run"
"#;

/// A folder with a scene, a run of one frame and a fit to it.
fn with_a_run() -> Workplace {
    let place = Workplace::new();
    let short = place.read("scene.toml").replace("frames = 3", "frames = 1");
    fs::write(place.path("short.toml"), short).expect("space");
    fs::write(place.path("fit.toml"), FIT).expect("space");
    place.simulate("run", &["--frames", "1", "--threads", "1"]);
    place
}

/// State of a stream that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Full,
    Closed,
    Pipe,
}

const BROKEN: [Broken; 3] = [Broken::Full, Broken::Closed, Broken::Pipe];

impl Broken {
    /// Exit code of `bdem` with these words and this stream, 1 or 2, broken.
    fn run(self, place: &Workplace, words: &str, stream: u32) -> Option<i32> {
        let mut command = Command::new("sh");
        let close = if self == Self::Closed { format!("{stream}>&-") } else { String::new() };
        command.args(["-c", &format!("exec \"$BDEM\" {words} {close}")]).current_dir(place.path(""));
        command.env("BDEM", env!("CARGO_BIN_EXE_bdem")).env("BDEM_CACHE", "off");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let stdio: Stdio = match self {
            Self::Full => File::options().write(true).open("/dev/full").expect("a full device").into(),
            Self::Pipe => pipe().expect("a pipe").1.into(),
            Self::Closed => Stdio::null(),
        };
        if stream == 1 {
            command.stdout(stdio)
        } else {
            command.stderr(stdio)
        };
        end_within(&mut command).code
    }
}

/// The end of a process, which is killed at the limit.
fn end_within(command: &mut Command) -> Ended {
    let mut child = command.spawn().expect("the program starts");
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > LIMIT {
            child.kill().expect("it is ours");
            child.wait().expect("it ends");
            panic!("{command:?} does not end");
        }
        sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("it has ended").into()
}

#[test]
fn every_command_survives_its_log() {
    let place = with_a_run();
    for command in COMMANDS.into_iter().filter(|command| *command != "calibrate") {
        for broken in BROKEN {
            assert_eq!(broken.run(&place, words(command), 2), Some(0), "{command}, standard error: {broken:?}");
        }
    }
    assert_eq!(place.record("again").state, RunState::Done);
}

#[test]
fn a_failing_command_keeps_its_exit_code_without_a_log() {
    let place = with_a_run();
    for broken in BROKEN {
        assert_eq!(broken.run(&place, "info nothing", 2), Some(5), "{broken:?}");
        assert_eq!(broken.run(&place, "simulate scene.toml -o run", 2), Some(2), "{broken:?}");
        assert_eq!(broken.run(&place, "simulate scene.toml --frames -1", 2), Some(2), "{broken:?}");
        assert_eq!(broken.run(&place, "check run/run.json", 2), Some(3), "{broken:?}");
    }
}

/// A full disk is an error of output. A pipe that nobody reads any more, as by `head`, is none.
#[test]
fn every_command_tells_that_its_result_cannot_be_written() {
    let place = with_a_run();
    for command in COMMANDS.into_iter().filter(|command| *command != "calibrate") {
        let full = if PRINT.contains(&command) { 5 } else { 0 };
        for (broken, code) in [(Broken::Full, full), (Broken::Closed, 0), (Broken::Pipe, 0)] {
            assert_eq!(broken.run(&place, words(command), 1), Some(code), "{command}, standard output: {broken:?}");
        }
    }
    for words in ["--help", "--version", "help simulate"] {
        assert_eq!(Broken::Full.run(&place, words, 1), Some(5), "{words}");
        assert_eq!(Broken::Pipe.run(&place, words, 1), Some(0), "{words}");
    }
}

/// What takes the place of a file.
#[derive(Clone, Copy, Debug)]
enum Substitute {
    Pipe,
    Folder,
    Endless,
}

impl Substitute {
    fn put(self, path: &Path) {
        fs::remove_file(path).expect("it is there");
        match self {
            Self::Pipe => assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success()),
            Self::Folder => fs::create_dir(path).expect("space"),
            Self::Endless => symlink("/dev/zero", path).expect("a link"),
        }
    }

    fn remove(self, path: &Path) {
        match path.symlink_metadata() {
            Ok(about) if about.is_dir() => fs::remove_dir_all(path).expect("it is there"),
            Ok(_) => fs::remove_file(path).expect("it is there"),
            Err(_) => {}
        }
    }
}

/// Commands that read a run.
const READ: [&str; 5] = ["info", "convert", "plot", "view", "render"];

/// Words of more that read one.
const ALSO_READ: [&str; 2] = ["info run --format csv", "convert run --to ply --frames 1 --resolution 1 --overwrite"];

#[test]
fn only_regular_files_of_a_run_are_read() {
    let place = with_a_run();
    // keeps the pieces
    place.run(&["convert", "run", "--to", "usd", "-o", "plate.usda"]).expect(0);
    let files = place.files("run");
    let resume = "simulate scene.toml -o run --frames 2 --resume --threads 1";
    fs::write(place.path("run/.lock"), "{}").expect("space");
    assert!(files.iter().any(|file| file.ends_with(".pieces")), "{files:?}");
    assert!(files.len() >= 9, "{files:?}");
    for file in files.iter().map(String::as_str).chain([".lock"]) {
        for substitute in [Substitute::Pipe, Substitute::Folder, Substitute::Endless] {
            // a resumption replaces some, and a view adds its page
            fs::remove_dir_all(place.path("tried")).ok();
            copy(&place, "run", "tried");
            let path = place.path("tried").join(file);
            if !path.exists() {
                fs::write(&path, "{}").expect("space");
            }
            substitute.put(&path);
            for words in READ.map(words).into_iter().chain(ALSO_READ).chain([resume]) {
                let words = words.replace("run", "tried");
                let mut command = place.command(&words.split(' ').collect::<Vec<_>>());
                let ended = end_within(command.stdout(Stdio::null()).stderr(Stdio::piped()));
                let code = ended.code.unwrap_or(-1);
                assert!([0, 2, 3, 5].contains(&code), "{file} {substitute:?}, {words}: {code}\n{}", ended.err);
            }
            substitute.remove(&path);
        }
    }
}

#[test]
fn a_fit_resumes_from_a_regular_file_alone() {
    let place = with_a_run();
    place.run(&["fit", "fit.toml"]).expect(0);
    let journal = place.path("out/fit/plate/evaluations.bin");
    // a link to another's file, which would be written
    let other = place.path("other");
    fs::rename(&journal, &other).and_then(|()| symlink(&other, &journal)).expect("a link");
    let ended = place.run(&["fit", "fit.toml", "--resume"]);
    ended.expect(5);
    ended.expect_error(&["evaluations.bin", "a link"]);
    for substitute in [Substitute::Pipe, Substitute::Folder, Substitute::Endless] {
        substitute.put(&journal);
        let ended = end_within(place.command(&["fit", "fit.toml", "--resume"]).stderr(Stdio::piped()));
        ended.expect(5);
        let why = if matches!(substitute, Substitute::Folder) { "a directory" } else { "not a regular file" };
        ended.expect_error(&["evaluations.bin", why]);
        substitute.remove(&journal);
        fs::write(&journal, "").expect("space");
    }
    // with holes, and larger than the memory
    File::create(&journal).and_then(|file| file.set_len(1 << 35)).expect("space");
    let ended = end_within(place.command(&["fit", "fit.toml", "--resume"]).stderr(Stdio::piped()));
    ended.expect(5);
    ended.expect_error(&["evaluations.bin", "head"]);
}

/// What another user has put in the place of a run's file is not written.
#[test]
fn no_link_in_a_run_is_followed() {
    let place = with_a_run();
    place.run(&["convert", "run", "--to", "usd", "-o", "plate.usda"]).expect(0);
    fs::write(place.path("run/.lock"), "{}").expect("space");
    fs::write(place.path("run/view.html"), "page").expect("space");
    for file in place.files("run") {
        for is_hard in [false, true] {
            fs::remove_dir_all(place.path("tried")).ok();
            copy(&place, "run", "tried");
            let (path, other) = (place.path("tried").join(&file), place.path("other"));
            fs::rename(&path, &other).expect("it is there");
            let content = fs::read(&other).expect("a file");
            let linked = if is_hard { fs::hard_link(&other, &path) } else { symlink(&other, &path) };
            linked.expect("a link");
            for words in ["view tried", "simulate scene.toml -o tried --frames 2 --resume --threads 1"] {
                place.run(&words.split(' ').collect::<Vec<_>>());
                assert!(fs::read(&other).expect("it is there") == content, "{words} changes the target of {file}");
            }
        }
    }
}

fn copy(place: &Workplace, from: &str, to: &str) {
    for file in place.files(from) {
        let target = place.path(to).join(&file);
        fs::create_dir_all(target.parent().expect("a folder")).expect("space");
        fs::copy(place.path(from).join(&file), target).expect("space");
    }
}
