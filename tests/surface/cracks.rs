use std::f64::consts::SQRT_2;

use bdem_core::geometry::Vec3;
use bdem_core::geometry::keyed::uniform;
use bdem_pictures::surface::SurfaceMesh;

use crate::surface::{Broken, RADIUS, place, share, volumes};

const PLATE: &str = "shape = { box = { size = [0.3, 0.2, 0.07] } }";

/// Where a line along x at `y` and `z` (m) meets triangles, sorted.
fn hits(mesh: &SurfaceMesh, y: f64, z: f64) -> Vec<f64> {
    let hit = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|i| place(mesh, i));
        let area = |p: &Vec3, q: &Vec3| (p.y - y) * (q.z - z) - (p.z - z) * (q.y - y);
        let [u, v, w] = [area(&b, &c), area(&c, &a), area(&a, &b)];
        let is_hit = (u > 0.0) == (v > 0.0) && (v > 0.0) == (w > 0.0);
        is_hit.then(|| (a.x * u + b.x * v + c.x * w) / (u + v + w))
    };
    let mut hits: Vec<f64> = mesh.triangles.iter().filter_map(hit).collect();
    hits.sort_by(f64::total_cmp);
    hits
}

/// Through the middle along x, as far as `y < end` (m).
fn cut(end: f64) -> impl Fn(&Vec3, &Vec3) -> bool {
    move |a, b| (a.x < 1e-6) != (b.x < 1e-6) && a.y.max(b.y) < end
}

#[test]
fn a_plate_in_two_shows_the_gap() {
    for opening in [0.02, 0.1, 1.0] {
        let gap = opening * RADIUS;
        let halves = Broken::new(&[PLATE], cut(1.0)).shift(|p| p.x > 1e-6, Vec3::x() * gap);
        let mesh = halves.surface();
        assert_eq!(volumes(&mesh).len(), 2);
        for (y, z) in [(0.0, 0.0), (0.031, 0.012), (-0.057, -0.013), (0.083, 0.0071)] {
            let hits = hits(&mesh, y, z);
            assert_eq!(hits.len(), 4, "at {y} {z}: {hits:?}");
            assert!(((hits[2] - hits[1]) / gap - 1.0).abs() < 0.05, "at {y} {z}: {hits:?}");
            // a cell of the lattice reaches no further than sqrt 2 r from its centre, and these are at x <= 0
            assert!(hits[1].abs() < SQRT_2 * RADIUS, "the crack runs at {}", hits[1]);
        }
    }
}

#[test]
fn a_crack_that_ends_in_a_piece_is_open() {
    let cracked = Broken::new(&[PLATE], cut(0.0)).shift(|p| p.x > 1e-6 && p.y < 0.0, Vec3::x() * 0.1 * RADIUS);
    let mesh = cracked.surface();
    assert_eq!(volumes(&mesh).len(), 1);
    for (y, z) in [(-0.083, 0.0), (-0.061, 0.012), (-0.043, -0.0131)] {
        let hits = hits(&mesh, y, z);
        assert_eq!(hits.len(), 4, "at {y} {z}: {hits:?}");
        assert!(((hits[2] - hits[1]) / (0.1 * RADIUS) - 1.0).abs() < 0.05, "at {y} {z}: {hits:?}");
    }
    assert_eq!(hits(&mesh, 0.051, 0.003).len(), 2);
}

#[test]
fn faces_tell_cracks_from_the_outside() {
    let mesh = Broken::new(&[PLATE], cut(1.0)).surface();
    let middle = |k: usize| mesh.triangles[k].map(|i| place(&mesh, i)).iter().sum::<Vec3>() / 3.0;
    let (cracks, outside): (Vec<usize>, Vec<usize>) = (0..mesh.triangles.len()).partition(|&k| mesh.face(k).is_crack);
    assert!(cracks.len() > 100 && cracks.iter().all(|&k| middle(k).x.abs() < 1.5 * RADIUS));
    let is_outer = |p: Vec3| p.x.abs() > 1e-4 || p.y.abs() > 0.08 || p.z.abs() > 0.02;
    assert!(outside.iter().all(|&k| is_outer(middle(k))));
}

#[test]
fn unbroken_bodies_have_no_cracks() {
    for packing in ["'hexagonal'", "{ random = { gap = 0.4 } }", "'random'"] {
        let mesh = Broken::new(&[&format!("{PLATE}\npacking = {packing}")], |_, _| false).surface();
        let cracks = (0..mesh.triangles.len()).filter(|&k| mesh.face(k).is_crack).count();
        assert_eq!(cracks, 0, "of {} triangles: {packing}", mesh.triangles.len());
    }
}

/// Cells of points at random; a bond breaks where its ends are in two.
fn shattered() -> Broken {
    const CELLS: u64 = 24;
    let size = Vec3::new(0.3, 0.2, 0.07);
    let cell = |p: &Vec3| {
        let seed = |k: u64| Vec3::from_fn(|axis, _| (uniform(7, 3 * k + axis as u64) - 0.5) * size[axis]);
        (0..CELLS).min_by(|&a, &b| (seed(a) - p).norm().total_cmp(&(seed(b) - p).norm()))
    };
    // dust: some bonds within cells break too
    let bond = |a: &Vec3, b: &Vec3| ((a + b).dot(&Vec3::new(1.0, 1e3, 1e6)) * 1e7) as i64 as u64;
    Broken::new(&[PLATE], move |a, b| cell(a) != cell(b) || uniform(3, bond(a, b)) < 0.2)
}

#[test]
fn pieces_have_a_mesh_and_their_volume_each() {
    let shattered = shattered();
    let (pieces, volumes) = (shattered.pieces(), volumes(&shattered.surface()));
    assert!(pieces.len() >= 20 && volumes.len() == pieces.len(), "{} of {}", volumes.len(), pieces.len());
    for (piece, count) in pieces.into_iter().filter(|(_, count)| *count >= 20) {
        let error = volumes[&piece] / (count as f64 * share()) - 1.0;
        assert!(error.abs() < 0.1, "a piece of {count}: {error}");
    }
}

#[test]
fn meshes_move_with_their_pieces() {
    let halves = || Broken::new(&[PLATE], cut(1.0));
    let still = halves().surface();
    let moved = halves().shift(|p| p.x > 1e-6, Vec3::new(1.0, 0.5, 0.25)).surface();
    assert_eq!(still.triangles, moved.triangles);
    for (i, corner) in (0..).zip(&still.corners) {
        let by = if corner.piece == 0 { Vec3::zeros() } else { Vec3::new(1.0, 0.5, 0.25) };
        assert!((place(&moved, i) - place(&still, i) - by).norm() < 1e-6);
    }
}
