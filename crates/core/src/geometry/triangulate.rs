//! Triangulated closed surfaces, for systems that are made by code.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::Vec3;

/// Surface of triangles, counterclockwise from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangulated {
    /// Corners, m.
    pub x: Vec<Vec3>,
    /// Triangles, as indices of the corners.
    pub faces: Vec<[u32; 3]>,
}

/// Torus about the z axis, with `around` times `across` corners. `radius` is that of the tube's centre line, m.
///
/// # Panics
/// When a number of corners is below 3.
pub fn torus([around, across]: [u32; 2], radius: f64, tube_radius: f64) -> Triangulated {
    assert!(around > 2 && across > 2, "three corners a circle at least");
    let circle = |k: u32, of: u32| {
        let angle = TAU * f64::from(k) / f64::from(of);
        (libm::cos(angle), libm::sin(angle))
    };
    let corner = |(i, j): (u32, u32)| {
        let ((x, y), (out, up)) = (circle(i, around), circle(j, across));
        let radius = radius + tube_radius * out;
        Vec3::new(radius * x, radius * y, tube_radius * up)
    };
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let cells = (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let halves = |(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]];
    Triangulated { x: cells.clone().map(corner).collect(), faces: cells.flat_map(halves).collect() }
}

/// Unit sphere: an icosahedron whose triangles are quartered `divisions` times. It has `10 4^divisions + 2` corners.
pub fn sphere(divisions: u32) -> Triangulated {
    let mut sphere = icosahedron();
    for _ in 0..divisions {
        sphere = quartered(sphere);
    }
    sphere
}

fn icosahedron() -> Triangulated {
    // the poles, and two rings of five
    let (height, radius) = (0.2f64.sqrt(), 0.8f64.sqrt());
    let ring = |k: u32, height: f64| {
        let angle = TAU * f64::from(k) / 10.0;
        Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), height)
    };
    let mut x = vec![Vec3::z()];
    x.extend((0..5).map(|k| ring(2 * k, height)));
    x.extend((0..5).map(|k| ring(2 * k + 1, -height)));
    x.push(-Vec3::z());
    let fifth = |k: u32| {
        let (a, b) = (1 + k, 1 + (k + 1) % 5);
        [[0, a, b], [a, a + 5, b], [b, a + 5, b + 5], [11, b + 5, a + 5]]
    };
    Triangulated { x, faces: (0..5).flat_map(fifth).collect() }
}

fn quartered(Triangulated { mut x, faces }: Triangulated) -> Triangulated {
    let mut middles = BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            x.push((x[a as usize] + x[b as usize]).normalize());
            x.len() as u32 - 1
        })
    };
    let mut quarters = |[a, b, c]: [u32; 3]| {
        let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
    };
    let faces = faces.into_iter().flat_map(&mut quarters).collect();
    Triangulated { x, faces }
}
