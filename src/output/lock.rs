use std::fmt::{self, Display, Formatter};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::whole::Unfinished;
use super::{OutputError, Result};

/// Name of the file that is locked.
const NAME: &str = ".lock";

/// Exclusive right of one run to write to a folder. It ends with this value or with the process, for the operating
/// system locks the file `.lock`. The file's text is for users, and for disks without locks.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    warning: Option<String>,
    _unfinished: Unfinished,
}

/// Process that holds a lock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    /// Start of the process, by its system's clock. Process ids are reused.
    pub start: Option<u64>,
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
            let file = open(&path).map_err(failed)?;
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
            let mut lock = Self { file, path: path.clone(), warning, _unfinished: Unfinished::new(path.clone()) };
            lock.sign().map_err(failed)?;
            return Ok(lock);
        }
    }

    /// Warning that the disk has no locks, so that runs on other hosts are not kept out.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    fn sign(&mut self) -> io::Result<()> {
        let holder = serde_json::to_vec(&Holder::this_process())?;
        self.file.set_len(0)?;
        self.file.write_all(&holder)
    }
}

impl Drop for Lock {
    /// The lock ends when the file is closed, even if removing it fails.
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            drop(fs::remove_file(&self.path));
        }
    }
}

impl Holder {
    fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, host: this_host(), start: start(pid) }
    }

    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    fn lives_here(&self) -> bool {
        self.host == this_host() && self.start.is_some() && self.start == start(self.pid)
    }
}

impl Display for Holder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.host)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn warning(folder: &Path, why: &io::Error, holder: Option<&Holder>) -> String {
    let folder = folder.display();
    let other =
        holder.map_or(String::new(), |holder| format!("; {holder} has not ended its run there, if it still lives"));
    format!("{folder} cannot be locked ({why}): make sure that no other host writes to it{other}")
}

fn this_host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// Start of a process of this host, in ticks since boot (proc(5), field 22), where available.
fn start(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // the second field, a name in parentheses, may hold any character
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// Whether `file` is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |of: fs::Metadata| (of.dev(), of.ino());
    let places = [file.metadata(), fs::metadata(path)].map(|of| of.map(place).ok());
    places[0].is_some() && places[0] == places[1]
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
