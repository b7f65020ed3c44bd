//! Scenes that do not fit into memory.

use crate::cli::{Ended, Workplace};

/// Makes the plate one of 4.5e7 particles: some 270 GB.
const LARGE: [&str; 4] = [
    "--set",
    "bodies.plate.shape={ cylinder = { radius = 1.2, height = 1.0 } }",
    "--set",
    "bodies.plate.particle_radius=0.0026",
];

fn refused(place: &Workplace, words: &[&str], fragments: &[&str]) -> Ended {
    let ended = place.run(words);
    ended.expect(3);
    ended.expect_error(fragments);
    assert_eq!(place.files(""), ["scene.toml".to_owned()].into(), "nothing is written");
    ended
}

#[test]
fn a_scene_that_does_not_fit_is_told_before_it_is_built() {
    let place = Workplace::new();
    for command in ["check", "simulate", "compare", "export"] {
        let fragments =
            ["particles need ", " GB are free", "--max-memory", ": take larger particles or smaller bodies"];
        refused(&place, &[&[command, "scene.toml"], &LARGE[..]].concat(), &fragments);
    }
}

/// A limit on the address space, far below what the plate would take, and it does not run into it.
#[cfg(target_os = "linux")]
#[test]
fn a_refusal_takes_little_memory() {
    let place = Workplace::new();
    let words = [&["scene.toml", "--threads", "1"], &LARGE[..]].concat();
    let quoted: String = words.iter().map(|word| format!(" '{word}'")).collect();
    let script = format!("ulimit -v 400000; exec {} simulate{quoted}", env!("CARGO_BIN_EXE_bdem"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("")).env("BDEM_CACHE", "off");
    let ended: Ended = shell.output().expect("a shell").into();
    ended.expect(3);
    ended.expect_error(&["particles need "]);
}

#[test]
fn the_user_says_how_much_there_is() {
    let place = Workplace::new();
    let fragments = [" MB, and --max-memory allows 8.4 MB: take larger"];
    refused(&place, &["simulate", "scene.toml", "--max-memory", "8MiB"], &fragments);
    for size in ["8GB", "512 MB", "8GiB", "1 elephant", "GB", "-1"] {
        let ended =
            place.run(&["simulate", "scene.toml", "--frames", "1", "-o", "run", "--overwrite", "--max-memory", size]);
        ended.expect(if size.ends_with('B') && size != "GB" { 0 } else { 2 });
    }
}
