//! Requests to stop a run: of Ctrl-C, for instance, by `signals.rs` of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Request to stop the runs that share it: clones are the same request. A world has one, [`World::interrupt`].
///
/// A request ends the step in progress without effect, by [`StepError::Interrupted`]. Loops within a step that may take longer
/// than a second check for it. The library never requests a stop itself.
///
/// [`World::interrupt`]: crate::model::World::interrupt
/// [`StepError::Interrupted`]: crate::integrate::StepError::Interrupted
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    /// Signal of the last request, zero without one.
    signal: Arc<AtomicI32>,
    /// Number of [`StopGuard`]s.
    guards: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Requests a stop because of this `signal`. Returns whether a run will write a checkpoint; the process must live until
    /// then.
    pub fn request(&self, signal: i32) -> bool {
        self.signal.store(signal, Ordering::SeqCst);
        self.guards.load(Ordering::SeqCst) > 0
    }

    /// Withdraws the request, after all that it stopped has returned.
    pub fn clear(&self) {
        self.signal.store(0, Ordering::SeqCst);
    }

    /// Signal of the request, if there is one.
    pub fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
    }

    /// Whether there is a request. Costs no more than a load from memory.
    pub fn is_requested(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }

    /// Promise of a run to answer a request by a checkpoint, from now on.
    ///
    /// # Errors
    /// The signal of an earlier request.
    pub fn guard(&self) -> Result<StopGuard, i32> {
        self.guards.fetch_add(1, Ordering::SeqCst);
        let guard = StopGuard(self.clone());
        self.signal().map_or(Ok(guard), Err)
    }
}

/// Promise of a run to answer a request by a checkpoint, for the lifetime of the guard: see [`Interrupt::guard`].
#[derive(Debug)]
pub struct StopGuard(Interrupt);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.guards.fetch_sub(1, Ordering::SeqCst);
    }
}
