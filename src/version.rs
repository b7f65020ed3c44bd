//! Version of the program. Checkpoints compare the number alone, and journals of fits the commit too.

use std::sync::LazyLock;

use bdem_run::scene::requested_instructions;

/// Number of the version.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// Version and commit, on which the bits of results may depend.
pub(crate) const NUMBER_AND_COMMIT: &str = concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("BDEM_COMMIT"), ")");

/// Version and [`build`], a line: `0.1.0 (commit 0123456789ab, vectors avx512)`.
pub(crate) static LINE: LazyLock<String> = LazyLock::new(|| format!("{NUMBER} ({})", build()));

/// Commit of the program, and the instruction set of its kernels on this machine. The commit is `unknown` where the program
/// was built outside a checkout.
pub(crate) fn build() -> String {
    format!("commit {}, vectors {}", env!("BDEM_COMMIT"), requested_instructions())
}
