use std::collections::HashMap;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::geometry::Vec3;

use super::neighbours::mean;

/// Edge of a block of particles over the greatest radius.
const EDGE: f64 = 8.0;

/// Particles of one piece that are near each other, and where and how far they go.
#[derive(Clone, Copy, Debug)]
struct Block {
    piece: u32,
    /// The box around their spheres at the start, m.
    at: Aabb,
    /// The box around their displacements, m.
    way: Aabb,
}

/// An upright box.
#[derive(Clone, Copy, Debug)]
struct Aabb {
    low: Vec3,
    high: Vec3,
}

impl Aabb {
    fn point(p: &Vec3) -> Self {
        Self { low: *p, high: *p }
    }

    fn join(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    fn wider(&self, by: f64) -> Self {
        Self { low: self.low.add_scalar(-by), high: self.high.add_scalar(by) }
    }

    /// All that it covers on its way along any of `ways`.
    fn swept(&self, ways: &Self) -> Self {
        self.join(&Self { low: self.low + ways.low, high: self.high + ways.high })
    }

    /// All differences of a point in it and one in `other`.
    fn less(&self, other: &Self) -> Self {
        Self { low: self.low - other.high, high: self.high - other.low }
    }

    fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// Distance of its farthest point from the origin.
    fn reach(&self) -> f64 {
        self.low.abs().sup(&self.high.abs()).norm()
    }
}

/// Whether particles of different pieces may have passed through each other on straight ways `from` here `to` there (m), with
/// radii `radius` (m): their ways cross, and they move against each other by more than the least radius. Two that move
/// by less overlap at the end on the side that they came from, and push each other back.
///
/// `pieces` tells each particle's piece, and is asked for only where something moves far. What is bonded together is
/// left to its bonds.
pub fn may_pass(radius: &[f64], from: &[Vec3], to: &[Vec3], pieces: impl FnOnce() -> Vec<u32>) -> bool {
    let (least, largest) = radius.iter().fold((f64::INFINITY, 0.0), |(l, g), &r| (f64::min(l, r), f64::max(g, r)));
    let drift = mean(to) - mean(from);
    let off = |i: usize| (to[i] - from[i] - drift).norm();
    let farthest = (0..from.len()).into_par_iter().with_min_len(4096).map(off).reduce(|| 0.0, f64::max);
    // two that go opposite ways
    if 2.0 * farthest <= least {
        return false;
    }
    let mut blocks = blocks(radius, from, to, &drift, &pieces(), EDGE * largest);
    blocks.sort_by(|a, b| a.1.low.x.total_cmp(&b.1.low.x));
    blocks.par_iter().enumerate().with_min_len(64).any(|(k, a)| meets_one(a, &blocks[k + 1..], least))
}

/// Whether a block may pass through one of those `after` it, whose ways begin no further left.
fn meets_one((a, swept): &(Block, Aabb), after: &[(Block, Aabb)], least: f64) -> bool {
    let near = after.iter().take_while(|(_, other)| other.low.x <= swept.high.x);
    near.filter(|(b, other)| a.piece != b.piece && swept.overlaps(other)).any(|(b, _)| {
        let against = a.way.less(&b.way);
        against.reach() > least && a.at.swept(&against).overlaps(&b.at)
    })
}

/// Blocks of edge `edge` (m) with the boxes that they sweep, displacements being taken off the common `drift`.
fn blocks(radius: &[f64], from: &[Vec3], to: &[Vec3], drift: &Vec3, pieces: &[u32], edge: f64) -> Vec<(Block, Aabb)> {
    let mut numbers = HashMap::with_hasher(FixedState::default());
    let mut blocks: Vec<Block> = Vec::new();
    for (i, p) in from.iter().enumerate() {
        let cell = [p.x, p.y, p.z].map(|x| (x / edge).floor() as i64);
        let at = Aabb::point(p).wider(radius[i]);
        let way = Aabb::point(&(to[i] - p - drift));
        let number = *numbers.entry((pieces[i], cell)).or_insert(blocks.len());
        match blocks.get_mut(number) {
            Some(block) => (block.at, block.way) = (block.at.join(&at), block.way.join(&way)),
            None => blocks.push(Block { piece: pieces[i], at, way }),
        }
    }
    blocks.into_iter().map(|block| (block, block.at.swept(&block.way))).collect()
}
