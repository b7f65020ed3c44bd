//! Loops over chunks of a fixed size: who computes a chunk never changes what is computed.

use std::ops::{AddAssign, Range};

use rayon::prelude::*;

/// Most chunks of a loop: more than any machine needs to share them evenly, few enough that their sums fit on the stack.
const MOST_CHUNKS: usize = 128;

/// Least nodes a chunk, so that its work outweighs handing it out.
const LEAST_NODES: usize = 256;

/// Nodes a chunk of a loop over `nodes` of them.
pub fn chunk_len(nodes: usize) -> usize {
    nodes.div_ceil(MOST_CHUNKS).max(LEAST_NODES)
}

/// Waking a sleeping thread takes some microseconds, which a short loop does not earn back.
fn is_serial(nodes: usize, serial_below: usize) -> bool {
    nodes < serial_below || rayon::current_num_threads() == 1
}

/// Calls `work(first node, its part of out)` for each chunk of `out`; on one thread if there are fewer than `serial_below`.
pub fn for_each_chunk<A: Send>(out: &mut [A], serial_below: usize, work: impl Fn(usize, &mut [A]) + Sync) {
    let len = chunk_len(out.len());
    if is_serial(out.len(), serial_below) {
        out.chunks_mut(len).enumerate().for_each(|(k, part)| work(k * len, part));
    } else {
        out.par_chunks_mut(len).enumerate().for_each(|(k, part)| work(k * len, part));
    }
}

/// The sum of `term(nodes of the chunk)` over the chunks of `0..nodes`, added in their order.
pub fn sum_chunks(nodes: usize, serial_below: usize, term: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let len = chunk_len(nodes);
    let chunk = |k: usize| term(k * len..((k + 1) * len).min(nodes));
    let mut sums = [0.0; MOST_CHUNKS];
    let sums = &mut sums[..nodes.div_ceil(len)];
    if is_serial(nodes, serial_below) {
        sums.iter_mut().enumerate().for_each(|(k, sum)| *sum = chunk(k));
    } else {
        sums.par_iter_mut().enumerate().for_each(|(k, sum)| *sum = chunk(k));
    }
    sums.iter().sum()
}

/// The sum of `term(first node, its part of out)` over the chunks of `out`, which the terms may write, added in their order.
pub fn sum_chunks_mut<A: Send>(
    out: &mut [A],
    serial_below: usize,
    term: impl Fn(usize, &mut [A]) -> f64 + Sync,
) -> f64 {
    // a vector of nothings takes no memory
    sum_chunks_of_two(out, &mut vec![(); out.len()], serial_below, |first, part, _| term(first, part))
}

/// The sum of `term(first node, its part of a, its part of b)` over the chunks of two vectors, which the terms may write, added in
/// their order.
pub fn sum_chunks_of_two<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    serial_below: usize,
    term: impl Fn(usize, &mut [A], &mut [B]) -> f64 + Sync,
) -> f64 {
    assert_eq!(a.len(), b.len());
    let (nodes, len) = (a.len(), chunk_len(a.len()));
    let mut sums = [0.0; MOST_CHUNKS];
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

/// The chunks of `0..nodes`, in their order.
pub fn chunk_ranges(nodes: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let len = chunk_len(nodes);
    (0..nodes.div_ceil(len)).map(move |k| k * len..((k + 1) * len).min(nodes))
}

/// `map(nodes of the chunk)` for each chunk of `0..nodes`, in their order.
pub fn map_chunks<A: Send>(nodes: usize, map: impl Fn(Range<usize>) -> A + Sync + Send) -> Vec<A> {
    chunk_ranges(nodes).collect::<Vec<_>>().into_par_iter().map(map).collect()
}

/// The sum of `term(part)` over `parts`, added in their order.
pub fn sum_parts<P: Send, A: Copy + Default + AddAssign + Send>(
    parts: impl IndexedParallelIterator<Item = P>,
    term: impl Fn(P) -> A + Sync + Send,
) -> A {
    // a step allocates nothing but where there are millions of particles
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
