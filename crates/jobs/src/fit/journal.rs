//! Evaluations of a fit on disk. A fit that resumes begins anew and finds them here, so that it has the same bits.
//!
//! ```text
//! "bdem fit 3\n"
//! length of the head   u32, little-endian as all numbers
//! head                 JSON: name and digest of each input
//! SHA-256              of all before it
//! evaluations          parameters and result (f64), and the SHA-256 of the one above and these numbers
//! ```
//!
//! All evaluations of a fit have as many numbers, so that an incomplete one at the end is told from a damaged one.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bdem_run::files;
use bdem_run::output::{OutputError, write_whole};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::JobError;

/// Evaluations by their parameters.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// SHA-256 of the head.
    head: Sum,
    known: HashMap<Vec<u64>, Vec<f64>>,
    /// Number of evaluations of an earlier fit.
    pub earlier: usize,
}

/// Input of a fit on which its evaluations depend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Input {
    /// File, or the program.
    pub name: String,
    /// SHA-256 in hexadecimal, or the program's version.
    pub digest: String,
}

/// Numbers of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub parameters: usize,
    pub results: usize,
}

/// SHA-256.
type Sum = [u8; 32];

const MAGIC: &[u8] = b"bdem fit 3\n";

/// Limit on the bytes of the head.
const MAX_HEAD: u32 = 1 << 24;

impl Input {
    pub(super) fn new(name: impl Into<String>, sum: &[u8]) -> Self {
        Self { name: name.into(), digest: sum.iter().map(|byte| format!("{byte:02x}")).collect() }
    }
}

impl Journal {
    /// New journal at `path` of a fit with these inputs. An older one is replaced.
    pub(super) fn begin(path: &Path, inputs: &[Input]) -> Result<Self, OutputError> {
        let json = serde_json::to_vec(inputs).expect("texts");
        let mut bytes = [MAGIC, &(json.len() as u32).to_le_bytes(), &json].concat();
        let head: Sum = Sha256::digest(&bytes).into();
        bytes.extend(head);
        write_whole(path, |out| out.write_all(&bytes))?;
        let file = files::append(path).map_err(OutputError::file("write", path))?;
        Ok(Self { file, path: path.to_owned(), head, known: HashMap::new(), earlier: 0 })
    }

    /// Journal at `path`, to go on with a fit of these inputs, whose evaluations have this `shape`.
    ///
    /// # Errors
    /// When it is of other inputs, or is damaged.
    pub(super) fn resume(path: &Path, inputs: &[Input], shape: Shape) -> Result<Self, JobError> {
        let failed = || OutputError::file("resume from", path);
        let file = files::open(path).map_err(failed())?;
        let mut source = BufReader::new(file);
        let (theirs, head, start) = read_head(&mut source).map_err(|error| failed()(damaged_head(error)))?;
        if let Some(change) = difference(&theirs, inputs) {
            let message = format!(
                "{} is of another fit: {change}; undo that, --overwrite the fit, or name another folder with -o",
                path.display()
            );
            return Err(JobError::OtherInputs(message));
        }
        let (known, end) = read_entries(source, &head, start, shape).map_err(failed())?;
        // an evaluation that was being written is incomplete
        let file = files::append(path).and_then(|file| file.set_len(end).map(|()| file)).map_err(failed())?;
        let earlier = known.len();
        Ok(Self { file, path: path.to_owned(), head, known, earlier })
    }

    /// Result of an evaluation.
    pub(super) fn get(&self, parameters: &[f64]) -> Option<&Vec<f64>> {
        self.known.get(&key(parameters))
    }

    /// Keeps the result of an evaluation.
    pub(super) fn put(&mut self, parameters: &[f64], result: Vec<f64>) -> Result<(), OutputError> {
        let numbers = parameters.iter().chain(&result);
        let mut bytes: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend(sum(&self.head, &bytes));
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(OutputError::file("write", &self.path))?;
        self.known.insert(key(parameters), result);
        Ok(())
    }
}

fn key(parameters: &[f64]) -> Vec<u64> {
    parameters.iter().map(|x| x.to_bits()).collect()
}

/// Checksum of an evaluation's bytes in the journal of this head.
fn sum(head: &Sum, bytes: &[u8]) -> Sum {
    Sha256::new_with_prefix(head).chain_update(bytes).finalize().into()
}

/// Inputs in the head, its SHA-256 and its length.
fn read_head(source: &mut impl Read) -> io::Result<(Vec<Input>, Sum, u64)> {
    let mut bytes = vec![0; MAGIC.len() + size_of::<u32>()];
    source.read_exact(&mut bytes)?;
    let (magic, length) = bytes.split_at(MAGIC.len());
    let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
    if magic != MAGIC || length > MAX_HEAD {
        return Err(ErrorKind::InvalidData.into());
    }
    let start = bytes.len();
    bytes.resize(start + length as usize, 0);
    source.read_exact(&mut bytes[start..])?;
    let mut head = Sum::default();
    source.read_exact(&mut head)?;
    if head != Sum::from(Sha256::digest(&bytes)) {
        return Err(ErrorKind::InvalidData.into());
    }
    Ok((serde_json::from_slice(&bytes[start..])?, head, (bytes.len() + head.len()) as u64))
}

fn damaged_head(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => io::Error::new(
            ErrorKind::InvalidData,
            "its head is damaged, or of another version of bdem; --overwrite begins anew",
        ),
        _ => error,
    }
}

/// First input that differs.
fn difference(theirs: &[Input], ours: &[Input]) -> Option<String> {
    /// Characters of a digest that are shown.
    const SHOWN: usize = 32;
    let pair = theirs.iter().zip(ours).find(|(theirs, ours)| theirs.digest != ours.digest);
    match pair {
        Some((theirs, ours)) => Some(format!(
            "{} has changed since it began, from {:.SHOWN$} to {:.SHOWN$}",
            ours.name, theirs.digest, ours.digest
        )),
        None if theirs.len() != ours.len() => Some("its files are other ones".to_owned()),
        None => None,
    }
}

type Known = HashMap<Vec<u64>, Vec<f64>>;

/// Evaluations from byte `start` on, and the end of the last complete one.
fn read_entries(mut source: BufReader<File>, head: &Sum, start: u64, shape: Shape) -> io::Result<(Known, u64)> {
    let numbers = size_of::<f64>() * (shape.parameters + shape.results);
    let mut bytes = vec![0; numbers + size_of::<Sum>()];
    let length = source.get_ref().metadata()?.len();
    let (mut known, mut at) = (Known::new(), start);
    while length - at >= bytes.len() as u64 {
        source.read_exact(&mut bytes)?;
        if sum(head, &bytes[..numbers])[..] != bytes[numbers..] {
            let why = format!(
                "evaluation {} in it is damaged: its checksum does not match; cut the file to {at} bytes to keep those \
                 before it, or begin anew with --overwrite",
                (at - start) / bytes.len() as u64 + 1
            );
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        let values = bytes[..numbers].as_chunks().0.iter().map(|x| f64::from_le_bytes(*x));
        let (parameters, result): (Vec<_>, Vec<_>) = values.enumerate().partition(|(k, _)| *k < shape.parameters);
        let values = |numbers: Vec<(usize, f64)>| numbers.into_iter().map(|(_, x)| x).collect::<Vec<f64>>();
        known.insert(key(&values(parameters)), values(result));
        at += bytes.len() as u64;
    }
    Ok((known, at))
}
