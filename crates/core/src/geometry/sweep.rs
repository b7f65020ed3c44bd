//! Spheres of different pieces that may touch on straight paths.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use crate::parallel;

use super::bounds::Bounds;
use super::{Vec3, mean};

/// Edge of a block of particles over the greatest radius.
const EDGE: f64 = 8.0;

/// Particles of one piece near each other, with bounds on their positions and displacements.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Number of the block in the order of first particles.
    number: usize,
    piece: u32,
    /// The box around their spheres at the start, m.
    at: Bounds,
    /// The box around their displacements, m.
    way: Bounds,
    /// Box around the swept volume, m.
    swept: Bounds,
}

impl Block {
    /// Whether particles of the two may touch: their swept volumes overlap, in space and relative to the other block.
    fn may_meet(&self, other: &Self) -> bool {
        self.piece != other.piece && self.swept.overlaps(&other.swept) && {
            let against = self.way.less(&other.way);
            self.at.swept(&against).overlaps(&other.at)
        }
    }
}

/// Straight paths of particles, with their radii and pieces.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'a> {
    /// Radii, m.
    pub radius: &'a [f64],
    /// Starts, m.
    pub from: &'a [Vec3],
    /// Ends, m.
    pub to: &'a [Vec3],
    /// Numbers of the pieces.
    pub pieces: &'a [u32],
}

/// Particle that may have passed through one of another piece, if any, on straight paths `from` here `to` there (m). The
/// condition: the paths of two particles of `radius` (m) cross, and their relative displacement exceeds the minimum radius.
/// After a smaller one they overlap on the side that they came from, and repel each other.
///
/// `pieces` returns the piece of each particle. It is called only if a particle moves far. Bonded particles are left to their
/// bonds.
pub(crate) fn may_pass(radius: &[f64], from: &[Vec3], to: &[Vec3], pieces: impl FnOnce() -> Vec<u32>) -> Option<usize> {
    let touching = radius.iter().filter(|&&r| r > 0.0);
    let (least, largest) = touching.fold((f64::INFINITY, 0.0), |(l, g), &r| (f64::min(l, r), f64::max(g, r)));
    let drift = mean(to) - mean(from);
    let off = |i: usize| (to[i] - from[i] - drift).norm();
    let farthest = parallel::fold(0.0, from.len(), 4096, off, f64::max);
    // particles that move in opposite directions
    if 2.0 * farthest <= least {
        return None;
    }
    let ways = Ways { radius, from, to, pieces: &pieces() };
    let (blocks, block_of) = ways.blocks(EDGE * largest, |_| 0.0);
    let passes = |a: &Block, b: &Block| a.way.less(&b.way).reach() > least && a.may_meet(b);
    let any_passes = |k: usize| after(&blocks, k).any(|b| passes(&blocks[k], b));
    let block = parallel::find_first(blocks.len(), 64, any_passes)?;
    block_of.iter().position(|&number| number == blocks[block].number)
}

impl Ways<'_> {
    /// Sorted pairs of particles of different pieces that may touch. `off` bounds the distance (m) of a piece's particles from
    /// these paths.
    pub fn meetings(&self, off: impl Fn(u32) -> f64 + Sync) -> Vec<[u32; 2]> {
        let largest = self.radius.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Vec::new();
        }
        let (blocks, of) = self.blocks(FINE_EDGE * largest, &off);
        let mut members = vec![Vec::new(); blocks.len()];
        of.iter().zip(0..).for_each(|(&block, i)| members[block].push(i));
        let of_block = |k: usize, pairs: &mut Vec<_>| {
            let block = &blocks[k];
            for other in after(&blocks, k).filter(|other| block.may_meet(other)) {
                for &i in &members[block.number] {
                    let met = members[other.number].iter().filter(|&&j| self.meet([i, j], &off));
                    pairs.extend(met.map(|&j| [i.min(j), i.max(j)]));
                }
            }
        };
        let mut pairs = parallel::flat_map(blocks.len(), 64, |blocks, pairs| blocks.for_each(|k| of_block(k, pairs)));
        pairs.par_sort_unstable();
        pairs
    }

    /// Whether two particles may touch.
    fn meet(&self, ids: [u32; 2], off: impl Fn(u32) -> f64) -> bool {
        let [i, j] = ids.map(|i| i as usize);
        let reach = self.radius[i] + self.radius[j] + off(self.pieces[i]) + off(self.pieces[j]);
        let (apart, way) = (self.from[i] - self.from[j], (self.to[i] - self.from[i]) - (self.to[j] - self.from[j]));
        let nearest = (-apart.dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        reach > 0.0 && (apart + way * nearest).norm_squared() < reach * reach
    }

    /// Blocks of edge `edge` (m), enlarged by the distance `off` of their pieces from straight paths, sorted by the start of
    /// their swept volumes along x. Displacements are relative to the common one. Then the block of each particle.
    fn blocks(&self, edge: f64, off: impl Fn(u32) -> f64) -> (Vec<Block>, Vec<usize>) {
        let drift = mean(self.to) - mean(self.from);
        let mut numbers = HashMap::with_hasher(FixedState::default());
        let mut blocks: Vec<Block> = Vec::new();
        let mut of = Vec::with_capacity(self.from.len());
        for (i, p) in self.from.iter().enumerate() {
            let (piece, cell) = (self.pieces[i], [p.x, p.y, p.z].map(|x| (x / edge).floor() as i64));
            let (radius, way) = (self.radius[i] + off(piece), self.to[i] - p - drift);
            let at = Bounds { low: p.add_scalar(-radius), high: p.add_scalar(radius) };
            let way = Bounds { low: way, high: way };
            let number = *numbers.entry((piece, cell)).or_insert(blocks.len());
            match blocks.get_mut(number) {
                Some(block) => (block.at, block.way) = (block.at.join(&at), block.way.join(&way)),
                None => blocks.push(Block { number, piece, at, way, swept: at }),
            }
            of.push(number);
        }
        blocks.iter_mut().for_each(|block| block.swept = block.at.swept(&block.way));
        blocks.sort_by(|a, b| a.swept.low.x.total_cmp(&b.swept.low.x));
        (blocks, of)
    }
}

/// Edge of a block over the largest radius, where the particles of two blocks are compared one by one.
const FINE_EDGE: f64 = 4.0;

/// Blocks after block `k` whose swept volumes begin before its own ends, along x.
fn after(blocks: &[Block], k: usize) -> impl Iterator<Item = &Block> {
    let end = blocks[k].swept.high.x;
    blocks[k + 1..].iter().take_while(move |other| other.swept.low.x <= end)
}
