use super::octree::Octree;
use crate::charge::exact::{self, BLOCK, Sum, Targets};
use crate::parallel;
use crate::simd::InstructionSet;

/// Blocks of targets in a sample, spread evenly over the tree's order.
const BLOCKS: usize = 8;

/// Number of targets of a sample.
pub(super) const SIZE: usize = BLOCKS * BLOCK;

/// Exact sums at some targets, by blocks: the first target of each in the tree's order, and its sums. `charges` are (x, y, z, q);
/// those of a target itself are left out with `own`. `softening` is squared, m2.
pub(super) fn exact_blocks(
    instructions: InstructionSet,
    targets: &Octree,
    charges: &[[f64; 4]],
    own: bool,
    softening: f64,
) -> Vec<(usize, Vec<Sum>)> {
    let count = targets.x.len();
    let block = |k: usize| {
        let first = k * count / BLOCKS;
        let points = &targets.x[first..count.min(first + BLOCK)];
        let mut sums = vec![Sum::default(); points.len()];
        let all = 0..charges.len();
        let own = own.then_some(first);
        exact::add(instructions, &Targets::new(points), charges, &[all], own, softening, &mut sums);
        (first, sums)
    };
    parallel::map(BLOCKS.min(count), 1, block)
}

/// Median absolute value of the field in `blocks`, in units of k_c.
pub(super) fn typical_field(blocks: &[(usize, Vec<Sum>)]) -> f64 {
    let mut fields: Vec<f64> = blocks.iter().flat_map(|(_, sums)| sums).map(squared).collect();
    fields.sort_by(f64::total_cmp);
    fields[fields.len() / 2].sqrt()
}

/// Global relative error of sums in the tree's order against those of `blocks`: 0 where all are equal.
pub(super) fn error(blocks: &[(usize, Vec<Sum>)], sums: &[Sum]) -> f64 {
    let pairs = blocks.iter().flat_map(|(first, exact)| exact.iter().zip(&sums[*first..]));
    let (mut off, mut all) = (0.0, 0.0);
    for (exact, sum) in pairs {
        off += squared(&std::array::from_fn(|k| sum[k] - exact[k]));
        all += squared(exact);
    }
    if off == 0.0 { 0.0 } else { (off / all).sqrt() }
}

fn squared(sum: &Sum) -> f64 {
    sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]
}
