//! Files as the programs of the field write them, each with the volume that it must have.

use std::fmt::Write;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Mesh;
use bdem_run::mesh::{MeshFileError, MeshReport, Triangles, read, read_polygons, unite};

use crate::common::solids::{cube, obj, together};

fn read_mesh(ending: &str, bytes: impl Into<Vec<u8>>) -> Mesh {
    let (corners, faces) = read(ending, bytes.into()).unwrap_or_else(|why| panic!("{why}"));
    Mesh::new(&corners, &faces).unwrap_or_else(|why| panic!("{why}"))
}

/// A solid of text STL, with this line at its start and its end.
fn stl((corners, faces): &Triangles, start: &str, end: &str) -> String {
    let mut text = format!("{start}\n");
    for face in faces {
        text += "facet normal 0 0 0\n outer loop\n";
        for p in face.map(|i| corners[i as usize]) {
            writeln!(text, "  vertex {} {} {}", p.x, p.y, p.z).unwrap();
        }
        text += " endloop\nendfacet\n";
    }
    text + end + "\n"
}

/// Text PLY of the cube, with vertices at these numbers for low and high coordinates.
fn ply(low: &str, high: &str, comment: &[u8]) -> Vec<u8> {
    let (corners, faces) = cube(1.0);
    let mut text = format!("element vertex {}\n", corners.len());
    text += "property float x\nproperty float y\nproperty float z\n";
    text += &format!("element face {}\nproperty list uchar int vertex_indices\nend_header\n\n", faces.len());
    for p in &corners {
        let [x, y, z] = [p.x, p.y, p.z].map(|x| if x < 0.0 { low } else { high });
        writeln!(text, "{x} {y} {z}\n").unwrap();
    }
    faces.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
    [b"ply\nformat ascii 1.0\ncomment ", comment, b"\n", text.as_bytes()].concat()
}

#[test]
fn dialects_of_stl_are_read() {
    let solid = cube(1.0);
    let named = stl(&solid, "solid part", "endsolid part");
    let texts = [
        named.clone(),
        stl(&solid, "solid", "endsolid"),
        stl(&solid, "  solid part of two words", "  endsolid"),
        named.to_uppercase(),
        named.replace('\n', "\r\n"),
        named.replace('\n', "\r"),
        format!("\u{feff}{named}"),
        named.replace("normal 0 0 0", "normal nan -nan 1.#IND"),
        named.replace("0.5", ".5"),
        named.replace("0.5", "5.e-1"),
    ];
    for text in texts {
        let mesh = read_mesh("stl", text.clone());
        assert!((mesh.volume() - 1.0).abs() < 1e-12, "{}: {text}", mesh.volume());
    }
}

#[test]
fn all_solids_of_an_stl_are_read() {
    let far = Vec3::new(3.0, 0.0, 0.0);
    let (corners, faces) = cube(1.0);
    let moved = (corners.iter().map(|p| p + far).collect(), faces.clone());
    let text = stl(&(corners, faces), "solid left", "endsolid left") + &stl(&moved, "solid right", "endsolid right");
    let mesh = read_mesh("stl", text);
    assert!((mesh.volume() - 2.0).abs() < 1e-12, "{}", mesh.volume());
    assert!(mesh.contains(&Vec3::zeros()) && mesh.contains(&far));
}

#[test]
fn wrong_lines_of_an_stl_are_named() {
    let text = stl(&cube(1.0), "solid part", "endsolid part");
    let why = |text: String| read("stl", text.into_bytes()).expect_err("it is wrong").to_string();
    for (wrong, message) in [("vertx", "line 4: \"vertx\" is no word"), ("vertex x", "line 4: \"x\" is no number")] {
        let error = why(text.replacen("vertex", wrong, 1));
        assert!(error.contains(message), "{error}");
    }
    let end = text[..text.len() / 2].rfind('\n').expect("a line");
    assert!(why(text[..end].to_owned()).contains("no endsolid"));
    assert!(why(text.replacen("  vertex -0.5 -0.5 -0.5\n", "", 1)).contains("fewer than three corners"));
}

#[test]
fn dialects_of_obj_are_read() {
    let text = obj(&cube(1.0));
    let continued = text.replace("f ", "f \\\n ").replace("v ", "v\\\r\n");
    for text in [format!("\u{feff}{text}"), text.replace('\n', "\r"), text.replace('\n', "\r\n"), continued] {
        let mesh = read_mesh("obj", text.clone());
        assert!((mesh.volume() - 1.0).abs() < 1e-12, "{}: {text}", mesh.volume());
    }
}

#[test]
fn texture_coordinates_and_normals_that_are_no_numbers_are_left_out() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.5\nvt nan 0\nvt inf 1\nvn nan 0 1\nvn 0 0 1\nf 1/1/1 2/2/2 3/3/2\n";
    let mesh = read_polygons("obj", text.into()).expect("a triangle");
    assert_eq!(mesh.corners.iter().map(|corner| corner.uv).collect::<Vec<_>>(), [[0.5; 2], [0.0; 2], [0.0; 2]]);
    assert_eq!((mesh.corners[0].normal, mesh.corners[1].normal), (Vec3::zeros(), Vec3::z()));
    assert_eq!(mesh.wrong_uv.as_deref(), Some("line 5: vt nan 0"));
    assert_eq!(read_polygons("obj", text.replace("nan", "1").replace("inf", "1").into()).expect("it").wrong_uv, None);
}

#[test]
fn dialects_of_ply_are_read() {
    for (low, high) in [("-0.5", "0.5"), ("-.5", ".5"), ("-.5", "+.5"), ("-1.e0", "0."), ("-1", "0")] {
        for comment in [&b"made by hand"[..], b"caf\xe9 \xff", b""] {
            let mesh = read_mesh("ply", ply(low, high, comment));
            assert!((mesh.volume() - 1.0).abs() < 1e-12, "{low} {high}: {}", mesh.volume());
        }
    }
    let dos = String::from_utf8(ply("-.5", ".5", b"x")).unwrap().replace('\n', "\r\n");
    assert!((read_mesh("ply", dos).volume() - 1.0).abs() < 1e-12);
}

/// A door frame, 1 m wide and high and 0.2 m thick, with an opening of 0.5 m by 0.75 m: its front and back are octagons.
fn door() -> String {
    let outline =
        [[0.0, 0.0], [0.25, 0.0], [0.25, 0.75], [0.75, 0.75], [0.75, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut text = String::new();
    for y in [-0.1, 0.1] {
        outline.iter().for_each(|[x, z]| writeln!(text, "v {x} {y} {z}").unwrap());
    }
    // x, z counterclockwise face -y
    text += "f 1 2 3 4 5 6 7 8\nf 16 15 14 13 12 11 10 9\n";
    (1..=8).for_each(|k| {
        let next = k % 8 + 1;
        writeln!(text, "f {next} {k} {} {}", k + 8, next + 8).unwrap();
    });
    text
}

/// A fan around a corner of the octagon has a triangle across the opening.
#[test]
fn concave_polygons_have_no_triangles_beyond_them() {
    let mesh = read_mesh("obj", door());
    assert!((mesh.volume() - 0.2 * (1.0 - 0.5 * 0.75)).abs() < 1e-12, "{}", mesh.volume());
    for y in [-0.3, -0.1, 0.0, 0.1, 0.3] {
        let distance = mesh.distance(&Vec3::new(0.5, y, 0.3));
        assert!(distance >= 0.25 - 1e-12, "a wall is {distance} m from the opening's middle at y = {y}");
    }
    // the same in PLY
    let mut text =
        "ply\nformat ascii 1.0\nelement vertex 16\nproperty double x\nproperty double y\nproperty double z\n"
            .to_owned();
    text += "element face 10\nproperty list uchar int vertex_indices\nend_header\n";
    door().lines().filter_map(|line| line.strip_prefix("v ")).for_each(|p| writeln!(text, "{p}").unwrap());
    for face in door().lines().filter_map(|line| line.strip_prefix("f ")) {
        let face: Vec<String> = face.split(' ').map(|i| (i.parse::<u32>().unwrap() - 1).to_string()).collect();
        writeln!(text, "{} {}", face.len(), face.join(" ")).unwrap();
    }
    let ply = read_mesh("ply", text);
    assert!((ply.volume() - mesh.volume()).abs() < 1e-12);
    assert!(ply.distance(&Vec3::new(0.5, -0.1, 0.3)) >= 0.25 - 1e-12);
}

fn flipped((corners, faces): Triangles) -> Triangles {
    (corners, faces.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

/// Mesh of the union of the shells, and the report on them.
fn united(triangles: Triangles) -> (Mesh, MeshReport) {
    let ((corners, faces), report) = unite(triangles);
    (Mesh::new(&corners, &faces).unwrap_or_else(|why| panic!("{why}")), report)
}

#[test]
fn materials_of_obj_are_slots_of_faces() {
    let (corners, faces) = cube(1.0);
    let text = obj(&(corners, faces)).replace("usemtl none\n", "");
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("f ")).expect("a face");
    [(7, "usemtl b c"), (5, "usemtl a"), (3, "usemtl b c"), (2, "usemtl one # or two")]
        .into_iter()
        .for_each(|(face, line)| lines.insert(first + face, line));
    let mesh = read_polygons("obj", lines.join("\n").into()).expect("a cube");
    assert_eq!(mesh.slots[..9], [0, 0, 1, 2, 2, 3, 3, 2, 2]);
    assert_eq!(mesh.slot_names, ["one", "b c", "a"]);
}

#[test]
fn a_shell_inside_out_is_turned_and_a_cavity_is_not() {
    let (large, small, far) = (cube(1.0), cube(0.5), Vec3::new(3.0, 0.0, 0.0));
    let hollow = together(large.clone(), flipped(small.clone()), Vec3::zeros());
    let (mesh, report) = united(hollow.clone());
    assert!((mesh.volume() - 0.875).abs() < 1e-12 && !mesh.contains(&Vec3::zeros()));
    assert_eq!(report, MeshReport { shells: 2, turned: 0, parts: 1, is_united: false, holes: 0 });

    let (mesh, report) = united(together(large.clone(), flipped(small.clone()), far));
    assert!((mesh.volume() - 1.125).abs() < 1e-12 && mesh.contains(&far));
    assert_eq!(report, MeshReport { shells: 2, turned: 1, parts: 2, is_united: false, holes: 0 });

    let (mesh, report) = united(flipped(hollow.clone()));
    assert!((mesh.volume() - 0.875).abs() < 1e-12);
    assert_eq!((report.turned, report.parts), (2, 1));

    let (mesh, report) = united(together(hollow, small, far));
    assert!((mesh.volume() - 1.0).abs() < 1e-12);
    assert_eq!(report, MeshReport { shells: 3, turned: 0, parts: 2, is_united: false, holes: 0 });
}

#[test]
fn holes_are_counted() {
    let holes = |without: &[usize]| {
        let (corners, faces) = cube(1.0);
        let left = faces.into_iter().enumerate().filter(|(k, _)| !without.contains(k)).map(|(_, face)| face).collect();
        unite((corners, left)).1.holes
    };
    assert_eq!([holes(&[]), holes(&[0]), holes(&[0, 1])], [0, 1, 1]);
    // a triangle of a face, and one of the opposite face
    let (_, faces) = cube(1.0);
    let is_far = |k: &usize| faces[*k].iter().all(|corner| !faces[0].contains(corner));
    let far = (0..faces.len()).find(is_far).expect("an opposite face");
    assert_eq!(holes(&[0, far]), 2);
}

/// Overlapping shells are the boundary of their union, and buried ones are gone.
#[test]
fn shells_that_overlap_are_united() {
    let (mesh, report) = united(together(cube(1.0), cube(1.0), Vec3::new(0.6, 0.0, 0.0)));
    assert!((mesh.volume() - 1.6).abs() < 1e-9, "{}", mesh.volume());
    assert!((mesh.distance(&Vec3::new(0.3, 0.0, 0.0)) + 0.5).abs() < 1e-9, "no face within");
    assert_eq!(report, MeshReport { shells: 2, turned: 0, parts: 1, is_united: true, holes: 0 });

    let (mesh, report) = united(together(cube(1.0), cube(0.5), Vec3::new(0.1, 0.0, 0.0)));
    assert!((mesh.volume() - 1.0).abs() < 1e-9, "{}", mesh.volume());
    assert!((mesh.distance(&Vec3::zeros()) + 0.5).abs() < 1e-9, "no shell within");
    assert_eq!((report.parts, report.is_united), (1, true));
    // a ball in a cavity stays
    let hollow = together(cube(1.0), flipped(cube(0.8)), Vec3::zeros());
    let (mesh, report) = united(together(hollow, cube(0.5), Vec3::zeros()));
    assert!((mesh.volume() - (1.0 - 0.512 + 0.125)).abs() < 1e-9, "{}", mesh.volume());
    assert_eq!(report, MeshReport { shells: 3, turned: 0, parts: 2, is_united: false, holes: 0 });
}

#[test]
fn polygons_that_cross_themselves_are_read_too() {
    let bow = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    assert_eq!(read("obj", bow.as_bytes().to_vec()).unwrap().1.len(), 6);
    let none = read("obj", b"v 0 0 0\nf 1 1 1 1 1\n".to_vec());
    assert!(matches!(none, Ok(_) | Err(MeshFileError::Malformed(_))));
}
