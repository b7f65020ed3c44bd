use std::panic::resume_unwind;
use std::process;
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bdem_core::interrupt::Interrupt;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Process that has loaded the library.
static PROCESS: LazyLock<u32> = LazyLock::new(process::id);

/// Refuses calls after a fork, of which threads and locks are not copied.
pub(crate) fn check_process() -> PyResult<()> {
    if *PROCESS == process::id() {
        return Ok(());
    }
    let message = "bdem was loaded before a fork, and cannot be called after it: start processes by spawn, as \
                   multiprocessing.get_context(\"spawn\"), or load bdem in each of them";
    Err(PyRuntimeError::new_err(message))
}

/// Thread pool. Without a number it has a thread for each core.
pub(crate) fn pool(threads: Option<i64>) -> PyResult<ThreadPool> {
    /// Bound on their number: each has a stack.
    const MOST: i64 = 1024;
    check_process()?;
    if let Some(threads) = threads.filter(|threads| !(1..=MOST).contains(threads)) {
        let message = format!("threads: {threads} is not from 1 to {MOST}; None takes as many as there are cores");
        return Err(PyValueError::new_err(message));
    }
    let threads = threads.and_then(|threads| usize::try_from(threads).ok());
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|error| PyRuntimeError::new_err(format!("threads: {error}")))
}

/// Result of `work` on the threads of `pool`, without the interpreter's lock. Ctrl-C requests a stop by `interrupt`, and is raised once
/// the work has left things whole.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    /// Interval of the checks for a signal.
    const INTERVAL: Duration = Duration::from_millis(50);
    /// SIGINT.
    const BY_CTRL_C: i32 = 2;
    check_process()?;
    let (done, bell) = (Mutex::new(false), Condvar::new());
    let ring = || {
        *done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
    };
    let wait = || {
        let done = done.lock().unwrap_or_else(PoisonError::into_inner);
        *bell.wait_timeout_while(done, INTERVAL, |done| !*done).unwrap_or_else(PoisonError::into_inner).0
    };
    let mut raised = None;
    let result = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let bell = Bell(&ring);
            let result = pool.install(work);
            drop(bell);
            result
        });
        while !py.detach(wait) {
            if raised.is_none()
                && let Err(error) = py.check_signals()
            {
                interrupt.request(BY_CTRL_C);
                raised = Some(error);
            }
        }
        py.detach(|| worker.join())
    });
    let result = result.unwrap_or_else(|panic| resume_unwind(panic));
    raised.map_or(Ok(result), Err)
}

/// Rings when the work ends, also by a panic.
struct Bell<'a>(&'a dyn Fn());

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        self.0();
    }
}
