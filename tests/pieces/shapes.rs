use std::f64::consts::PI;

use crate::pieces::{body, expect_closed, volume};

/// Shapes, and their volumes (m3).
fn shapes() -> Vec<(&'static str, f64)> {
    let cylinder = PI * 0.1 * 0.1 * 0.05;
    vec![
        ("{ box = { size = [0.2, 0.1, 0.05] } }", 0.001),
        ("{ sphere = { radius = 0.1 } }", 4.0 / 3.0 * PI * 1e-3),
        ("{ ellipsoid = { radii = [0.1, 0.05, 0.2] } }", 4.0 / 3.0 * PI * 1e-3),
        ("{ cylinder = { radius = 0.1, height = 0.05 } }", cylinder),
        ("{ tube = { radius = 0.1, inner_radius = 0.05, height = 0.05 } }", 0.75 * cylinder),
        ("{ cone = { radius = 0.1, height = 0.15 } }", cylinder),
        ("{ cone = { radius = 0.1, top_radius = 0.05, height = 0.05 } }", cylinder * 1.75 / 3.0),
        ("{ capsule = { radius = 0.05, height = 0.3 } }", PI * 0.0025 * (0.2 + 4.0 / 3.0 * 0.05)),
        ("{ capsule = { radius = 0.05, height = 0.1 } }", 4.0 / 3.0 * PI * 0.05_f64.powi(3)),
        ("{ torus = { radius = 0.1, tube_radius = 0.03 } }", 2.0 * PI * PI * 0.1 * 0.0009),
        ("{ revolve = { profile = [[0.0, 0.0], [0.0, 0.05], [0.1, 0.05], [0.1, 0.0]] } }", cylinder),
        (
            "{ difference = [{ box = { size = [0.2, 0.2, 0.05] } }, { cylinder = { radius = 0.05, height = 0.1 } }] }",
            0.002 - PI * 0.0025 * 0.05,
        ),
        (
            "{ union = [{ box = { size = [0.2, 0.1, 0.05] } }, \
             { moved = { shape = { box = { size = [0.1, 0.1, 0.1] } }, position = [0.1, 0.0, 0.0] } }] }",
            0.001 + 0.001 - 0.05 * 0.1 * 0.05,
        ),
        (
            "{ intersection = [{ half_space = { normal = [1.0, 1.0, 0.0], offset = 0.0 } }, \
             { box = { size = [0.2, 0.2, 0.05] } }] }",
            0.001,
        ),
    ]
}

#[test]
fn shapes_have_closed_meshes_of_their_volume() {
    for (shape, expected) in shapes() {
        let mesh = body(shape).unwrap_or_else(|error| panic!("{shape}: {error}")).mesh;
        expect_closed(&mesh);
        let volume = volume(&mesh);
        assert!((volume / expected - 1.0).abs() < 0.006, "{shape}: {volume} {expected}");
    }
}

#[test]
fn boxes_have_six_faces_and_combinations_few() {
    assert_eq!(body("{ box = { size = [0.2, 0.1, 0.05] } }").expect("a mesh").mesh.sizes, [4; 6]);
    let stair = shapes()[12].0;
    let faces = body(stair).expect("a mesh").mesh.sizes.len();
    assert!(faces <= 16, "{faces}");
}

#[test]
fn normals_of_combinations_face_outwards() {
    for (shape, _) in &shapes()[11..] {
        let mesh = body(shape).unwrap_or_else(|error| panic!("{shape}: {error}")).mesh;
        let mut normals = 0;
        for face in mesh.faces() {
            let [a, b, c] = [0, 1, 2].map(|k| mesh.points[face[k].point as usize]);
            let outwards = (b - a).cross(&(c - a)).normalize();
            for corner in face.iter().filter(|corner| corner.normal.norm() > 0.0) {
                assert!(corner.normal.dot(&outwards) > 0.9, "{shape}: {:?} {outwards:?}", corner.normal);
                normals += 1;
            }
        }
        assert!(normals >= 18, "{shape}: {normals}");
    }
}
