use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::error::FitError;

use super::{Record, Run};

/// Place of the steps' states until the sweep comes back to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In memory. Beyond the limit one state a segment is stored, and its steps are replayed:
    /// each step is then made twice.
    Memory {
        /// Limit on the bytes of stored states. Tangential springs of contacts come on top.
        bytes: u64,
    },
    /// In a file without a name in a folder.
    Disk {
        /// The folder.
        folder: PathBuf,
    },
}

impl Default for Storage {
    /// 512 MiB of memory.
    fn default() -> Self {
        Self::Memory { bytes: 512 << 20 }
    }
}

/// Steps of a segment of `run` that `storage` has room for: all steps, or the square root of their number.
pub(crate) fn segment(run: &Run, storage: &Storage) -> Result<u32, FitError> {
    let steps = run.steps().max(1);
    let Storage::Memory { bytes } = storage else { return Ok(steps) };
    let record = (Record::numbers(run.rule) * 8 * run.start.len()) as u64;
    if (u64::from(steps) + 1).saturating_mul(record) <= *bytes {
        return Ok(steps);
    }
    let segment = steps.isqrt().max(1);
    let needed = u64::from(steps.div_ceil(segment) + segment + 2).saturating_mul(record);
    if needed <= *bytes { Ok(segment) } else { Err(FitError::Memory { needed, allowed: *bytes }) }
}

/// Stored records, in the order of their steps.
pub(crate) enum Records {
    Memory(Vec<Record>),
    Disk { file: File, ends: Vec<(u32, u64)>, particles: usize, bytes: Vec<u8> },
}

impl Records {
    pub(crate) fn new(run: &Run, storage: &Storage) -> Result<Self, FitError> {
        Ok(match storage {
            Storage::Memory { .. } => Self::Memory(Vec::new()),
            Storage::Disk { folder } => {
                let file = tempfile::tempfile_in(folder)?;
                Self::Disk { file, ends: Vec::new(), particles: run.start.len(), bytes: Vec::new() }
            }
        })
    }

    /// Adds a record at the end.
    pub(crate) fn push(&mut self, record: Record) -> Result<(), FitError> {
        match self {
            Self::Memory(records) => records.push(record),
            Self::Disk { file, ends, bytes, .. } => {
                record.write(bytes);
                let end = ends.last().map_or(0, |(_, end)| *end);
                file.seek(SeekFrom::Start(end))?;
                file.write_all(bytes)?;
                ends.push((record.step, end + bytes.len() as u64));
            }
        }
        Ok(())
    }

    /// Removes the last record.
    pub(crate) fn pop(&mut self) -> Result<Option<Record>, FitError> {
        match self {
            Self::Memory(records) => Ok(records.pop()),
            Self::Disk { file, ends, particles, bytes } => {
                let Some((step, end)) = ends.pop() else { return Ok(None) };
                let start = ends.last().map_or(0, |(_, end)| *end);
                bytes.resize((end - start) as usize, 0);
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(bytes)?;
                Ok(Some(Record::read(step, bytes, *particles)))
            }
        }
    }
}
