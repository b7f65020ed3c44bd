use std::fs;
use std::path::PathBuf;

use bdem_run::output::{Holder, Lock, OutputError, RunFolder};

fn refusal(folder: &std::path::Path) -> String {
    let error = Lock::acquire(folder).expect_err("it is locked");
    assert!(matches!(error, OutputError::Locked { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_folder_has_one_lock_at_a_time() {
    let root = tempfile::tempdir().expect("a folder");
    let lock = Lock::acquire(root.path()).expect("nobody has it");
    let message = refusal(root.path());
    let process = format!("process {} on ", std::process::id());
    for fragment in [&root.path().display().to_string(), &process, "--output"] {
        assert!(message.contains(fragment), "no {fragment} in: {message}");
    }
    drop(lock);
    Lock::acquire(root.path()).expect("it was given back");
    assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0, "nothing is left of it");
}

#[test]
fn what_stands_in_a_lock_that_nobody_holds_does_not_matter() {
    let root = tempfile::tempdir().expect("a folder");
    let mine = Holder { pid: std::process::id(), host: "elsewhere".into(), start: Some(1), ..Holder::default() };
    for left in [serde_json::to_string(&mine).expect("JSON"), String::new(), "{".into(), "\u{0}".repeat(99)] {
        fs::write(root.path().join(".lock"), left).expect("space");
        let lock = Lock::acquire(root.path()).expect("whoever wrote it is dead");
        assert_eq!(lock.warning(), None);
        assert!(refusal(root.path()).contains(&std::process::id().to_string()));
    }
}

#[test]
fn a_lock_that_was_taken_away_leaves_its_successor_alone() {
    let root = tempfile::tempdir().expect("a folder");
    let path: PathBuf = root.path().join(".lock");
    let first = Lock::acquire(root.path()).expect("nobody has it");
    fs::remove_file(&path).expect("it is there");
    let _second = Lock::acquire(root.path()).expect("somebody removed the first");
    drop(first);
    assert!(path.exists());
    refusal(root.path());
}

#[test]
fn a_run_that_is_going_on_is_neither_replaced_nor_joined() {
    let root = tempfile::tempdir().expect("a folder");
    let run = RunFolder::create(root.path(), "plate", 10, false).expect("a folder");
    let frame = run.frame(0);
    fs::write(&frame, "x").expect("space");
    for refused in [
        RunFolder::create(root.path(), "plate", 10, false),
        RunFolder::create(root.path(), "plate", 10, true),
        RunFolder::open(root.path(), "plate", 10),
    ] {
        assert!(matches!(refused, Err(OutputError::Locked { .. })));
    }
    assert!(frame.exists());
}
