use crate::cli::{UNBREAKABLE, Workplace};

/// What a line of the report says.
fn fact<'a>(report: &'a str, key: &str) -> &'a str {
    report.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("no {key} in:\n{report}")).trim()
}

#[test]
fn a_check_says_what_a_run_will_take() {
    let place = Workplace::new();
    let report = place.run(&["check", "scene.toml"]);
    report.expect(0);
    place.simulate("run", &[&["--frames", "1"], &UNBREAKABLE[..]].concat());
    let record = place.record("run");
    assert_eq!(fact(&report.out, "particles"), record.particles.to_string());
    assert_eq!(fact(&report.out, "bonds"), record.bonds.to_string());
    assert_eq!(fact(&report.out, "scene"), "plate (3 frames of 1/960 s, auto)");
    assert_eq!(fact(&report.out, "period T"), format!("{:.4e} s", record.period));
    let moduli = "ceramic: bonds E = 1.000e9 Pa, G = 4.000e8 Pa; solid E = 1.525e9 Pa, nu = 0.136";
    assert_eq!(fact(&report.out, "moduli"), moduli);
    assert!(fact(&report.out, "memory").ends_with(" MB"));
    assert!(fact(&report.out, "time").contains(" in all"));
    let impact = fact(&report.out, "impact");
    assert!(impact.starts_with("plate: ") && impact.ends_with(": bursts"), "{impact}");
    assert!(fact(&report.out, "steps a frame").starts_with("1 to "));
}

#[test]
fn the_limit_it_prints_is_the_explicit_step() {
    let place = Workplace::new();
    let options = ["--integrator", "explicit-verlet", "--set", "time.step=auto", "--frames", "1"];
    let report = place.run(&[&["check", "scene.toml"], &options[..]].concat());
    report.expect(0);
    let limit: f64 = fact(&report.out, "explicit limit").split(' ').next().unwrap_or("").parse().expect("seconds");
    place.simulate("run", &options);
    let record = place.record("run");
    let (frame, wanted) = (1.0 / 960.0, 0.9 * limit);
    assert_eq!(record.steps, (frame / wanted).ceil() as u64, "{limit}");
}

#[test]
fn a_check_says_the_conditions_that_end_a_run() {
    let place = Workplace::new();
    let ends = place.run(&["check", "scene.toml", "--set", "time.until={ bonds_broken = 10, pieces = 2 }"]);
    ends.expect(0);
    assert_eq!(fact(&ends.out, "until"), "10 bonds are broken, or there are 2 pieces");
    assert!(fact(&ends.out, "time").ends_with(" in all at most: time.until may end the run before its last frame"));
    assert!(!place.run(&["check", "scene.toml"]).out.contains("until  "));
}

#[test]
fn a_check_writes_nothing() {
    let place = Workplace::new();
    place.run(&["check", "scene.toml"]).expect(0);
    assert_eq!(place.files(""), ["scene.toml".to_owned()].into());
}

#[test]
fn a_check_tells_flight_from_what_comes_after() {
    let place = Workplace::new();
    // 3 frames of which it takes 0.7 until the plate's lower edge has come down
    let falls = place.run(&["check", "scene.toml"]);
    falls.expect(0);
    assert!(fact(&falls.out, "  until impact").contains(" frames, about "), "{}", falls.out);
    assert!(fact(&falls.out, "  from impact").contains(" frames, "), "{}", falls.out);
    let flies = place.run(&["check", "scene.toml", "--set", "scene.gravity=[0,0,0]", "--set", "colliders=[]"]);
    flies.expect(0);
    assert!(fact(&flies.out, "  no impact").starts_with("3.0 frames, about "), "{}", flies.out);
    assert!(!flies.out.contains("from impact"), "{}", flies.out);
}

#[test]
fn a_check_says_where_the_solver_gives_up() {
    let place = Workplace::new();
    let report = place.run(&["check", "scene.toml", "--integrator", "explicit-verlet", "--set", "time.step=1e-3"]);
    report.expect(0);
    assert!(fact(&report.out, "time").starts_with("unknown: the solver gave up"), "{}", report.out);
}

/// The trial ends within a frame: its clock is looked at each block.
#[test]
fn a_frame_of_ten_seconds_is_tried_in_parts() {
    let place = Workplace::new();
    let options = ["--set", "time.frame_rate=0.1", "--set", "time.control.rigid_below=0.02", "--frames", "1"];
    let ended = place.run(&[&["check", "scene.toml"], &options[..], &crate::cli::UNBREAKABLE].concat());
    ended.expect(0);
    assert!(ended.out.contains("\ntime  "), "{}", ended.out);
}

/// Charges are those of the key at which they are largest.
#[test]
fn charges_and_their_time_scale_are_told() {
    let place = Workplace::new();
    let scene = std::fs::read_to_string(place.path("scene.toml")).expect("the scene");
    let charges =
        "\n[[charges]]\nbody = \"plate\"\nkeyframes = [{ time = 0, charge = 0 }, { time = 1e-3, charge = 1e-9 }]\n";
    std::fs::write(place.path("charged.toml"), scene + charges).expect("space");
    let report = place.run(&["check", "charged.toml"]);
    report.expect(0);
    let particles: f64 = fact(&report.out, "particles").parse().expect("a number");
    let told = fact(&report.out, "charges");
    assert!(told.starts_with(&format!("{particles}, {:.3e} C in all at 0.001 s; ", 1e-9 * particles)), "{told}");
    let field = fact(&report.out, "field");
    assert!(field.contains("of the weight; time scale ") && field.ends_with("of the longest step"), "{field}");
}
