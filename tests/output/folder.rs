use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bdem_run::output::{METRICS, OutputError, RECORD, RunFolder, RunRecord, RunState};

fn touch(folder: &Path, files: &[&str]) {
    for file in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(path, "x").expect("a file");
    }
}

fn listing(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .flat_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                listing(&entry.path()).into_iter().map(|inner| format!("{name}/{inner}")).collect()
            } else {
                vec![name]
            }
        })
        .collect()
}

#[test]
fn names_have_as_many_digits_as_the_last_frame() {
    let root = tempfile::tempdir().expect("a folder");
    let names = |last: u32, number: u32| {
        let folder = RunFolder::create(root.path(), "plate", last, false).expect("a folder");
        let name = |path: std::path::PathBuf| path.strip_prefix(root.path()).expect("inside").display().to_string();
        [name(folder.frame(number)), name(folder.checkpoint(number)), name(folder.file(METRICS))]
    };
    assert_eq!(names(120, 7), ["ply/plate.0007.ply", "checkpoints/plate.0007.ckpt", "metrics.csv"]);
    assert_eq!(names(9999, 9999)[0], "ply/plate.9999.ply");
    assert_eq!(names(10_000, 7)[0], "ply/plate.00007.ply");
    assert!(root.path().join("ply").is_dir());
}

#[test]
fn a_folder_with_a_run_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("a/b");
    RunFolder::create(&path, "plate", 10, false).expect("a new folder");
    RunFolder::create(&path, "plate", 10, false).expect("nothing ran in it yet");
    touch(&path, &[RECORD]);
    let error = RunFolder::create(&path, "plate", 10, false).expect_err("it holds a run");
    assert!(matches!(error, OutputError::HoldsRun(_)));
    assert!(error.to_string().contains("--overwrite"), "{error}");
    RunFolder::open(&path, "plate", 10).expect("a run may go on");
    assert_eq!(listing(&path), BTreeSet::from([RECORD.to_owned()]));
}

#[test]
fn a_folder_whose_run_was_never_packed_is_free() {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("run");
    let folder = RunFolder::create(&path, "plate", 10, false).expect("a new folder");
    let record = |state| RunRecord { state, ..RunRecord::default() }.write(&path.join(RECORD)).expect("space");
    record(RunState::Packing);
    assert!(!RunFolder::holds_run(&path));
    drop(folder);
    RunFolder::create(&path, "plate", 10, false).expect("there is nothing to lose").abandon().expect("it is ours");
    assert!(!path.exists());

    let folder = RunFolder::create(&path, "plate", 10, false).expect("a new folder");
    record(RunState::Running);
    assert!(RunFolder::holds_run(&path));
    touch(&path, &["notes.txt"]);
    folder.abandon().expect("it is ours");
    assert_eq!(listing(&path), BTreeSet::from(["notes.txt".to_owned()]));
}

#[test]
fn overwriting_removes_the_run_and_nothing_else() {
    let root = tempfile::tempdir().expect("a folder");
    let run = ["metrics.csv", "timings.csv", "fractures.csv", "scene.resolved.toml", ".metrics.csv.a1B2c3.part"];
    let numbered = ["ply/plate.0000.ply", "ply/.plate.0001.ply.a1B2c3.part", "checkpoints/plate.00100.ckpt"];
    let earlier_scene = ["ply/dish.0003.ply"];
    let mine = [
        "notes.txt",
        "plate.0000.ply",
        "ply/plate.0000.ply.bak",
        "ply/plate.final.ply",
        "ply/plate.01.ply",
        "ply/cup.0000.ply",
        "checkpoints/plate.0000.txt",
        "other/metrics.csv",
        ".hidden",
    ];
    touch(root.path(), &[&run[..], &numbered, &earlier_scene, &mine].concat());
    let record = RunRecord { scene: "dish".to_owned(), ..RunRecord::default() };
    record.write(&root.path().join(RECORD)).expect("space");

    RunFolder::create(root.path(), "plate", 10, true).expect("it may be overwritten");
    assert_eq!(listing(root.path()), mine.map(str::to_owned).into());
}

#[test]
fn a_broken_record_can_be_overwritten() {
    let root = tempfile::tempdir().expect("a folder");
    touch(root.path(), &[RECORD, "ply/plate.0000.ply"]);
    RunFolder::create(root.path(), "plate", 10, true).expect("it may be overwritten");
    assert_eq!(listing(root.path()), BTreeSet::new());
}

#[test]
fn a_folder_below_a_file_is_an_error_that_names_it() {
    let root = tempfile::tempdir().expect("a folder");
    touch(root.path(), &["file"]);
    for overwrite in [false, true] {
        let error = RunFolder::create(&root.path().join("file/sub"), "plate", 10, overwrite).expect_err("a file");
        assert!(matches!(error, OutputError::File { .. }));
        assert!(error.to_string().contains("file/sub"), "{error}");
    }
}

#[test]
fn the_last_two_checkpoints_are_kept() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(root.path(), "plate", 100, false).expect("a folder");
    assert!(folder.checkpoints().expect("no folder is no checkpoints").is_empty());
    folder.make_room_for_checkpoints().expect("space");
    let others =
        ["checkpoints/plate.note.ckpt", "checkpoints/glass.0003.ckpt", "checkpoints/.plate.0009.ckpt.a1b2c3.part"];
    touch(root.path(), &others);
    for number in [8, 10, 9, 12_345] {
        touch(root.path(), &[&format!("checkpoints/plate.{number:04}.ckpt")]);
    }
    folder.drop_old_checkpoints().expect("they can be removed");
    let newest = ["plate.12345.ckpt", "plate.0010.ckpt"].map(|name| root.path().join("checkpoints").join(name));
    assert_eq!(folder.checkpoints().expect("a folder"), newest);
    assert!(others.iter().all(|name| root.path().join(name).exists()));
}
