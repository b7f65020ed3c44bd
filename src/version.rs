//! Version of the program, for people. Checkpoints compare the number alone, and no result depends on the rest.

#[cfg(feature = "cli")]
use std::sync::LazyLock;

use crate::simd::Level;

/// Number of the version.
#[cfg(feature = "cli")]
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// Version and [`build`], a line: `0.1.0 (commit 0123456789ab, features none, vectors avx512)`.
#[cfg(feature = "cli")]
pub(crate) static LINE: LazyLock<String> = LazyLock::new(|| format!("{NUMBER} ({})", build()));

/// Commit and features of the program, and the instruction set of its kernels on this machine. The commit is `unknown` where
/// the program was built outside a checkout.
pub(crate) fn build() -> String {
    let (commit, features) = (env!("BDEM_COMMIT"), env!("BDEM_FEATURES"));
    format!("commit {commit}, features {features}, vectors {}", Level::best())
}
