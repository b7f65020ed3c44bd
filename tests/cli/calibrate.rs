//! Calibrations: wrong targets, and presets of materials.

use std::fs;

use crate::cli::Workplace;

#[test]
fn wrong_targets_are_refused_with_their_line() {
    let place = Workplace::new();
    place.run(&["new", "calibrate"]).expect(0);
    let text = place.read("calibrate.toml");
    for (from, to, fragments) in [
        ("name = \"concrete\"", "name = \"a/b\"", ["calibrate.toml:", "letters, digits"]),
        ("radius = 0.004", "radius = 0.0", ["calibrate.toml:9:1", "radius is 0"]),
        ("value = 0.2, tolerance", "value = 0.4, tolerance", ["poisson_ratio", "-0.06 to 0.31"]),
        ("value = 30e6", "value = 300e6", ["compressive_strength", "leave it out"]),
        ("value = 100.0, tolerance = 0.1", "value = 100.0, tolerance = 0.0", ["fracture_energy", "the tolerance is 0"]),
        ("value = 3e6", "value = -3e6", ["tensile_strength", "give a positive number"]),
        ("density = 2400.0", "densty = 2400.0", ["densty", "density"]),
        ("# seeds = [1, 2]", "seeds = []", ["there is no seed", "give two"]),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(place.path("calibrate.toml"), text.replacen(from, to, 1)).expect("space");
        let ended = place.run(&["calibrate", "calibrate.toml"]);
        ended.expect(3);
        ended.expect_error(&fragments);
    }
}

#[test]
fn a_material_by_a_word_has_the_keys_of_its_preset() {
    let place = Workplace::new();
    let scene = place.read("scene.toml");
    let start = scene.find("[materials.ceramic]").expect("a material");
    let end = scene.find("[[bodies]]").expect("a body");
    let without = scene[..start].to_owned() + &scene[end..];
    for name in ["brick", "ceramic", "chocolate", "concrete", "glass", "plaster", "sandstone", "terracotta", "wood"] {
        fs::write(place.path("scene.toml"), without.replace("\"ceramic\"", &format!("{name:?}"))).expect("space");
        place.run(&["check", "scene.toml"]).expect(0);
    }
    let own = "[materials.mine]\npreset = \"glass\"\nyoung_modulus = 7e9\nshear_modulus = 3e9\n";
    fs::write(place.path("scene.toml"), without.replace("\"ceramic\"", "\"mine\"") + own).expect("space");
    place.simulate("out", &["--frames", "1"]);
    let resolved = place.read("out/scene.resolved.toml");
    for line in ["young_modulus = 7000000000.0", "shear_modulus = 3000000000.0", "fracture_energy = 8.0"] {
        assert!(resolved.contains(line), "{line}: {resolved}");
    }
    assert!(!resolved.contains("poisson_ratio"), "{resolved}");
    fs::write(place.path("scene.toml"), without.replace("\"ceramic\"", "\"mine\"") + &own.replace("glass", "galss"))
        .expect("space");
    let ended = place.run(&["check", "scene.toml"]);
    ended.expect(3);
    ended.expect_error(&["unknown name `galss`", "did you mean `glass`"]);
}
