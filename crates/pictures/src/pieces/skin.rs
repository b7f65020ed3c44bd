use std::collections::BTreeSet;

use bdem_core::geometry::grid::CellGrid;
use bdem_core::geometry::{Pose, Vec3, rotation};
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
    /// Particles that move each point.
    near: Vec<Vec<Near>>,
    normals: BentNormals,
}

/// Particle that moves a point.
#[derive(Clone, Copy, Debug)]
struct Near {
    particle: u32,
    weight: f64,
    /// Time from which a crack parts them, s.
    parted: f64,
}

/// Form of a piece that bends, in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
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
        let sides = sides(motion, &piece);
        let near = |(point, k): (&Vec3, usize)| {
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
            let fragment = |i: u32| motion.cracks.fragment[i as usize];
            let is_own = |i: &u32| sides[k].contains(&fragment(*i));
            let is_mover = |i: &u32| piece.particles.binary_search(i).is_ok() && is_own(i);
            if !near.iter().any(|(i, _)| is_mover(i)) {
                let own = piece.particles.iter().copied().filter(is_own).min_by(nearest);
                let own = own.or_else(|| piece.particles.iter().copied().min_by(nearest));
                near.extend(own.map(|i| (i, LEAST)));
            }
            let parted = |i: u32| {
                let at = |&side: &u32| motion.cracks.parted_at(side, fragment(i), point);
                if is_own(&i) { f64::INFINITY } else { sides[k].iter().map(at).fold(0.0, f64::max) }
            };
            near.into_iter().map(|(particle, weight)| Near { particle, weight, parted: parted(particle) }).collect()
        };
        let near = points.par_iter().zip(0..points.len()).map(near).collect();
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
    pub fn posed(&self, motion: &Motion, rigid: &PieceMotion, particles: &[Vertex], time: f64) -> BentShape {
        let (places, normals) = self.at(motion, rigid, particles, time);
        let offset = |place: &Vec3| (rigid.pose.undo(place) - self.piece.centre).map(|x| x as f32).into();
        let back = rigid.pose.turn.conjugate();
        let normal = |normal: &Vec3| rotation::rotate(&back, normal).map(|x| x as f32).into();
        BentShape { points: places.iter().map(offset).collect(), normals: normals.iter().map(normal).collect() }
    }

    /// Form of the piece at rest, about its centroid.
    pub(crate) fn at_rest(&self) -> BentShape {
        let single = |v: Vec3| v.map(|x| x as f32).into();
        let points = self.piece.mesh.points.iter().map(|point| single(point - self.piece.centre)).collect();
        BentShape { points, normals: self.normals.at_rest().map(single).collect() }
    }

    /// The piece with the form that it has in a frame.
    pub(crate) fn opened(&self, shape: &BentShape) -> Piece {
        let vector = |v: &[f32; 3]| Vec3::from(v.map(f64::from));
        let mut piece = self.piece.clone();
        piece.mesh.points = shape.points.iter().map(|point| self.piece.centre + vector(point)).collect();
        let normals = self.normals.of_corner.iter().map(|&normal| vector(&shape.normals[normal as usize]));
        piece.mesh.corners.iter_mut().zip(normals).for_each(|(corner, normal)| corner.normal = normal);
        piece
    }

    /// Number of the normal of each corner of the piece's mesh.
    pub fn normal_of(&self) -> &[u32] {
        &self.normals.of_corner
    }

    /// Positions (m) of the points in a frame at `time` (s), and unit normals. Each point follows the particles nearby that are of
    /// the same piece in the frame, and on its side of open cracks. So the sides of an unbroken crack stay together.
    pub(super) fn at(
        &self,
        motion: &Motion,
        rigid: &PieceMotion,
        particles: &[Vertex],
        time: f64,
    ) -> (Vec<Vec3>, Vec<Vec3>) {
        let point = |(rest, near): (&Vec3, &Vec<Near>)| {
            let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
            let is_joined =
                |near: &&Near| time < near.parted && particles[near.particle as usize].piece as u32 == rigid.number;
            for &Near { particle, weight, .. } in near.iter().filter(is_joined) {
                sum += motion.carried(particle, rest, &particles[particle as usize]) * weight;
                weights += weight;
            }
            sum / weights
        };
        let places: Vec<Vec3> = self.points.par_iter().zip(&self.near).map(point).collect();
        let normals = self.normals.at(&self.piece.mesh, &places, &rigid.pose.turn);
        (places, normals)
    }
}

/// Fragments on the side of each point of a piece: of points on cracks that end in it those beside them, of others that of the nearest
/// particle. A body that is whole has all of them.
fn sides(motion: &Motion, piece: &Piece) -> Vec<Vec<u32>> {
    let all: BTreeSet<u32> = piece.particles.iter().map(|&i| motion.cracks.fragment[i as usize]).collect();
    if piece.is_whole() || all.len() == 1 {
        return vec![all.into_iter().collect(); piece.mesh.points.len()];
    }
    let places: Vec<Vec3> = piece.particles.iter().map(|&i| motion.places[i as usize]).collect();
    let pose = motion.pieces.bodies[usize::from(piece.body)].as_ref().map_or_else(Pose::default, |body| body.pose);
    let mut sides = vec![Vec::new(); piece.mesh.points.len()];
    piece.lips.iter().for_each(|lip| sides[lip.point as usize].push(lip.sides[0]));
    let grid = CellGrid::new(&places, REACH * motion.radii[usize::from(piece.body)]);
    sides.par_iter_mut().zip(&piece.mesh.points).filter(|(sides, _)| sides.is_empty()).for_each(|(sides, point)| {
        let point = pose.apply(point);
        let distance = |k: &u32| (places[*k as usize] - point).norm_squared();
        let nearest = |a: &u32, b: &u32| distance(a).total_cmp(&distance(b)).then(a.cmp(b));
        let found = grid.near(&point).min_by(nearest).or_else(|| (0..places.len() as u32).min_by(nearest));
        sides.extend(found.map(|k| motion.cracks.fragment[piece.particles[k as usize] as usize]));
    });
    sides
}
