//! Triangles around simple solids, and the files that hold them.

use std::f64::consts::PI;
use std::fmt::Write;

use bdem_core::geometry::Vec3;
use bdem_run::mesh::Triangles;

/// A cube of this side about the origin.
pub(crate) fn cube(side: f64) -> Triangles {
    let corner = |i: u32| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)).add_scalar(-0.5) * side;
    let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), faces)
}

/// A sphere about the origin, of 2 n (n - 1) triangles.
pub(crate) fn sphere(radius: f64, n: u32) -> Triangles {
    let (rings, around) = (n, n);
    let at = |ring: u32, turn: u32| {
        let (down, angle) = (PI * f64::from(ring) / f64::from(rings), 2.0 * PI * f64::from(turn) / f64::from(around));
        Vec3::new(down.sin() * angle.cos(), down.sin() * angle.sin(), down.cos()) * radius
    };
    let mut corners = vec![Vec3::z() * radius, -Vec3::z() * radius];
    corners.extend((1..rings).flat_map(|ring| (0..around).map(move |turn| at(ring, turn))));
    let index = |ring: u32, turn: u32| match ring {
        0 => 0,
        _ if ring == rings => 1,
        _ => 2 + (ring - 1) * around + turn % around,
    };
    let squares = (0..rings).flat_map(|ring| (0..around).map(move |turn| (ring, turn)));
    let halves = squares.flat_map(|(ring, turn)| {
        let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(down, on)| index(ring + down, turn + on));
        [[a, b, c], [a, c, d]]
    });
    (corners, halves.filter(|[a, b, c]| a != b && b != c && a != c).collect())
}

/// A torus about z, of 2 n^2 triangles.
pub(crate) fn torus(radius: f64, tube_radius: f64, n: u32) -> Triangles {
    let at = |around: u32, tube: u32| {
        let [a, t] = [around, tube].map(|k| 2.0 * PI * f64::from(k) / f64::from(n));
        let across = radius + tube_radius * t.cos();
        Vec3::new(across * a.cos(), across * a.sin(), tube_radius * t.sin())
    };
    let corners = (0..n).flat_map(|around| (0..n).map(move |tube| at(around, tube))).collect();
    let index = |around: u32, tube: u32| around % n * n + tube % n;
    let squares = (0..n).flat_map(|around| (0..n).map(move |tube| (around, tube)));
    let faces = squares.flat_map(|(around, tube)| {
        let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(on, up)| index(around + on, tube + up));
        [[a, b, c], [a, c, d]]
    });
    (corners, faces.collect())
}

/// Both, the second's places moved.
pub(crate) fn together((mut corners, mut faces): Triangles, other: Triangles, by: Vec3) -> Triangles {
    let first = corners.len() as u32;
    corners.extend(other.0.into_iter().map(|p| p + by));
    faces.extend(other.1.into_iter().map(|face| face.map(|i| first + i)));
    (corners, faces)
}

/// The file of each ending and kind that holds the triangles.
pub(crate) fn files(triangles: &Triangles) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("obj", obj(triangles).into_bytes()),
        ("stl", binary_stl(triangles)),
        ("STL", ascii_stl(triangles).into_bytes()),
        ("ply", binary_ply(triangles, false)),
        ("ply", binary_ply(triangles, true)),
        ("ply", ascii_ply(triangles).into_bytes()),
    ]
}

pub(crate) fn obj((corners, faces): &Triangles) -> String {
    let mut text = "mtllib none.mtl\no solid\n".to_owned();
    corners.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap());
    text += "vt 0 0\nusemtl none\n";
    // every second face counts its corners from the last
    let last = corners.len() as i64;
    for (n, face) in faces.iter().enumerate() {
        let [a, b, c] = face.map(|i| if n % 2 == 0 { i64::from(i) + 1 } else { i64::from(i) - last });
        writeln!(text, "f {a}/1 {b}/1/99 {c}").unwrap();
    }
    text
}

fn facets((corners, faces): &Triangles) -> impl Iterator<Item = [Vec3; 3]> {
    faces.iter().map(|face| face.map(|i| corners[i as usize]))
}

/// One that begins like a text.
pub(crate) fn binary_stl(triangles: &Triangles) -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.1.len() as u32).to_le_bytes());
    for facet in facets(triangles) {
        let numbers = [Vec3::zeros(), facet[0], facet[1], facet[2]];
        bytes.extend(numbers.iter().flat_map(|p| p.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect::<Vec<_>>()));
        bytes.extend([0, 0]);
    }
    bytes
}

fn ascii_stl(triangles: &Triangles) -> String {
    let mut text = "solid thing\n".to_owned();
    for facet in facets(triangles) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        facet.iter().for_each(|p| writeln!(text, "      vertex {:e} {:e} {:e}", p.x, p.y, p.z).unwrap());
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid thing\n"
}

fn ply_header(format: &str, (corners, faces): &Triangles, list: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         property uchar red\nelement face {}\nproperty list uchar {list}\nend_header\n",
        corners.len(),
        faces.len()
    )
}

pub(crate) fn binary_ply(triangles: &Triangles, is_big_endian: bool) -> Vec<u8> {
    let (format, list) = match is_big_endian {
        true => ("binary_big_endian", "uint vertex_indices"),
        false => ("binary_little_endian", "int vertex_index"),
    };
    let mut bytes = ply_header(format, triangles, list).into_bytes();
    for p in &triangles.0 {
        bytes.extend(p.iter().flat_map(|x| if is_big_endian { x.to_be_bytes() } else { x.to_le_bytes() }));
        bytes.push(7);
    }
    for face in &triangles.1 {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|i| if is_big_endian { i.to_be_bytes() } else { i.to_le_bytes() }));
    }
    bytes
}

fn ascii_ply(triangles: &Triangles) -> String {
    let mut text = ply_header("ascii", triangles, "int vertex_indices");
    triangles.0.iter().for_each(|p| writeln!(text, "{} {} {} 7", p.x, p.y, p.z).unwrap());
    triangles.1.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
    text
}

/// Volume, by the divergence theorem.
pub(crate) fn volume((corners, faces): &Triangles) -> f64 {
    let corner = |i: u32| corners[i as usize];
    faces.iter().map(|&[a, b, c]| corner(a).dot(&corner(b).cross(&corner(c))) / 6.0).sum()
}
