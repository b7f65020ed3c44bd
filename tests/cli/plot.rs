//! Charts of runs.

use crate::Workplace;

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
    assert!(energy.contains("plate, implicit-bdf2") && energy.contains("plate, explicit-verlet"));
    place.run(&["plot", "one", "--format", "png", "--quiet"]).expect(0);
    assert!(place.path("one/plot/energy.png").exists());
}

#[test]
fn what_is_no_run_is_refused() {
    let place = Workplace::new();
    place.run(&["plot"]).expect(2);
    let ended = place.run(&["plot", "nothing"]);
    ended.expect(5);
    ended.expect_error(&["run.json"]);
}
