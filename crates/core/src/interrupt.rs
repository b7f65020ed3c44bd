//! Request to stop, one for the whole process, as a signal is.
//!
//! A request ends the step in progress without effect: see
//! [`StepError::Interrupted`](crate::integrate::StepError::Interrupted). Loops within a step that may take longer than a second
//! check `is_requested`. Other work has nothing to save, and the command line ends the process there. The library never
//! requests a stop itself.

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Signal of the last request, zero without one.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Number of [`StopGuard`]s.
static GUARDS: AtomicUsize = AtomicUsize::new(0);

/// Requests that all simulations of this process stop because of this `signal`. Returns whether a run will write a checkpoint;
/// the process must live until then.
pub fn request(signal: i32) -> bool {
    SIGNAL.store(signal, Ordering::SeqCst);
    GUARDS.load(Ordering::SeqCst) > 0
}

/// Withdraws the request, after all that it stopped has returned.
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

/// Promise of a run to answer a request by a checkpoint, for the lifetime of the guard.
#[derive(Debug)]
pub struct StopGuard(());

impl StopGuard {
    /// Promise from now on.
    ///
    /// # Errors
    /// The signal of an earlier request.
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
