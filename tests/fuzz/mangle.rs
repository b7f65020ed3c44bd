use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Calls `read` with each file in `folders`, and some hundred times with one of them that was edited at random.
pub(super) fn read_mangled(folders: &[&str], read: fn(&[u8])) {
    let files: Vec<Vec<u8>> = folders.iter().flat_map(|folder| files(Path::new(folder))).collect();
    assert!(!files.is_empty(), "no file in {folders:?}");
    files.iter().for_each(|file| read(file));
    let edits = prop::collection::vec(edit(files.clone()), 1..8);
    proptest!(ProptestConfig::with_cases(300), |(mut file in select(files), edits in edits)| {
        edits.iter().for_each(|edit| edit.apply(&mut file));
        read(&file);
    });
}

/// Those with an ending: what a fuzzer has found and kept has none.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some());
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("the file can be read")).collect()
}

/// Something else in place of a run of bytes.
#[derive(Clone, Debug)]
struct Edit {
    at: Index,
    length: usize,
    to: Other,
}

#[derive(Clone, Debug)]
enum Other {
    Bytes(Vec<u8>),
    /// So often the same.
    Repeated(usize),
}

/// Numbers at the ends of their types, and what counts are made of.
const WORDS: [&[u8]; 12] = [
    b"nan",
    b"-1",
    b"1e308",
    b"4294967295",
    b"18446744073709551616",
    b"\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\xf0\x7f",
    b"\n",
    b"\"",
    b"[",
    b"{",
    b"../",
];

fn edit(files: Vec<Vec<u8>>) -> impl Strategy<Value = Edit> {
    let part = (select(files), any::<Index>(), 0..200usize);
    let splice = part.prop_map(|(file, at, length)| Other::Bytes(file[range(&file, &at, length)].to_vec()));
    let other = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6).prop_map(Other::Bytes),
        select(&WORDS[..]).prop_map(|word| Other::Bytes(word.to_vec())),
        (0..40usize).prop_map(Other::Repeated),
        splice,
    ];
    let length = prop_oneof![0..12usize, 0..300usize];
    (any::<Index>(), length, other).prop_map(|(at, length, to)| Edit { at, length, to })
}

fn range(file: &[u8], at: &Index, length: usize) -> std::ops::Range<usize> {
    let start = at.index(file.len() + 1);
    start..(start + length).min(file.len())
}

impl Edit {
    fn apply(&self, file: &mut Vec<u8>) {
        let range = range(file, &self.at, self.length);
        let new = match &self.to {
            Other::Bytes(bytes) => bytes.clone(),
            Other::Repeated(times) => file[range.clone()].repeat(*times),
        };
        file.splice(range, new);
    }
}
