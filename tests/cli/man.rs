use std::io::ErrorKind;
use std::process::Command;

use crate::cli::{COMMANDS, Workplace};

#[test]
fn every_command_has_a_page() {
    let place = Workplace::new();
    place.run(&["man", "-o", "pages"]).expect(0);
    let main = place.read("pages/bdem.1");
    for name in COMMANDS {
        let page = place.read(&format!("pages/bdem-{name}.1"));
        assert!(page.contains(&format!(".TH bdem-{name} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS") && main.contains(&format!("bdem\\-{name}(1)")), "{name}");
    }
    assert!(main.contains("Exit codes:"), "{main}");
    // another call replaces the pages
    place.run(&["man", "--output", "pages"]).expect(0);
}

#[test]
fn examples_keep_their_lines() {
    let place = Workplace::new();
    place.run(&["man"]).expect(0);
    let page = place.path("man/bdem-simulate.1");
    match Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(page).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.lines().any(|line| line.trim() == "Examples:"), "{text}");
            assert!(output.stderr.is_empty(), "{output:?}");
        }
        Err(error) if error.kind() == ErrorKind::NotFound => println!("there is no groff here"),
        Err(error) => panic!("{error}"),
    }
}
