//! Checkpoints: files from which a run can resume.
//!
//! ```text
//! "BDEMCKPT"            8 bytes
//! format                u32, little-endian as all numbers: this is 5. A new layout of the payload has a new number
//! length of the record  u32
//! record                JSON, the same as run.json at that time
//! payload               Zstandard stream of the simulation's state, in postcard's format: arrays of numbers one after
//!                       another, floating point as in memory
//! SHA-256               of all before it, 32 bytes
//! ```

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::{OutputError, Result, RunRecord, write_whole};
use crate::files;

const MAGIC: &[u8; 8] = b"BDEMCKPT";
const FORMAT: u32 = 8;
/// Length of the head before the record, bytes.
const HEAD: usize = 16;
const DIGEST: usize = 32;

/// Compression level of Zstandard, the fastest. States of a motion compress hardly better at higher ones.
const LEVEL: i32 = 1;

/// Buffer of the (de)compressor, bytes.
const BUFFER: usize = 1 << 16;

/// Checkpoint that was written in full.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Record of the run at the checkpoint.
    pub record: RunRecord,
    payload: Vec<u8>,
}

impl Checkpoint {
    /// Writes the checkpoint of `payload`, the state to resume from, to the file at `path` in full, or leaves none.
    ///
    /// # Errors
    /// When the payload cannot be serialized, or the file cannot be written.
    pub fn write(path: &Path, record: &RunRecord, payload: &impl Serialize) -> Result<()> {
        write_whole(path, |out| stream(out, record, payload))
    }

    /// Checkpoint of `payload` in memory.
    ///
    /// # Errors
    /// When the payload cannot be serialized.
    pub fn new(record: &RunRecord, payload: &impl Serialize) -> io::Result<Self> {
        let mut bytes = Vec::new();
        stream(&mut bytes, record, payload)?;
        Self::parse(bytes).map_err(io::Error::other)
    }

    /// Checkpoint in the file at `path`.
    ///
    /// # Errors
    /// When it cannot be read, is incomplete, or has another format: that is of kind [`io::ErrorKind::Unsupported`].
    pub fn read(path: &Path) -> Result<Self> {
        let parse = |bytes: Vec<u8>| {
            let is_other = format_of(&bytes).is_some_and(|format| format != FORMAT);
            let kind = if is_other { io::ErrorKind::Unsupported } else { io::ErrorKind::InvalidData };
            Self::parse(bytes).map_err(|why| io::Error::new(kind, why))
        };
        files::read_of_run(path).and_then(parse).map_err(OutputError::file("read the checkpoint", path))
    }

    /// Checkpoint in the bytes of its file.
    ///
    /// # Errors
    /// A message, when the bytes are no checkpoint.
    pub fn parse(mut bytes: Vec<u8>) -> std::result::Result<Self, String> {
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
        if bytes.len() < HEAD + DIGEST || !bytes.starts_with(MAGIC) {
            return Err("not a checkpoint, or cut short".to_owned());
        }
        if let Some(other) = format_of(&bytes).filter(|format| *format != FORMAT) {
            return Err(format!("its format is {other}, and this version of bdem reads {FORMAT}"));
        }
        let (start, end) = (HEAD.saturating_add(number(12) as usize), bytes.len() - DIGEST);
        if start > end || Sha256::digest(&bytes[..end])[..] != bytes[end..] {
            return Err("it is damaged or cut short: its checksum does not match".to_owned());
        }
        let record =
            serde_json::from_slice(&bytes[HEAD..start]).map_err(|e| format!("its record cannot be parsed: {e}"))?;
        bytes.truncate(end);
        bytes.drain(..start);
        Ok(Self { record, payload: bytes })
    }

    /// State to resume from.
    ///
    /// # Errors
    /// When it has another type, or takes more than `most` bytes.
    pub fn payload<T: DeserializeOwned>(&self, most: u64) -> io::Result<T> {
        let plain = zstd::Decoder::new(&self.payload[..])?.take(most);
        let mut scratch = [0; 256];
        let source = (BufReader::with_capacity(BUFFER, plain), &mut scratch[..]);
        postcard::from_io(source).map(|(payload, _)| payload).map_err(io::Error::other)
    }
}

/// Writes the bytes of a checkpoint's file as they come: the state of a large run is not held twice.
fn stream(out: impl Write, record: &RunRecord, payload: &impl Serialize) -> io::Result<()> {
    let mut out = Hashed { out, hash: Sha256::new() };
    let record = serde_json::to_vec(record)?;
    let length = u32::try_from(record.len()).map_err(io::Error::other)?;
    for part in [&MAGIC[..], &FORMAT.to_le_bytes(), &length.to_le_bytes(), &record] {
        out.write_all(part)?;
    }
    let mut encoder = zstd::Encoder::new(&mut out, LEVEL)?;
    let mut buffer = CauseKept { out: BufWriter::with_capacity(BUFFER, &mut encoder), cause: None };
    let written = postcard::to_io(payload, &mut buffer).map(drop);
    let cause = buffer.cause.take();
    written.map_err(|why| cause.unwrap_or_else(|| io::Error::other(why)))?;
    buffer.flush()?;
    drop(buffer);
    encoder.finish()?;
    out.out.write_all(&out.hash.finalize())
}

/// Writer that computes the digest of its bytes.
struct Hashed<W> {
    out: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writer that keeps the first error: the serializer tells of any failure that its buffer is full.
struct CauseKept<W> {
    out: W,
    cause: Option<io::Error>,
}

impl<W> CauseKept<W> {
    fn keep<A>(&mut self, outcome: io::Result<A>) -> io::Result<A> {
        outcome.map_err(|cause| {
            let kind = cause.kind();
            self.cause.get_or_insert(cause);
            kind.into()
        })
    }
}

impl<W: Write> Write for CauseKept<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let outcome = self.out.write(bytes);
        self.keep(outcome)
    }

    fn flush(&mut self) -> io::Result<()> {
        let outcome = self.out.flush();
        self.keep(outcome)
    }
}

/// Format of a checkpoint, if the bytes of its file begin like one.
fn format_of(bytes: &[u8]) -> Option<u32> {
    let rest = bytes.strip_prefix(MAGIC)?;
    rest.first_chunk().map(|number| u32::from_le_bytes(*number))
}
