use std::fs;

use bdem_run::scene::schema;
use serde_json::Value;

use crate::cli::{Ended, Workplace};

/// The names in the list that `bdem new` prints.
fn templates() -> Vec<String> {
    let ended = Workplace::new().run(&["new"]);
    ended.expect(0);
    let names = ended.out.lines().map(|line| line.split_whitespace().next().expect("a name").to_owned());
    names.collect()
}

/// All that there are.
fn integrators() -> Vec<String> {
    let schema = schema();
    let forms = schema["definitions"]["Integrator"]["oneOf"].as_array().expect("several");
    // a form that stands for one name, for several, or for a table
    let names = |form: &Value| {
        let one = || form.get("const").map(|name| vec![name.clone()]);
        form.get("enum").and_then(Value::as_array).cloned().or_else(one)
    };
    let all = forms.iter().filter_map(names).flatten();
    all.map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn templates_are_listed_with_what_they_show() {
    let ended = Workplace::new().run(&["new"]);
    ended.expect(0);
    assert_eq!(ended.out.lines().next(), Some("drop         A tile falls on the ground and breaks"));
    assert!(ended.out.lines().all(|line| line.split_whitespace().count() > 3), "{}", ended.out);
    assert!(templates().len() >= 5);
}

#[test]
fn every_template_runs_under_every_integrator() {
    assert!(integrators().contains(&"explicit-verlet".to_owned()), "{:?}", integrators());
    for template in templates().into_iter().filter(|name| !["fit", "calibrate"].contains(&name.as_str())) {
        let place = Workplace::new();
        place.run(&["new", &template]).expect(0);
        let scene = format!("{template}.toml");
        assert!(place.read(&scene).starts_with("#:schema bdem.schema.json\n# "), "{template}");
        place.run(&["check", &scene]).expect(0);
        // the midpoint rule takes minutes where platens press on hundreds of particles
        let is_pressed = place.read(&scene).contains("[specimen]");
        let integrators = integrators().into_iter().filter(|name| !(is_pressed && name == "implicit-midpoint"));
        for integrator in integrators {
            // frames are short, and packings are kept
            let words = ["simulate", &scene, "--frames", "1", "--set", "time.frame_rate=4000"];
            let mut run = place.command(&[&words[..], &["--integrator", &integrator, "-o", &integrator]].concat());
            let ended: Ended = run.env("BDEM_CACHE", place.path("cache")).output().expect("the program starts").into();
            if integrator == "implicit-midpoint" && place.read(&scene).contains("\nrigid = true") {
                ended.expect(3);
                ended.expect_error(&["is rigid and free, and implicit-midpoint moves spheres only"]);
                continue;
            }
            ended.expect(0);
            assert_eq!(place.record(&integrator).frames, 1, "{template}, {integrator}");
        }
    }
}

#[test]
fn a_template_goes_where_it_is_told_to_with_what_it_needs() {
    let place = Workplace::new();
    fs::create_dir(place.path("shots")).expect("space");
    let ended = place.run(&["new", "mesh", "-o", "shots/sh010.toml"]);
    ended.expect(0);
    assert_eq!(ended.out, "wrote shots/star.obj and shots/sh010.toml; now: bdem simulate shots/sh010.toml\n");
    place.run(&["check", "shots/sh010.toml"]).expect(0);
}

#[test]
fn files_that_are_there_stay() {
    let place = Workplace::new();
    fs::write(place.path("star.obj"), "mine").expect("space");
    let ended = place.run(&["new", "mesh"]);
    ended.expect(2);
    ended.expect_error(&["star.obj exists", "-o", "--overwrite"]);
    assert_eq!(place.read("star.obj"), "mine");
    assert!(!place.path("mesh.toml").exists());
    place.run(&["new", "mesh", "--overwrite"]).expect(0);
    assert_ne!(place.read("star.obj"), "mine");
}

#[test]
fn what_cannot_be_written_is_told() {
    let place = Workplace::new();
    for (words, code, fragment) in [
        (&["new", "teapot"][..], 2, "drop"),
        (&["new", "-o", "scene.toml"], 2, "required"),
        (&["new", "drop", "-o", "nowhere/drop.toml"], 5, "cannot write nowhere/drop.toml"),
    ] {
        let ended = place.run(words);
        ended.expect(code);
        ended.expect_error(&[fragment]);
    }
}
