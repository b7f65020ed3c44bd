use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of a topology. Equal identities mean equal topologies, in any two worlds; a change makes a new one. Caches are
/// keyed by it, results never depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity(u64);

impl Identity {
    /// Identity that no other value has.
    pub(crate) fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
