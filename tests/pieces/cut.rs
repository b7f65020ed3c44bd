use std::collections::HashSet;

use bdem_core::geometry::Vec3;
use bdem_pictures::pieces::{CrackNoise, CrackSettings, MeshFault, Piece, PieceError, Pieces};
use bdem_run::mesh::{PolygonCorner, Polygons};
use rayon::ThreadPoolBuilder;

use crate::pieces::{RADIUS, body, cut, expect_closed, grid, nearest, points, volume};

const SIZE: [f64; 3] = [0.24, 0.16, 0.08];
const BOX: &str = "{ box = { size = [0.24, 0.16, 0.08] } }";
const SEEDS: [[f64; 3]; 5] =
    [[0.08, 0.0, 0.0], [-0.09, 0.05, 0.02], [-0.08, -0.06, 0.0], [0.0, 0.05, -0.02], [0.01, -0.05, 0.01]];

fn broken(settings: &CrackSettings) -> Pieces {
    let places = grid(SIZE);
    cut(&body(BOX).expect("a mesh"), &places, &nearest(&places, &SEEDS), settings).expect("pieces")
}

fn rough() -> CrackSettings {
    CrackSettings { noise: Some(CrackNoise { amplitude: 0.004, wavelength: 0.03 }), ..CrackSettings::default() }
}

#[test]
fn pieces_are_closed_and_fill_the_mesh() {
    for settings in [CrackSettings::default(), rough()] {
        let Pieces { pieces, loose, .. } = broken(&settings);
        assert_eq!((pieces.len(), loose.len()), (5, 0));
        pieces.iter().for_each(|piece| expect_closed(&piece.mesh));
        let sum: f64 = pieces.iter().map(|piece| volume(&piece.mesh)).sum();
        let whole: f64 = SIZE.iter().product();
        assert!((sum / whole - 1.0).abs() < 1e-9, "{sum} {whole}");
        pieces.iter().for_each(|piece| assert!((piece.volume / volume(&piece.mesh) - 1.0).abs() < 1e-9));
    }
}

#[test]
fn outer_faces_lie_on_the_mesh() {
    let sides = SIZE.map(|side| 0.5 * side);
    for piece in &broken(&rough()).pieces {
        assert!(piece.outside > 0 && piece.outside < piece.mesh.sizes.len());
        for bits in points(piece, true) {
            let p = bits.map(f64::from_bits);
            let off = (0..3).map(|axis| (p[axis].abs() - sides[axis]).abs()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-15, "{off}");
        }
    }
}

#[test]
fn both_sides_of_a_crack_coincide() {
    let pieces = broken(&rough()).pieces;
    let sets: Vec<HashSet<[u64; 3]>> = pieces.iter().map(|piece| points(piece, false).into_iter().collect()).collect();
    for (k, set) in sets.iter().enumerate() {
        let others: Vec<Vec3> = sets
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != k)
            .flat_map(|(_, set)| set.iter().map(|bits| Vec3::from(bits.map(f64::from_bits))))
            .collect();
        for bits in set {
            let p = Vec3::from(bits.map(f64::from_bits));
            let gap = others.iter().map(|q| (p - q).amax()).fold(f64::INFINITY, f64::min);
            assert!(gap < 1e-15, "{gap:e} at {p:?}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let on = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| broken(&rough()));
    assert_eq!(on(1), on(2));
}

#[test]
fn an_unbroken_body_is_its_mesh() {
    let (body, places) = (body(BOX).expect("a mesh"), grid(SIZE));
    let pieces = cut(&body, &places, &vec![0; places.len()], &CrackSettings::default()).expect("pieces");
    let [piece] = &pieces.pieces[..] else { panic!("{} pieces", pieces.pieces.len()) };
    assert_eq!(piece.outside, piece.mesh.sizes.len());
    assert_eq!((&piece.mesh.points, &piece.mesh.sizes), (&body.mesh.points, &body.mesh.sizes));
    assert!(pieces.loose.is_empty());
}

/// Crumbs are chips of what is nearest to their particles: on a grid cubes, whose corners a mesh of a radius cuts off. No volume is
/// counted twice.
#[test]
fn crumbs_are_convex_chips_of_their_volume() {
    let (body, places) = (body(BOX).expect("a mesh"), grid(SIZE));
    let inside = (0..places.len()).filter(|&i| places[i].map(f64::abs).max() < 2.0 * RADIUS).collect::<Vec<_>>();
    // one inside, one in a corner, and two together
    let crumbs: [Vec<usize>; 3] = [vec![inside[0]], vec![0], vec![places.len() - 2, places.len() - 1]];
    let mut numbers = vec![1; places.len()];
    for crumb in &crumbs {
        crumb.iter().for_each(|&i| numbers[i] = crumb[0] as u32);
    }
    let pieces = crate::pieces::broken(&body, &places, &numbers).expect("pieces");
    assert_eq!((pieces.pieces.len(), pieces.loose.len()), (5, 0));
    assert!(pieces.pieces[0].is_whole());
    let whole: f64 = SIZE.iter().product();
    let sum: f64 = pieces.pieces[1..].iter().map(|piece| volume(&piece.mesh)).sum();
    assert!((sum / whole - 1.0).abs() < 1e-9, "{sum} of {whole} m3");
    for (piece, size) in pieces.pieces[2..].iter().zip([2.0, 1.0, 1.0]) {
        expect_closed(&piece.mesh);
        assert!(piece.mesh.corners.iter().all(|corner| (corner.normal.norm() - 1.0).abs() < 1e-6));
        let share = size * (2.0 * RADIUS).powi(3);
        assert!((piece.volume / share - 1.0).abs() < 0.3, "{} of {share} m3", piece.volume);
        let centre = piece.particles.iter().map(|&i| places[i as usize]).sum::<Vec3>() / size;
        assert!((body.pose.apply(&piece.centre) - centre).norm() < 0.2 * RADIUS, "{:?}", piece.centre);
    }
}

/// A body that never had bonds is particles, and not its whole mesh; one that never had more particles than a crumb is its mesh.
#[test]
fn a_body_without_bonds_has_no_piece() {
    let (body, places) = (body(BOX).expect("a mesh"), grid(SIZE));
    let numbers = |size: u32| (0..places.len() as u32).map(|i| i / size).collect::<Vec<_>>();
    for size in [1, 3] {
        let dust = cut(&body, &places, &numbers(size), &CrackSettings::default()).expect("crumbs");
        assert_eq!((dust.pieces.len(), dust.loose.len()), (0, places.len()));
    }
    let few = cut(&body, &places[..3], &[0; 3], &CrackSettings::default()).expect("a piece");
    assert_eq!((few.pieces.len(), few.loose.len()), (1, 0));
}

#[test]
fn faces_that_no_crack_crosses_stay_whole() {
    let places = grid(SIZE);
    let halves: Vec<u32> = places.iter().map(|p| u32::from(p.x > 0.0)).collect();
    let pieces = cut(&body(BOX).expect("a mesh"), &places, &halves, &CrackSettings::default()).expect("pieces");
    for piece in &pieces.pieces {
        let quads = piece.mesh.sizes[..piece.outside].iter().filter(|&&size| size == 4).count();
        assert!(quads >= 1, "the far side is one quadrilateral: {:?}", &piece.mesh.sizes[..piece.outside]);
    }
}

/// Slots of outer faces are those of the mesh's faces in their planes; cracks have that of the body.
#[test]
fn pieces_keep_the_material_slots_of_their_outer_faces() {
    let (mut body, places) = (body(BOX).expect("a mesh"), grid(SIZE));
    body.mesh.slot_names = ["low", "high"].map(str::to_owned).into();
    let slot = |points: &[Vec3], face: &[PolygonCorner]| {
        let x = face.iter().map(|corner| points[corner.point as usize].x);
        let [low, high] = [x.clone().fold(f64::INFINITY, f64::min), x.fold(f64::NEG_INFINITY, f64::max)];
        u16::from(high < -0.1199) + 2 * u16::from(low > 0.1199)
    };
    body.mesh.slots = body.mesh.faces().map(|face| slot(&body.mesh.points, face)).collect();
    let pieces = cut(&body, &places, &nearest(&places, &SEEDS), &CrackSettings::default()).expect("pieces").pieces;
    let mut used = HashSet::new();
    for Piece { mesh, outside, .. } in &pieces {
        assert_eq!(mesh.slots.len(), mesh.sizes.len());
        for (k, face) in mesh.faces().enumerate() {
            let expected = if k < *outside { slot(&mesh.points, face) } else { 0 };
            assert_eq!(mesh.slots[k], expected, "face {k}");
            used.insert(mesh.slots[k]);
        }
    }
    assert_eq!(used, HashSet::from([0, 1, 2]));
}

fn fault_of(mesh: Polygons) -> MeshFault {
    let mut body = body(BOX).expect("a mesh");
    body.mesh = mesh;
    let places = grid(SIZE);
    match cut(&body, &places, &nearest(&places, &SEEDS), &CrackSettings::default()) {
        Err(PieceError::Mesh { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn meshes_that_bound_no_solid_are_refused() {
    let mesh = body(BOX).expect("a mesh").mesh;
    assert_eq!(fault_of(Polygons::default()), MeshFault::Empty);
    let mut inverted = mesh.clone();
    inverted.corners.reverse();
    assert!(matches!(fault_of(inverted), MeshFault::InsideOut { .. }));
    let mut flat = mesh.clone();
    flat.points.iter_mut().for_each(|point| point.z = 0.0);
    assert_eq!(fault_of(flat), MeshFault::Flat);
}

#[test]
fn holes_are_capped() {
    let mut body = body(BOX).expect("a mesh");
    let last = body.mesh.sizes.pop().expect("a face") as usize;
    body.mesh.corners.truncate(body.mesh.corners.len() - last);
    body.mesh.slots.pop();
    let places = grid(SIZE);
    let pieces = cut(&body, &places, &nearest(&places, &SEEDS), &CrackSettings::default()).expect("pieces");
    let sum: f64 = pieces.pieces.iter().map(|piece| volume(&piece.mesh)).sum();
    assert!((sum / SIZE.iter().product::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn parts_of_a_mesh_may_overlap() {
    let mut body = body(BOX).expect("a mesh");
    let mut second = body.mesh.clone();
    second.points.iter_mut().for_each(|p| *p += Vec3::new(0.05, 0.04, 0.03));
    body.mesh.add(second);
    let places = grid(SIZE);
    let pieces = cut(&body, &places, &nearest(&places, &SEEDS), &CrackSettings::default()).expect("pieces");
    pieces.pieces.iter().for_each(|piece| expect_closed(&piece.mesh));
    let sum: f64 = pieces.pieces.iter().map(|piece| volume(&piece.mesh)).sum();
    let shared: f64 = SIZE.iter().zip([0.05, 0.04, 0.03]).map(|(side, shift)| side - shift).product();
    let union = 2.0 * SIZE.iter().product::<f64>() - shared;
    assert!((sum / union - 1.0).abs() < 1e-9, "{sum}, not {union}");
}
