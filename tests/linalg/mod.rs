//! Tests of `crates/core/src/linalg`, one file each of its files.

mod amg;
mod beam;
mod block_jacobi;
mod block_matrix;
mod cg;
mod lanczos;
mod pair_operator;
mod vector;

use std::sync::LazyLock;

use bdem_core::internals::linalg::IterationLimits;
use bdem_core::interrupt::Interrupt;

/// Limits without a request to stop.
pub(crate) fn limits(tolerance: f64, max_iterations: usize) -> IterationLimits<'static> {
    static NEVER: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);
    IterationLimits { tolerance, max_iterations, interrupt: &NEVER }
}

/// What `work` gives on `threads` threads.
pub(crate) fn on_threads<A: Send>(threads: usize, work: impl FnOnce() -> A + Send) -> A {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool starts").install(work)
}
