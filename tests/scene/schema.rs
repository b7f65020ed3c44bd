use std::fs;
use std::path::Path;

use bdem_run::scene::schema;
use jsonschema::Validator;
use serde_json::Value;

use crate::scene::{PLATE, edited, parse};

fn validator() -> Validator {
    jsonschema::draft7::new(&schema()).expect("the schema is one of draft 7")
}

/// A scene as editors hand it on: JSON has no `inf`, which becomes null.
fn json(text: &str) -> Value {
    toml::from_str(text).expect("TOML")
}

fn complaints(text: &str) -> Vec<String> {
    validator().iter_errors(&json(text)).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_scenes_and_templates_are_right() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = ["scenes", "crates/jobs/src/templates"].map(|folder| root.join(folder).read_dir().expect("a folder"));
    let paths = files.into_iter().flatten().map(|entry| entry.expect("a file").path());
    let scenes: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(scenes.len() > 20, "{scenes:?}");
    for path in scenes {
        let wrong = complaints(&fs::read_to_string(&path).expect("text"));
        assert!(wrong.is_empty(), "{}: {wrong:#?}", path.display());
    }
}

#[test]
fn every_value_that_a_run_writes_down_is_right() {
    let resolved = parse(PLATE).expect("it is right").resolved_toml();
    assert!(resolved.contains("shear_strength = inf"), "{resolved}");
    assert_eq!(complaints(&resolved), [""; 0]);
}

/// An edit of [`PLATE`] that both the program and the schema refuse.
const WRONG: &[(&str, &str)] = &[
    ("frames = 120", "framess = 120"),
    ("frames = 120", "frames = \"120\""),
    ("frames = 120", "frames = 1.5"),
    ("frames = 120", "frames = 0"),
    ("frames = 120", "frames = 1000001"),
    ("frames = 120", "frames = 120\nstep = \"short\""),
    ("frames = 120", "frames = 120\nstep = 0.0"),
    ("frames = 120", "frames = 120\nstep = { periods = -1.0 }"),
    ("frames = 120", "frames = 120\nstep = { periods_2021 = -1.0 }"),
    ("frames = 120", "frames = 120\nintegrator = \"rk4\""),
    ("frame_rate = 480.0\n", ""),
    ("name = \"plate\"\n\n", "name = \"my plate\"\n\n"),
    ("newton_iterations = 30", "newton_iterations = 0"),
    ("newton_iterations = 30", "cg_tolerance = 1.0"),
    ("amg = { sweeps = 1 }", "amg = { sweep = 1 }"),
    ("density = 2600.0", "density = 0.0"),
    ("poisson_ratio = 0.25", "poisson_ratio = 0.5"),
    ("poisson_ratio = 0.25", "poisson_ratio = 0.25\nshear_modulus = 4e8"),
    ("poisson_ratio = 0.25\n", ""),
    ("friction = 0.5", "friction = -0.5"),
    ("friction = 0.5", "grain = { direction = [1.0, 0.0] }"),
    ("particle_radius = 0.01", "particle_radius = -0.01"),
    ("particle_radius = 0.005", "particle_radius = 0.005\npacking = \"rope\""),
    ("particle_radius = 0.005", "particle_radius = 0.005\npacking = { shell = { layers = 6 } }"),
    ("{ sphere = { radius = 0.03 } }", "{ sphere = { radius = 0.0 } }"),
    ("{ sphere = { radius = 0.03 } }", "{ ball = { radius = 0.03 } }"),
    ("{ sphere = { radius = 0.03 } }", "{ union = [{ sphere = { radius = 0.03 } }] }"),
    ("motion = \"fixed\"", "motion = \"free\""),
    ("motion = \"fixed\"", "motion = { keyframes = { keys = [] } }"),
    ("offset = -0.02", "ofset = -0.02"),
    ("every = 2", "every = 0"),
    ("every = 2", "checkpoint_every = 0"),
    ("every = 2", "checkpoint_every = \"15 h\""),
];

#[test]
fn what_the_program_refuses_at_sight_the_schema_refuses() {
    for (from, to) in WRONG {
        let text = edited(from, to);
        assert!(parse(&text).is_err(), "the program takes {to}");
        assert!(!complaints(&text).is_empty(), "the schema takes {to}");
    }
}

/// Edits of [`PLATE`] that both take: other forms of a value, and the ends of ranges.
const RIGHT: &[(&str, &str)] = &[
    ("frames = 120", "frames = 1000000\nstep = \"auto\""),
    ("frames = 120", "frames = 120\nstep = 1e-5"),
    ("frames = 120", "frames = 120\nstep = { limit = 0.9 }"),
    ("newton_iterations = 30", "newton_iterations = 1"),
    ("frames = 120", "frames = 120\ncontrol.halvings = 52"),
    ("poisson_ratio = 0.25", "shear_modulus = 4e8"),
    ("friction = 0.5", "friction = 0.0\nshear_strength = inf"),
    ("particle_radius = 0.005", "particle_radius = 0.005\npacking = \"random\""),
    ("particle_radius = 0.005", "packing = { random = { radius_range = [0.004, 0.005], gap = 1.0 } }"),
    ("every = 2", "checkpoint_every = 1"),
    ("every = 2", "checkpoint_every = \"1.5 min\""),
    ("motion = \"fixed\"", "force = [1.0, 0.0, 0.0]\nrelease = 0.5"),
];

#[test]
fn what_the_program_takes_the_schema_takes() {
    for (from, to) in RIGHT {
        let text = edited(from, to);
        parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(complaints(&text), [""; 0], "{to}");
    }
}

/// The ranges of settings are beside them, and in the checks of a scene: here they are held to each other.
#[test]
fn ends_of_settings_ranges_are_those_of_the_program() {
    let schema = schema();
    let ends = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let mut tried = 0;
    for (table, before, prefix) in [
        ("SolverSettings", "newton_iterations = 30", ""),
        ("ControlSettings", "frames = 120", "frames = 120\ncontrol."),
    ] {
        let settings = schema["definitions"][table]["properties"].as_object().expect("settings");
        for (key, of) in settings.iter().filter(|(key, _)| *key != "amg") {
            for end in ends.iter().filter_map(|&end| of.get(end)).filter(|end| !end.is_null()) {
                let text = edited(before, &format!("{prefix}{key} = {end}"));
                assert_eq!(parse(&text).is_ok(), complaints(&text).is_empty(), "{key} = {end}");
                tried += 1;
            }
        }
    }
    assert!(tried > 15, "{tried}");
}

/// Whether it has a description, of its own or of its type.
fn is_explained(schema: &Value, of: &Value) -> bool {
    let forms = ["allOf", "anyOf"].iter().filter_map(|key| of[key].as_array()).flatten();
    let named = of["$ref"].as_str().and_then(|name| schema.pointer(name.trim_start_matches('#')));
    of["description"].is_string() || forms.chain(named).any(|form| is_explained(schema, form))
}

#[test]
fn every_key_of_every_table_is_explained() {
    let schema = schema();
    let tables = schema["definitions"].as_object().expect("types").values().chain([&schema]);
    for (key, of) in tables.filter_map(|table| table["properties"].as_object()).flatten() {
        assert!(is_explained(&schema, of), "{key}: {of:#}");
    }
}

#[test]
fn explanations_have_no_links_into_the_code() {
    let text = schema().to_string();
    for link in ["](crate", "`]", "Self::"] {
        assert!(!text.contains(link), "{link}");
    }
}
