//! Tests of the readers of mesh files.

mod dialects;

use std::sync::Arc;

use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Vec3, packing};
use bdem_run::mesh::{MeshFileError, Triangles, read};
use proptest::prelude::*;

use crate::common::solids::{binary_ply, binary_stl, cube, files, obj, sphere, torus, volume};

#[test]
fn every_format_gives_the_volume_and_the_packing() {
    let (r, ball, ring) = (0.05, Shape::Sphere { radius: 0.5 }, Shape::Torus { radius: 0.6, tube_radius: 0.25 });
    let solids = [(cube(1.0), Shape::Box { size: [1.0; 3] }), (sphere(0.5, 40), ball), (torus(0.6, 0.25, 60), ring)];
    for (triangles, shape) in &solids {
        for (ending, bytes) in files(triangles) {
            let (corners, faces) = read(ending, bytes).unwrap();
            let mesh = Mesh::new(&corners, &faces).unwrap();
            assert!((mesh.volume() / volume(triangles) - 1.0).abs() < 1e-6, "{ending}: {}", mesh.volume());
            assert!((mesh.volume() / shape.volume() - 1.0).abs() < 0.02, "{ending} {shape:?}: {}", mesh.volume());
            let mesh = Shape::Mesh(Arc::new(mesh));
            let (ours, exact) = (packing::hexagonal(&mesh, r).len() as f64, packing::hexagonal(shape, r).len() as f64);
            assert!((ours / exact - 1.0).abs() < 0.15, "{ending} {shape:?}: {ours} of {exact}");
        }
    }
}

#[test]
fn files_that_are_no_meshes_are_refused() {
    let why = |ending: &str, bytes: &[u8]| match read(ending, bytes.to_vec()) {
        Err(MeshFileError::Malformed(why)) => why,
        other => panic!("{ending}: {other:?}"),
    };
    let solid = sphere(0.5, 10);
    for ending in ["stl", "ply"] {
        why(ending, b"");
        why(ending, b"not a mesh, but some line of text\nand one more");
        why(ending, &[200; 500]);
    }
    why("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n");
    assert!(why("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n").contains("out of bounds"));
    assert!(why("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -9223372036854775808\n").contains("out of bounds"));
    let (stl, ply) = (binary_stl(&solid), binary_ply(&solid, false));
    why("stl", &stl[..stl.len() - 3]);
    why("ply", &ply[..ply.len() - 3]);
    let endless = b"ply\nformat binary_little_endian 1.0\nelement vertex 999999999999\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n";
    assert!(why("ply", endless).contains("too short"));
    let points = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    assert!(why("ply", points).contains("no faces"));
    assert_eq!(read("blend", stl).unwrap_err(), MeshFileError::Ending("blend".to_owned()));
    for no_lines in [&b"some text\n"[..], &[200; 500]] {
        assert_eq!(read("obj", no_lines.to_vec()).unwrap(), Triangles::default());
    }
    let long = why("stl", &[b"solid x\nfacet ", &[b'y'; 5000][..]].concat());
    assert!(long.len() < 200, "{long}");
}

#[test]
fn a_million_triangles() {
    let (corners, faces) = read("stl", binary_stl(&sphere(0.5, 708))).unwrap();
    assert!(faces.len() > 1_000_000);
    let mesh = Mesh::new(&corners, &faces).unwrap();
    assert!((mesh.volume() / (std::f64::consts::PI / 6.0) - 1.0).abs() < 1e-4, "{}", mesh.volume());
    let packed = packing::hexagonal(&Shape::Mesh(Arc::new(mesh)), 0.02).len();
    let exact = packing::hexagonal(&Shape::Sphere { radius: 0.5 }, 0.02).len();
    assert!((packed as f64 / exact as f64 - 1.0).abs() < 0.02, "{packed} of {exact}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever a file holds, reading it ends with a mesh or a reason.
    #[test]
    fn mangled_files_never_panic(
        kind in 0..6usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let (ending, mut bytes) = files(&cube(1.0)).swap_remove(kind);
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len() - end.index(bytes.len()) / 4);
        if let Ok((corners, faces)) = read(ending, bytes) {
            let _ = Mesh::new(&corners, &faces).map(|mesh| mesh.distance(&Vec3::x()));
        }
    }

    /// Numbers that make no sense, in the one format that has them as words.
    #[test]
    fn odd_numbers_in_a_text_never_panic(word in "[-+]?[0-9/e.]{0,22}|nan|inf", line in 2..22usize, place in 1..4usize) {
        let text = obj(&cube(1.0));
        let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
        if let Some(slot) = lines[line].get_mut(place) {
            *slot = &word;
        }
        let text: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        if let Ok((corners, faces)) = read("obj", text.join("\n").into_bytes()) {
            let _ = Mesh::new(&corners, &faces).map(|mesh| mesh.distance(&Vec3::x()));
        }
    }
}
