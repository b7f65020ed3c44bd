use std::io::ErrorKind;
use std::process::Command;

use crate::cli::{COMMANDS, Workplace};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

#[test]
fn every_shell_learns_every_command() {
    for shell in SHELLS {
        let ended = Workplace::new().run(&["completions", shell]);
        ended.expect(0);
        for word in COMMANDS.iter().chain(&["overwrite"]) {
            assert!(ended.out.contains(word), "{shell}: no {word}");
        }
    }
}

#[test]
fn shells_that_are_here_can_read_them() {
    for shell in ["bash", "zsh", "fish"] {
        let place = Workplace::with(&Workplace::new().run(&["completions", shell]).out);
        match Command::new(shell).args(["-n", "scene.toml"]).current_dir(place.path("")).output() {
            Ok(output) => assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}"),
            Err(error) if error.kind() == ErrorKind::NotFound && shell != "bash" => {
                println!("there is no {shell} here")
            }
            Err(error) => panic!("{shell}: {error}"),
        }
    }
}

#[test]
fn unknown_shells_are_told() {
    let ended = Workplace::new().run(&["completions", "tcsh"]);
    ended.expect(2);
    ended.expect_error(&["tcsh", "bash", "fish"]);
}
