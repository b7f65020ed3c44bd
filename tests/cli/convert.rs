//! Frames for other programs.

use crate::cli::Workplace;

#[test]
fn frames_become_a_series_for_paraview() {
    let place = Workplace::new();
    place.simulate("run", &["--set", "output.bonds=true"]);
    place.run(&["convert", "run", "--frames", "0-1"]).expect(0);
    let series = |name: &str| place.read(&format!("run/vtu/{name}")).matches("<DataSet").count();
    assert_eq!(series("plate.pvd"), 2);
    let rest = place.run(&["convert", "run"]);
    rest.expect_error(&["2 of 4 frames written, the rest existed", "plate.pvd"]);
    assert_eq!(series("plate.pvd"), 4);
    assert!(place.read("run/vtu/plate.pvd").contains(&format!("timestep=\"{}\" file=\"plate.0002.vtu\"", 2.0 / 960.0)));

    let record = place.record("run");
    let last = std::fs::read(place.path("run/vtu/plate.0003.vtu")).expect("a file");
    let cells =
        format!("NumberOfPoints=\"{}\" NumberOfCells=\"{}\"", record.particles, record.particles + record.bonds);
    assert!(String::from_utf8_lossy(&last).contains(&cells), "no {cells}");
    place.run(&["convert", "run/ply/plate.0001.ply", "-o", "one", "--quiet"]).expect(0);
    assert_eq!(place.files("one"), ["plate.0001.vtu", "plate.pvd"].map(str::to_owned).into());
}

#[test]
fn what_is_no_run_is_refused() {
    let place = Workplace::new();
    place.run(&["convert", "nothing"]).expect(5);
    place.run(&["convert", "."]).expect(5);
    let ranges = place.run(&["convert", ".", "--frames", "3-1"]);
    ranges.expect(2);
    ranges.expect_error(&["1-100x2"]);
}
