//! What a run leaves behind: PLY frames, tables, and the record of the run.
//!
//! ```text
//! folder   where everything goes, and what each file is called
//! lock     one run at a time in a folder
//! whole    a file that is there in full or not at all
//! ply      frames: where every particle is, for other programs
//! series   the frames that a run has left
//! vtu      frames for ParaView
//! tables   CSV: numbers that grow a row at a time
//! checkpoint   what a run goes on from
//! record   run.json: what ran and how far it has come
//! matrix_market    linear systems, for other programs' solvers
//! ```

mod checkpoint;
mod error;
mod folder;
mod lock;
pub mod matrix_market;
pub mod ply;
mod record;
mod series;
mod tables;
pub(crate) mod vtu;
mod whole;

pub use checkpoint::Checkpoint;
pub use error::{OutputError, Result};
pub use folder::{FRACTURES, METRICS, RECORD, RESOLVED_SCENE, RunFolder, TIMINGS};
pub use lock::{Holder, Lock};
pub use record::{RunRecord, RunState, Seconds};
pub use series::{FrameFile, FrameRanges, frames_of};
pub use tables::{FractureEvent, Metrics, Table, TableRow, Timings, first_rows};
pub use vtu::{write_pvd, write_vtu};
pub use whole::{remove_unfinished, write_whole};
