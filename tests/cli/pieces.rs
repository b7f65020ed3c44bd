//! Moving pieces for other programs.

use std::collections::BTreeSet;
use std::fs;

use bdem_core::geometry::mesh::Mesh;
use bdem_run::mesh::read;
use bdem_run::output::ply::read_frame;

use crate::cli::Workplace;

#[test]
fn a_run_becomes_one_file_of_moving_pieces() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    let usd = place.run(&["convert", "run", "--to", "usd", "--start", "1001", "--crack-noise", "0.001,0.008"]);
    usd.expect(0);
    assert!(usd.err.contains("plate.usda"), "{}", usd.err);
    let text = place.read("run/plate.usda");
    assert!(text.contains("startTimeCode = 1001") && text.contains("endTimeCode = 1004"), "{:.400}", text);
    let kept = place.files("run/pieces");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(place.run(&["convert", "run", "--to", "usd"]).err.contains("exists"));
    // the same bits once more, from what is kept and on another number of threads
    let again = place
        .command(&["convert", "run", "--to", "usd", "--start", "1001", "--crack-noise", "0.001,0.008", "-o", "b.usda"])
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("the program starts");
    assert!(again.status.success());
    assert!(place.read("b.usda") == text);
    assert_eq!(place.files("run/pieces"), kept);
    place.run(&["convert", "run", "--to", "glb", "-o", "made/plate.glb", "--crack-mesh", "2"]).expect(0);
    assert_eq!(&fs::read(place.path("made/plate.glb")).expect("a file")[..4], b"glTF");
    assert_eq!(place.files("run/pieces").len(), 2);
}

/// Frames far from the world's origin have one of their own, and so do their pieces.
#[test]
fn pieces_are_where_the_frames_are() {
    let place = Workplace::new();
    let far = ["--set", "bodies.plate.position=[500000,0,0.1]", "--set", "output.origin=[500000,0,0]"];
    place.simulate("run", &far);
    place.run(&["convert", "run", "--to", "usd"]).expect(0);
    let text = place.read("run/plate.usda");
    let samples = text.split("xformOp:translate.timeSamples = {").skip(1);
    let places: Vec<f64> = samples
        .flat_map(|rest| rest.split('}').next().unwrap_or_default().split('(').skip(1))
        .map(|place| place.split(',').next().unwrap_or_default().trim().parse().expect("a number"))
        .collect();
    assert!(!places.is_empty() && places.iter().all(|x| x.abs() < 1.0), "{places:?}");
}

/// Two cubes whose names differ in what no name of USD has, seen by a camera at a centimetre.
const CUBES: &str = r#"[scene]
name = "cubes"
[time]
frame_rate = 240.0
frames = 1
[camera]
position = [0.0, -0.01, 0.0]
target = [0.0, 0.0, 0.0]
[materials.m]
density = 2000.0
young_modulus = 1e7
poisson_ratio = 0.2
[[bodies]]
name = "a-b"
material = "m"
particle_radius = 0.001
shape = { box = { size = [0.006, 0.006, 0.006] } }
[[bodies]]
name = "a_b"
material = "m"
particle_radius = 0.001
shape = { box = { size = [0.006, 0.006, 0.006] } }
position = [0.02, 0.0, 0.0]
"#;

#[test]
fn names_in_usd_are_unique_and_times_and_planes_fit() {
    let place = Workplace::with(CUBES);
    place.simulate("run", &[]);
    place.run(&["convert", "run", "--to", "usd"]).expect(0);
    let text = place.read("run/cubes.usda");
    for kind in ["def Mesh \"", "def Material \""] {
        let names: Vec<&str> = text.split(kind).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), unique.len(), "{names:?}");
    }
    for line in ["userProperties:body = \"a-b\"", "userProperties:body = \"a_b\"", "clippingRange = (0.00001, 10)"] {
        assert!(text.contains(line), "no {line}");
    }
    for format in ["usd", "glb"] {
        let file = format!("fast.{format}");
        let fast = place.run(&["convert", "run", "--to", format, "-o", &file, "--speed", "1e8"]);
        fast.expect(2);
        fast.expect_error(&["frames 0 and 1 would be at one time", "choose a smaller --speed"]);
        assert!(!place.path(&file).exists());
    }
}

/// A layer over an artist's file hides the unbroken object there; the pieces have a root of their own.
#[test]
fn pieces_take_the_place_of_an_asset() {
    let place = Workplace::with(CUBES);
    place.simulate("run", &[]);
    fs::create_dir_all(place.path("sets")).expect("space");
    fs::write(place.path("sets/room.usda"), "#usda 1.0\ndef Xform \"cubes\" {}\n").expect("space");
    let over = |asset: &str, prim: &str, more: &[&str]| {
        place.run(&[&["convert", "run", "--to", "usd", "--overwrite", "--over", asset, "--prim", prim], more].concat())
    };
    over("sets/room.usda", "/cubes/one", &[]).expect(0);
    let text = place.read("run/cubes.usda");
    for line in ["subLayers = [@../sets/room.usda@]", "defaultPrim = \"cubes_2\"", "def Xform \"cubes_2\""] {
        assert!(text.contains(line), "no {line}");
    }
    // the cubes fall from the first frame on
    let switch = |[before, after]: [&str; 2]| format!("token visibility.timeSamples = {{1: {before:?},2: {after:?},}}");
    let plain: String = text.lines().map(str::trim).collect();
    for part in [
        format!("def Xform \"pieces\"{{{}", switch(["invisible", "inherited"])),
        format!("over \"cubes\"{{over \"one\"{{{}}}}}", switch(["inherited", "invisible"])),
    ] {
        assert!(plain.contains(&part), "no {part}");
    }
    over("sets/room.usda", "/cubes", &["--frames", "0", "-o", "one.usda"]).expect(0);
    assert_eq!(place.read("one.usda").matches("token visibility = ").count(), 2);
    over("sets/room.usda", "/room", &["-o", "sets/broken.usda"]).expect(0);
    let text = place.read("sets/broken.usda");
    assert!(text.contains("[@./room.usda@]") && text.contains("defaultPrim = \"cubes\""));
    for (asset, prim, more, why) in [
        ("sets/none.usd", "/a", &[][..], "there is no such file"),
        ("run/run.json", "/a", &[], "ends with .usd"),
        ("sets/room.usda", "a", &[], "expected the path of a prim, such as /set/mug"),
        ("sets/room.usda", "/a/1b", &[], "expected the path of a prim"),
        ("sets/room.usda", "/a", &["-o", "sets/room.usda"], "it would be replaced"),
    ] {
        let refused = over(asset, prim, more);
        refused.expect(2);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    let glb = place.run(&["convert", "run", "--to", "glb", "--over", "sets/room.usda", "--prim", "/a"]);
    glb.expect(2);
    glb.expect_error(&["--over needs --to usd"]);
}

/// Bodies that end as crumbs alone.
#[test]
fn loose_particles_are_told_where_a_format_has_none() {
    let place = Workplace::with(CUBES);
    place.simulate("run", &["--set", "bodies.a_b.bonded=false", "--set", "bodies.a-b.bonded=false"]);
    let glb = place.run(&["convert", "run", "--to", "glb"]);
    glb.expect(2);
    glb.expect_error(&["its particles are loose", "--to usd"]);
    place.run(&["convert", "run", "--to", "usd"]).expect(0);
    assert!(place.read("run/cubes.usda").contains("def Points \"crumbs\""));
    // surfaces have each crumb
    place.run(&["convert", "run", "--to", "ply", "--frames", "1"]).expect(0);
    let frame = read_frame(&place.path("run/ply/cubes.0001.ply")).expect("a frame");
    let (corners, _) =
        read("ply", fs::read(place.path("run/surface/cubes.0001.ply")).expect("a mesh")).expect("a mesh");
    assert!(corners.len() > 20 * frame.vertices.len());
    place.run(&["view", "run"]).expect(0);
}

/// The pieces of a run under way are those of its latest frame.
#[test]
fn a_run_under_way_is_cut() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    let record = place.read("run/run.json");
    let under_way = record.replace("\"done\"", "\"running\"");
    assert!(under_way != record, "{record}");
    fs::write(place.path("run/run.json"), under_way).expect("space");
    let pieces = |name: &str| {
        place.run(&["convert", "run", "--to", "usd", "-o", name]).expect(0);
        place.read(name).matches("userProperties:piece").count()
    };
    let last = pieces("last.usda");
    (1..4).for_each(|k| fs::remove_file(place.path(&format!("run/ply/plate.{k:04}.ply"))).expect("a frame"));
    assert_eq!(pieces("first.usda"), 1);
    assert!(last > 1, "{last}");
}

#[test]
fn cut_surfaces_are_closed_and_whole_at_first() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place.run(&["convert", "run", "--to", "ply", "--frames", "0-3x3", "--threads", "1"]).expect(0);
    for name in ["0000", "0003"] {
        let bytes = fs::read(place.path(&format!("run/surface/plate.{name}.ply"))).expect("a mesh");
        let header = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
        let faces = header.split("element face").nth(1).expect("faces");
        assert!(faces.contains("property int fracture"), "{header}");
        let (corners, faces) = read("ply", bytes).expect("a mesh");
        let edges: Vec<[u32; 2]> = faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        let known: BTreeSet<&[u32; 2]> = edges.iter().collect();
        assert_eq!(known.len(), edges.len(), "an edge has two faces on one side");
        assert!(edges.iter().all(|[a, b]| known.contains(&[*b, *a])), "an edge of {name} is open");
        let volume = Mesh::new(&corners, &faces).expect("closed").volume();
        let exact = std::f64::consts::PI * 0.04 * 0.04 * 0.016;
        assert!((volume / exact - 1.0).abs() < 0.005, "{volume} of {exact}");
    }
}

#[test]
fn runs_without_shapes_and_wrong_options_are_refused() {
    let place = Workplace::new();
    place.run(&["convert", "nothing", "--to", "usd"]).expect(5);
    for words in [["--crack-smooth", "9"], ["--crack-noise", "0.1"], ["--speed", "0"]] {
        place.run(&[&["convert", ".", "--to", "usd"][..], &words].concat()).expect(2);
    }
}
