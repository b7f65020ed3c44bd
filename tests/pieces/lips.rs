//! Cracks that end in a piece, and bodies before they break.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use bdem_core::geometry::{Quat, Vec3};
use bdem_pictures::pieces::{CrackSettings, Cracks, Motion, Piece, Pieces, RestBond, RestParticles, Skin};
use bdem_pictures::surface::SurfaceMesh;
use bdem_run::output::ply::Vertex;

use crate::pieces::motion::particle;
use crate::pieces::{RADIUS, body, expect_closed, grid, volume};

const SIZE: [f64; 3] = [0.24, 0.16, 0.08];

/// Time at which the crack opens, s.
const BREAKS: f64 = 1.0;

/// A box with a crack in the plane x = 0 down to z = `depth` (m), and its particles at rest (m).
struct Cracked {
    places: Vec<Vec3>,
    cracks: Cracks,
    pieces: Pieces,
}

fn cracked(depth: f64) -> Cracked {
    let places = grid(SIZE);
    let mut bonds = Vec::new();
    for (i, p) in places.iter().enumerate() {
        for (j, q) in places.iter().enumerate().skip(i + 1) {
            if (p - q).norm() < 3.0 * RADIUS {
                let is_broken = p.x * q.x < 0.0 && 0.5 * (p.z + q.z) > depth;
                let broke = if is_broken { BREAKS } else { f64::INFINITY };
                bonds.push(RestBond { ends: [i as u32, j as u32], broke });
            }
        }
    }
    let piece: Vec<u32> = places.iter().map(|p| u32::from(depth < -0.9 * SIZE[2] && p.x > 0.0)).collect();
    let (radius, of) = (vec![RADIUS; places.len()], vec![0; places.len()]);
    let particles = RestParticles { places: &places, radius: &radius, body: &of, piece: &piece };
    let cracks = Cracks::new(&particles, &bonds, 1);
    let body = body("{ box = { size = [0.24, 0.16, 0.08] } }").expect("a mesh");
    let pieces = Pieces::cut(vec![Some(body)], &particles, &cracks, &CrackSettings::default()).expect("pieces");
    Cracked { places, cracks, pieces }
}

impl Cracked {
    fn posed(&self, time: f64, frame: impl Fn(&Vec3) -> Vertex) -> SurfaceMesh {
        let (mass, turns) = (vec![1.0; self.places.len()], vec![Quat::identity(); self.places.len()]);
        let motion = Motion {
            pieces: &self.pieces,
            places: &self.places,
            turns: &turns,
            body: &vec![0; self.places.len()],
            mass: &mass,
            radii: &[RADIUS],
            cracks: &self.cracks,
        };
        let skins: Vec<OnceLock<Skin>> = self.pieces.pieces.iter().map(|_| OnceLock::new()).collect();
        motion.posed(&self.places.iter().map(frame).collect::<Vec<_>>(), time, &skins)
    }
}

/// Area of the crack faces of a piece, m2.
fn crack_area(piece: &Piece) -> f64 {
    let mesh = &piece.mesh;
    let area = |face: &[bdem_run::mesh::PolygonCorner]| {
        let [a, b, c] = [0, 1, 2].map(|k: usize| mesh.points[face[k].point as usize]);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    mesh.faces().skip(piece.outside).map(area).sum()
}

#[test]
fn a_crack_that_severs_nothing_has_two_sides_and_a_closed_mesh() {
    let cracked = cracked(0.0);
    let [whole, piece] = &cracked.pieces.pieces[..] else { panic!("{} pieces", cracked.pieces.pieces.len()) };
    assert_eq!((whole.is_whole(), whole.shown[1], whole.lips.len()), (true, BREAKS, 0));
    assert_eq!((piece.is_whole(), piece.shown[0]), (false, BREAKS));
    assert_eq!(whole.mesh.sizes.len(), 6, "an unbroken box has its six faces");
    expect_closed(&piece.mesh);
    assert!((volume(&piece.mesh) / volume(&whole.mesh) - 1.0).abs() < 1e-9);
    // both sides of a crack from the upper face to the middle
    let both = 2.0 * SIZE[1] * 0.5 * SIZE[2];
    assert!((crack_area(piece) / both - 1.0).abs() < 0.35, "{} of {both} m2", crack_area(piece));
    for lip in &piece.lips {
        let p = piece.mesh.points[lip.point as usize];
        assert_eq!(lip.parted, BREAKS);
        assert!(p.x.abs() < RADIUS && p.z > -2.0 * RADIUS, "{p:?}");
    }
}

#[test]
fn few_broken_bonds_are_no_crack() {
    let cracked = cracked(0.5 * SIZE[2] + RADIUS);
    assert_eq!(cracked.pieces.pieces.len(), 1);
    assert!(!cracked.pieces.pieces[0].is_whole());
}

#[test]
fn a_body_is_whole_up_to_its_first_broken_bond() {
    let cracked = cracked(-SIZE[2]);
    let shown: Vec<[f64; 2]> = cracked.pieces.pieces.iter().map(|piece| piece.shown).collect();
    let [never, always] = [f64::NEG_INFINITY, f64::INFINITY];
    assert_eq!(shown, [[never, BREAKS], [BREAKS, always], [BREAKS, always]]);
    let still = |p: &Vec3| Vertex { orient_w: 1.0, ..particle(p, &Vec3::zeros(), 0) };
    let faces = |time: f64| cracked.posed(time, still).faces.iter().filter(|face| face.is_crack).count();
    assert_eq!(faces(0.5 * BREAKS), 0);
    assert!(faces(BREAKS) > 100);
}

#[test]
fn a_crack_opens_as_its_particles_move_and_stretches_nothing_else() {
    let cracked = cracked(0.0);
    // the upper right quarter goes aside, more the higher it is
    let wide = 2.0 * RADIUS;
    let aside = |p: &Vec3| if p.x > 0.0 { Vec3::x() * (wide * p.z.max(0.0) / (0.5 * SIZE[2])) } else { Vec3::zeros() };
    let frame = |p: &Vec3| Vertex { orient_w: 1.0, ..particle(&(p + aside(p)), &Vec3::zeros(), 0) };
    let rest = cracked.posed(BREAKS, |p| Vertex { orient_w: 1.0, ..particle(p, &Vec3::zeros(), 0) });
    let open = cracked.posed(BREAKS, frame);
    let place = |mesh: &SurfaceMesh, k: u32| {
        let corner = &mesh.corners[k as usize];
        Vec3::new(corner.x.into(), corner.y.into(), corner.z.into())
    };
    // both sides of the mouth, by where they are at rest
    let mouth = |p: &Vec3| p.x.abs() < RADIUS && p.z > 0.5 * SIZE[2] - 1e-6;
    let mut sides: BTreeMap<[i64; 3], Vec<f64>> = BTreeMap::new();
    for k in 0..open.corners.len() as u32 {
        let p = place(&open, k);
        let rest = if open.corners.len() == rest.corners.len() { place(&rest, k) } else { continue };
        if mouth(&rest) {
            sides.entry([rest.x, rest.y, rest.z].map(|x| (x * 1e7).round() as i64)).or_default().push(p.x - rest.x);
        }
    }
    let gaps: Vec<f64> = sides
        .values()
        .map(|xs| {
            let low = xs.iter().copied().fold(f64::INFINITY, f64::min);
            xs.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low
        })
        .collect();
    let widest = gaps.iter().copied().fold(0.0, f64::max);
    assert!((widest / wide - 1.0).abs() < 0.15, "{widest} of {wide} m at {} places", gaps.len());
    assert!(open.triangles.iter().all(|triangle| triangle.iter().all(|&k| place(&open, k).sum().is_finite())));
}
