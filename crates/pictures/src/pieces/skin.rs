use bdem_core::geometry::grid::CellGrid;
use bdem_core::geometry::{Mat3, Vec3, rotation};
use bdem_run::output::ply::Vertex;
use rayon::prelude::*;

use super::refine::refined;
use super::{Motion, Piece, PieceMotion, place};

/// Reach of a particle's motion over the body's median radius.
const REACH: f64 = 3.0;

/// Piece that bends, and the particles of its body that move its points.
pub struct Skin {
    /// Index of the piece.
    index: usize,
    /// The piece, with short edges. Its own points come first.
    piece: Piece,
    /// Position of each point at rest, m.
    points: Vec<Vec3>,
    /// Particles near each point, and their weights.
    near: Vec<Vec<(u32, f64)>>,
}

impl Skin {
    /// Longest edge, in median radii, that still bends as its particles do: the width of what one of them moves.
    pub const EDGE: f64 = 2.0 * REACH;

    /// Skins of the pieces at these indices, with edges of at most `edge` median radii of their body.
    pub fn of(motion: &Motion, pieces: &[usize], edge: f64) -> Vec<Self> {
        let Some(widest) = pieces.iter().map(|&k| motion.radius_of(k)).reduce(f64::max) else { return Vec::new() };
        let grid = CellGrid::new(motion.places, REACH * widest);
        pieces.iter().map(|&k| Self::new(motion, &grid, k, edge)).collect()
    }

    fn new(motion: &Motion, grid: &CellGrid, index: usize, edge: f64) -> Self {
        let pose = motion.body_of(index).pose;
        let reach = REACH * motion.radius_of(index);
        let piece = refined(&motion.pieces.pieces[index], edge * motion.radius_of(index));
        let points: Vec<Vec3> = piece.mesh.points.iter().map(|point| pose.apply(point)).collect();
        let near = |point: &Vec3| {
            let weight = |i: u32| {
                let share = (motion.places[i as usize] - point).norm_squared() / (reach * reach);
                (i, (1.0 - share).max(0.0).powi(3))
            };
            let is_near = |&(i, weight): &(u32, f64)| weight > 0.0 && motion.body[i as usize] == piece.body;
            let mut near: Vec<(u32, f64)> = grid.near(point).map(weight).filter(is_near).collect();
            near.sort_unstable_by_key(|(i, _)| *i);
            near.dedup_by_key(|(i, _)| *i);
            near
        };
        let near = points.par_iter().map(near).collect();
        Self { index, piece, points, near }
    }

    /// Index of the piece.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The piece at rest, with a point for each that is posed.
    pub fn piece(&self) -> &Piece {
        &self.piece
    }

    /// Positions (m) of the points in the frame of the piece's centroid as it moves rigidly.
    pub fn posed(&self, motion: &Motion, rigid: &PieceMotion, particles: &[Vertex]) -> Vec<[f32; 3]> {
        let centre = self.piece.centre;
        let offset = |(place, _): (Vec3, Mat3)| (rigid.pose.undo(&place) - centre).map(|x| x as f32).into();
        self.at(motion, rigid, particles).into_iter().map(offset).collect()
    }

    /// Position (m) of each point in a frame, and its rotation since it was at rest, not normalised. Each follows the particles
    /// nearby that are of the same piece in the frame, so that the sides of an unbroken crack stay together.
    pub(super) fn at(&self, motion: &Motion, rigid: &PieceMotion, particles: &[Vertex]) -> Vec<(Vec3, Mat3)> {
        let pose = motion.body_of(self.index).pose;
        let rigid_turn = rotation::rotation_matrix(&(rigid.pose.turn * pose.turn.conjugate()));
        let point = |(rest, near): (&Vec3, &Vec<(u32, f64)>)| {
            let (mut sum, mut turns, mut weights) = (Vec3::zeros(), Mat3::zeros(), 0.0);
            for &(i, weight) in near.iter().filter(|(i, _)| particles[*i as usize].piece as u32 == rigid.number) {
                let turn = turn(motion, i, &particles[i as usize]);
                sum += (place(&particles[i as usize]) + turn * (rest - motion.places[i as usize])) * weight;
                turns += turn * weight;
                weights += weight;
            }
            if weights > 0.0 {
                return (sum / weights, turns);
            }
            (rigid.pose.apply(&pose.undo(rest)), rigid_turn)
        };
        self.points.par_iter().zip(&self.near).map(point).collect()
    }
}

/// Rotation of a particle since it was at rest.
fn turn(motion: &Motion, i: u32, now: &Vertex) -> Mat3 {
    let q = bdem_core::geometry::Quat::new(
        now.orient_w.into(),
        now.orient_x.into(),
        now.orient_y.into(),
        now.orient_z.into(),
    );
    let turn = q * motion.turns[i as usize].conjugate();
    let norm = turn.norm();
    if norm > 0.0 { rotation::rotation_matrix(&(turn / norm)) } else { Mat3::identity() }
}
