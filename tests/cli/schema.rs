use serde_json::Value;

use crate::cli::Workplace;

#[test]
fn the_schema_comes_as_json() {
    let ended = Workplace::new().run(&["schema"]);
    ended.expect(0);
    let printed: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(printed, bdem_run::scene::schema());
    assert!(ended.out.lines().count() > 1000, "it is laid out to be read");
}

/// A reader that stops early, as `head` does.
#[test]
fn a_closed_pipe_is_no_fault() {
    use std::process::Stdio;
    let mut child =
        Workplace::new().command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
