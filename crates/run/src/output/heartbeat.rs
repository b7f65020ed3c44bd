use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Interval of heartbeats.
pub const INTERVAL: Duration = Duration::from_secs(10);

/// Age of a heartbeat from which its process counts as dead: the interval, a minute for which network file systems show
/// old files, and 50 s for clocks that differ.
pub const DEAD_AFTER: Duration = Duration::from_secs(120);

/// Seconds since 1970 (UTC), by this machine's clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Thread that rewrites a file at every [`INTERVAL`], until this value is dropped. The file tells other machines that this
/// process lives, however long a step takes.
#[derive(Debug)]
pub(super) struct Heartbeat {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Writes `text`, whose length never changes, to the `file` now and at every interval.
    ///
    /// # Errors
    /// When the first writing fails, or the thread cannot start. Later failures are those of the run's other files.
    pub(super) fn start(mut file: File, text: impl Fn() -> Vec<u8> + Send + 'static) -> io::Result<Self> {
        write(&mut file, &text())?;
        let (stop, stopped) = mpsc::channel();
        let beat = move || {
            while is_time(&stopped) {
                drop(write(&mut file, &text()));
            }
        };
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat).map_err(|why| no_thread(&why))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop = None;
        self.thread.take().map(JoinHandle::join);
    }
}

/// Error of a heartbeat's thread that cannot start; the locked file has no part in it.
fn no_thread(why: &io::Error) -> io::Error {
    let remedy = "raise the limit on processes (ulimit -u) or on memory (ulimit -v)";
    io::Error::new(why.kind(), format!("no thread can be started for its heartbeat ({why}); {remedy}"))
}

/// Waits for the next beat. Returns false when the value was dropped.
fn is_time(stopped: &Receiver<()>) -> bool {
    stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout)
}

/// Replaces the content of `file` in one call, and sends it to the file server, as far as the disk supports it.
fn write(file: &mut File, text: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text)?;
    drop(file.sync_data());
    Ok(())
}
