//! Estimate of a run's memory, and its check against the free memory.

use std::fs;
use std::path::Path;

use bdem_core::model::{BondStatus, World};
use bytesize::ByteSize;
use thiserror::Error;

use crate::scene::Scene;

/// Error for a scene that exceeds the available memory.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}", self.message())]
#[non_exhaustive]
pub struct TooLarge {
    /// Estimated number of particles, of the largest scene among several.
    pub particles: u64,
    /// Estimated memory of the run, bytes.
    pub needed: u64,
    /// Limit, bytes.
    pub most: u64,
    /// Whether the user set `most`.
    pub is_set: bool,
}

/// Upper bound on the memory of a run of `scene`, bytes, from the volumes of its bodies. For memory that was measured see [`peak`].
///
/// Measured as the maximum resident memory less 20 MB of the program. The scenes were cubes of 19, 191 and 984 thousand
/// particles in hexagonal packing that fall on a floor. The higher values are with heavy fracture, because broken bonds become
/// possible contacts:
///
/// | | bytes per particle |
/// |---|---|
/// | Verlet | 1700 to 2800 |
/// | implicit, with a step of a frame or less | 2700 to 5800 |
/// | implicit, 3000 T: with a hierarchy of matrices | 5200, 5500 |
/// | implicit, heaps of grains where single precision fails: with a second matrix in double precision | up to 7700 |
/// | Verlet, packed at random | 1900, 2400 |
pub fn estimate(scene: &Scene) -> u64 {
    let each = if scene.time.integrator.is_only_implicit() { 8000 } else { 7000 };
    PROGRAM + scene.estimated_particles() * each
}

/// Maximum resident memory of this process so far, bytes. None if the system does not report it.
pub fn peak() -> Option<u64> {
    number_after(Path::new("/proc/self/status"), "VmHWM:").map(|kibibytes| 1024 * kibibytes)
}

/// Memory that output takes besides the steps', bytes: arrays of a frame (a particle's piece, the size of one while pieces are counted,
/// or its damage and stress), and in a checkpoint the status of each bond and the compressor.
pub fn of_output(world: &World) -> u64 {
    /// Compressor at its fastest level, and buffers of files, bytes.
    const COMPRESSOR: usize = 1_700_000;
    let of_particles = world.particles.len() * (2 * size_of::<u32>() + size_of::<usize>());
    (of_particles + world.bonds().len() * size_of::<BondStatus>() + COMPRESSOR) as u64
}

/// Memory of the program without a scene, bytes.
const PROGRAM: u64 = 20_000_000;

/// Checks that simultaneous runs of these scenes fit into `most` bytes, or by default into the free memory.
///
/// # Errors
/// When they do not. Nothing large was built then.
pub fn check(scenes: &[&Scene], most: Option<u64>) -> Result<(), TooLarge> {
    let needed = scenes.iter().map(|scene| estimate(scene)).sum();
    match most.or_else(|| free(Path::new("/"))) {
        Some(limit) if needed > limit => {
            let particles = scenes.iter().map(|scene| scene.estimated_particles()).max().unwrap_or(0);
            Err(TooLarge { particles, needed, most: limit, is_set: most.is_some() })
        }
        _ => Ok(()),
    }
}

impl TooLarge {
    fn message(&self) -> String {
        let Self { particles, is_set, .. } = self;
        let [needed, most] = [self.needed, self.most].map(|bytes| ByteSize(bytes).display().si());
        let limit = if *is_set {
            format!("--max-memory allows {most}")
        } else {
            format!("{most} are free (--max-memory sets another limit)")
        };
        format!("about {particles} particles need {needed}, and {limit}: take larger particles or smaller bodies")
    }
}

/// Available memory, bytes: that of the machine, or less if a control group around this process is limited. `root` is the root
/// of the system's files. None if the system does not report it.
pub fn free(root: &Path) -> Option<u64> {
    let machine = number_after(&root.join("proc/meminfo"), "MemAvailable:").map(|kibibytes| 1024 * kibibytes);
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    groups.lines().filter_map(|line| free_in_groups(root, line)).chain(machine).chain(free_addresses(root)).min()
}

/// Free part of the limit on this process's addresses (`ulimit -v`), bytes. None without a limit.
fn free_addresses(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    // its soft value comes first
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let used = number_after(&root.join("proc/self/status"), "VmSize:").map_or(0, |kibibytes| 1024 * kibibytes);
    Some(limit.saturating_sub(used))
}

/// Memory files of a generation of control groups.
struct Accounts {
    folder: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// Key in `memory.stat` of reclaimable cache.
    cache: &'static str,
}

const FIRST: Accounts = Accounts {
    folder: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cache: "total_inactive_file",
};
const SECOND: Accounts =
    Accounts { folder: "sys/fs/cgroup", limit: "memory.max", usage: "memory.current", cache: "inactive_file" };

/// Free memory in the group of a line `NUMBER:CONTROLLERS:PATH`, and in all groups around it. In a container the path may be
/// that of the host, so missing groups are ignored.
fn free_in_groups(root: &Path, line: &str) -> Option<u64> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    let accounts = match controllers {
        "" => SECOND,
        some if some.split(',').any(|controller| controller == "memory") => FIRST,
        _ => return None,
    };
    let path = Path::new(path.trim_start_matches('/'));
    path.ancestors().filter_map(|group| accounts.free(&root.join(accounts.folder).join(group))).min()
}

impl Accounts {
    fn free(&self, group: &Path) -> Option<u64> {
        let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
        let cache = number_after(&group.join("memory.stat"), self.cache).unwrap_or(0);
        let used = number(self.usage)?.saturating_sub(cache);
        Some(number(self.limit)?.saturating_sub(used))
    }
}

/// Number after `key` in a file of lines `KEY NUMBER ...`.
fn number_after(path: &Path, key: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| words.next().filter(|&word| word == key).and_then(|_| words.next())?.parse().ok())
}
