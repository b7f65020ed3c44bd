//! Sums over all pairs, \[MSC\] eq 8.
//!
//! Lanes hold targets, and each target adds its sources in order. So the bits depend neither on the number of lanes nor
//! on that of threads.

use std::ops::Range;

use crate::geometry::Vec3;
use crate::parallel;
use crate::simd::dispatch;
use crate::simd::{InstructionSet, Lanes};

/// Field (x, y, z) and potential of a target, in units of k_c.
pub(super) type Sum = [f64; 4];

/// Targets of one pass of the widest lanes.
pub(super) const BLOCK: usize = 16;

/// Targets below which a sum stays on one thread: a pair takes about 1 ns.
const SERIAL_PAIRS: usize = 50_000;

/// Sets `out` to the sums of all `sources` (x, y, z, q) at each of `targets`. With `own` target i is source i, which is left out.
pub(super) fn sums(
    instructions: InstructionSet,
    targets: &[Vec3],
    sources: &[[f64; 4]],
    softening: f64,
    own: bool,
    out: &mut Vec<Sum>,
) {
    out.clear();
    out.resize(targets.len(), Sum::default());
    parallel::for_each_chunk(out, SERIAL_PAIRS / sources.len().max(1), |first, out| {
        for (k, out) in out.chunks_mut(BLOCK).enumerate() {
            let first = first + k * BLOCK;
            let block = Targets::new(&targets[first..first + out.len()]);
            let own = own.then_some(first);
            add(
                instructions,
                &block,
                sources,
                std::slice::from_ref(&(0..sources.len())),
                own,
                softening * softening,
                out,
            );
        }
    });
}

/// Positions of a block of targets; the last is repeated.
pub(super) struct Targets {
    x: [[f64; BLOCK]; 3],
}

impl Targets {
    /// A block of up to [`BLOCK`] points.
    pub(super) fn new(points: &[Vec3]) -> Self {
        let point = |lane: usize| points[lane.min(points.len() - 1)];
        Self { x: std::array::from_fn(|axis| std::array::from_fn(|lane| point(lane)[axis])) }
    }
}

dispatch! {
    /// Adds to `out` the sums of the ranges of `sources`, in order. `own` is the index of the first target as a source: a
    /// target leaves itself out. `softening` is squared, m2.
    pub(super) fn add<'a>(
        targets: &Targets,
        sources: &[[f64; 4]],
        ranges: &[Range<usize>],
        own: Option<usize>,
        softening: f64,
        out: &'a mut [Sum],
    ) = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(
    targets: &Targets,
    sources: &[[f64; 4]],
    ranges: &[Range<usize>],
    own: Option<usize>,
    softening: f64,
    out: &mut [Sum],
) {
    let mut first = 0;
    while first < out.len() {
        // two registers share the loads of a source
        if out.len() - first > L::COUNT && 2 * L::COUNT <= BLOCK {
            registers::<L, 2>(targets, sources, ranges, own, softening, first, out);
            first += 2 * L::COUNT;
        } else {
            registers::<L, 1>(targets, sources, ranges, own, softening, first, out);
            first += L::COUNT;
        }
    }
}

/// Lanes of targets and their sums.
#[derive(Clone, Copy)]
struct Register<L> {
    x: [L; 3],
    /// Index of the target as a source.
    index: L,
    sum: [L; 4],
}

#[inline(always)]
fn registers<L: Lanes, const N: usize>(
    targets: &Targets,
    sources: &[[f64; 4]],
    ranges: &[Range<usize>],
    own: Option<usize>,
    softening: f64,
    first: usize,
    out: &mut [Sum],
) {
    let softening = L::splat(softening);
    let zero = L::splat(0.0);
    let mut lanes = [Register { x: [zero; 3], index: zero, sum: [zero; 4] }; N];
    for (k, lanes) in lanes.iter_mut().enumerate() {
        let first = first + k * L::COUNT;
        for axis in 0..3 {
            lanes.x[axis] = L::load(&targets.x[axis][first..]);
        }
        let index: [f64; 8] = std::array::from_fn(|lane| (own.unwrap_or(0) + first + lane) as f64);
        lanes.index = L::load(&index);
    }
    for range in ranges {
        // sources among which the targets are
        let block = own.map_or(0..0, |own| own + first..own + first + N * L::COUNT);
        let [from, to] = [block.start, block.end].map(|k| k.clamp(range.start, range.end));
        for source in &sources[range.start..from] {
            add_source(&mut lanes, source, softening, None);
        }
        for (index, source) in (from..).zip(&sources[from..to]) {
            add_source(&mut lanes, source, softening, Some(index));
        }
        for source in &sources[to..range.end] {
            add_source(&mut lanes, source, softening, None);
        }
    }
    for (k, lanes) in lanes.iter().enumerate() {
        store(lanes, &mut out[first + k * L::COUNT..]);
    }
}

/// Adds one source. A lane whose target is source `index` adds nothing.
#[inline(always)]
fn add_source<L: Lanes, const N: usize>(
    lanes: &mut [Register<L>; N],
    source: &[f64; 4],
    softening: L,
    index: Option<usize>,
) {
    for Register { x, index: own, sum } in lanes {
        let [dx, dy, dz] = [x[0] - L::splat(source[0]), x[1] - L::splat(source[1]), x[2] - L::splat(source[2])];
        let mut squared = dz.mul_add(dz, dy.mul_add(dy, dx.mul_add(dx, softening)));
        let mut q = L::splat(source[3]);
        if let Some(index) = index {
            let (half, off) = (L::splat(0.5), (*own - L::splat(index as f64)).abs());
            squared = off.pick_below(half, L::splat(1.0), squared);
            q = off.pick_below(half, L::splat(0.0), q);
        }
        let inverse = squared.inverse_sqrt();
        let potential = q * inverse;
        let weight = potential * (inverse * inverse);
        sum[0] = dx.mul_add(weight, sum[0]);
        sum[1] = dy.mul_add(weight, sum[1]);
        sum[2] = dz.mul_add(weight, sum[2]);
        sum[3] += potential;
    }
}

#[inline(always)]
fn store<L: Lanes>(lanes: &Register<L>, out: &mut [Sum]) {
    let mut sums = [[0.0; 8]; 4];
    for (sum, out) in lanes.sum.iter().zip(&mut sums) {
        sum.store(out);
    }
    for (lane, out) in out.iter_mut().enumerate().take(L::COUNT) {
        for k in 0..4 {
            out[k] += sums[k][lane];
        }
    }
}
