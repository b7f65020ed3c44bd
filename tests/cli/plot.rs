//! Charts of runs.

use crate::cli::Workplace;

#[test]
fn charts_of_two_runs_stand_side_by_side() {
    let place = Workplace::new();
    place.simulate("one", &["--frames", "2"]);
    place.simulate("two", &["--frames", "2", "--integrator", "explicit-verlet"]);
    place.run(&["plot", "one"]).expect(0);
    let names = ["breakage.svg", "energy.svg", "iterations.svg", "pieces.svg", "step.svg"];
    assert_eq!(place.files("one/plot"), names.map(str::to_owned).into());
    let both = place.run(&["plot", "one", "two", "-o", "both"]);
    both.expect_error(&["charts are in both"]);
    let energy = place.read("both/energy.svg");
    assert!(energy.contains("plate, auto") && energy.contains("plate, explicit-verlet"));
    place.run(&["plot", "one", "--format", "png", "--quiet"]).expect(0);
    assert!(place.path("one/plot/energy.png").exists());
}

#[test]
fn a_comparison_becomes_a_chart() {
    let place = Workplace::new();
    let small = ["--set", "bodies.plate.particle_radius=0.004", "--frames", "1", "--json", "both.json", "-q"];
    place.run(&[&["compare", "scene.toml"], &small[..]].concat()).expect(0);
    place.run(&["plot", "both.json"]).expect_error(&["charts are in plot"]);
    assert_eq!(place.files("plot"), ["both.svg".to_owned()].into());
    let chart = place.read("plot/both.svg");
    for word in ["auto", "implicit-bdf2", "explicit-verlet", "bonds broken", "wall-clock time of a frame, s", "energy"]
    {
        assert!(chart.contains(word), "no {word}");
    }
    place.run(&["plot", "both.json", "--format", "png", "-o", "charts", "-q"]).expect(0);
    assert!(place.path("charts/both.png").exists());
    let other = place.run(&["plot", "scene.toml"]);
    other.expect(5);
    other.expect_error(&["scene.toml", "compare --json"]);
}

#[test]
fn what_is_no_run_is_refused() {
    let place = Workplace::new();
    place.run(&["plot"]).expect(2);
    let ended = place.run(&["plot", "nothing"]);
    ended.expect(5);
    ended.expect_error(&["run.json"]);
}
