use bdem_core::geometry::grid::CellGrid;
use bdem_core::geometry::{Mat3, Vec3, rotation};
use bdem_run::output::ply::Vertex;
use rayon::prelude::*;

use super::bent_normals::BentNormals;
use super::refine::refined;
use super::{Motion, Piece, PieceMotion};

/// Reach of a particle's motion over the body's median radius.
const REACH: f64 = 3.0;

/// Weight of a piece's own particle beside those of others that are nearer.
const LEAST: f64 = 1e-9;

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
    normals: BentNormals,
}

/// Form of a piece that bends, in a frame.
#[derive(Clone, Debug, Default)]
pub struct BentShape {
    /// Points, m.
    pub points: Vec<[f32; 3]>,
    /// Unit normals, of which each corner has one.
    pub normals: Vec<[f32; 3]>,
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
            // points beyond all particles, such as corners of a box, follow the nearest: of the body, of the piece once it is alone
            let distance = |&i: &u32| (motion.places[i as usize] - point).norm_squared();
            let nearest = |a: &u32, b: &u32| distance(a).total_cmp(&distance(b));
            if near.is_empty() {
                let of_body = (0..motion.places.len() as u32).filter(|&i| motion.body[i as usize] == piece.body);
                near.extend(of_body.min_by(nearest).map(|i| (i, 1.0)));
            }
            if near.iter().all(|(i, _)| piece.particles.binary_search(i).is_err()) {
                near.extend(piece.particles.iter().copied().min_by(nearest).map(|i| (i, LEAST)));
            }
            near
        };
        let near = points.par_iter().map(near).collect();
        let normals = BentNormals::new(&piece.mesh);
        Self { index, piece, points, near, normals }
    }

    /// Index of the piece.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The piece at rest, with a point for each that is posed.
    pub fn piece(&self) -> &Piece {
        &self.piece
    }

    /// Form of the piece in a frame, about its centroid as it moves rigidly.
    pub fn posed(&self, motion: &Motion, rigid: &PieceMotion, particles: &[Vertex]) -> BentShape {
        let (places, normals) = self.at(motion, rigid, particles);
        let offset = |place: &Vec3| (rigid.pose.undo(place) - self.piece.centre).map(|x| x as f32).into();
        let back = rigid.pose.turn.conjugate();
        let normal = |normal: &Vec3| rotation::rotate(&back, normal).map(|x| x as f32).into();
        BentShape { points: places.iter().map(offset).collect(), normals: normals.iter().map(normal).collect() }
    }

    /// Number of the normal of each corner of the piece's mesh.
    pub fn normal_of(&self) -> &[u32] {
        &self.normals.of_corner
    }

    /// Positions (m) of the points in a frame, and unit normals. Each point follows the particles nearby that are of the same piece
    /// in the frame, so that the sides of an unbroken crack stay together.
    pub(super) fn at(&self, motion: &Motion, rigid: &PieceMotion, particles: &[Vertex]) -> (Vec<Vec3>, Vec<Vec3>) {
        let point = |(rest, near): (&Vec3, &Vec<(u32, f64)>)| {
            let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
            for &(i, weight) in near.iter().filter(|(i, _)| particles[*i as usize].piece as u32 == rigid.number) {
                let arm = turn(motion, i, &particles[i as usize]) * (rest - motion.places[i as usize]);
                sum += (particles[i as usize].place() + arm) * weight;
                weights += weight;
            }
            sum / weights
        };
        let places: Vec<Vec3> = self.points.par_iter().zip(&self.near).map(point).collect();
        let normals = self.normals.at(&self.piece.mesh, &places, &rigid.pose.turn);
        (places, normals)
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
