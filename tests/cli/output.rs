//! What `-o` names: links, pipes, devices and folders.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::cli::Workplace;

/// Commands that write one file, whose name follows.
const FILES: [&str; 5] = [
    "info run -o",
    "view run --particles -o",
    "convert run --to glb -o",
    "new drop -o",
    "compare scene.toml --frames 1 --integrators implicit-euler,implicit-bdf2 --json",
];

/// Commands that write a folder, whose name follows.
const FOLDERS: [&str; 7] = [
    "simulate scene.toml --frames 1 -o",
    "convert run -o",
    "convert run --to ply --frames 1 -o",
    "render run --frames 1 --size 64x64 -o",
    "plot run -o",
    "study contacts --quick -o",
    "man -o",
];

fn with_a_run() -> Workplace {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    place
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

fn is_pipe(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.file_type().is_fifo())
}

fn run(place: &Workplace, words: &str, output: &str) -> crate::cli::Ended {
    place.run(&words.split(' ').chain([output]).collect::<Vec<_>>())
}

#[test]
fn a_file_is_written_through_a_link_and_into_a_pipe() {
    let place = with_a_run();
    fs::create_dir(place.path("far")).expect("space");
    for (number, words) in FILES.iter().enumerate() {
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| format!("{name}{number}.glb"));
        // to what is not there yet
        symlink(place.path("far").join(&file), place.path(&link)).expect("a link");
        run(&place, words, &link).expect(0);
        assert!(place.path(&link).is_symlink(), "{words} replaces a link");
        let written = fs::read(place.path("far").join(&file)).expect("a file");

        make_pipe(&place.path(&pipe));
        let copy = fs::File::create(place.path("copy")).expect("space");
        let mut reader = Command::new("cat").arg(place.path(&pipe)).stdout(copy).spawn().expect("cat");
        run(&place, words, &pipe).expect(0);
        assert!(reader.wait().expect("it ends").success());
        let read = fs::read(place.path("copy")).expect("a file");
        assert!(is_pipe(&place.path(&pipe)), "{words} replaces a pipe");
        // times differ
        let is_timed = words.starts_with("compare");
        assert!(if is_timed { read.starts_with(b"{") } else { read == written }, "{words}");
    }
    assert_eq!(place.files("far").len(), FILES.len(), "no part of a file is left");
    // standard output as a file: what stands in it stays
    let script = "echo first > log; \"$BDEM\" info run --format csv -o /dev/stdout >> log";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(place.path("")).env("BDEM", env!("CARGO_BIN_EXE_bdem"));
    assert!(shell.status().expect("a shell").success());
    assert!(place.read("log").starts_with("first\nrun,state"), "{}", place.read("log"));
}

#[test]
fn a_folder_is_no_pipe_and_no_device_but_may_be_a_link() {
    let place = with_a_run();
    make_pipe(&place.path("pipe"));
    fs::write(place.path("file"), "mine").expect("space");
    for words in FOLDERS {
        for (output, kind) in [("pipe", "a pipe"), ("/dev/null", "a device"), ("file", "a file")] {
            let ended = run(&place, words, output);
            ended.expect(2);
            ended.expect_error(&[&format!("{output} is no folder, but {kind}")]);
        }
    }
    assert!(is_pipe(&place.path("pipe")));
    assert_eq!(place.read("file"), "mine");
    symlink("far", place.path("link")).expect("a link");
    run(&place, FOLDERS[0], "link").expect(0);
    assert!(place.path("link").is_symlink() && place.path("far/run.json").exists());
    let beside = run(&place, "new mesh -o", "pipe");
    beside.expect(2);
    beside.expect_error(&["star.obj has no place beside it"]);
}

#[test]
fn the_name_of_a_converted_file_tells_its_format() {
    let place = with_a_run();
    for (format, names) in [
        ("usd", &["x.usdc", "x.usdz", "x.glb", "x"][..]),
        ("glb", &["x.gltf", "x.usda"]),
        ("vtu", &["x.usda", "x.vtu"]),
    ] {
        for name in names {
            let ended = place.run(&["convert", "run", "--to", format, "-o", name]);
            ended.expect(2);
            ended.expect_error(&[name]);
            assert!(!place.path(name).exists());
        }
    }
    place.run(&["convert", "run", "--to", "usd", "-o", "X.USD"]).expect(0);
}
