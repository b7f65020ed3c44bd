//! Studies: their list, their files, and how they end.

use crate::cli::Workplace;

#[test]
fn without_a_name_they_are_listed() {
    let ended = Workplace::new().run(&["study"]);
    ended.expect(0);
    assert!(ended.out.contains("\nagreement  "), "{}", ended.out);
}

#[test]
fn an_unknown_name_is_told_with_the_right_ones() {
    let ended = Workplace::new().run(&["study", "agrement"]);
    ended.expect(2);
    ended.expect_error(&["agrement", "agreement"]);
}

#[test]
fn a_study_leaves_its_files() {
    let place = Workplace::new();
    let ended = place.run(&["study", "agreement", "--quick", "-o", "found"]);
    ended.expect(0);
    assert!(ended.out.contains("[IBDEM] Fig 10"), "{}", ended.out);
    let endings = ["csv", "json", "md", "png", "svg"];
    assert_eq!(place.files("found"), endings.map(|ending| format!("agreement.{ending}")).into());
}

#[cfg(unix)]
#[test]
fn a_study_stops_at_sigint_and_leaves_nothing() {
    use std::process::{Command, Stdio};

    let place = Workplace::new();
    let mut command = place.command(&["study", "agreement", "-o", "found"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    crate::cli::wait_for(&place.path("found"));
    // it listens before its first run
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there").success());
    let ended: crate::cli::Ended = child.wait_with_output().expect("the program ends").into();
    ended.expect(130);
    ended.expect_error(&["stopped by signal 2; the files written so far are whole"]);
    assert!(place.files("found").is_empty());
}
