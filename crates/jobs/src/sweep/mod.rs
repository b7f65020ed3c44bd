//! Runs of one scene with several values of its keys.
//!
//! ```text
//! vary    keys and seeds of a sweep, and their values
//! points  all combinations of the values, and the folders of their runs
//! checked a sweep whose scenes are all right
//! runs    its runs, side by side
//! table   sweep.csv: a row a run
//! slurm   the same runs as an array job of Slurm
//! ```

mod checked;
mod points;
mod runs;
mod slurm;
mod table;
mod vary;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bdem_run::run::RunOptions;
use bdem_run::scene::Setting;

pub use checked::CheckedSweep;
pub use points::Point;
pub use runs::{Failure, SweepReport, run};
pub use slurm::{SlurmOptions, slurm};
pub use table::{TABLE, write_table};
pub use vary::{Varied, seeds};

/// A scene, and the values of its keys for a run each.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Scene file (TOML).
    pub scene: PathBuf,
    /// Values of the scene in all runs.
    pub settings: Vec<Setting>,
    /// Keys with several values. All combinations are run; the last key varies first.
    pub varied: Vec<Varied>,
    /// Values of `scene.seed`, which vary before those of all keys. None for the scene's own.
    pub seeds: Vec<u64>,
}

/// Options of the runs of a sweep.
#[derive(Clone, Debug, Default)]
pub struct SweepOptions {
    /// Output folder, with a folder for each run; treatment of runs that are there; log, packings, device, and a request to stop.
    pub run: RunOptions,
    /// Number of simultaneous runs, which share the threads. Without one, the threads and the memory
    /// limit it, and it is one on a device.
    pub jobs: Option<NonZeroUsize>,
    /// Limit on the memory of all runs at once, bytes. None for the free memory.
    pub max_memory: Option<u64>,
}
