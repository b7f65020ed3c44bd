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
    let moduli = "plate, ceramic: bonds E = 1.000e9 Pa, G = 4.000e8 Pa; solid E = 1.525e9 Pa (1.264e9 to \
                  1.632e9 by direction), nu = 0.136";
    assert_eq!(fact(&report.out, "moduli"), moduli);
    assert!(fact(&report.out, "memory").ends_with(" MB"));
    assert!(fact(&report.out, "time").contains(" in all"));
    let impact = fact(&report.out, "impact");
    assert!(impact.starts_with("plate: ") && impact.ends_with(": shatters where it is struck"), "{impact}");
    assert!(fact(&report.out, "steps a frame").starts_with("1 to "));
}

/// Equal bodies share lines; figures that differ between them are ranges.
#[test]
fn a_check_joins_the_lines_of_bodies_that_are_alike() {
    let (head, rest) = crate::cli::PLATE.split_once("[[bodies]]").expect("a body");
    let (body, floor) = rest.split_once("[[colliders]]").expect("a floor");
    let plates: String = (0..5)
        .map(|k| {
            let packing = if k < 4 { "packing = \"random\"\n" } else { "" };
            let body = body.replace("\"plate\"", &format!("\"plate{k}\"\n{packing}"));
            "[[bodies]]".to_owned()
                + &body.replace("[0.0, 0.0, 0.02]", &format!("[{:?}, 0.0, 0.02]", 0.1 * f64::from(k)))
        })
        .collect();
    let place = Workplace::with(&format!("{head}{plates}[[colliders]]{floor}"));
    let report = place.run(&["check", "scene.toml"]);
    report.expect(0);
    let lines = |label: &str| report.out.lines().filter(|line| line.starts_with(label)).collect::<Vec<_>>();
    let packing = lines("packing");
    assert!(packing.len() == 1 && packing[0].contains("plate0 .. plate3 (4 bodies): 0."), "{packing:?}");
    assert!(packing[0].contains("..") && packing[0].ends_with(" bonds a particle"), "{packing:?}");
    assert!(
        lines("moduli").len() < 5 && report.out.contains(" (4 bodies), ceramic: bonds E = 1.000e9 Pa"),
        "{}",
        report.out
    );
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
fn a_check_tells_what_strikes() {
    let place = Workplace::new();
    let falls = place.run(&["check", "scene.toml"]);
    falls.expect(0);
    let impact = fact(&falls.out, "impact");
    assert!(impact.starts_with("plate: 5.") && impact.contains(" m/s, collider 0 at 0."), "{impact}");
    assert!(fact(&falls.out, "  trial").contains(" of 3 frames simulated in "), "{}", falls.out);
    let flies = place.run(&["check", "scene.toml", "--set", "scene.gravity=[0,0,0]", "--set", "colliders=[]"]);
    flies.expect(0);
    assert!(fact(&flies.out, "  trial").starts_with("3.0 of 3 frames simulated in "), "{}", flies.out);
    assert!(!flies.out.contains("impact"), "{}", flies.out);
}

#[test]
fn a_check_says_where_the_solver_gives_up() {
    let place = Workplace::new();
    let report = place.run(&["check", "scene.toml", "--integrator", "explicit-verlet", "--set", "time.step=1e-3"]);
    report.expect(3);
    report
        .expect_error(&["--set time.step=1e-3: `bdem simulate` would end with exit code 4", "beyond the stable limit"]);
    assert!(fact(&report.out, "time").starts_with("unknown: the solver gave up"), "{}", report.out);
}

/// What `simulate` would end with 4 for, or what is most likely not meant: an edit of the scene, the exit code, and the message.
#[test]
fn a_check_tells_what_a_run_will_do() {
    let hammer =
        "\n[[colliders]]\nname = \"hammer\"\nshape = { box = { size = [0.1, 0.1, 0.1] } }\nposition = [0, 0, 1]\n";
    let motion = |keys: &str| format!("{hammer}motion = {{ keyframes = {{ keys = [{keys}] }} }}\n");
    let jump = motion("{ time = 0 }, { time = 1e-5, position = [0, 0, 0.25] }");
    let swing = "{ time = 0 }, { time = 1e-3, rotation = { axis = [1, 0, 0], degrees = 3 } }";
    let own = motion(swing).replace("{ keys", "{ pivot = [0, 0, 1], keys");
    let grains = "\n[[bodies]]\nname = \"grains\"\nmaterial = \"ceramic\"\nbonded = false\nposition = [0, 0, 2]\n\
                  packing = { particles = { file = \"grains.csv\" } }\n";
    let cases = [
        (jump.clone(), 3, "the motion jumps: from 0 s to 10e-6 s it moves at 25000 m/s"),
        (motion(swing), 0, "turns about the world's origin, 1 m from its own: keyframes have no pivot"),
        (own, 0, ""),
        (grains.to_owned(), 3, "particles 1 and 2 overlap by 1.800e-4 m, more than 0.01 of the smaller's radius"),
        (grains.replace("bonded = false", "bonded = true"), 0, ""),
        (hammer.replace("[0, 0, 1]", "[0, 0, 0.02]"), 3, "deep in collider 1, \"hammer\""),
    ];
    for (more, code, message) in cases {
        let place = Workplace::new();
        std::fs::write(place.path("grains.csv"), "x,y,z,radius\n1,0,0,0.002\n0,0,0,0.002\n0.00382,0,0,0.002\n")
            .expect("space");
        std::fs::write(place.path("scene.toml"), place.read("scene.toml") + &more).expect("space");
        let ended = place.run(&["check", "scene.toml"]);
        ended.expect(code);
        if message.is_empty() {
            assert_eq!(ended.err, "", "{more}");
        } else {
            ended.expect_error(&["scene.toml:", message]);
        }
    }
}

/// Names of what is set are told, not what follows from a slip in them.
#[test]
fn a_slip_in_a_name_that_is_set_is_told() {
    let place = Workplace::new();
    let slip = place.run(&["check", "scene.toml", "--set", "materials.ceramc.density=1000"]);
    slip.expect(3);
    slip.expect_error(&["there is no material \"ceramc\"; did you mean \"ceramic\"?"]);
    let file = place.run(&["check", "scene.toml", "--set", "bodies.plate.shape.mesh.file=a/flip.obj"]);
    file.expect(3);
    file.expect_error(&["expected exactly one key, found several"]);
}

/// A body far from the origin of the frames: 0.03 m of rounding at 450 km.
#[test]
fn frames_keep_what_is_far_from_their_origin() {
    let place = Workplace::new();
    let far = |x: f64| {
        let scene = crate::cli::PLATE.replace("[0.0, 0.0, 0.02]", &format!("[{x:?}, 0.0, 0.02]"));
        std::fs::write(place.path("scene.toml"), scene).expect("space");
    };
    far(450_000.0);
    let refused = place.run(&["check", "scene.toml"]);
    refused.expect(3);
    refused.expect_error(&["scene.toml:23:12:", "body \"plate\" reaches", "output.origin = [450000.0, 0.0, 0.02]"]);
    far(200.0);
    let warned = place.run(&["check", "scene.toml"]);
    warned.expect(0);
    warned.expect_error(&["warning: ", "round positions by"]);

    far(450_000.0);
    let origin =
        ["--set", "output.origin=[450000.0, 0.0, 0.0]", "--frames", "1", "--set", "time.integrator=explicit-verlet"];
    place.simulate("far", &origin);
    far(0.0);
    place.simulate("near", &origin[2..]);
    let [far, near] = ["far", "near"].map(|run| {
        let path = place.path(run).join("ply/plate.0000.ply");
        bdem_run::output::ply::read_frame(&path).expect("a frame")
    });
    assert_eq!(far.comment("origin"), Some("450000 0 0 m"));
    assert_eq!(far.vertices.len(), near.vertices.len());
    let apart = |k: usize| (far.vertices[k].x - near.vertices[k].x).abs();
    assert!((0..near.vertices.len()).all(|k| apart(k) < 1e-8), "a frame is not the state");
    place.run(&["render", "far", "--frames", "1", "--size", "64x64"]).expect(0);
    place.run(&["view", "far", "--threads", "1"]).expect(0);
}

/// The trial ends within a frame: its clock is looked at each block.
#[test]
fn a_frame_of_ten_seconds_is_tried_in_parts() {
    let place = Workplace::new();
    let options = ["--set", "time.frame_rate=0.1", "--set", "time.control.sleep_below=0.02", "--frames", "1"];
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

#[test]
fn a_check_finds_the_strength_for_a_number_of_pieces() {
    let place = Workplace::new();
    let found = place.run(&["check", "scene.toml", "--pieces", "3"]);
    found.expect(0);
    let tuned = fact(&found.out, "tuned");
    assert!(tuned.starts_with("ceramic: tensile_strength = ") && tuned.ends_with(", wanted 3"), "{}", found.out);
    assert!(fact(&found.out, "tune  ").starts_with("1.000 x strength: "), "{}", found.out);
    // strengths of a softer material are those to be written beside its softness
    let soft = place.run(&["check", "scene.toml", "--pieces", "3", "--set", "materials.ceramic.softness=100"]);
    soft.expect(0);
    let first_number =
        |text: &str| -> f64 { text.split([' ', ',']).next().and_then(|word| word.parse().ok()).expect("a number") };
    let tuned = fact(&soft.out, "tuned").strip_prefix("ceramic: tensile_strength = ").expect("a strength");
    let factor = first_number(tuned) / 3e6;
    let mut tried =
        soft.out.lines().filter_map(|line| line.strip_prefix("tune  ")).map(|line| first_number(line.trim()));
    assert!(tried.any(|tried| (factor / tried - 1.0).abs() < 0.01), "{}", soft.out);
    let never = place.run(&[&["check", "scene.toml", "--pieces", "3"], &UNBREAKABLE[..]].concat());
    never.expect(2);
    assert!(never.err.contains("--pieces: no material has a tensile_strength"), "{}", never.err);
}
