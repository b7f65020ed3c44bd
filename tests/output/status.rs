use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bdem_run::output::{DEAD_AFTER, HEARTBEAT, Holder, Lock, RECORD, RunRecord, RunState, RunStatus, now};

/// A folder with a record in this state.
fn run(state: Option<RunState>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(state) = state {
        RunRecord { state, ..RunRecord::default() }.write(&folder.path().join(RECORD)).expect("space");
    }
    folder
}

fn status(folder: &Path) -> RunStatus {
    RunStatus::read(folder, DEAD_AFTER).expect("a record or none").0
}

/// The lock that a process leaves with a heartbeat, and a file, of these ages (s).
fn leave_lock(folder: &Path, holder: Holder, heartbeat: u64, file: u64) {
    let path = folder.join(".lock");
    let text = serde_json::to_string(&Holder { heartbeat: now() - heartbeat, ..holder }).expect("JSON");
    fs::write(&path, text).expect("space");
    let written = SystemTime::now() - Duration::from_secs(file);
    File::options().write(true).open(&path).and_then(|file| file.set_modified(written)).expect("a time");
}

fn elsewhere() -> Holder {
    Holder { pid: 1, host: "node7".into(), start: Some(1), ..Holder::default() }
}

#[test]
fn without_a_lock_the_record_decides() {
    for (state, expected) in [
        (None, RunStatus::Absent),
        (Some(RunState::Packing), RunStatus::Dead),
        (Some(RunState::Running), RunStatus::Dead),
        (Some(RunState::Done), RunStatus::Finished),
        (Some(RunState::Interrupted), RunStatus::Stopped),
        (Some(RunState::Failed), RunStatus::Failed),
    ] {
        assert_eq!(status(run(state).path()), expected);
    }
}

#[test]
fn a_living_lock_is_a_running_run() {
    for state in [None, Some(RunState::Running), Some(RunState::Interrupted)] {
        let folder = run(state);
        let _lock = Lock::acquire(folder.path()).expect("nobody has it");
        assert_eq!(status(folder.path()), RunStatus::Running);
    }
    let folder = run(Some(RunState::Packing));
    let _lock = Lock::acquire(folder.path()).expect("nobody has it");
    assert_eq!(status(folder.path()), RunStatus::Packing);
}

#[test]
fn a_process_of_this_host_is_looked_up() {
    let folder = run(Some(RunState::Running));
    let lock = Lock::acquire(folder.path()).expect("nobody has it");
    let text = fs::read(folder.path().join(".lock")).expect("a lock");
    drop(lock);
    let mine: Holder = serde_json::from_slice(&text).expect("JSON");
    if mine.start.is_none() {
        println!("there is no /proc here");
        return;
    }
    leave_lock(folder.path(), mine.clone(), 1000, 1000);
    assert_eq!(status(folder.path()), RunStatus::Running, "however old its heartbeat");
    leave_lock(folder.path(), Holder { start: Some(0), ..mine }, 0, 0);
    assert_eq!(status(folder.path()), RunStatus::Dead, "another process has its number");
}

#[test]
fn a_heartbeat_decides_for_other_hosts() {
    let dead = DEAD_AFTER.as_secs() + 5;
    // one wrong clock, of the host or of the file server, declares no run dead
    for (heartbeat, file, expected) in [
        (0, 0, RunStatus::Running),
        (HEARTBEAT.as_secs() + 60, HEARTBEAT.as_secs() + 60, RunStatus::Running),
        (dead, 0, RunStatus::Running),
        (0, dead, RunStatus::Running),
        (dead, dead, RunStatus::Dead),
    ] {
        let folder = run(Some(RunState::Running));
        leave_lock(folder.path(), elsewhere(), heartbeat, file);
        assert_eq!(status(folder.path()), expected, "{heartbeat} {file}");
    }
    // a container may have this host's name
    let folder = run(Some(RunState::Running));
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    leave_lock(folder.path(), Holder { host, system: Some("another boot".into()), ..elsewhere() }, 0, 0);
    assert_eq!(status(folder.path()), RunStatus::Running);
}

#[test]
fn a_lock_beats() {
    let folder = run(None);
    let path = folder.path().join(".lock");
    let _lock = Lock::acquire(folder.path()).expect("nobody has it");
    let first: Holder = serde_json::from_slice(&fs::read(&path).expect("a lock")).expect("JSON");
    assert_eq!(first.pid, std::process::id());
    let later: Holder = loop {
        std::thread::sleep(Duration::from_millis(100));
        // half of it may be written
        let now: Option<Holder> = serde_json::from_slice(&fs::read(&path).expect("a lock")).ok();
        if let Some(later) = now.filter(|now| now.heartbeat > first.heartbeat) {
            break later;
        }
    };
    assert_eq!(Holder { heartbeat: first.heartbeat, ..later }, first);
}
