//! Fits: what is found, what is left, what is refused with its line, and that a fit resumes with the same bits.

use std::fs;

use sha2::{Digest, Sha256};

use crate::cli::{Ended, Workplace, wait_for};

/// A mass on two springs falls: the true stiffness is 30 N/m.
const SCENE: &str = r#"[scene]
name = "springs"

[time]
frame_rate = 50.0
frames = 10
integrator = "implicit-bdf2"
step = 0.005

[solver]                            # as fits solve it
newton_tolerance = 1e-10
newton_relative_tolerance = 1e-6

[[bodies]]
name = "net"
packing = { edges = { file = "net.obj" } }
springs = { stiffness = 30.0, mass = 0.05, damping = 0.1 }
particle_radius = 0.02

[[constraints]]
region = { nearest = { point = [0.0, 0.0, 0.0] } }
motion = "fixed"
"#;

const NET: &str = "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0.3 0.3 0\nf 1 2 3\nf 2 4 3\n";

const FIT: &str = r#"[fit]
name = "springs"
scene = "scene.toml"
method = "lbfgs"
evaluations = 40

[[parameters]]
key = "bodies.net.springs.stiffness"
start = 15.0
bounds = [5.0, 300.0]

[[targets]]
frames = "out/springs"
"#;

/// With the fit, and a run of the true scene.
fn place() -> Workplace {
    let place = Workplace::with(SCENE);
    fs::write(place.path("net.obj"), NET).expect("space");
    fs::write(place.path("fit.toml"), FIT).expect("space");
    place.run(&["simulate", "scene.toml"]).expect(0);
    place
}

fn found(place: &Workplace, folder: &str) -> f64 {
    let sets = place.read(&format!("{folder}/fitted.txt"));
    sets.trim().rsplit('=').next().expect("a value").parse().expect("a number")
}

/// The fit with some of its text replaced.
fn fit_with(place: &Workplace, changes: &[(&str, &str)]) -> Ended {
    let text = changes.iter().fold(FIT.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    fs::write(place.path("fit.toml"), text).expect("space");
    place.run(&["fit", "fit.toml", "--overwrite"])
}

#[test]
fn every_method_finds_a_stiffness_and_leaves_its_files() {
    let place = place();
    for (method, most) in [("lbfgs", 1e-4), ("gauss-newton", 1e-4), ("nelder-mead", 1e-2)] {
        let ended = fit_with(&place, &[("lbfgs", method)]);
        ended.expect(0);
        assert!(ended.out.contains("--set bodies.net.springs.stiffness="), "{}", ended.out);
        let found = found(&place, "out/fit/springs");
        assert!((found / 30.0 - 1.0).abs() < most, "{method}: {found}");
        for file in ["evaluations.csv", "loss.png", "parameters.svg", "fitted.toml"] {
            assert!(place.path("out/fit/springs").join(file).exists(), "{file}");
        }
        place.run(&["simulate", "out/fit/springs/fitted.toml", "-o", &format!("out/{method}")]).expect(0);
    }
}

#[test]
fn a_fit_that_was_stopped_resumes_with_the_same_bits() {
    let place = place();
    for method in ["lbfgs", "gauss-newton", "nelder-mead"] {
        fit_with(&place, &[("lbfgs", method)]).expect(0);
        let names = ["evaluations.csv", "fitted.toml"];
        let all = names.map(|name| place.read(&format!("out/fit/springs/{name}")));
        let journal = place.path("out/fit/springs/evaluations.bin");
        let bytes = fs::read(&journal).expect("a journal");
        // killed while an evaluation was being written, and a run was made
        fs::write(&journal, &bytes[..bytes.len() - bytes.len() / 3]).expect("space");
        let parts =
            [".run.x7Gk2a.part", ".fitted.toml.x7Gk2a.part"].map(|name| place.path("out/fit/springs").join(name));
        fs::create_dir_all(parts[0].join("run")).expect("space");
        fs::write(&parts[1], "").expect("space");
        place.run(&["fit", "fit.toml", "--resume", "--side-by-side", "2"]).expect(0);
        assert_eq!(all, names.map(|name| place.read(&format!("out/fit/springs/{name}"))), "{method}");
        assert_eq!(bytes, fs::read(&journal).expect("a journal"), "{method}");
        assert!(!parts.iter().any(|part| part.exists()), "{parts:?}");
    }
}

#[test]
fn wrong_fits_are_refused_with_their_line() {
    let place = place();
    /// Changes of the fit's text, what is wrong then, and what to do.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
    let wrong: [Case; 17] = [
        (&[("stiffness\"", "frequency\"")], "unknown key", "frequency"),
        (&[("start = 15.0", "start = 500.0")], "fit.toml:9:9", "not between the bounds"),
        (&[("[5.0, 300.0]", "[300.0, 5.0]")], "fit.toml:10:10", "the bounds are"),
        (
            &[("springs.stiffness\"\nstart = 15.0", "particle_radius\"\nstart = 15.0")],
            "fit.toml:8:7",
            "gradients do not follow",
        ),
        (&[("frames = \"out/springs\"", "track = \"t.csv\"")], "fit.toml:13:9", "needs a point"),
        (&[("frames = \"out/springs\"", "weight = 2.0")], "fit.toml:13", "0 of frames, track"),
        (&[("method = \"lbfgs\"", "method = \"newton\"")], "fit.toml:4:10", "newton"),
        (
            &[("frames = \"out/springs\"", "metrics = \"m.csv\"\ncolumn = \"kinetic_linear\"")],
            "fit.toml:13:11",
            "needs gradients",
        ),
        (&[("name = \"springs\"", "name = \"a/b\"")], "fit.toml", "letters, digits"),
        (&[("evaluations = 40", "evaluation = 40")], "fit.toml:5:1", "unknown key"),
        (&[("scene.toml", "nowhere.toml")], "nowhere.toml", "cannot be read"),
        (&[("evaluations = 40", "memory = 17592186044416")], "fit.toml:5:10", "memory is 17592186044416 MiB"),
        (&[("evaluations = 40", "evaluations = 0")], "fit.toml:5:15", "evaluations is 0"),
        (&[("evaluations = 40", "loss = nan")], "fit.toml:5:8", "loss is NaN"),
        (
            &[("frames = \"out/springs\"", "frames = \"out/springs\"\nweight = nan")],
            "fit.toml:14:10",
            "the weight is NaN",
        ),
        (&[("[5.0, 300.0]", "[-1e308, 1e308]")], "fit.toml:10:10", "difference and ratio are finite"),
        (
            &[("frames = \"out/springs\"", "track = \"t.csv\"\npoint = [nan, 0.0, 0.0]")],
            "fit.toml:14:9",
            "the point is [NaN, 0.0, 0.0]",
        ),
    ];
    for (changes, place_of, fragment) in wrong {
        let ended = fit_with(&place, changes);
        ended.expect(3);
        ended.expect_error(&[place_of, fragment]);
    }
    // no particle has contacts
    let ended = fit_with(&place, &[("bodies.net.springs.stiffness", "contact.stiffness")]);
    ended.expect(3);
    ended.expect_error(&["fit.toml:8:7", "nothing depends on contact.stiffness"]);
}

#[test]
fn targets_that_do_not_fit_are_refused_with_their_line() {
    let place = place();
    place.run(&["simulate", "scene.toml", "--frames", "12", "-o", "out/longer"]).expect(0);
    let ended = fit_with(&place, &[("out/springs", "out/longer")]);
    ended.expect(3);
    ended.expect_error(&["fit.toml:13:10", "frame 11", "ends at 10"]);
    let with = "track = \"table.csv\"\npoint = [0.0, 0.0, 0.0]";
    for (rows, place_of, fragment) in [
        ("0.021,0,0,0\n", "table.csv:2:1", "no frame"),
        ("0.02,0,0,0\n0.04,0,x,0\n0.06,0,0,0\n", "table.csv:3:8", "y is \"x\""),
        ("0.02,0,0,0\r\n\r\n0.04,0,0\r\n", "table.csv:4:1", "3 cells, and the header 4"),
        ("0.02,0,0,0\n0.04, inf,0,0\n", "table.csv:3:7", "x is inf"),
        ("0.04,0,0,0\n0.02,0,0,0\n0.04,0,0,1\n", "table.csv:4:1", "as in line 2"),
        ("0,0,0,0\n", "fit.toml:13:9", "no row or frame after the start"),
        ("0.02,0,0,0\n", "fit.toml:13:9", "no frame 0, or row at time 0"),
        ("0,0,0,0\n0.02,0,0,0\n", "fit.toml:13:9", "does not move"),
    ] {
        fs::write(place.path("table.csv"), "time,x,y,z\n".to_owned() + rows).expect("space");
        let ended = fit_with(&place, &[("frames = \"out/springs\"", with)]);
        ended.expect(3);
        ended.expect_error(&[place_of, fragment]);
    }
    let metrics = place.read("out/springs/metrics.csv");
    let lines: Vec<&str> = metrics.lines().collect();
    let with = "metrics = \"table.csv\"\ncolumn = \"kinetic_linear\"";
    for (row, place_of, fragment) in [("8,0.1", "table.csv:9:1", "2 cells"), (lines[7], "table.csv:9:3", "time is")] {
        let rows = [&lines[..8], &[row], &lines[9..]].concat();
        fs::write(place.path("table.csv"), rows.join("\n")).expect("space");
        let ended = fit_with(&place, &[("lbfgs", "gauss-newton"), ("frames = \"out/springs\"", with)]);
        ended.expect(3);
        ended.expect_error(&[place_of, fragment]);
    }
}

#[test]
fn a_scene_that_breaks_is_refused_by_gradients_with_the_bond_and_the_time() {
    let place = place();
    fit_with(&place, &[("evaluations = 40", "evaluations = 2")]).expect(0);
    let scene = SCENE.replace("damping = 0.1 }", "damping = 0.1, breaking_strain = 0.01 }");
    fs::write(place.path("scene.toml"), scene).expect("space");
    let ended = fit_with(&place, &[]);
    ended.expect(3);
    ended.expect_error(&["fit.toml:4:10", "bond", "breaks at", "without gradients"]);
    // nor is the answer that it was to replace
    let left = place.files("out/fit/springs");
    assert_eq!(left.iter().collect::<Vec<_>>(), ["evaluations.bin", "evaluations.csv"]);
}

/// The journal as of another build of the program, with its head's checksum.
fn of_another_commit(journal: &[u8]) -> Vec<u8> {
    let [start, end] = [&b"(commit "[..], b"}]"].map(|text| {
        let at = journal.windows(text.len()).position(|bytes| bytes == text);
        at.expect("it is in the head") + text.len()
    });
    let mut journal = journal.to_vec();
    journal[start] = if journal[start] == b'0' { b'1' } else { b'0' };
    let sum = Sha256::digest(&journal[..end]);
    journal[end..end + sum.len()].copy_from_slice(&sum);
    journal
}

#[test]
fn a_fit_is_neither_overwritten_nor_resumed_with_other_inputs() {
    let place = place();
    let ended = fit_with(&place, &[("evaluations = 40", "evaluations = 2")]);
    ended.expect(0);
    let ended = place.run(&["fit", "fit.toml"]);
    ended.expect(2);
    ended.expect_error(&["holds a fit", "--resume"]);
    let ended = place.run(&["fit", "fit.toml", "-o", "scene.toml"]);
    ended.expect(2);
    ended.expect_error(&["scene.toml is no folder"]);
    let journal = place.path("out/fit/springs/evaluations.bin");
    let frame = "out/springs/ply/springs.0004.ply";
    for file in ["fit.toml", "scene.toml", "net.obj", frame, "bdem"] {
        let path = if file == "bdem" { journal.clone() } else { place.path(file) };
        let before = fs::read(&path).expect("a file");
        let after = match file {
            "bdem" => of_another_commit(&before),
            _ if file == frame => fs::read(place.path("out/springs/ply/springs.0005.ply")).expect("a frame"),
            _ => [&before[..], b"# changed\n"].concat(),
        };
        fs::write(&path, after).expect("space");
        let ended = place.run(&["fit", "fit.toml", "--resume"]);
        ended.expect(6);
        let name = if file == frame { "out/springs" } else { file };
        ended.expect_error(&["another fit", &format!("{name} has changed")]);
        fs::write(&path, before).expect("space");
    }
    place.run(&["fit", "fit.toml", "--resume"]).expect(0);
    fs::remove_file(journal).expect("a journal");
    let ended = place.run(&["fit", "fit.toml", "--resume"]);
    ended.expect(2);
    ended.expect_error(&["the answer of a fit", "--overwrite"]);
}

#[test]
fn a_damaged_journal_is_refused() {
    let place = place();
    fit_with(&place, &[("evaluations = 40", "evaluations = 3")]).expect(0);
    let journal = place.path("out/fit/springs/evaluations.bin");
    let bytes = fs::read(&journal).expect("a journal");
    let refused = |damaged: &[u8], why: &str| {
        fs::write(&journal, damaged).expect("space");
        let ended = place.run(&["fit", "fit.toml", "--resume"]);
        ended.expect(5);
        ended.expect_error(&["evaluations.bin", why, "--overwrite"]);
    };
    for at in [0, 12, 200].into_iter().chain((0..3).map(|k| bytes.len() - 1 - 60 * k)) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        refused(&flipped, "damaged");
    }
    refused(&[], "head");
    // three of the fit, and two that look whether the loss depends on its parameter
    refused(&[&bytes[..], &[0; 100]].concat(), "evaluation 6");
}

#[test]
fn a_fit_does_not_see_changes_of_its_files() {
    let place = place();
    fit_with(&place, &[]).expect(0);
    let fitted = place.read("out/fit/springs/fitted.toml");
    fs::remove_dir_all(place.path("out/fit")).expect("a fit");
    let mut fit = place.command(&["fit", "fit.toml", "-q"]).spawn().expect("the program starts");
    wait_for(&place.path("out/fit/springs/evaluations.bin"));
    for file in ["fit.toml", "scene.toml", "net.obj"] {
        fs::write(place.path(file), "changed").expect("space");
    }
    fs::remove_dir_all(place.path("out/springs")).expect("a run");
    assert!(fit.wait().expect("it ends").success());
    assert_eq!(place.read("out/fit/springs/fitted.toml"), fitted);
}

#[test]
fn the_template_finds_its_bar() {
    let place = Workplace::new();
    let ended = place.run(&["new", "fit"]);
    ended.expect(0);
    assert!(ended.out.ends_with("now: bdem fit fit.toml\n"), "{}", ended.out);
    let ended = place.run(&["fit", "fit.toml"]);
    ended.expect(0);
    assert!(place.path("out/fit/bar/fitted.toml").exists());
}

/// A bar is pulled, without a break. Its true Young's modulus is 1e8 Pa.
const BAR: &str = r#"[scene]
name = "bar"
gravity = [0.0, 0.0, 0.0]

[time]
frame_rate = 500.0
frames = 8
integrator = "implicit-euler"
step = 2e-4

[materials.stone]
density = 1000.0
young_modulus = 1e8
poisson_ratio = 0.2
damping = 0.5

[[bodies]]
name = "bar"
material = "stone"
particle_radius = 0.005
shape = { box = { size = [0.08, 0.02, 0.02] } }

[[constraints]]
region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.03, 1.0, 1.0] } }
motion = "fixed"

[[constraints]]
name = "grip"
region = { box = { min = [0.03, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
motion = { velocity = [0.02, 0.0, 0.0] }

[specimen]
load = "grip"
test = { tension = { area = 4e-4, length = 0.06 } }
"#;

const FIT_OF_BAR: &str = r#"[fit]
name = "bar"
scene = "scene.toml"
method = "gauss-newton"
evaluations = 30

[[parameters]]
key = "materials.stone.young_modulus"
start = 4e7
bounds = [1e6, 1e10]

[[targets]]
"#;

/// A fit of the bar to this target.
fn fit_bar(place: &Workplace, target: &str) -> Ended {
    fs::write(place.path("fit.toml"), FIT_OF_BAR.to_owned() + target).expect("space");
    place.run(&["fit", "fit.toml", "--overwrite"])
}

/// With runs of the true bar in `out/true`, and in rows of another number in `out/rows`.
fn bar() -> Workplace {
    let place = Workplace::with(BAR);
    place.run(&["simulate", "scene.toml", "-o", "out/true"]).expect(0);
    place.run(&["simulate", "scene.toml", "--set", "output.forces_every=3", "-o", "out/rows"]).expect(0);
    place
}

#[test]
fn a_load_curve_of_other_rows_or_of_a_laboratory_finds_the_stiffness() {
    let place = bar();
    let forces = place.read("out/rows/forces.csv");
    let rows: Vec<Vec<&str>> = forces.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect("a column");
    let [time, load, moved] = ["time", "grip.force_x", "grip.displacement_x"].map(column);
    let number = |row: &[&str], at: usize| row[at].parse::<f64>().expect("a number");
    let mut table = "Extension,Load,Clock\n".to_owned();
    for row in &rows[1..] {
        let [extension, load, clock] =
            [1e3 * number(row, moved) + 5.0, -1e-3 * number(row, load), 1e3 * number(row, time)];
        table += &format!("{extension},{load},{clock}\n");
    }
    fs::write(place.path("lab.csv"), table).expect("space");
    for target in [
        "load_curve = \"out/true\"",
        "load_curve = \"out/rows\"",
        "load_curve = \"out/rows\"\nover = \"time\"",
        "load_curve = \"lab.csv\"\ncolumns = { displacement = { name = \"Extension\", unit = \"mm\" }, load = { name = \"Load\", unit = \"kN\" } }",
        "load_curve = \"lab.csv\"\ncolumns = { time = { name = \"Clock\", unit = \"ms\" }, load = { name = \"Load\", unit = \"kN\" } }",
    ] {
        let ended = fit_bar(&place, target);
        ended.expect(0);
        assert!(ended.out.contains("no parameter changes by"), "{}", ended.out);
        let found = found(&place, "out/fit/bar");
        assert!((found / 1e8 - 1.0).abs() < 0.02, "{target}: {found}");
    }
}

#[test]
fn a_track_at_a_surface_point_finds_the_stiffness() {
    let place = bar();
    let pulled = BAR.replace("motion = { velocity = [0.02, 0.0, 0.0] }", "force = [40.0, 0.0, 0.0]");
    let pulled = &pulled[..pulled.find("[specimen]").expect("a specimen")];
    fs::write(place.path("scene.toml"), pulled).expect("space");
    place.run(&["simulate", "scene.toml", "-o", "out/pulled"]).expect(0);
    // the end moves as the mean of the grip's particles. A point of its side has no particle
    let forces = place.read("out/pulled/forces.csv");
    let rows: Vec<Vec<&str>> = forces.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).expect("a column");
    let [time, moved] = ["time", "grip.displacement_x"].map(column);
    let number = |row: &[&str], at: usize| row[at].parse::<f64>().expect("a number");
    let row = |row: &Vec<&str>| format!("{},{},0.01,0.002\n", number(row, time), 0.035 + number(row, moved));
    let track: String = rows[1..].iter().map(row).collect();
    fs::write(place.path("track.csv"), "time,x,y,z\n".to_owned() + &track).expect("space");
    fit_bar(&place, "track = \"track.csv\"\npoint = [0.035, 0.01, 0.002]").expect(0);
    let found = found(&place, "out/fit/bar");
    assert!((found / 1e8 - 1.0).abs() < 0.1, "{found}");
    let wrong = fit_bar(&place, "track = \"track.csv\"\npoint = [0.0, 0.1, 0.0]");
    wrong.expect(3);
    wrong.expect_error(&["fit.toml:14:9", "is of no body", "0.0"]);
}

#[test]
fn an_answer_that_may_be_wrong_has_exit_code_8() {
    let place = bar();
    // at its bound
    let at_bound = FIT_OF_BAR.replace("[1e6, 1e10]", "[1e6, 5e7]") + "load_curve = \"out/true\"";
    fs::write(place.path("fit.toml"), at_bound).expect("space");
    let ended = place.run(&["fit", "fit.toml", "--overwrite"]);
    ended.expect(8);
    ended.expect_error(&["materials.stone.young_modulus is at its upper bound", "widen the bounds"]);
    assert!(place.path("out/fit/bar/fitted.toml").exists());
    // a loss that the parameter hardly changes: the displacement of the grip is prescribed
    let flat = FIT_OF_BAR.replace("materials.stone.young_modulus", "materials.stone.damping");
    let flat =
        flat.replace("4e7", "0.5").replace("[1e6, 1e10]", "[0.4, 0.6]").replace("evaluations = 30", "loss = 0.01");
    fs::write(place.path("fit.toml"), flat + "track = \"track.csv\"\npoint = [0.035, 0.0, 0.0]").expect("space");
    let track: String =
        (0..=8).map(|k| format!("{},{},0,0\n", 0.002 * f64::from(k), 0.035 + 4e-5 * f64::from(k))).collect();
    fs::write(place.path("track.csv"), "time,x,y,z\n".to_owned() + &track).expect("space");
    let ended = place.run(&["fit", "fit.toml", "--overwrite"]);
    ended.expect(8);
    ended.expect_error(&["the loss hardly depends on materials.stone.damping"]);
    // rows beyond the run
    let longer = place.run(&["simulate", "scene.toml", "--frames", "12", "-o", "out/longer"]);
    longer.expect(0);
    let ended = fit_bar(&place, "load_curve = \"out/longer\"");
    ended.expect(8);
    ended.expect_error(&["4 rows of the targets are beyond the run's curve", "time.frames"]);
}

#[test]
fn wrong_load_curves_are_refused_with_their_line() {
    let place = bar();
    fs::write(place.path("lab.csv"), "mm,kN\n0,0\n1,2\n").expect("space");
    for (target, fragments) in [
        ("load_curve = \"lab.csv\"", ["needs the names of its columns", "fit.toml:13:14"]),
        (
            "load_curve = \"lab.csv\"\ncolumns = { load = { name = \"kN\", unit = \"kN\" } }",
            ["over either time or displacement", "fit.toml:13:14"],
        ),
        (
            "load_curve = \"lab.csv\"\ncolumns = { displacement = { name = \"mm\", unit = \"kN\" }, load = { name = \"kN\", unit = \"kN\" } }",
            ["no unit of displacement", "mm, um or in"],
        ),
        (
            "load_curve = \"lab.csv\"\ncolumns = { displacement = { name = \"cm\", unit = \"mm\" }, load = { name = \"kN\", unit = \"kN\" } }",
            ["there is no column \"cm\"", "lab.csv:1"],
        ),
        ("frames = \"out/true\"\nover = \"time\"", ["of a load curve", "fit.toml:13"]),
    ] {
        let ended = fit_bar(&place, target);
        ended.expect(3);
        ended.expect_error(&fragments);
    }
    let scene = &BAR[..BAR.find("[specimen]").expect("a specimen")];
    fs::write(place.path("scene.toml"), scene).expect("space");
    let ended = fit_bar(&place, "load_curve = \"out/true\"");
    ended.expect(3);
    ended.expect_error(&["the scene has no [specimen]", "fit.toml:13:14"]);
}
