use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::cli::{UNBREAKABLE, Workplace, rows};

/// A plate whose runs take a moment only.
const SMALL: [&str; 4] = ["--set", "bodies.plate.particle_radius=0.004", "--frames", "2"];

impl Workplace {
    /// `bdem compare scene.toml` on a small plate, and more words.
    fn compare(&self, words: &[&str]) -> crate::cli::Ended {
        self.run(&[&["compare", "scene.toml"], &SMALL[..], words].concat())
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.read(file)).expect("JSON")
    }
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("a table").keys().map(String::as_str).collect()
}

#[test]
fn explicit_runs_at_both_steps_stand_beside_the_scenes_own() {
    let place = Workplace::new();
    let ended = place.compare(&["--explicit-frames", "1", "--json", "c.json", "--threads", "2"]);
    ended.expect(0);
    let json = place.json("c.json");
    let runs = json["runs"].as_array().expect("a list");
    let names: Vec<&str> = runs.iter().map(|run| run["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["auto", "implicit-bdf2", "explicit-verlet@stable", "explicit-verlet@0.2"]);
    assert!((runs[3]["step_in_periods"].as_f64().expect("a number") - 0.2).abs() < 0.01);
    let frames: Vec<_> = runs.iter().map(|run| run["frames"].clone()).collect();
    assert_eq!(frames, [2.0, 2.0, 1.0, 1.0].map(|frames| json!(frames)));
    assert_eq!(json["threads"], 2);
    assert_eq!(place.files(""), ["c.json".to_owned(), "scene.toml".to_owned()].into(), "nothing else is written");
    for line in [
        "explicit-verlet@stable is timed over 1 of 2 frames",
        "ns/bond/step",
        "auto over explicit",
        "implicit-bdf2 over explicit",
    ] {
        assert!(ended.out.contains(line), "no {line:?} in:\n{}", ended.out);
    }
}

#[test]
fn the_json_has_what_scripts_look_for() {
    let place = Workplace::new();
    place.compare(&["--json", "c.json"]).expect(0);
    let json = place.json("c.json");
    for run in json["runs"].as_array().expect("a list") {
        let expected = "name integrator step step_in_periods frames_wanted frames steps step_cuts seconds_per_frame \
                        seconds nanoseconds_per_bond_step newton_iterations cg_iterations bonds bonds_broken pieces \
                        largest_piece energy energy_off momentum turns";
        assert_eq!(keys(run), expected.split_whitespace().collect());
        assert_eq!(keys(&run["seconds"]), ["total", "setup", "integrate", "fracture", "contact", "output"].into());
        assert!(run["turns"].as_u64() > Some(3), "the runs are interleaved: {run}");
        assert!(run["nanoseconds_per_bond_step"].as_f64() > Some(0.0), "{run}");
    }
    let pairs = json["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 6);
    for pair in pairs {
        assert_eq!(keys(pair), ["run", "against", "speedup", "differences"].into());
        let expected = ["frame", "displacement_mean", "displacement_greatest", "bonds_broken", "energy"];
        assert_eq!(keys(&pair["differences"]), expected.into());
        assert_eq!(pair["differences"]["frame"], 2);
        let of = |name: &Value| json["runs"].as_array().into_iter().flatten().find(|run| run["name"] == *name);
        let seconds = |name| of(name).and_then(|run| run["seconds_per_frame"].as_f64()).expect("a number");
        let speedup = seconds(&pair["against"]) / seconds(&pair["run"]);
        assert!((pair["speedup"].as_f64().expect("a number") / speedup - 1.0).abs() < 1e-9);
    }
}

#[test]
fn json_to_stdout_is_json_alone() {
    let place = Workplace::new();
    let ended = place.compare(&["--json", "-", "--integrators", "implicit-euler,implicit-euler@5"]);
    ended.expect(0);
    let json: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(json["runs"][1]["name"], "implicit-euler@5");
    ended.expect_error(&["implicit-euler over implicit-euler@5"]);
}

#[test]
fn a_run_beside_itself_is_what_simulate_does() {
    let place = Workplace::new();
    let own = ["--integrators", "auto,auto", "--json", "c.json", "--quiet"];
    let ended = place.compare(&own);
    ended.expect(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
    let json = place.json("c.json");
    let differences = &json["pairs"][0]["differences"];
    for key in ["displacement_mean", "displacement_greatest", "bonds_broken", "energy"] {
        assert_eq!(differences[key].as_f64(), Some(0.0), "{key}");
    }
    place.simulate("run", &SMALL);
    let (record, run) = (place.record("run"), &json["runs"][1]);
    assert_eq!(run["name"], "auto#2");
    assert!(record.bonds_broken > 0);
    for (key, count) in [
        ("steps", record.steps),
        ("newton_iterations", record.newton_iterations),
        ("cg_iterations", record.cg_iterations),
        ("bonds_broken", record.bonds_broken as u64),
        ("pieces", record.pieces as u64),
        ("largest_piece", record.largest_piece as u64),
    ] {
        assert_eq!(run[key].as_u64(), Some(count), "{key}");
    }
    let table = place.read("run/metrics.csv");
    let column = table.lines().next().unwrap_or("").split(',').position(|name| name == "total").expect("a column");
    assert_eq!(rows(&table)[2][column].parse::<f64>().ok(), run["energy"].as_f64(), "the same bits");
}

#[test]
fn runs_start_from_a_frame_and_end_in_time() {
    let place = Workplace::new();
    let ended = place.compare(&["--from-frame", "1", "--seconds", "0.05", "--warm-up", "1", "--json", "c.json"]);
    ended.expect(0);
    let json = place.json("c.json");
    assert_eq!((&json["from_frame"], &json["brought_by"]), (&json!(1), &json!("auto")));
    for run in json["runs"].as_array().expect("a list") {
        let frames = run["frames"].as_f64().expect("a number");
        assert!(frames > 0.0 && frames < 2.0, "{run}");
    }
    for line in ["from frame 1, to which auto", "ends after 0.05 s", "untimed steps"] {
        assert!(ended.out.contains(line), "no {line:?} in:\n{}", ended.out);
    }
}

/// Writes a baseline: the comparison in `c.json` with its first speedup times `factor`.
fn baseline(place: &Workplace, factor: f64) {
    let mut json = place.json("c.json");
    let speedup = json["pairs"][0]["speedup"].as_f64().expect("a number");
    json["pairs"][0]["speedup"] = json!(speedup * factor);
    fs::write(place.path("old.json"), json.to_string()).expect("space");
}

#[test]
fn a_speedup_below_the_baseline_fails_and_is_named() {
    let place = Workplace::new();
    let runs = ["--integrators", "implicit-euler,explicit-verlet@0.2", "--json", "c.json"];
    place.compare(&runs).expect(0);
    let held = [&runs[..], &["--baseline", "old.json", "--tolerance", "0.5"]].concat();
    baseline(&place, 0.1);
    place.compare(&held).expect(0);
    baseline(&place, 100.0);
    let ended = place.compare(&held);
    ended.expect(7);
    ended
        .expect_error(&["slower than the baseline by more than 50%: implicit-euler over explicit-verlet@0.2: speedup"]);
}

#[test]
fn a_baseline_tells_what_passed_and_holds_results() {
    let place = Workplace::new();
    let runs = ["--integrators", "implicit-euler,explicit-verlet@0.2", "--json", "c.json"];
    place.compare(&runs).expect(0);
    baseline(&place, 0.1);
    let held = [&runs[..], &["--baseline", "old.json", "--results", "0"]].concat();
    let ended = place.compare(&held);
    ended.expect(0);
    for line in [
        "passed  implicit-euler over explicit-verlet@0.2: speedup",
        " bonds broken, and ",
        "passed  explicit-verlet@0.2: energy ",
    ] {
        assert!(ended.out.contains(line), "no {line:?} in:\n{}", ended.out);
    }
    let mut json = place.json("old.json");
    let broken = json["runs"][1]["bonds_broken"].as_u64().expect("a number");
    json["runs"][1]["bonds_broken"] = json!(broken + 1);
    fs::write(place.path("old.json"), json.to_string()).expect("space");
    let ended = place.compare(&held);
    ended.expect(7);
    ended.expect_error(&[
        "or other results by more than 0%",
        &format!("{broken} bonds broken, and {} in the baseline", broken + 1),
    ]);
    place.compare(&[&held[..held.len() - 1], &["0.9"]].concat()).expect(0);
}

#[test]
fn a_baseline_of_another_scene_is_refused() {
    let place = Workplace::new();
    let runs = ["--integrators", "implicit-euler,implicit-euler@5", "--json", "c.json"];
    place.compare(&runs).expect(0);
    let more = ["--baseline", "c.json", "--set", "materials.ceramic.density=2700"];
    for (words, fragments) in [
        (&more[..], ["its scene has the digest", "--json writes a new baseline"]),
        (&["--baseline", "c.json", "--from-frame", "1"], ["it starts from frame 0", "this one from 1"]),
    ] {
        let ended = place.compare(&[&runs[..2], words].concat());
        ended.expect(2);
        ended.expect_error(&fragments);
    }
}

#[test]
fn repeated_runs_have_medians_and_ranges() {
    let place = Workplace::new();
    let ended =
        place.compare(&["--integrators", "implicit-euler,implicit-euler@5", "--repeat", "3", "--json", "c.json"]);
    ended.expect(0);
    assert!(ended.out.contains("times are medians of 3 repetitions"), "{}", ended.out);
    let json = place.json("c.json");
    assert_eq!(json["repeats"], 3);
    for (row, key) in [(&json["runs"][0], "seconds_per_frame"), (&json["pairs"][0], "speedup")] {
        let number = |value: &Value| value.as_f64().expect("a number");
        let [least, greatest] = [0, 1].map(|end| number(&row[format!("{key}_range")][end]));
        assert!(least <= number(&row[key]) && number(&row[key]) <= greatest, "{row}");
    }
}

#[test]
fn files_that_are_no_baseline_are_told_before_the_runs() {
    let place = Workplace::new();
    let pair = r#"[{"run": "implicit-euler", "against": "explicit-verlet@0.2", "speedup": 2.0}]"#;
    let text = |scene: &str, pairs: &str| format!(r#"{{"scene": "{scene}", "digest": "", "pairs": {pairs}}}"#);
    for (text, fragments) in [
        ("{".to_owned(), &["old.json is no baseline for this: expected a file that `bdem compare --json` wrote"][..]),
        ("{\"runs\": []}".to_owned(), &["missing field"]),
        (text("beam", pair), &["its scene is \"beam\", and this one is \"plate\""]),
        (text("plate", "[]"), &["it has a speedup of no two of these runs", "but of none; --integrators"]),
    ] {
        fs::write(place.path("old.json"), text).expect("space");
        let ended = place.compare(&["--baseline", "old.json"]);
        ended.expect(2);
        ended.expect_error(fragments);
    }
    let missing = place.compare(&["--baseline", "none.json"]);
    missing.expect(5);
    missing.expect_error(&["cannot read the baseline none.json"]);
}

#[test]
fn comparisons_that_make_no_sense() {
    let place = Workplace::new();
    for (words, code, fragments) in [
        (
            &["--integrators", "implicit-euler"][..],
            2,
            &["--integrators implicit-euler: a comparison needs two runs"][..],
        ),
        (&["--integrators", "rk4,implicit-euler"], 2, &["\"rk4\" is no integrator", "`explicit-verlet`"]),
        (&["--integrators", "explicit-verlet@-1"], 2, &["a positive number of periods T, or \"stable\""]),
        (&["--integrators", "implicit-euler@stable"], 2, &["expected a positive number of periods T"]),
        (&["--explicit-frames", "3"], 2, &["--explicit-frames 3 is more than the 2 frames of all runs"]),
        (&["--explicit-frames", "0"], 2, &["--explicit-frames"]),
        (&["--share", "1.5"], 2, &["expected a number above 0 and at most 1"]),
        (&["--tolerance", "0.1"], 2, &["--baseline"]),
        (&["--results", "0.1"], 2, &["--baseline"]),
        (&["--repeat", "0"], 2, &["--repeat"]),
        (&["--seconds", "0"], 2, &["expected a positive number"]),
        (&["--json", "none/c.json"], 5, &["cannot write none/c.json: name a file in an existing folder"]),
    ] {
        let ended = place.compare(words);
        ended.expect(code);
        ended.expect_error(fragments);
    }
}

#[test]
fn a_solver_that_gives_up_is_told_in_its_row() {
    let place = Workplace::new();
    let words = ["--integrators", "implicit-euler,explicit-verlet@3", "--json", "c.json"];
    let ended = place.compare(&[&words[..], &UNBREAKABLE].concat());
    ended.expect(4);
    ended.expect_error(&["error: explicit-verlet@3: the solver gave up at"]);
    assert!(ended.out.contains("gave up"), "{}", ended.out);
    let json = place.json("c.json");
    assert_eq!((&json["pairs"][0]["speedup"], &json["pairs"][0]["differences"]), (&Value::Null, &Value::Null));
    assert!(json["runs"][1]["error"].as_str().expect("text").contains("beyond the stable limit"));
    assert!(json["runs"][0]["seconds_per_frame"].as_f64() > Some(0.0));
}

#[cfg(unix)]
#[test]
fn a_comparison_that_is_stopped_writes_nothing() {
    use std::process::{Command, Stdio};
    let place = Workplace::new();
    let words = ["compare", "scene.toml", "--frames", "1000000", "--quiet", "--json", "c.json"];
    let child =
        place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there").success());
    let ended: crate::cli::Ended = child.wait_with_output().expect("the program ends").into();
    ended.expect(130);
    ended.expect_error(&["stopped by signal 2; the files written so far are whole"]);
    assert_eq!(place.files(""), ["scene.toml".to_owned()].into());
}

#[test]
fn an_integrator_that_cannot_take_the_scene_is_refused() {
    let place = Workplace::new();
    let bond = ["--set", "materials.ceramic.bond=force-2021", "--integrator", "explicit-verlet"];
    let ended = place.compare(&[&bond[..], &["--integrators", "implicit-euler,explicit-verlet"]].concat());
    ended.expect(3);
    assert!(ended.err.contains("implicit-euler cannot take this bond"), "{}", ended.err);
}
