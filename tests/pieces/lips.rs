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
    body: Vec<u16>,
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
    Cracked { places, cracks, pieces, body: of }
}

impl Cracked {
    fn motion<'a>(&'a self, turns: &'a [Quat], mass: &'a [f64]) -> Motion<'a> {
        let Self { places, cracks, pieces, body } = self;
        Motion { pieces, places, turns, body, mass, radii: &[RADIUS], cracks }
    }

    fn posed(&self, time: f64, frame: impl Fn(&Vec3) -> Vertex) -> SurfaceMesh {
        let (mass, turns) = (vec![1.0; self.places.len()], vec![Quat::identity(); self.places.len()]);
        let motion = self.motion(&turns, &mass);
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
    let off = volume(&piece.mesh) / volume(&whole.mesh) - 1.0;
    assert!(off.abs() < 1e-8, "{off}");
    // both sides of a crack from the upper face to the middle
    let both = 2.0 * SIZE[1] * 0.5 * SIZE[2];
    assert!((crack_area(piece) / both - 1.0).abs() < 0.35, "{} of {both} m2", crack_area(piece));
    for lip in &piece.lips {
        let p = piece.mesh.points[lip.point as usize];
        assert!(lip.parted == BREAKS || p.z < 1.5 * RADIUS, "{p:?}");
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
    let wide = RADIUS;
    let aside = |p: &Vec3| if p.x > 0.0 { Vec3::x() * (wide * p.z.max(0.0) / (0.5 * SIZE[2])) } else { Vec3::zeros() };
    let frame = |p: &Vec3| Vertex { orient_w: 1.0, ..particle(&(p + aside(p)), &Vec3::zeros(), 0) };
    let particles: Vec<Vertex> = cracked.places.iter().map(frame).collect();
    let (mass, turns) = (vec![1.0; particles.len()], vec![Quat::identity(); particles.len()]);
    let motion = cracked.motion(&turns, &mass);
    let at = &motion.at(&particles, BREAKS)[1];
    assert!((at.opening * RADIUS / wide - 1.0).abs() < 0.3, "{}", at.opening);
    let skin = Skin::of(&motion, &[1], Skin::EDGE).remove(0);
    let (piece, shape) = (skin.piece(), skin.posed(&motion, at, &particles, BREAKS));
    let now: Vec<Vec3> =
        shape.points.iter().map(|p| at.pose.apply(&(piece.centre + Vec3::from(p.map(f64::from))))).collect();
    let rest = &piece.mesh.points;
    // both sides of the mouth, by where they are at rest
    let mut sides: BTreeMap<[i64; 3], Vec<f64>> = BTreeMap::new();
    for (p, q) in rest.iter().zip(&now).filter(|(p, _)| p.x.abs() < RADIUS && p.z > 0.5 * SIZE[2] - 1e-6) {
        sides.entry([p.x, p.y, p.z].map(|x| (x * 1e6).round() as i64)).or_default().push(q.x - p.x);
    }
    let gap = |xs: &Vec<f64>| xs.iter().copied().fold(f64::MIN, f64::max) - xs.iter().copied().fold(f64::MAX, f64::min);
    let widest = sides.values().map(gap).fold(0.0, f64::max);
    // the uppermost particles are at three quarters of the height
    assert!((widest / (0.75 * wide) - 1.0).abs() < 0.02, "{widest} of {wide} m at {} places", sides.len());
    // edges away from the crack
    let lips: Vec<Vec3> = piece.lips.iter().map(|lip| rest[lip.point as usize]).collect();
    let is_far = |p: &Vec3| lips.iter().all(|lip| (lip - p).norm() > 2.0 * RADIUS);
    let mut far = 0;
    for face in piece.mesh.faces() {
        for (k, corner) in face.iter().enumerate() {
            let [a, b] = [corner.point, face[(k + 1) % face.len()].point].map(|point| point as usize);
            if is_far(&rest[a]) && is_far(&rest[b]) {
                far += 1;
                let stretch = (now[a] - now[b]).norm() / (rest[a] - rest[b]).norm();
                assert!(stretch < 1.2, "{stretch}");
            }
        }
    }
    assert!(far > 20, "{far}");
}
