//! Output of a run: PLY frames, tables, checkpoints and the run's record.
//!
//! ```text
//! folder   the folder of a run, and the names of its files
//! lock     one run at a time in a folder, with a heartbeat for other hosts
//! status   whether a run is running, finished or dead
//! whole    files written in full or not at all
//! named    files and folders that a user has named
//! ply      frames: all particles, for other programs
//! series   the frames of a run
//! vtu      frames for ParaView
//! tables   CSV files that grow a row at a time
//! columns  the CSV file of forces, whose columns the scene chooses
//! checkpoint   the state to resume from
//! record   run.json: parameters and progress of the run
//! test_results   results of its material test
//! ```

mod checkpoint;
mod columns;
mod error;
mod folder;
mod lock;
mod named;
pub mod ply;
mod record;
mod series;
mod status;
mod tables;
mod test_results;
pub mod vtu;
mod whole;

pub use checkpoint::Checkpoint;
pub use columns::Columns;
pub use error::{OutputError, Result};
pub use folder::{FORCES, METRICS, RECORD, RunFolder};
pub use folder::{FRACTURES, RESOLVED_SCENE, TIMINGS};
pub(crate) use lock::this_host;
pub use lock::{DEAD_AFTER, HEARTBEAT, Holder, Lock, now};
pub use named::{check_folder, holds_file, make_folder, write_named};
pub use record::{RunRecord, RunState};
pub use series::{FrameFile, FrameRanges, frames_of};
pub use status::RunStatus;
pub use tables::{Metrics, Table, TableRow, Timings, first_rows};
pub use test_results::TestResults;
pub use vtu::{write_pvd, write_vtu};
pub use whole::remove_unfinished;
pub(crate) use whole::whole_name;
pub use whole::write_whole;
