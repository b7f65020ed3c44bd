use std::collections::{BTreeMap, BTreeSet, HashSet};

use bdem_core::geometry::{Mat3, Pose, Quat, Vec3, rotation};
use bdem_run::output::ply::Vertex;
use nalgebra::Matrix4;

use super::eigen::symmetric_eigen;
use super::{BodyMesh, Cracks, Pieces, RestBond};

/// Misfit, in radii, from which a body visibly bends.
pub const BENDS: f64 = 0.3;

/// Opening of a crack that ends in a piece, in radii, from which it is seen.
const OPEN: f64 = 0.02;

/// Motion of the pieces of a run: rigid fits to their particles.
///
/// Pieces that are still one in a frame move as one, so that no crack shows before it is open.
pub struct Motion<'a> {
    /// Pieces at rest.
    pub pieces: &'a Pieces,
    /// Positions of all particles at rest, m.
    pub places: &'a [Vec3],
    /// Orientations of all particles at rest: unit quaternions.
    pub turns: &'a [Quat],
    /// Body of each particle.
    pub body: &'a [u16],
    /// Masses of all particles, kg.
    pub mass: &'a [f64],
    /// Median radius of the particles of each body, m.
    pub radii: &'a [f64],
    /// Cracks that end in pieces.
    pub cracks: &'a Cracks,
}

/// Whether each piece bends in a frame: it, or one that is still one with it, is further from its rigid motion than [`BENDS`], or
/// has an open crack.
pub(crate) fn bends(motions: &[PieceMotion]) -> Vec<bool> {
    let bent = motions.iter().filter(|at| at.is_shown && (at.misfit > BENDS || at.opening > OPEN));
    let bent: HashSet<u32> = bent.map(|at| at.number).collect();
    motions.iter().map(|at| at.is_shown && bent.contains(&at.number)).collect()
}

/// Motion of a piece in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceMotion {
    /// Pose of the frame of its body's mesh.
    pub pose: Pose,
    /// Velocity of the piece's centroid, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
    /// Root mean square distance of its particles from the fit, in radii.
    pub misfit: f64,
    /// Largest opening of its cracks, in radii.
    pub opening: f64,
    /// Number of the piece that it is part of in the frame.
    pub number: u32,
    /// Whether it is shown.
    pub is_shown: bool,
}

impl Motion<'_> {
    /// Body of the piece at index `k`.
    pub(crate) fn body_of(&self, k: usize) -> &BodyMesh {
        self.pieces.bodies[usize::from(self.pieces.pieces[k].body)].as_ref().expect("pieces have a mesh")
    }

    /// Median radius (m) of the particles of the body of the piece at index `k`.
    pub(crate) fn radius_of(&self, k: usize) -> f64 {
        self.radii[usize::from(self.pieces.pieces[k].body)]
    }

    /// Motion of each piece with `particles` as in a frame at `time` (s).
    pub fn at(&self, particles: &[Vertex], time: f64) -> Vec<PieceMotion> {
        let pieces = &self.pieces.pieces;
        // all particles of a final piece have one number in every frame before
        let number = |k: usize| particles[pieces[k].particles[0] as usize].piece as u32;
        let mut groups: BTreeMap<(bool, u32), Vec<usize>> = BTreeMap::new();
        (0..pieces.len()).for_each(|k| groups.entry((pieces[k].is_whole(), number(k))).or_default().push(k));
        let mut motions: Vec<Option<PieceMotion>> = vec![None; pieces.len()];
        for ((_, number), members) in groups {
            let all: Vec<u32> = members.iter().flat_map(|&k| pieces[k].particles.iter().copied()).collect();
            let (fit, [centre, velocity, spin]) = self.fit(&all, particles);
            for k in members {
                let pose = after(&fit, &self.body_of(k).pose);
                let velocity = velocity + spin.cross(&(pose.apply(&pieces[k].centre) - centre));
                let is_shown = pieces[k].is_shown(time);
                let misfit = if is_shown { self.misfit(k, &fit, particles) } else { 0.0 };
                let opening = if is_shown { self.opening(k, particles, time) } else { 0.0 };
                motions[k] = Some(PieceMotion { pose, velocity, spin, misfit, opening, number, is_shown });
            }
        }
        motions.into_iter().map(|motion| motion.expect("each piece is in a group")).collect()
    }

    /// Root mean square distance of a piece's particles from a rigid motion, in radii.
    fn misfit(&self, k: usize, fit: &Pose, particles: &[Vertex]) -> f64 {
        let piece = &self.pieces.pieces[k];
        let off = |&i: &u32| (fit.apply(&self.places[i as usize]) - particles[i as usize].place()).norm_squared();
        let mean = piece.particles.iter().map(off).sum::<f64>() / piece.particles.len() as f64;
        mean.sqrt() / self.radius_of(k)
    }

    /// Largest distance between both sides of the cracks that end in a piece, in radii.
    fn opening(&self, k: usize, particles: &[Vertex], time: f64) -> f64 {
        let fragments: BTreeSet<u32> = self.pieces.pieces[k].lips.iter().map(|lip| lip.sides[0]).collect();
        let apart = |bond: &RestBond| {
            let [a, b] = bond.ends;
            let middle = (self.places[a as usize] + self.places[b as usize]) * 0.5;
            let [a, b] = bond.ends.map(|i| self.carried(i, &middle, &particles[i as usize]));
            (a - b).norm()
        };
        let open = self.cracks.open_bonds(&fragments).filter(|bond| bond.broke <= time);
        open.map(apart).fold(0.0, f64::max) / self.radius_of(k)
    }

    /// Place (m) in a frame of a point at `rest` (m) that moves with a particle.
    pub(super) fn carried(&self, i: u32, rest: &Vec3, now: &Vertex) -> Vec3 {
        now.place() + turn(self.turns[i as usize], now) * (rest - self.places[i as usize])
    }

    /// Rigid motion of particles from rest to a frame: Horn's fit, weighted by mass. Their centre of mass (m), its velocity (m/s)
    /// and their angular velocity (rad/s) there.
    fn fit(&self, members: &[u32], particles: &[Vertex]) -> (Pose, [Vec3; 3]) {
        let mass = |i: u32| self.mass[i as usize];
        let total: f64 = members.iter().map(|&i| mass(i)).sum();
        let mean = |of: &dyn Fn(u32) -> Vec3| members.iter().map(|&i| of(i) * mass(i)).sum::<Vec3>() / total;
        let now = |i: u32| particles[i as usize].place();
        let rest = |i: u32| self.places[i as usize];
        let (before, centre) = (mean(&rest), mean(&now));
        let velocity = mean(&|i| particles[i as usize].velocity());
        let (mut m, mut momentum, mut inertia) = (Mat3::zeros(), Vec3::zeros(), Mat3::zeros());
        for &i in members {
            let (a, b) = (rest(i) - before, now(i) - centre);
            m += a * b.transpose() * mass(i);
            momentum += b.cross(&(particles[i as usize].velocity() - velocity)) * mass(i);
            inertia += (Mat3::identity() * b.norm_squared() - b * b.transpose()) * mass(i);
        }
        let spin = inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * momentum);
        let spin = if spin.iter().all(|x| x.is_finite()) { spin } else { Vec3::zeros() };
        let pose = self.unmoved(members, particles).unwrap_or_else(|| {
            let turn = best_rotation(&m);
            Pose { turn, shift: centre - rotation::rotate(&turn, &before) }
        });
        (pose, [centre, velocity, spin])
    }

    /// The identity, where all particles are still where they were, to single precision: a body at rest is exact.
    fn unmoved(&self, members: &[u32], particles: &[Vertex]) -> Option<Pose> {
        /// Tolerance over the distance from the origin.
        const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;
        let is_there = |&i: &u32| {
            let rest = self.places[i as usize];
            (particles[i as usize].place() - rest).amax() <= ROUNDING * rest.amax()
        };
        members.iter().all(is_there).then(Pose::default)
    }
}

/// Rotation of a particle since it was at `rest`.
fn turn(rest: Quat, now: &Vertex) -> Mat3 {
    let q = Quat::new(now.orient_w.into(), now.orient_x.into(), now.orient_y.into(), now.orient_z.into());
    let turn = q * rest.conjugate();
    let norm = turn.norm();
    if norm > 0.0 { rotation::rotation_matrix(&(turn / norm)) } else { Mat3::identity() }
}

/// Pose `first`, then `then`.
pub(super) fn after(then: &Pose, first: &Pose) -> Pose {
    Pose { turn: then.turn * first.turn, shift: then.apply(&first.shift) }
}

/// Rotation R that maximises the trace of R M, for M the sum of a b^T: the dominant eigenvector of a 4x4 matrix (Horn 1987,
/// Closed-form solution of absolute orientation using unit quaternions).
fn best_rotation(m: &Mat3) -> Quat {
    let scale = m.amax();
    if scale == 0.0 {
        return Quat::identity();
    }
    let m = m / scale;
    let (xx, yy, zz) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    let [x, y, z] = [m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)]];
    let [xy, yz, zx] = [m[(0, 1)] + m[(1, 0)], m[(1, 2)] + m[(2, 1)], m[(2, 0)] + m[(0, 2)]];
    #[rustfmt::skip]
    let n = Matrix4::new(
        xx + yy + zz, x, y, z,
        x, xx - yy - zz, xy, zx,
        y, xy, yy - xx - zz, yz,
        z, zx, yz, zz - xx - yy,
    );
    let (values, vectors) = symmetric_eigen(n);
    let [w, i, j, k]: [f64; 4] = vectors.column(values.imax()).into_owned().into();
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let q = Quat::new(w * sign, i * sign, j * sign, k * sign);
    q / q.norm()
}
