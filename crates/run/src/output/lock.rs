use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::whole::Unfinished;
use super::{OutputError, Result};
use crate::files;

/// Name of the file that is locked.
const NAME: &str = ".lock";

/// Limit on the bytes of its text.
const MAX_BYTES: u64 = 1 << 16;

/// Interval of heartbeats.
pub const HEARTBEAT: Duration = Duration::from_secs(10);

/// Age of a heartbeat from which its process counts as dead: the interval, a minute for which network file systems show
/// old files, and 50 s for clocks that differ.
pub const DEAD_AFTER: Duration = Duration::from_secs(120);

/// Seconds since 1970 (UTC), by this machine's clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Exclusive right of one run to write to a folder. It ends with this value or with the process, for the operating
/// system locks the file `.lock`. The file's text is for users, for disks without locks, and for other hosts: a thread
/// rewrites it every [`HEARTBEAT`] while the process lives, however long a step takes.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    warning: Option<String>,
    /// Thread of the heartbeat, which ends with its sender.
    heartbeat: Option<(Sender<()>, JoinHandle<()>)>,
    _unfinished: Unfinished,
}

/// Process that holds a lock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Name of the host.
    pub host: String,
    /// Start of the process, by its system's clock. Process ids are reused.
    pub start: Option<u64>,
    /// Boot of its host, and its process namespace there. Only within these the process can be looked up.
    #[serde(default)]
    pub system: Option<String>,
    /// Time of the last heartbeat, seconds since 1970 (UTC) by the host's clock.
    #[serde(default)]
    pub heartbeat: u64,
}

impl Lock {
    /// Lock on the folder at `folder`.
    ///
    /// # Errors
    /// [`OutputError::Locked`] when another run holds it. On disks without locks, when a process of this host in
    /// `.lock` still runs; see [`Self::warning`].
    pub fn acquire(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let failed = |error| OutputError::file("lock", &path)(error);
        loop {
            let file = files::open_own(&path).map_err(failed)?;
            let locked = file.try_lock();
            // the previous run removes the file as it ends: the opened one may be gone
            if !is_at(&file, &path) {
                continue;
            }
            let holder = Holder::read(&path);
            let warning = match locked {
                Ok(()) => None,
                Err(TryLockError::Error(why)) if !holder.as_ref().is_some_and(Holder::lives_here) => {
                    Some(warning(folder, &why, holder.as_ref()))
                }
                Err(_) => return Err(OutputError::Locked { folder: folder.to_owned(), holder }),
            };
            let _unfinished = Unfinished::new(path.clone());
            let mut lock = Self { file, path: path.clone(), warning, heartbeat: None, _unfinished };
            lock.heartbeat = Some(lock.start_heartbeat().map_err(failed)?);
            return Ok(lock);
        }
    }

    /// Warning that the disk has no locks, so that runs on other hosts are not kept out.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Whether the process that signed the lock of the folder at `folder` lives. None where there is no lock.
    ///
    /// A process of this system is looked up. Another lives while its heartbeat is younger than `dead_after`, by its host's clock
    /// or by the file server's, whichever is later. So a wrong clock of one host declares no run dead.
    pub(crate) fn is_alive(folder: &Path, dead_after: Duration) -> Option<bool> {
        let path = folder.join(NAME);
        let written =
            fs::symlink_metadata(&path).ok()?.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let holder = Holder::read(&path);
        if let Some(holder) = holder.as_ref().filter(|holder| holder.is_of_this_system()) {
            return Some(holder.lives_here());
        }
        let stamps = [holder.map(|holder| holder.heartbeat), written.map(|time| time.as_secs())];
        let youngest = stamps.into_iter().flatten().max().unwrap_or(0);
        Some(now().saturating_sub(youngest) < dead_after.as_secs())
    }

    /// Signs the file, now and at every interval.
    fn start_heartbeat(&self) -> io::Result<(Sender<()>, JoinHandle<()>)> {
        let (mut file, mut holder) = (self.file.try_clone()?, Holder::this_process());
        file.set_len(0)?;
        holder.sign(&mut file)?;
        let (stop, stopped) = mpsc::channel();
        let beat = move || {
            while stopped.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                // a full disk shows at the run's other files
                drop(holder.sign(&mut file));
            }
        };
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat).map_err(|why| {
            let remedy = "raise the limit on processes (ulimit -u) or on memory (ulimit -v)";
            io::Error::new(why.kind(), format!("no thread can be started for its heartbeat ({why}); {remedy}"))
        })?;
        Ok((stop, thread))
    }
}

impl Drop for Lock {
    /// The lock ends when the file is closed, even if removing it fails.
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.heartbeat.take() {
            drop(stop);
            drop(thread.join());
        }
        if is_at(&self.file, &self.path) {
            drop(fs::remove_file(&self.path));
        }
    }
}

impl Holder {
    fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, host: this_host(), start: start(pid), system: this_system(), heartbeat: now() }
    }

    /// Replaces the content of `file`, whose length never changes, in one call, and sends it to the file server, as far as the disk
    /// supports it.
    fn sign(&mut self, file: &mut File) -> io::Result<()> {
        self.heartbeat = now();
        let text = serde_json::to_vec(self)?;
        file.rewind()?;
        file.write_all(&text)?;
        drop(file.sync_data());
        Ok(())
    }

    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&files::read(path, MAX_BYTES).ok()?).ok()
    }

    /// Whether this process can look it up.
    fn is_of_this_system(&self) -> bool {
        self.host == this_host() && self.start.is_some() && self.system == this_system()
    }

    fn lives_here(&self) -> bool {
        self.is_of_this_system() && self.start == start(self.pid)
    }
}

impl Display for Holder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

fn warning(folder: &Path, why: &io::Error, holder: Option<&Holder>) -> String {
    let folder = folder.display();
    let other =
        holder.map_or(String::new(), |holder| format!("; {holder} has not ended its run there, if it still lives"));
    format!("{folder} cannot be locked ({why}): make sure that no other host writes to it{other}")
}

/// Name of this host.
pub(crate) fn this_host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// Boot of this host and process namespace of this process, where available. Containers may share a name of the host.
fn this_system() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

/// Start of a process of this host, in ticks since boot (proc(5), field 22), where available. `None` once it has ended, also if it
/// stays a zombie, as in containers without an init process.
fn start(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the second field, a name in parentheses, may hold any character
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    fields.nth(18).filter(|_| !["Z", "X"].contains(&state))?.parse().ok()
}

/// Whether `file` is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |of: fs::Metadata| (of.dev(), of.ino());
    let places = [file.metadata(), fs::symlink_metadata(path)].map(|of| of.map(place).ok());
    places[0].is_some() && places[0] == places[1]
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
