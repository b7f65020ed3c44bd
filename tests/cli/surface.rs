use std::fs;

use bdem_core::geometry::mesh::Mesh;
use bdem_run::mesh::read;
use bdem_run::output::ply::read_frame;

use crate::cli::Workplace;

#[test]
fn particles_are_meshed_frame_by_frame() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place.run(&["convert", "run/ply", "--to", "ply", "-o", "around", "--frames", "0-3x3", "--threads", "1"]).expect(0);
    assert!(!place.path("around/plate.0001.ply").exists());
    for (name, most) in [("0000", 0.03), ("0003", 0.1)] {
        let bytes = fs::read(place.path(&format!("around/plate.{name}.ply"))).expect("a mesh");
        let header = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
        for line in ["property int piece", "property int fracture", "property float damage"] {
            assert!(header.contains(line), "no {line:?} in {header}");
        }
        let (corners, faces) = read("ply", bytes).expect("a mesh");
        let frame = read_frame(&place.path(&format!("run/ply/plate.{name}.ply"))).expect("a frame");
        let share = 4.0 * 2f64.sqrt() * 0.003f64.powi(3) * frame.vertices.len() as f64;
        let volume = Mesh::new(&corners, &faces).expect("closed").volume();
        assert!((volume / share - 1.0).abs() < most, "{volume} of {share}");
    }
}

#[test]
fn threads_and_chunks_change_no_bit_and_what_is_there_stays() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    place.run(&["convert", "run", "--to", "ply", "-o", "one", "--threads", "1"]).expect(0);
    for frames in ["0-1", "2-3"] {
        place.run(&["convert", "run", "--to", "ply", "-o", "two", "--threads", "2", "--frames", frames]).expect(0);
    }
    let files = place.files("one");
    assert_eq!((files.len(), &files), (4, &place.files("two")));
    for file in &files {
        let [one, two] = ["one", "two"].map(|folder| fs::read(place.path(folder).join(file)).expect("a mesh"));
        assert!(one == two, "{file}");
    }
    fs::write(place.path("two/plate.0002.ply"), "mine").expect("space");
    let again = place.run(&["convert", "run", "--to", "ply", "-o", "two"]);
    again.expect(0);
    assert!(again.err.contains("meshes exist"), "{}", again.err);
    assert_eq!(place.read("two/plate.0002.ply"), "mine");
    place.run(&["convert", "run", "--to", "ply", "-o", "two", "--overwrite", "--quiet"]).expect(0);
    assert!(fs::read(place.path("two/plate.0002.ply")).expect("a mesh").len() > 1000);
}

/// A run that was resumed ends with other pieces: meshes of its first cut do not stay among those of the second.
#[test]
fn all_meshes_are_of_one_cut() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    for format in ["ply", "obj", "vtp"] {
        place.run(&["convert", "run", "-o", format, "--to", format]).expect(0);
    }
    place.simulate("run", &["--frames", "3", "--resume"]);
    for format in ["ply", "obj", "vtp"] {
        let whole = format!("{format}_whole");
        for output in [format, &whole] {
            place.run(&["convert", "run", "-o", output, "--to", format]).expect(0);
        }
        let again = place.run(&["convert", "run", "-o", format, "--to", format]);
        again.expect_error(&["all 4 meshes exist"]);
        for file in place.files(&whole) {
            let [one, two] = [format, &whole].map(|folder| fs::read(place.path(folder).join(&file)).expect("a mesh"));
            assert!(one == two, "{file} is of an earlier cut");
        }
    }
}

#[test]
fn other_formats_hold_the_same() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let mesh = |format: &str| {
        place.run(&["convert", "run/ply/plate.0001.ply", "--to", format]).expect(0);
        fs::read(place.path(&format!("run/surface/plate.0001.{format}"))).expect("a mesh")
    };
    let (ply, obj) = (read("ply", mesh("ply")).expect("a mesh"), read("obj", mesh("obj")).expect("a mesh"));
    assert_eq!((ply.0.len(), ply.1.len()), (obj.0.len(), obj.1.len()));
    let vtp = String::from_utf8_lossy(&mesh("vtp")).into_owned();
    let counts = format!("NumberOfPoints=\"{}\" NumberOfPolys=\"{}\"", ply.0.len(), ply.1.len());
    assert!(vtp.contains(&counts), "no {counts}");
}

#[test]
fn particles_of_other_programs_are_meshed() {
    let place = Workplace::new();
    let header = |more: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 2\nproperty double z\nproperty double x\nproperty double y\n{more}end_header\n"
        )
    };
    fs::create_dir(place.path("other")).expect("space");
    fs::write(place.path("other/p.0007.ply"), header("") + "0 0 0\n0 1 0\n").expect("space");
    let without = place.run(&["convert", "other", "--to", "ply"]);
    without.expect(5);
    without.expect_error(&["p.0007.ply", "--radius"]);
    place.run(&["convert", "other", "--to", "ply", "--radius", "0.5"]).expect(0);
    let bytes = fs::read(place.path("other/surface/p.0007.ply")).expect("a mesh");
    let (corners, faces) = read("ply", bytes).expect("a mesh");
    assert!(Mesh::new(&corners, &faces).expect("closed").volume() > 1.0);
    fs::write(place.path("other/p.0008.ply"), header("property float radius\n") + "0 0 0 0\n0 1 0 -1\n")
        .expect("space");
    place
        .run(&["convert", "other", "--to", "ply", "--frames", "8"])
        .expect_error(&["p.0008.ply", "valid position or radius"]);
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Workplace::new();
    for words in [["run", "--radius", "-1"], ["run", "--frames", "x"]] {
        place.run(&[&["convert", "--to", "ply"], &words[..]].concat()).expect(2);
    }
    place.run(&["convert", "nothing", "--to", "ply"]).expect(5);
}

#[test]
fn options_of_surfaces_are_of_their_formats() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    for to in ["vtu", "usd", "glb"] {
        let ended = place.run(&["convert", "run", "--to", to, "--radius", "0.1"]);
        ended.expect(2);
        ended.expect_error(&["--radius needs --to ply, obj or vtp"]);
    }
    let ended = place.run(&["convert", "run", "--to", "ply", "-o", "mesh.ply"]);
    ended.expect(2);
    ended.expect_error(&["name a folder"]);
}
