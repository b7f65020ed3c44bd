//! Tests of `crates/pictures/src/view`; `.ci/check_view.py` looks at a page in a browser.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bdem_pictures::pieces::ColliderMesh;
use bdem_pictures::surface::{Corner, Face, SurfaceMesh};
use bdem_pictures::view::{Collider, Moment, Scope, Shown, write_page};
use bdem_run::output::ply::{Frame, Vertex};
use bdem_run::scene::Scene;
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::render::colliders;

const BALL: &str = "[scene]\nname = \"lid\"\n[time]\nframe_rate = 4.0\nframes = 1\n\
                    [materials.rubber]\ndensity = 1000.0\nyoung_modulus = 1e6\npoisson_ratio = 0.25\n\
                    [[bodies]]\nname = \"ball\"\nmaterial = \"rubber\"\nparticle_radius = 0.1\nshape = { sphere = { radius = 0.5 } }\n";

/// Three particles, the last of which flies up by 2 m a frame.
fn frame(k: usize) -> Frame {
    let vertex = |id: i32| Vertex {
        x: id as f32,
        z: if id == 2 { 2.0 * k as f32 } else { 0.0 },
        vz: if id == 2 { 3.0 } else { 0.0 },
        pscale: 0.5,
        id,
        piece: 70_000 * id,
        damage: 0.5,
        stress: 1e6 * k as f32,
        ..Vertex::default()
    };
    Frame { comments: vec!["up axis: y".to_owned()], vertices: (0..3).map(vertex).collect(), ..Frame::default() }
}

fn scope(name: &str) -> Scope {
    let mut scope = Scope { name: name.to_owned(), ..Scope::default() };
    for k in 0..2 {
        scope.add_frame(&frame(k), Moment { number: 4 * k as u32, time: 0.25 * k as f64 }).expect("as many particles");
    }
    scope.close();
    scope
}

fn page(name: &str) -> String {
    let mut out = Vec::new();
    write_page(&mut out, &scope(name), |k| Ok(Shown::Particles(frame(k)))).expect("memory");
    String::from_utf8(out).expect("text")
}

/// What stands in the script of this id.
fn script<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<script id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    rest.split_once('>').and_then(|(_, rest)| rest.split_once("</script>")).expect("a script").0
}

pub(super) fn unpacked(page: &str, id: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = STANDARD.decode(script(page, id)).expect("base64");
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("gzip");
    bytes
}

#[test]
fn the_page_knows_its_run() {
    let page = page("plate");
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    assert_eq!((run["particles"].as_u64(), run["up"].as_u64()), (Some(3), Some(1)));
    assert_eq!(run["size"].to_string(), "[2.0,1.1754944e-38,2.0]", "a flat box has some depth");
    assert_eq!(run["frames"][1].to_string(), "{\"number\":4,\"time\":0.25}");
    assert_eq!(run["ranges"]["stress"]["most"].as_f64(), Some(1e6));
    assert_eq!(run["ranges"]["speed"]["most"].as_f64(), Some(3.0));
}

#[test]
fn frames_are_packed_in_eleven_bytes_a_particle() {
    let bytes = unpacked(&page("plate"), "frame1");
    assert_eq!(bytes.len(), 33);
    // 0 0 0, 32768 0 0, 65535 0 65535, as differences
    assert_eq!(bytes[..18], [0, 0, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0, 128, 0, 0, 127, 0, 255]);
    let shorts: Vec<u16> = bytes[18..24].as_chunks().0.iter().map(|two| u16::from_le_bytes(*two)).collect();
    assert_eq!(shorts, [0, (70_000 % 65_521) as u16, (140_000 % 65_521) as u16]);
    assert_eq!(bytes[24..], [128, 128, 128, 255, 255, 255, 0, 0, 255], "damage, stress, speed");
    assert_eq!(unpacked(&page("plate"), "radii"), [0.5f32; 3].map(f32::to_le_bytes).concat());
}

/// Page of one frame of particles with these charges (C).
fn charged_page(charges: [f32; 3]) -> String {
    let charged = || {
        let mut charged = Frame { has_charge: true, ..frame(0) };
        charged.vertices.iter_mut().zip(charges).for_each(|(vertex, charge)| vertex.charge = charge);
        charged
    };
    let mut scope = Scope::default();
    scope.add_frame(&charged(), Moment { number: 0, time: 0.0 }).expect("the first");
    scope.close();
    let mut out = Vec::new();
    write_page(&mut out, &scope, |_| Ok(Shown::Particles(charged()))).expect("memory");
    String::from_utf8(out).expect("text")
}

#[test]
fn charged_particles_have_a_byte_more_and_a_range_of_both_signs() {
    for (charges, bytes) in [([-2e-6, 0.0, 1e-6], [0, 128, 191]), ([2e-6, 0.0, 1e-6], [255, 128, 191])] {
        let page = charged_page(charges);
        let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
        let ends = ["least", "most"].map(|end| run["ranges"]["charge"][end].as_f64().expect("a number") as f32);
        assert_eq!((ends, &unpacked(&page, "frame0")[33..]), ([-2e-6, 2e-6], &bytes[..]));
    }
    let run: Value = serde_json::from_str(script(&page("plate"), "run")).expect("JSON");
    assert!(run["ranges"].get("charge").is_none(), "no charge in the menu without charges");
}

#[test]
fn names_end_no_script_and_nothing_is_fetched() {
    let page = page("</script><b>");
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    assert_eq!(run["name"], "</script><b>");
    assert!(!page.contains("</script><b>") && !page.contains("src=") && !page.contains("{{"));
}

#[test]
fn frames_of_other_particles_are_refused() {
    let mut scope = scope("plate");
    let other = Frame { vertices: vec![Vertex::default()], ..frame(0) };
    let why = scope.add_frame(&other, Moment { number: 8, time: 0.0 }).expect_err("one particle");
    assert_eq!(why, "frame 8 has 1 particles, but the first has 3");
}

/// A square of two triangles, whose last corner is on cracks alone; in frame 1 it has another diagonal.
fn square(k: usize) -> SurfaceMesh {
    let corner = |x: f32, y: f32| Corner { x, y, vz: 1.5, ..Corner::default() };
    let corners = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
    let triangles = if k == 1 { vec![[1, 2, 3], [1, 3, 0]] } else { vec![[0, 1, 2], [0, 2, 3]] };
    let faces = [false, true].map(|is_crack| Face { is_crack, ..Face::default() }).to_vec();
    SurfaceMesh { corners, triangles, faces, ..SurfaceMesh::default() }
}

fn surface_page(mesh: impl Fn(usize) -> SurfaceMesh) -> String {
    let mut scope = Scope { surface: true, ..Scope::default() };
    for k in 0..2 {
        scope.add_frame(&frame(k), Moment { number: k as u32, time: 0.0 }).expect("as many particles");
    }
    scope.close();
    let mut out = Vec::new();
    write_page(&mut out, &scope, |k| Ok(Shown::Surface(mesh(k)))).expect("memory");
    String::from_utf8(out).expect("text")
}

#[test]
fn surfaces_have_a_head_corners_and_differences() {
    let page = surface_page(square);
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    assert_eq!((&run["surface"], run["low"].to_string()), (&true.into(), "[-0.75,-0.75,-0.75]".to_owned()));
    let bytes = unpacked(&page, "frame1");
    let head: Vec<u32> = bytes[..12].as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    assert_eq!(head, [4, 2, 1]);
    let values = &bytes[12 + 4 * 8..12 + 4 * 11];
    // the first triangle is outside, and has all corners but one
    assert_eq!(values, [0, 0, 0, 0, 255, 0, 0, 0, 128, 128, 128, 128], "damage, crack, speed");
    // 1 2 3 1 3 0: +1 +1 +1 -2 +2 -3
    assert_eq!(bytes[12 + 4 * 11..], [2, 2, 2, 3, 4, 5]);
}

#[test]
fn triangles_that_stay_are_written_once() {
    let page = surface_page(|_| square(0));
    let bytes = unpacked(&page, "frame1");
    assert_eq!((bytes.len(), bytes[8]), (12 + 4 * 11, 0), "those of frame 0");
}

/// The page reads normals only where it has pieces.
#[test]
fn normals_are_left_out_without_pieces() {
    let with_normals = |k| SurfaceMesh { normals: vec![[0.0, 0.0, 1.0]; 4], ..square(k) };
    assert!(surface_page(with_normals) == surface_page(square));
}

#[test]
fn large_differences_take_more_bytes() {
    let page = surface_page(|_| SurfaceMesh { triangles: vec![[0, 64, 20_000]], ..SurfaceMesh::default() });
    // 0, 64, 19936: twice that in groups of seven bits
    assert_eq!(unpacked(&page, "frame0")[12..], [0, 128, 1, 192, 183, 2]);
}

#[test]
fn colliders_are_on_the_page_in_their_pose_at_each_frame() {
    let colliders = colliders(
        r#"[[colliders]]
        shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
        [[colliders]]
        shape = { union = [{ box = { size = [2.0, 2.0, 2.0] } }, { sphere = { radius = 1.5 } }] }
        motion = { velocity = [0.0, 0.0, 4.0] }"#,
    );
    let mut scope = scope("plate");
    scope.colliders = colliders.into_iter().map(|mesh| Collider::new(mesh, [0.0, 0.25].into_iter())).collect();
    let mut out = Vec::new();
    write_page(&mut out, &scope, |k| Ok(Shown::Particles(frame(k)))).expect("memory");
    let page = String::from_utf8(out).expect("text");
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    let [collider] = &run["colliders"].as_array().expect("a list")[..] else { panic!("the floor has no end") };
    assert_eq!(collider["poses"][1], serde_json::json!([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
    let count = |key: &str| collider[key].as_u64().expect("a number") as usize;
    let bytes = unpacked(&page, "collider0");
    assert_eq!(bytes.len(), 12 * (count("vertices") + count("triangles")));
    assert_eq!(collider["deforms"], false);
    let far = bytes[12 * count("triangles")..]
        .as_chunks::<4>()
        .0
        .iter()
        .map(|x| f32::from_le_bytes(*x).abs())
        .fold(0.0, f32::max);
    assert!((far - 1.5).abs() < 1e-3, "{far}");
}

#[test]
fn colliders_that_deform_have_their_places_at_each_frame() {
    let folder = tempfile::tempdir().expect("a folder");
    for (k, top) in [(1, 0.5), (2, 0.9)] {
        let corners = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|high| f64::from(high) - 0.5));
        let place = |[x, y, z]: [f64; 3]| format!("v {x} {y} {}\n", if z > 0.0 { top } else { z });
        let faces = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
        let text: String = corners.map(place).chain([faces.to_owned()]).collect();
        std::fs::write(folder.path().join(format!("lid_{k}.obj")), text).expect("a file");
    }
    let path = folder.path().join("lid.toml");
    let lid = "[[colliders]]\nshape = { mesh = { file = \"lid_1.obj\" } }\nposition = [0.0, 0.0, 3.0]\n\
               deformation = { files = \"lid_#.obj\", first = 1, last = 2, frame_rate = 2.0 }\n";
    std::fs::write(&path, format!("{BALL}{lid}")).expect("a scene");
    let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut scope = scope("lid");
    let colliders = ColliderMesh::all(&scene).into_iter();
    scope.colliders = colliders.map(|mesh| Collider::new(mesh, [0.0, 0.25].into_iter())).collect();
    let mut out = Vec::new();
    write_page(&mut out, &scope, |k| Ok(Shown::Particles(frame(k)))).expect("memory");
    let page = String::from_utf8(out).expect("text");
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    let collider = &run["colliders"][0];
    let count = |key: &str| collider[key].as_u64().expect("a number") as usize;
    let bytes = unpacked(&page, "collider0");
    assert_eq!(bytes.len(), 12 * (2 * count("vertices") + count("triangles")));
    let places = bytes[12 * count("triangles")..].as_chunks::<12>().0;
    let height = |place: &[u8; 12]| f32::from_le_bytes(place[8..].try_into().expect("four bytes"));
    let highest = |places: &[[u8; 12]]| places.iter().map(height).fold(f32::NEG_INFINITY, f32::max);
    let (first, second) = places.split_at(count("vertices"));
    // half of the way to 3.9 m
    assert_eq!([highest(first), highest(second)], [3.5, 3.7]);
}

#[test]
fn looks_are_a_byte_more_and_their_colours_on_the_page() {
    let mut scope = Scope { surface: true, ..Scope::default() };
    scope.add_frame(&frame(0), Moment { number: 0, time: 0.0 }).expect("the first");
    scope.close();
    let (outside, inside) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let look = bdem_run::scene::Look { outside, inside, ..bdem_run::scene::Look::default() };
    scope.set_looks(&[look]);
    let mut out = Vec::new();
    write_page(&mut out, &scope, |_| Ok(Shown::Surface(square(1)))).expect("memory");
    let page = String::from_utf8(out).expect("text");
    let run: Value = serde_json::from_str(script(&page, "run")).expect("JSON");
    let shown = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for (k, part) in shown.as_flattened().iter().enumerate() {
        let there = run["looks"][k / 3][k % 3].as_f64().expect("a number");
        assert!((there - part).abs() < 1e-6, "{}", run["looks"]);
    }
    assert_eq!(unpacked(&page, "frame0")[12 + 4 * 11..12 + 4 * 12], [1, 0, 0, 0], "inside, outside");
}
