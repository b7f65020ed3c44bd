//! Commit of the build, for `bdem --version`. Nothing else depends on the machine or the day.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BDEM_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
}

/// Commit of this checkout. None in an unpacked archive, even one within another repository, and without git.
fn commit() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    // the branch, and the log of its commits
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        // cargo would take a file that is not there as changed every time
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}
