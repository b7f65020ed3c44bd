//! Request to stop, one for the whole process, as a signal is.
//!
//! A step that is being solved is left when the request comes, and changes nothing: see
//! [`StepError::Interrupted`](crate::integrate::StepError::Interrupted). Loops that may take longer than a second within a
//! step ask [`is_requested`]. Nothing else does: other work has nothing to save, so that the command line ends the process
//! there. The library never requests a stop by itself.

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Number of the signal that was requested last, zero without one.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Number of [`StopGuard`]s.
static GUARDS: AtomicUsize = AtomicUsize::new(0);

/// Requests that all simulations of this process stop, for the reason of this `signal`. Returns whether a run answers it by
/// a checkpoint: the process has to live until then.
pub fn request(signal: i32) -> bool {
    SIGNAL.store(signal, Ordering::SeqCst);
    GUARDS.load(Ordering::SeqCst) > 0
}

/// Withdraws the request, once all that it stopped has returned.
pub fn clear() {
    SIGNAL.store(0, Ordering::SeqCst);
}

/// Signal of the request, if there is one.
pub fn signal() -> Option<i32> {
    Some(SIGNAL.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// Whether there is a request. Costs no more than a load from memory.
pub fn is_requested() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// Promise of a run to answer a request by a checkpoint, for as long as this lives.
#[derive(Debug)]
pub struct StopGuard(());

impl StopGuard {
    /// Promises it.
    ///
    /// # Errors
    /// The signal of a request that came before the promise.
    pub fn new() -> Result<Self, i32> {
        GUARDS.fetch_add(1, Ordering::SeqCst);
        let guard = Self(());
        signal().map_or(Ok(guard), Err)
    }
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        GUARDS.fetch_sub(1, Ordering::SeqCst);
    }
}
