use std::collections::HashSet;

use bdem_core::geometry::{Pose, Quat, Vec3, rotation};
use bdem_pictures::pieces::{CrackSettings, Cracks, Motion, Pieces, Skin};
use bdem_run::output::ply::Vertex;

use crate::pieces::{RADIUS, at_rest, body, cut, expect_closed, grid, points, volume};

const SIZE: [f64; 3] = [0.24, 0.16, 0.08];

/// Pieces of a box that breaks in two, and its particles at rest (m).
pub(super) fn halves() -> (Pieces, Vec<Vec3>) {
    let places = grid(SIZE);
    let halves: Vec<u32> = places.iter().map(|p| u32::from(p.x > 0.0)).collect();
    let body = body("{ box = { size = [0.24, 0.16, 0.08] } }").expect("a mesh");
    (cut(&body, &places, &halves, &CrackSettings::default()).expect("pieces"), places)
}

/// Cracks between the halves.
pub(super) fn of_halves(places: &[Vec3]) -> Cracks {
    Cracks::between(&places.iter().map(|p| u32::from(p.x > 0.0)).collect::<Vec<_>>())
}

/// Particle at a place (m) with a velocity (m/s), in the piece of this number.
pub(super) fn particle(p: &Vec3, v: &Vec3, piece: i32) -> Vertex {
    let ([x, y, z], [vx, vy, vz]) = ([p.x, p.y, p.z].map(|x| x as f32), [v.x, v.y, v.z].map(|x| x as f32));
    Vertex { x, y, z, vx, vy, vz, piece, ..Vertex::default() }
}

fn motion_of(frame: impl Fn(&Vec3) -> Vertex) -> Vec<bdem_pictures::pieces::PieceMotion> {
    let (pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    motion.at(&places.iter().map(frame).collect::<Vec<_>>(), 0.0)
}

#[test]
fn pieces_at_rest_have_exactly_the_bodys_pose() {
    for piece in motion_of(|p| particle(p, &Vec3::zeros(), 0)) {
        assert_eq!((piece.pose, piece.misfit < 1e-6, piece.number), (at_rest(), true, 0));
    }
}

#[test]
fn rigid_motions_are_found() {
    let (turn, spin) = (rotation::exp(&Vec3::new(0.3, -0.5, 1.1)), Vec3::new(1.0, 2.0, -3.0));
    let pose = Pose { turn, shift: Vec3::new(0.1, 0.2, 0.3) };
    let frame = |p: &Vec3| {
        let side = i32::from(p.x > 0.0);
        let away = Vec3::x() * (0.1 * f64::from(side));
        let q = pose.apply(p) + away;
        particle(&q, &spin.cross(&(q - pose.shift)), side)
    };
    for (k, piece) in motion_of(frame).iter().enumerate() {
        let away = Vec3::x() * (0.1 * f64::from(piece.number));
        assert!((piece.pose.shift - pose.shift - away).norm() < 1e-7, "{k}");
        assert!((piece.pose.rotate(&Vec3::y()) - pose.rotate(&Vec3::y())).norm() < 1e-6, "{k}");
        assert!((piece.spin - spin).norm() < 1e-5 && piece.misfit < 1e-5, "{k}: {piece:?}");
    }
}

#[test]
fn pieces_that_are_one_in_a_frame_move_as_one() {
    // bent about y, but not yet broken
    let frame = |p: &Vec3| particle(&Vec3::new(p.x, p.y, p.z + p.x.abs() * 0.1), &Vec3::zeros(), 0);
    let motion = motion_of(frame);
    assert_eq!(motion[0].pose, motion[1].pose);
    assert!(motion[0].misfit > 0.1);
}

#[test]
fn points_of_pieces_that_bend_follow_their_particles_and_stay_together() {
    let (pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let skins = Skin::of(&motion, &[0, 1], Skin::EDGE);
    let world = |frame: &dyn Fn(&Vec3) -> Vertex| -> Vec<Vec<Vec3>> {
        let particles: Vec<Vertex> = places.iter().map(frame).collect();
        let motions = motion.at(&particles, 0.0);
        let each = skins.iter().map(|skin| {
            let (rigid, centre) = (&motions[skin.index()], skin.piece().centre);
            let point = |[x, y, z]: &[f32; 3]| {
                rigid.pose.apply(&(centre + Vec3::new(f64::from(*x), f64::from(*y), f64::from(*z))))
            };
            skin.posed(&motion, rigid, &particles, 0.0).points.iter().map(point).collect()
        });
        each.collect()
    };
    let still = |p: &Vec3| Vertex { orient_w: 1.0, ..particle(p, &Vec3::zeros(), 0) };
    for (piece, points) in pieces.pieces.iter().zip(world(&still)) {
        let off = piece.mesh.points.iter().zip(&points).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(off < 1e-7, "{off}");
    }
    let bent = |p: &Vec3| still(&(p + Vec3::z() * (2.0 * p.x * p.x)));
    let [left, right]: [Vec<Vec3>; 2] = world(&bent).try_into().expect("two pieces");
    let mut shared = 0;
    for (a, p) in pieces.pieces[0].mesh.points.iter().zip(&left) {
        for (_, q) in pieces.pieces[1].mesh.points.iter().zip(&right).filter(|(b, _)| *b == a) {
            assert!((p - q).norm() < 1e-7, "{a:?}: {p:?} {q:?}");
            shared += 1;
        }
    }
    assert!(shared > 20, "{shared}");
}

/// Points beyond the reach of all particles, such as corners of a box, follow the nearest; normals are not those of rest.
#[test]
fn corners_and_normals_of_pieces_that_bend_follow_too() {
    /// Radius of the arc, m.
    const BEND: f64 = 0.15;
    let (mut pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let turns = vec![Quat::identity(); places.len()];
    // the particles around a corner of the right half are left out
    let far = |p: &Vec3| (p - Vec3::from(SIZE) * 0.5).norm() > 5.0 * RADIUS;
    let kept: Vec<u32> = pieces.pieces[1].particles.iter().copied().filter(|&i| far(&places[i as usize])).collect();
    pieces.pieces[1].particles = kept;
    let body: Vec<u16> = places.iter().map(|p| u16::from(!far(p))).collect();
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let skins = Skin::of(&motion, &[0, 1], Skin::EDGE);
    // an arc of 46 degrees to each side
    let arc = |p: &Vec3| Pose::about(&(Vec3::z() * BEND), rotation::exp(&(Vec3::y() * (-0.5 * p.x / BEND))));
    let goes_to = |p: &Vec3| arc(p).apply(&Vec3::new(0.0, p.y, p.z));
    let bent = |p: &Vec3| {
        let [orient_x, orient_y, orient_z, orient_w] = arc(p).turn.coords.map(|x| x as f32).into();
        Vertex { orient_x, orient_y, orient_z, orient_w, ..particle(&goes_to(p), &Vec3::zeros(), 0) }
    };
    let particles: Vec<Vertex> = places.iter().map(bent).collect();
    let rigid = motion.at(&particles, 0.0);
    let (mut turned, mut all, mut off) = (0.0_f64, 0, 0);
    for (skin, rigid) in skins.iter().zip(&rigid) {
        let (shape, piece) = (skin.posed(&motion, rigid, &particles, 0.0), skin.piece());
        let vector = |v: &[f32; 3]| Vec3::from(v.map(f64::from));
        for (point, rest) in shape.points.iter().zip(&piece.mesh.points) {
            let world = rigid.pose.apply(&(vector(point) + piece.centre));
            let gap = (world - goes_to(rest)).norm();
            // a corner that stayed would be 5 radii off
            assert!(gap < 2.0 * RADIUS, "{rest:?} is {gap} m from where its particles go");
        }
        for (&number, corner) in skin.normal_of().iter().zip(&piece.mesh.corners).filter(|_| skin.index() == 0) {
            let normal = rigid.pose.rotate(&vector(&shape.normals[number as usize]));
            let right = arc(&piece.mesh.points[corner.point as usize]).rotate(&corner.normal);
            (all, off) = (all + 1, off + u32::from(normal.angle(&right).to_degrees() > 23.0));
            turned = turned.max(corner.normal.angle(&right).to_degrees());
        }
    }
    // facets are up to 23 degrees of the arc; needles among them fold, and a normal that has no other facet goes with them: 65 here.
    // of those at rest half would be off
    assert!(off * 20 < all && turned > 40.0, "{off} of {all} off, {turned} turned");
}

#[test]
fn pieces_that_bend_have_short_edges_and_stay_closed() {
    let (pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let (turns, body) = (vec![Quat::identity(); places.len()], vec![0; places.len()]);
    let cracks = of_halves(&places);
    let motion = Motion {
        pieces: &pieces,
        places: &places,
        turns: &turns,
        body: &body,
        mass: &mass,
        radii: &radii,
        cracks: &cracks,
    };
    let skins = Skin::of(&motion, &[0, 1], Skin::EDGE);
    for (skin, piece) in skins.iter().zip(&pieces.pieces) {
        let mesh = &skin.piece().mesh;
        assert!(mesh.points.len() > piece.mesh.points.len() && mesh.points.starts_with(&piece.mesh.points));
        expect_closed(mesh);
        assert!((volume(mesh) / piece.volume - 1.0).abs() < 1e-12);
        for face in mesh.faces() {
            let place = |k: usize| mesh.points[face[k % face.len()].point as usize];
            assert!((0..face.len()).all(|k| (place(k + 1) - place(k)).norm() <= 6.0 * RADIUS));
        }
    }
    let [left, right] = [0, 1].map(|k| points(skins[k].piece(), false).into_iter().collect::<HashSet<_>>());
    assert_eq!(left, right);
}
