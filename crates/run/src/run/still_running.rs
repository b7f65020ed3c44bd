use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::console;

/// Time without a line on standard error after which one says that the program still runs.
const PAUSE: Duration = Duration::from_secs(20);

/// Interval of the checks for it.
const TICK: Duration = Duration::from_secs(1);

/// Thread that says on standard error what takes long, as a step or the field of many points does, until this value is dropped. A
/// line comes at every 20 s without another.
#[derive(Debug)]
pub struct StillRunning {
    /// The operation, and its start.
    what: Arc<Mutex<(String, Instant)>>,
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StillRunning {
    /// Begins with the operation `what`. Without a thread, as at a limit on processes, no line comes.
    pub fn start(what: &str) -> Self {
        let what = Arc::new(Mutex::new((what.to_owned(), Instant::now())));
        let (stop, stopped) = mpsc::channel::<()>();
        let shared = Arc::clone(&what);
        let watch = move || {
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let (what, start) = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if console::last_line().unwrap_or(start).max(start).elapsed() >= PAUSE {
                    console::message(&format!("{what}  still running, {:.0} s", start.elapsed().as_secs_f64()));
                }
            }
        };
        let thread = thread::Builder::new().name("still running".into()).spawn(watch).ok();
        Self { what, stop: Some(stop), thread }
    }

    /// Goes on to the operation `what`.
    pub(super) fn set(&self, what: &str) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = (what.to_owned(), Instant::now());
    }
}

impl Drop for StillRunning {
    fn drop(&mut self) {
        self.stop = None;
        self.thread.take().map(JoinHandle::join);
    }
}
