//! Disks that fill up, cannot be written, or vanish.

use std::fs;
use std::process::{Command, Stdio};

use bdem_run::output::ply::read_frame;

use crate::cli::{Ended, Workplace, wait_for};

/// Frames in quick succession: 40 are some 1.3 MB.
const RUN: &str = "simulate scene.toml -o disk/run --frames 40 --set time.frame_rate=9600 --quiet";

/// Runs a script beside a disk of its own, `disk`, that holds 1 MB. Without the right to mount one it says so, and returns
/// nothing.
fn beside_a_small_disk(place: &Workplace, script: &str) -> Option<Ended> {
    fs::create_dir(place.path("disk")).expect("space");
    let mount = "mount -t tmpfs -o size=1m none disk";
    let shell = |script: &str| -> Option<Ended> {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).current_dir(place.path(""));
        command.env("BDEM", env!("CARGO_BIN_EXE_bdem")).env("BDEM_CACHE", "off");
        command.output().ok().map(Ended::from)
    };
    if shell(mount).is_none_or(|probe| probe.code != Some(0)) {
        eprintln!("skipped: a disk of its own cannot be mounted here");
        return None;
    }
    shell(&format!("{mount} && {script}"))
}

#[test]
fn a_full_disk_leaves_whole_frames_and_the_run_goes_on_when_there_is_space() {
    let place = Workplace::new();
    let script = format!(
        "{{ $BDEM {RUN}; code=$?; cp -r disk/run full; mount -o remount,size=64m disk; \
         $BDEM {RUN} --resume && cp -r disk/run resumed; exit $code; }}"
    );
    let Some(ended) = beside_a_small_disk(&place, &script) else { return };
    ended.expect(5);
    ended.expect_error(&["error: cannot write disk/run/", "free some space there"]);

    let frames: Vec<String> = place.files("full").into_iter().filter(|file| file.ends_with(".ply")).collect();
    assert!((5..41).contains(&frames.len()), "{frames:?}");
    place.run(&RUN.replace("disk/run", "whole").split(' ').collect::<Vec<_>>()).expect(0);
    for run in ["full", "resumed"] {
        for file in place.files(run).iter().filter(|file| file.starts_with("ply/")) {
            read_frame(&place.path(&format!("{run}/{file}"))).expect("a whole frame, and no part of one");
            let bytes = |run: &str| fs::read(place.path(&format!("{run}/{file}"))).expect("a frame");
            assert!(bytes(run) == bytes("whole"), "{run}/{file}");
        }
    }
    let ply = |run: &str| place.files(run).into_iter().filter(|file| file.starts_with("ply/")).count();
    assert_eq!((ply("resumed"), ply("whole")), (41, 41));
    assert_eq!(place.read("resumed/metrics.csv"), place.read("whole/metrics.csv"));
}

#[test]
fn a_disk_that_cannot_be_written_is_named() {
    let place = Workplace::new();
    let Some(ended) = beside_a_small_disk(&place, &format!("mount -o remount,ro disk && $BDEM {RUN}")) else { return };
    ended.expect(5);
    ended.expect_error(&["error: cannot make the folder disk/run", "name a writable folder with --output"]);
}

/// Kept pieces and packings are done without.
#[test]
fn a_run_on_a_disk_that_cannot_be_written_is_shown() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let commands = [
        "convert disk/run --to usd -o clip.usda",
        "convert disk/run -o vtu",
        "convert disk/run --to ply -o surface",
        "render disk/run --frames 1 --size 64x64 -o pictures",
        "view disk/run -o page.html",
        "plot disk/run -o charts",
        "info disk/run --format csv",
    ];
    let script = commands.map(|words| format!(" && $BDEM {words}")).concat();
    let script = format!("mount -o remount,size=64m disk && cp -r run disk && mount -o remount,ro disk {script}");
    let Some(ended) = beside_a_small_disk(&place, &script) else { return };
    ended.expect(0);
    assert!(place.read("clip.usda").contains("def Mesh"));
}

/// Not removed file by file, which the run would be faster than.
#[test]
fn a_folder_that_vanishes_ends_the_run() {
    let place = Workplace::new();
    let words = ["simulate", "scene.toml", "-o", "run", "--frames", "1000000", "--quiet"];
    let child =
        place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for(&place.path("run/ply/plate.0000001.ply"));
    fs::rename(place.path("run"), place.path("gone")).expect("it is there");
    let ended: Ended = child.wait_with_output().expect("the program ends").into();
    ended.expect(5);
    ended.expect_error(&["error: cannot write run/", "its folder does not exist"]);
    for file in place.files("gone").iter().filter(|file| file.ends_with(".ply")) {
        read_frame(&place.path(&format!("gone/{file}"))).expect("a whole frame");
    }
}

/// Beyond the shell's limit on files SIGXFSZ comes, which would end the process.
#[cfg(unix)]
#[test]
fn a_limit_on_files_is_an_error_that_leaves_whole_frames() {
    let place = Workplace::new();
    // blocks of 512 bytes in some shells, of 1024 in others: more than a frame, less than a checkpoint
    let script = "ulimit -f 150; $BDEM simulate scene.toml -o run --quiet";
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .current_dir(place.path(""))
        .env("BDEM", env!("CARGO_BIN_EXE_bdem"))
        .env("BDEM_CACHE", "off");
    let ended = Ended::from(command.output().expect("a shell"));
    ended.expect(5);
    ended.expect_error(&["error: cannot write run/", "ulimit -f"]);
    let frames: Vec<String> = place.files("run").into_iter().filter(|file| file.starts_with("ply/")).collect();
    assert!(!frames.is_empty(), "no frame was written");
    for file in frames {
        read_frame(&place.path(&format!("run/{file}"))).expect("a whole frame, and no part of one");
    }
}
