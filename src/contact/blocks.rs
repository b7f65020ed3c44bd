use std::collections::HashMap;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::geometry::{Mat3, Vec3};

/// Particles in cubic blocks, for a bound on the distance of particles that were apart. The blocks are sorted by the x of
/// their centres.
///
/// A block moves as the linear field that fits its particles, x -> x + u + A (x - c), and each particle by no more than a
/// spread off that. Neither a common translation nor a common rotation brings particles nearer: of two particles at a
/// distance s in fields a and b,
///
/// ```text
/// s' >= sigma s - |f_b - f_a| - spread_a - spread_b
/// ```
///
/// with the least singular value sigma of I + A_a, and the difference of the fields at the particle of b.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Block of each particle, and number of members of each block.
    of: Vec<u32>,
    members: Vec<f64>,
    /// Centre of each block when it was made, m, and greatest distance of its particles' centres from there.
    centres: Vec<Vec3>,
    extents: Vec<f64>,
    /// Inverse of the sum of x x^T over each block's particles, x from its centre, 1/m2.
    inverse_spans: Vec<Mat3>,
    fields: Vec<Field>,
    /// Limit on the distance at which each block matters to another: at most the sum of both, m.
    reaches: Vec<f64>,
}

/// Motion of a block since it was made.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    /// u, m, and A.
    shift: Vec3,
    gradient: Mat3,
    /// 1 - sigma, at least zero.
    shrinks: f64,
    /// Greatest distance (m) of a particle from where the field takes it.
    spread: f64,
}

impl Field {
    /// Displacement (m) of the point that was at `x` from the block's centre.
    fn at(&self, x: &Vec3) -> Vec3 {
        self.shift + self.gradient * x
    }
}

/// Blocks at most: all pairs of them are looked at.
const MOST: usize = 600;

/// Edge of a block over the greatest radius, at least.
const LEAST_EDGE: f64 = 6.0;

impl Blocks {
    /// Blocks of particles at `p` (m), none of a radius (m) greater than `radius`.
    pub fn new(p: &[Vec3], radius: f64) -> Self {
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
        let mut spans = vec![Mat3::zeros(); count];
        for (&block, p) in of.iter().zip(p) {
            let block = block as usize;
            let x = p - centres[block];
            extents[block] = f64::max(extents[block], x.norm());
            spans[block] += x * x.transpose();
        }
        let inverse_spans = spans.iter().map(inverse_span).collect();
        let (fields, reaches) = (vec![Field::default(); count], vec![0.0; count]);
        Self { of, members, centres, extents, inverse_spans, fields, reaches }
    }

    /// Remaining approach, m, before any two particles touch that were further apart than touching by `skin` (m) or more
    /// when the blocks were made at `from`, now being at `to`: negative where they may touch already.
    pub fn margin(&mut self, from: &[Vec3], to: &[Vec3], radius: f64, skin: f64) -> f64 {
        self.fit(from, to);
        let drift = self.fields.iter().map(|field| field.shift).sum::<Vec3>() / self.fields.len() as f64;
        for ((reach, field), extent) in self.reaches.iter_mut().zip(&self.fields).zip(&self.extents) {
            let moved = (field.shift - drift).norm() + field.gradient.norm() * extent;
            *reach = extent + field.spread + moved + radius + 0.5 * skin;
        }
        let farthest = self.reaches.iter().copied().fold(0.0, f64::max);
        let this = &*self;
        (0..this.centres.len())
            .into_par_iter()
            .with_min_len(32)
            .map(|a| this.least(a, radius, skin, farthest))
            .reduce(|| skin, lesser)
    }

    /// Fits the field of each block to the motion of its particles.
    fn fit(&mut self, from: &[Vec3], to: &[Vec3]) {
        let Self { of, members, centres, inverse_spans, fields, .. } = self;
        fields.fill(Field::default());
        for ((&block, from), to) in of.iter().zip(from).zip(to) {
            let field = &mut fields[block as usize];
            let moved = to - from;
            field.shift += moved;
            field.gradient += moved * (from - centres[block as usize]).transpose();
        }
        for ((field, members), inverse) in fields.iter_mut().zip(members).zip(inverse_spans) {
            // offsets from the centre have a sum of zero, so that shift and gradient part
            field.shift /= *members;
            field.gradient *= *inverse;
            // (I + A)^T (I + A) - I, zero for a rotation; its norm bounds how far sigma^2 is below 1
            let strain = field.gradient + field.gradient.transpose() + field.gradient.transpose() * field.gradient;
            field.shrinks = 1.0 - (1.0 - strain.norm()).max(0.0).sqrt();
        }
        for ((&block, from), to) in of.iter().zip(from).zip(to) {
            let field = &mut fields[block as usize];
            let off = (to - from - field.at(&(from - centres[block as usize]))).norm_squared();
            // keeps NaN
            field.spread = if field.spread >= off { field.spread } else { off };
        }
        fields.iter_mut().for_each(|field| field.spread = field.spread.sqrt());
    }

    /// The margin of block `a` with itself and with those after it, none of which reaches further than `farthest`, m.
    fn least(&self, a: usize, radius: f64, skin: f64, farthest: f64) -> f64 {
        let field = &self.fields[a];
        let mut least = skin - field.shrinks * (skin + 2.0 * radius) - 2.0 * field.spread;
        for b in a + 1..self.centres.len() {
            let apart = self.centres[b] - self.centres[a];
            if apart.x > self.reaches[a] + farthest {
                break;
            }
            // blocks further apart than the skin plus their approach do not matter
            if apart.norm_squared() < (self.reaches[a] + self.reaches[b]).powi(2) {
                let other = &self.fields[b];
                let around = self.extents[a] + self.extents[b] + 2.0 * radius;
                let gap = skin.max(apart.norm() - around);
                // how the fields differ on the block of the less extent, b's field at its centre, and a's at b's
                let (at_a, at_b) = ((other.at(&-apart) - field.shift).norm(), (field.at(&apart) - other.shift).norm());
                let turns = (field.gradient - other.gradient).norm();
                let differ = (at_a + turns * self.extents[a]).min(at_b + turns * self.extents[b]);
                let shrinks = field.shrinks.max(other.shrinks) * (gap + 2.0 * radius);
                least = lesser(least, gap - shrinks - differ - field.spread - other.spread);
            }
        }
        least
    }
}

/// Inverse of a block's span (m2); zero along directions in which it has hardly any extent.
fn inverse_span(span: &Mat3) -> Mat3 {
    /// Least eigenvalue that defines a gradient, over the greatest.
    const THIN: f64 = 1e-3;
    if !span.iter().all(|value| value.is_finite()) {
        return Mat3::zeros();
    }
    let eigen = span.symmetric_eigen();
    let limit = THIN * eigen.eigenvalues.max();
    let inverse = eigen.eigenvalues.map(|value| if value > limit { 1.0 / value } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

/// The lesser of two, and neither if one is not a number.
fn lesser(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// Numbers the cells of this edge (m) that hold points, in the order of the points.
fn numbered(p: &[Vec3], edge: f64) -> (Vec<u32>, usize) {
    let mut numbers = HashMap::with_hasher(FixedState::default());
    let of = p.iter().map(|p| {
        let next = numbers.len() as u32;
        *numbers.entry([p.x, p.y, p.z].map(|x| (x / edge).floor() as i64)).or_insert(next)
    });
    let of = of.collect();
    (of, numbers.len())
}

/// Numbers blocks anew by their centres' x; puts the centres into `centres`, and returns how many members each block has.
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

/// Puts the mean of each block's vectors into `means`.
fn means(of: &[u32], members: &[f64], vectors: impl Iterator<Item = Vec3>, means: &mut [Vec3]) {
    means.fill(Vec3::zeros());
    for (&block, vector) in of.iter().zip(vectors) {
        means[block as usize] += vector;
    }
    means.iter_mut().zip(members).for_each(|(mean, members)| *mean /= *members);
}
