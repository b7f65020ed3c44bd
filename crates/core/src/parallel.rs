//! Loops over parts of a fixed size, so that results do not depend on the number of threads.
//!
//! All of them are one loop of rayon's, which calls a function by its address: a loop of rayon's own for each function would be
//! a third of this crate's code.

mod halo;
mod parts;

use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use halo::Halo;
pub use parts::{Parts, chunks, chunks_mut, chunks_mut_if_any, each, each_mut, ranges_mut};

/// Particles per chunk of loops over particles and their pairs: fits a core's cache, and small scenes still keep two threads busy.
pub const CHUNK: usize = 1024;

/// Nodes below which a loop with some numbers per node stays on the calling thread: some microseconds of work. A larger bound would
/// let other threads fall asleep between two loops, and waking them takes as long.
pub const SERIAL_BELOW: usize = 2048;

/// Nodes below which a loop with a row of blocks a node stays on the calling thread: some ten microseconds of work.
pub const SERIAL_ROWS: usize = 512;

/// Maximum number of chunks of a loop: enough for an even share on any machine, few enough for an array of sums on the
/// stack.
const MAX_CHUNKS: usize = 128;

/// Minimum number of nodes per chunk, so that its work outweighs the cost of a task.
const MIN_NODES: usize = 256;

/// Nodes per chunk of a loop over `nodes` nodes.
pub fn chunk_len(nodes: usize) -> usize {
    nodes.div_ceil(MAX_CHUNKS).max(MIN_NODES)
}

/// Chunks of `0..nodes`, in order.
pub fn chunk_ranges(nodes: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let len = chunk_len(nodes);
    (0..nodes.div_ceil(len)).map(move |k| chunk_range(k, len, nodes))
}

/// Chunk `k` of `len` of `nodes` nodes.
fn chunk_range(k: usize, len: usize, nodes: usize) -> Range<usize> {
    k * len..((k + 1) * len).min(nodes)
}

/// Calls `work(k)` for each k below `count`, on the calling thread if `is_serial`: waking another takes some microseconds.
fn call_each(count: usize, is_serial: bool, work: &(dyn Fn(usize) + Sync)) {
    if is_serial || count <= 1 || rayon::current_num_threads() == 1 {
        (0..count).for_each(work);
    } else {
        (0..count).into_par_iter().for_each(work);
    }
}

/// Calls `work(k, part k)` for each part.
fn visit<P: Parts>(parts: P, is_serial: bool, work: impl Fn(usize, P::Part) + Sync) {
    // SAFETY: k is below the count, and comes once
    call_each(parts.count(), is_serial, &|k| work(k, unsafe { parts.part(k) }));
}

/// Calls `work(k, part k)` for each part.
pub fn for_each<P: Parts>(parts: P, work: impl Fn(usize, P::Part) + Sync) {
    visit(parts, false, work);
}

/// Calls `work(i, item i)` for each item; a task has `len` of them.
pub fn for_each_item<P: Parts>(items: P, len: usize, work: impl Fn(usize, P::Part) + Sync) {
    let count = items.count();
    call_each(count.div_ceil(len), false, &|k| {
        // SAFETY: i is below the count, and comes once
        chunk_range(k, len, count).for_each(|i| work(i, unsafe { items.part(i) }));
    });
}

/// Number of i below `count` with `is_counted(i)`; a task has `len` of them.
pub fn count(count: usize, len: usize, is_counted: impl Fn(usize) -> bool + Sync) -> usize {
    let counted = AtomicUsize::new(0);
    call_each(count.div_ceil(len), false, &|k| {
        counted.fetch_add(chunk_range(k, len, count).filter(|&i| is_counted(i)).count(), Ordering::Relaxed);
    });
    counted.into_inner()
}

/// Sum of `term(k, part k)` over the parts, added in order.
pub fn sum<P: Parts, A: Copy + Default + AddAssign + Send>(parts: P, term: impl Fn(usize, P::Part) -> A + Sync) -> A {
    with_room(A::default(), parts.count(), |sums| sum_in(sums, parts, false, term))
}

/// `use_room` of a slice of `count` values, all `fill`. Allocates only for millions of particles.
fn with_room<A: Copy, B>(fill: A, count: usize, use_room: impl FnOnce(&mut [A]) -> B) -> B {
    const FEW: usize = 1024;
    if count <= FEW { use_room(&mut [fill; FEW][..count]) } else { use_room(&mut vec![fill; count]) }
}

/// `join` of `start` and all `value(i)` for i below `count`, such as the greatest; a task has `len` of them.
pub fn fold(
    start: f64,
    count: usize,
    len: usize,
    value: impl Fn(usize) -> f64 + Sync,
    join: impl Fn(f64, f64) -> f64 + Sync,
) -> f64 {
    with_room(start, count.div_ceil(len), |parts| {
        for_each(each_mut(parts), |k, part| *part = chunk_range(k, len, count).map(&value).fold(start, &join));
        parts.iter().copied().fold(start, &join)
    })
}

/// Sum of `term(k, part k)` over the parts, added in order; `sums` has room for them.
fn sum_in<P: Parts, A: Copy + Default + AddAssign + Send>(
    sums: &mut [A],
    parts: P,
    is_serial: bool,
    term: impl Fn(usize, P::Part) -> A + Sync,
) -> A {
    visit((parts, each_mut(sums)), is_serial, |k, (part, sum)| *sum = term(k, part));
    sums.iter().fold(A::default(), |mut sum, part| {
        sum += *part;
        sum
    })
}

/// `map(i)` for each i below `count`, in order; a task has `len` of them.
pub fn map<A: Send>(count: usize, len: usize, map: impl Fn(usize) -> A + Sync) -> Vec<A> {
    let mut out = Vec::with_capacity(count);
    for_each(chunks_mut(&mut out.spare_capacity_mut()[..count], len), |k, part| {
        part.iter_mut().enumerate().for_each(|(i, entry)| {
            entry.write(map(k * len + i));
        });
    });
    // SAFETY: all entries are written
    unsafe { out.set_len(count) };
    out
}

/// Entries that `fill(its indices, entries)` adds for each chunk of `len` of `0..count`, in order.
pub fn flat_map<A: Send>(count: usize, len: usize, fill: impl Fn(Range<usize>, &mut Vec<A>) + Sync) -> Vec<A> {
    let of_chunk = |k: usize| {
        let mut entries = Vec::new();
        fill(chunk_range(k, len, count), &mut entries);
        entries
    };
    map(count.div_ceil(len), 1, of_chunk).into_iter().flatten().collect()
}

/// The first i below `count` with `is_found(i)`; a task has `len` of them.
pub fn find_first(count: usize, len: usize, is_found: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let first = AtomicUsize::new(count);
    call_each(count.div_ceil(len), false, &|k| {
        let range = chunk_range(k, len, first.load(Ordering::Relaxed));
        if let Some(found) = range.into_iter().find(|&i| is_found(i)) {
            first.fetch_min(found, Ordering::Relaxed);
        }
    });
    Some(first.into_inner()).filter(|&first| first < count)
}

/// Calls `work(first node, its part of out)` for each chunk of `out`; on the calling thread below `serial_below` nodes.
pub fn for_each_chunk<A: Send>(out: &mut [A], serial_below: usize, work: impl Fn(usize, &mut [A]) + Sync) {
    let (len, is_serial) = (chunk_len(out.len()), out.len() < serial_below);
    visit(chunks_mut(out, len), is_serial, |k, part| work(k * len, part));
}

/// Sum of `term(nodes of the chunk)` over the chunks of `0..nodes`, added in order; on the calling thread below `serial_below`
/// nodes.
pub fn sum_chunks(nodes: usize, serial_below: usize, term: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    let len = chunk_len(nodes);
    let (chunks, is_serial) = (0..nodes.div_ceil(len), nodes < serial_below);
    sum_in(&mut [0.0; MAX_CHUNKS][..chunks.len()], chunks, is_serial, |_, k| term(chunk_range(k, len, nodes)))
}

/// Sum of `term(first node, its part of out)` over the chunks of `out`, added in order. The terms may write to it.
pub fn sum_chunks_mut<A: Send>(
    out: &mut [A],
    serial_below: usize,
    term: impl Fn(usize, &mut [A]) -> f64 + Sync,
) -> f64 {
    // a vector of units takes no memory
    sum_chunks_of_two(out, &mut vec![(); out.len()], serial_below, |first, part, _| term(first, part))
}

/// Sum of `term(first node, its part of a, its part of b)` over the chunks of two vectors, added in order. The terms
/// may write to them.
pub fn sum_chunks_of_two<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    serial_below: usize,
    term: impl Fn(usize, &mut [A], &mut [B]) -> f64 + Sync,
) -> f64 {
    let (len, is_serial) = (chunk_len(a.len()), a.len() < serial_below);
    let parts = (chunks_mut(a, len), chunks_mut(b, len));
    sum_in(&mut [0.0; MAX_CHUNKS][..parts.count()], parts, is_serial, |k, (a, b)| term(k * len, a, b))
}

/// `map(nodes of the chunk)` for each chunk of `0..nodes`, in order.
pub fn map_chunks<A: Send>(nodes: usize, map: impl Fn(Range<usize>) -> A + Sync + Send) -> Vec<A> {
    let len = chunk_len(nodes);
    self::map(nodes.div_ceil(len), 1, |k| map(chunk_range(k, len, nodes)))
}
