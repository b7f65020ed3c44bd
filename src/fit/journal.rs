//! Evaluations of a fit on disk. A fit that resumes begins anew and finds them here, so that it has the same bits.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use bdem_run::output::OutputError;
use sha2::{Digest, Sha256};

/// Evaluations by their parameters.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: std::path::PathBuf,
    known: HashMap<Vec<u64>, Vec<f64>>,
    /// Evaluations of an earlier fit.
    pub earlier: usize,
}

/// Bytes of the digest at the start.
const DIGEST: usize = 32;

impl Journal {
    /// Journal at `path` of a fit with these inputs. None if it has one of other inputs.
    pub(super) fn open(path: &Path, inputs: &[&str], resumes: bool) -> Result<Option<Self>, OutputError> {
        let failed = OutputError::file("write", path);
        let mut hash = Sha256::new();
        inputs.iter().for_each(|input| hash.update(input.as_bytes()));
        let digest = hash.finalize();
        let mut bytes = Vec::new();
        let mut known = HashMap::new();
        let mut whole = 0;
        if resumes && path.exists() {
            File::open(path)
                .and_then(|mut file| file.read_to_end(&mut bytes))
                .map_err(OutputError::file("read", path))?;
            if bytes.len() >= DIGEST && bytes[..DIGEST] != digest[..] {
                return Ok(None);
            }
            whole = bytes.len().min(DIGEST);
            while let Some((entry, end)) = read_entry(&bytes, whole) {
                known.insert(entry.0, entry.1);
                whole = end;
            }
        }
        let open = || -> std::io::Result<File> {
            let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            if whole < DIGEST {
                file.set_len(0)?;
                file.write_all(&digest)?;
            } else {
                // an entry that was being written is incomplete
                file.set_len(whole as u64)?;
                std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
            }
            Ok(file)
        };
        let file = open().map_err(failed)?;
        let earlier = known.len();
        Ok(Some(Self { file, path: path.to_owned(), known, earlier }))
    }

    /// Result of an evaluation.
    pub(super) fn get(&self, parameters: &[f64]) -> Option<&Vec<f64>> {
        self.known.get(&key(parameters))
    }

    /// Keeps the result of an evaluation.
    pub(super) fn put(&mut self, parameters: &[f64], result: Vec<f64>) -> Result<(), OutputError> {
        let mut bytes = Vec::new();
        for numbers in [parameters, &result] {
            bytes.extend_from_slice(&(numbers.len() as u64).to_le_bytes());
            numbers.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        }
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(OutputError::file("write", &self.path))?;
        self.known.insert(key(parameters), result);
        Ok(())
    }
}

fn key(parameters: &[f64]) -> Vec<u64> {
    parameters.iter().map(|x| x.to_bits()).collect()
}

type Entry = (Vec<u64>, Vec<f64>);

/// The entry from byte `at` on, and its end; none where it is incomplete.
fn read_entry(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    let (parameters, at) = read_numbers(bytes, at)?;
    let (result, at) = read_numbers(bytes, at)?;
    Some(((key(&parameters), result), at))
}

fn read_numbers(bytes: &[u8], at: usize) -> Option<(Vec<f64>, usize)> {
    let count = u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?) as usize;
    let end = (at + 8).checked_add(count.checked_mul(8)?)?;
    let numbers = bytes.get(at + 8..end)?.chunks_exact(8);
    Some((numbers.map(|x| f64::from_le_bytes(x.try_into().expect("eight bytes"))).collect(), end))
}
