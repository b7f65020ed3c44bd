//! Lower bound on the gaps of particles that were apart, from the motion of blocks of them.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::parallel;

use super::{Mat3, Vec3};

/// Particles in cubic blocks, sorted by the x of their centres, for a bound on the approach of two particles.
///
/// A displacement within a block is the translation u, the rotation theta and a residual. Rotation shortens no distance:
/// |d + theta x d| >= |d|. So two particles of a block approach each other by their residuals alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    /// Block of each particle, and number of particles of each block.
    of: Vec<u32>,
    members: Vec<f64>,
    /// Centre of each block at the start, m, and maximum distance of its particles from there, m.
    centres: Vec<Vec3>,
    extents: Vec<f64>,
    /// Inverse moments of inertia of each block about its centre, for equal masses of 1, 1/m2.
    inverse_inertia: Vec<Mat3>,
    /// Mean displacement u of each block since then, m, and maximum distance of its particles' displacements from it, m.
    moved: Vec<Vec3>,
    spreads: Vec<f64>,
    /// Rotation vector theta of each block, rad, and maximum residual of its particles' displacements, m.
    turns: Vec<Vec3>,
    residuals: Vec<f64>,
    /// Reach of each block, m. Blocks whose centres were further apart than the sum of their reaches do not touch.
    reaches: Vec<f64>,
}

/// Maximum number of blocks: all pairs of them are examined.
const MOST: usize = 600;

/// Minimum edge of a block over the largest radius.
const LEAST_EDGE: f64 = 6.0;

impl Blocks {
    /// Blocks of particles at `p` (m), with radii up to `radius` (m).
    pub(crate) fn new(p: &[Vec3], radius: f64) -> Self {
        let mut edge = LEAST_EDGE * radius;
        loop {
            let (of, count) = numbered(p, edge);
            if count <= MOST {
                return Self::measured(of, count, p);
            }
            edge *= libm::cbrt(count as f64 / MOST as f64).max(1.1);
        }
    }

    fn measured(mut of: Vec<u32>, count: usize, p: &[Vec3]) -> Self {
        let (mut centres, mut extents) = (vec![Vec3::zeros(); count], vec![0.0; count]);
        let members = sort(&mut of, p, &mut centres);
        greatest(&of, &centres, p.iter().copied(), &mut extents);
        let inverse_inertia = inverse_inertia(&of, &centres, p);
        let (moved, turns, spreads) = (centres.clone(), centres.clone(), extents.clone());
        let (residuals, reaches) = (extents.clone(), extents.clone());
        Self { of, members, moved, spreads, turns, residuals, inverse_inertia, centres, extents, reaches }
    }

    /// Margin (m) before two particles touch whose gap was `skin` (m) or more at the start: the skin less the maximum approach of
    /// two particles. `from` and `to` are the positions (m) at the start and now. Negative where two may touch already.
    pub(crate) fn margin(&mut self, from: &[Vec3], to: &[Vec3], radius: f64, skin: f64) -> f64 {
        let moved = || from.iter().zip(to).map(|(from, to)| to - from);
        means(&self.of, &self.members, moved(), &mut self.moved);
        greatest(&self.of, &self.moved, moved(), &mut self.spreads);
        self.turn(from, moved());
        let drift = self.moved.iter().sum::<Vec3>() / self.moved.len() as f64;
        for a in 0..self.centres.len() {
            let moved = (self.moved[a] - drift).norm();
            self.reaches[a] = self.extents[a] + self.spreads[a] + moved + radius + 0.5 * skin;
        }
        let farthest = self.reaches.iter().copied().fold(0.0, f64::max);
        let this = &*self;
        parallel::fold(skin, this.centres.len(), 32, |a| this.least(a, radius, skin, farthest), lesser)
    }

    /// Sets rotations and residuals of blocks for displacements from `from` (m).
    fn turn(&mut self, from: &[Vec3], moved: impl Iterator<Item = Vec3> + Clone) {
        self.turns.fill(Vec3::zeros());
        for ((&block, from), moved) in self.of.iter().zip(from).zip(moved.clone()) {
            let block = block as usize;
            self.turns[block] += (from - self.centres[block]).cross(&(moved - self.moved[block]));
        }
        self.turns.iter_mut().zip(&self.inverse_inertia).for_each(|(turn, inverse)| *turn = inverse * *turn);
        let left = self.of.iter().zip(from).zip(moved).map(|((&block, from), moved)| {
            moved - self.turns[block as usize].cross(&(from - self.centres[block as usize]))
        });
        greatest(&self.of, &self.moved, left, &mut self.residuals);
    }

    /// Maximum approach (m) of two particles of blocks whose centres were `apart` (m).
    fn approach(&self, [a, b]: [usize; 2], apart: &Vec3) -> f64 {
        let moved = self.moved[a] - self.moved[b];
        let straight = moved.norm() + self.spreads[a] + self.spreads[b];
        // by the mean rotation of the two, and half of its difference for each
        let (turn, half) = ((self.turns[a] + self.turns[b]) * 0.5, (self.turns[a] - self.turns[b]).norm() * 0.5);
        let turned = (moved + turn.cross(apart)).norm()
            + half * (self.extents[a] + self.extents[b])
            + self.residuals[a]
            + self.residuals[b];
        lesser(straight, turned)
    }

    /// Margin (m) of block `a` with itself and with the blocks after it, whose reaches are at most `farthest` (m).
    fn least(&self, a: usize, radius: f64, skin: f64, farthest: f64) -> f64 {
        let mut least = skin - 2.0 * lesser(self.spreads[a], self.residuals[a]);
        for b in a + 1..self.centres.len() {
            let apart = self.centres[b] - self.centres[a];
            if apart.x > self.reaches[a] + farthest {
                break;
            }
            // blocks further apart than the skin plus their approach do not matter
            if apart.norm_squared() < (self.reaches[a] + self.reaches[b]).powi(2) {
                let around = self.extents[a] + self.extents[b] + 2.0 * radius;
                least = lesser(least, skin.max(apart.norm() - around) - self.approach([a, b], &apart));
            }
        }
        least
    }
}

/// Inverse moments of inertia of blocks about their centres, for equal masses of 1, 1/m2.
fn inverse_inertia(of: &[u32], centres: &[Vec3], p: &[Vec3]) -> Vec<Mat3> {
    /// Share of the trace added to the diagonal, so that points and lines have an inverse.
    const REGULAR: f64 = 1e-6;
    let mut inertia = vec![Mat3::zeros(); centres.len()];
    for (&block, p) in of.iter().zip(p) {
        let arm = p - centres[block as usize];
        inertia[block as usize] += Mat3::identity() * arm.norm_squared() - arm * arm.transpose();
    }
    let inverse = |inertia: &Mat3| (inertia + Mat3::identity() * (REGULAR * inertia.trace())).try_inverse();
    inertia.iter().map(|inertia| inverse(inertia).unwrap_or_default()).collect()
}

/// The lesser of two numbers; NaN if one of them is.
fn lesser(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// Cell of edge `edge` (m) of each point, numbered in the order of the points, and the number of cells.
fn numbered(p: &[Vec3], edge: f64) -> (Vec<u32>, usize) {
    let mut numbers = HashMap::with_hasher(FixedState::default());
    let of = p.iter().map(|p| {
        let next = numbers.len() as u32;
        *numbers.entry([p.x, p.y, p.z].map(|x| (x / edge).floor() as i64)).or_insert(next)
    });
    let of = of.collect();
    (of, numbers.len())
}

/// Sorts blocks by the x of their centres, and sets `centres`. Returns the number of members of each block.
fn sort(of: &mut [u32], p: &[Vec3], centres: &mut [Vec3]) -> Vec<f64> {
    let mut members = vec![0.0; centres.len()];
    of.iter().for_each(|&block| members[block as usize] += 1.0);
    means(of, &members, p.iter().copied(), centres);
    let mut order: Vec<usize> = (0..centres.len()).collect();
    order.sort_by(|&a, &b| centres[a].x.total_cmp(&centres[b].x));
    let mut places = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&block, place)| places[block] = place);
    of.iter_mut().for_each(|block| *block = places[*block as usize]);
    let old = centres.to_vec();
    centres.iter_mut().zip(&order).for_each(|(centre, &block)| *centre = old[block]);
    order.iter().map(|&block| members[block]).collect()
}

/// Sets `means` to the mean of each block's vectors.
fn means(of: &[u32], members: &[f64], vectors: impl Iterator<Item = Vec3>, means: &mut [Vec3]) {
    means.fill(Vec3::zeros());
    for (&block, vector) in of.iter().zip(vectors) {
        means[block as usize] += vector;
    }
    means.iter_mut().zip(members).for_each(|(mean, members)| *mean /= *members);
}

/// Sets `greatest` to the maximum distance of each block's vectors from `middles`.
fn greatest(of: &[u32], middles: &[Vec3], vectors: impl Iterator<Item = Vec3>, greatest: &mut [f64]) {
    greatest.fill(0.0);
    for (&block, vector) in of.iter().zip(vectors) {
        let far = (vector - middles[block as usize]).norm_squared();
        let greatest = &mut greatest[block as usize];
        *greatest = if *greatest >= far { *greatest } else { far };
    }
    greatest.iter_mut().for_each(|far| *far = far.sqrt());
}
