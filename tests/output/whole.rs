use std::fs;
use std::io::{self, Write};

use bdem_run::output::write_whole;

#[test]
fn a_failure_leaves_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    fs::write(&path, "old").expect("a file");
    let failed = write_whole(&path, |out| {
        out.write_all(b"half of the n")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let message = failed.expect_err("it failed").to_string();
    assert!(message.contains("run.json") && message.contains("free some space"), "{message}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "old");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no half file is left");
}

#[test]
fn a_success_replaces_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    for contents in ["old", "new"] {
        write_whole(&path, |out| out.write_all(contents.as_bytes())).expect("space");
    }
    assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
}

#[cfg(unix)]
#[test]
fn others_may_read_what_they_may_read_of_any_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let [ours, plain] = ["ours", "plain"].map(|name| folder.path().join(name));
    write_whole(&ours, |out| out.write_all(b"x")).expect("space");
    fs::write(&plain, "x").expect("space");
    let [ours, plain] = [ours, plain].map(|path| fs::metadata(path).expect("a file").permissions().mode());
    assert_eq!(ours, plain);
}

#[test]
fn no_folder_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(write_whole(&folder.path().join("no/run.json"), |_| Ok(())).is_err());
    assert!(write_whole(std::path::Path::new("/"), |_| Ok(())).is_err());
}
