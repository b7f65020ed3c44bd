use std::fs;

use bdem_run::output::{FrameRanges, frames_of};

fn numbers(ranges: &str) -> Vec<u32> {
    let ranges: FrameRanges = ranges.parse().expect("good ranges");
    (0..=30).filter(|number| ranges.contains(*number)).collect()
}

#[test]
fn ranges_choose_frames() {
    assert_eq!(numbers("7"), [7]);
    assert_eq!(numbers("3-5"), [3, 4, 5]);
    assert_eq!(numbers("1-10x3, 29-40"), [1, 4, 7, 10, 29, 30]);
    assert!(FrameRanges::default().contains(12_345));
}

#[test]
fn wrong_ranges_are_named() {
    for wrong in ["", "a", "5-3", "1-10x0", "1-", "-4", "1,,2", "99999999999"] {
        let error = wrong.parse::<FrameRanges>().expect_err(wrong);
        assert!(error.contains("1-100x2"), "{error}");
    }
}

#[test]
fn frames_are_found_in_runs_and_folders() {
    let root = tempfile::tempdir().expect("a folder");
    let found = |path: &std::path::Path, ranges: &str| -> Vec<u32> {
        let frames = frames_of(path, &ranges.parse().expect("good ranges")).expect("frames");
        frames.iter().map(|frame| frame.number).collect()
    };
    let ply = root.path().join("run/ply");
    fs::create_dir_all(&ply).expect("space");
    for name in
        ["a.0010.ply", "a.0002.ply", "a.0000.ply", ".a.0003.ply.x1.part", ".a.0004.ply", "note.txt", "notes.ply"]
    {
        fs::write(ply.join(name), "").expect("space");
    }
    assert_eq!(found(&root.path().join("run"), "0-99"), [0, 2, 10]);
    assert_eq!(found(&ply, "1-5"), [2]);
    assert_eq!(found(&ply.join("a.0010.ply"), "0"), [10], "a file is itself");
    let none = frames_of(&ply, &"11-20".parse().expect("a range")).expect_err("there are none");
    assert!(none.to_string().contains("none of the selected frames"), "{none}");
    frames_of(&root.path().join("nowhere"), &FrameRanges::default()).expect_err("no folder");
}
