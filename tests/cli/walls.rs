//! Thin walls: what check and simulate say of them.

use crate::cli::{Ended, Workplace};

/// A vase with walls of 5.57 mm.
const VASE: &str = r#"[scene]
name = "vase"

[time]
frame_rate = 480.0
frames = 1

[materials.clay]
density = 1000.0
young_modulus = 1e7
poisson_ratio = 0.2

[[bodies]]
name = "vase"
material = "clay"
particle_radius = 0.002
shape = { revolve = { profile = [[0, 0], [0.03, 0], [0.05, 0.05], [0.03, 0.1], [0.035, 0.12], [0.029, 0.12], [0.024, 0.1], [0.044, 0.05], [0.026, 0.006], [0, 0.006]] } }
"#;

fn check(packing: &str) -> Ended {
    let set = format!("bodies.vase.packing={packing}");
    let ended = Workplace::with(VASE).run(&["check", "scene.toml", "--set", &set]);
    ended.expect(0);
    ended
}

#[test]
fn walls_in_pieces_are_refused_by_check_and_by_simulate() {
    let place = Workplace::with(VASE);
    for words in [&["check", "scene.toml"][..], &["simulate", "scene.toml", "-o", "run"]] {
        let ended = place.run(words);
        ended.expect(3);
        ended.expect_error(&["scene.toml:17:9: body \"vase\" is in ", "pieces at the start", "1.4 particles thick"]);
        ended.expect_error(&["particles of radius 0.0013 should do", "packing = { shell = { fill = true } }"]);
    }
    assert!(!place.path("run").exists(), "nothing is written");
}

#[test]
fn a_check_tells_the_pieces_and_the_walls() {
    let ended = check("{ shell = { fill = true } }");
    assert!(!ended.err.contains("warning"), "{}", ended.err);
    let line = "\npieces         vase: 1 piece; 1.4 particles across its thinnest walls of 5.57";
    assert!(ended.out.contains(line) && ended.out.contains("\npacking        vase: 0."), "{}", ended.out);
}

#[test]
fn pieces_are_warned_of_with_the_line_of_the_body_and_a_few_loose_spheres_are_not() {
    let ended = check("random-loose");
    assert!(!ended.err.contains("warning") && ended.out.contains("vase: 4 pieces"), "{}{}", ended.err, ended.out);
    // a stem below the foot as thin as the spheres
    let stem = "[0, -0.06], [0.0023, -0.06], [0.0023, -0.001], [0.004, 0], [0.0041, 0]";
    let stemmed = VASE.replace("profile = [[0, 0]", &format!("profile = [{stem}"));
    let ended = Workplace::with(&stemmed).run(&["check", "scene.toml", "--set", "bodies.vase.packing=random-loose"]);
    ended.expect(0);
    assert!(ended.err.contains("warning: scene.toml:17:9: body \"vase\" is in "), "{}{}", ended.err, ended.out);
}
