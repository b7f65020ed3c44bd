//! Loops over chunks of a fixed size, so that results do not depend on the number of threads.

mod halo;

use std::ops::{AddAssign, Range};

use rayon::prelude::*;

pub(crate) use halo::Halo;

/// Maximum number of chunks of a loop: enough for an even share on any machine, few enough for an array of sums on the
/// stack.
const MAX_CHUNKS: usize = 128;

/// Minimum number of nodes a chunk, so that its work outweighs the cost of a task.
const MIN_NODES: usize = 256;

/// Nodes a chunk of a loop over `nodes` nodes.
pub(crate) fn chunk_len(nodes: usize) -> usize {
    nodes.div_ceil(MAX_CHUNKS).max(MIN_NODES)
}

/// Whether a loop stays on the calling thread: waking another takes some microseconds.
fn is_serial(nodes: usize, serial_below: usize) -> bool {
    nodes < serial_below || rayon::current_num_threads() == 1
}

/// Calls `work(first node, its part of out)` for each chunk of `out`; on the calling thread below `serial_below` nodes.
pub(crate) fn for_each_chunk<A: Send>(out: &mut [A], serial_below: usize, work: impl Fn(usize, &mut [A]) + Sync) {
    let len = chunk_len(out.len());
    if is_serial(out.len(), serial_below) {
        out.chunks_mut(len).enumerate().for_each(|(k, part)| work(k * len, part));
    } else {
        out.par_chunks_mut(len).enumerate().for_each(|(k, part)| work(k * len, part));
    }
}

/// Sum of `term(nodes of the chunk)` over the chunks of `0..nodes`, added in order.
pub(crate) fn sum_chunks(nodes: usize, serial_below: usize, term: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let len = chunk_len(nodes);
    let chunk = |k: usize| term(k * len..((k + 1) * len).min(nodes));
    let mut sums = [0.0; MAX_CHUNKS];
    let sums = &mut sums[..nodes.div_ceil(len)];
    if is_serial(nodes, serial_below) {
        sums.iter_mut().enumerate().for_each(|(k, sum)| *sum = chunk(k));
    } else {
        sums.par_iter_mut().enumerate().for_each(|(k, sum)| *sum = chunk(k));
    }
    sums.iter().sum()
}

/// Sum of `term(first node, its part of out)` over the chunks of `out`, added in order. The terms may write to it.
pub(crate) fn sum_chunks_mut<A: Send>(
    out: &mut [A],
    serial_below: usize,
    term: impl Fn(usize, &mut [A]) -> f64 + Sync,
) -> f64 {
    // a vector of units takes no memory
    sum_chunks_of_two(out, &mut vec![(); out.len()], serial_below, |first, part, _| term(first, part))
}

/// Sum of `term(first node, its part of a, its part of b)` over the chunks of two vectors, added in order. The terms
/// may write to them.
pub(crate) fn sum_chunks_of_two<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    serial_below: usize,
    term: impl Fn(usize, &mut [A], &mut [B]) -> f64 + Sync,
) -> f64 {
    assert_eq!(a.len(), b.len());
    let (nodes, len) = (a.len(), chunk_len(a.len()));
    let mut sums = [0.0; MAX_CHUNKS];
    let sums = &mut sums[..nodes.div_ceil(len)];
    if is_serial(nodes, serial_below) {
        let parts = sums.iter_mut().zip(a.chunks_mut(len).zip(b.chunks_mut(len)));
        parts.enumerate().for_each(|(k, (sum, (a, b)))| *sum = term(k * len, a, b));
    } else {
        let parts = sums.par_iter_mut().zip(a.par_chunks_mut(len).zip(b.par_chunks_mut(len)));
        parts.enumerate().for_each(|(k, (sum, (a, b)))| *sum = term(k * len, a, b));
    }
    sums.iter().sum()
}

/// Chunks of `0..nodes`, in order.
pub(crate) fn chunk_ranges(nodes: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let len = chunk_len(nodes);
    (0..nodes.div_ceil(len)).map(move |k| k * len..((k + 1) * len).min(nodes))
}

/// `map(nodes of the chunk)` for each chunk of `0..nodes`, in order.
pub(crate) fn map_chunks<A: Send>(nodes: usize, map: impl Fn(Range<usize>) -> A + Sync + Send) -> Vec<A> {
    chunk_ranges(nodes).collect::<Vec<_>>().into_par_iter().map(map).collect()
}

/// Sum of `term(part)` over `parts`, added in order.
pub(crate) fn sum_parts<P: Send, A: Copy + Default + AddAssign + Send>(
    parts: impl IndexedParallelIterator<Item = P>,
    term: impl Fn(P) -> A + Sync + Send,
) -> A {
    // allocates only for millions of particles
    let (mut few, mut many) = ([A::default(); 1024], Vec::new());
    let sums = few.get_mut(..parts.len()).unwrap_or_else(|| {
        many.resize(parts.len(), A::default());
        &mut many
    });
    parts.zip(&mut *sums).for_each(|(part, sum)| *sum = term(part));
    sums.iter().fold(A::default(), |mut sum, part| {
        sum += *part;
        sum
    })
}
