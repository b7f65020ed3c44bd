//! Tests of `crates/core/src/linalg`, one file each of its files.

mod amg;
mod beam;
mod block_jacobi;
mod block_matrix;
mod cg;
mod lanczos;
mod ldl;
mod pair_operator;
mod vector;

/// What `work` gives on `threads` threads.
pub(crate) fn on_threads<A: Send>(threads: usize, work: impl FnOnce() -> A + Send) -> A {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool starts").install(work)
}
