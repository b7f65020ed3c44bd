//! Tests of `src/linalg`, one file each of its files.

mod beam;
mod block_jacobi;
mod block_matrix;
mod cg;
mod vector;

/// A pseudo-random number in -1..1 for each `k`: the fractional parts of a golden-ratio sequence.
pub fn noise(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0
}

/// What `work` gives on `threads` threads.
pub fn on_threads<A: Send>(threads: usize, work: impl FnOnce() -> A + Send) -> A {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool starts").install(work)
}
