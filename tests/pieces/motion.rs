use bdem_core::geometry::{Pose, Vec3, rotation};
use bdem_pictures::pieces::{CrackSettings, Motion, Pieces};
use bdem_run::output::ply::Vertex;

use crate::pieces::{RADIUS, at_rest, body, cut, grid};

const SIZE: [f64; 3] = [0.24, 0.16, 0.08];

/// Pieces of a box that breaks in two, and its particles at rest (m).
fn halves() -> (Pieces, Vec<Vec3>) {
    let places = grid(SIZE);
    let halves: Vec<u32> = places.iter().map(|p| u32::from(p.x > 0.0)).collect();
    let body = body("{ box = { size = [0.24, 0.16, 0.08] } }").expect("a mesh");
    (cut(&body, &places, &halves, &CrackSettings::default()).expect("pieces"), places)
}

/// Particle at a place (m) with a velocity (m/s), in the piece of this number.
fn particle(p: &Vec3, v: &Vec3, piece: i32) -> Vertex {
    let ([x, y, z], [vx, vy, vz]) = ([p.x, p.y, p.z].map(|x| x as f32), [v.x, v.y, v.z].map(|x| x as f32));
    Vertex { x, y, z, vx, vy, vz, piece, ..Vertex::default() }
}

fn motion_of(frame: impl Fn(&Vec3) -> Vertex) -> Vec<bdem_pictures::pieces::PieceMotion> {
    let (pieces, places) = halves();
    let (mass, radii) = (vec![1.0; places.len()], [RADIUS]);
    let motion = Motion { pieces: &pieces, places: &places, mass: &mass, radii: &radii };
    motion.at(&places.iter().map(frame).collect::<Vec<_>>())
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
