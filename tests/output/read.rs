use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use bdem_run::output::ply::{Edge, Frame, FrameView, Vertex, read_frame};
use bdem_run::output::{OutputError, RunRecord};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::output::sample::{Sample, bytes};

/// A frame of 20 particles with their bonds.
static FRAME: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let sample = Sample::new(20);
    bytes(&FrameView { bonds: Some(&sample.bonds), ..sample.view() })
});

fn file(contents: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("frame.ply");
    fs::write(&path, contents).expect("a file");
    (folder, path)
}

fn read(contents: &[u8]) -> Result<Frame, OutputError> {
    let (_folder, path) = file(contents);
    read_frame(&path)
}

#[test]
fn a_frame_reads_back() {
    let frame = read(&FRAME).expect("a frame");
    let last = frame.vertices[19];
    let expected = Vertex { x: 19.3, vz: -5.1e-4, id: 19, piece: 9, damage: 0.05, stress: 1_000_019.0, ..last };
    assert_eq!((frame.vertices.len(), last), (20, expected));
    assert_eq!(frame.edges.as_ref().map(Vec::len), Some(19));
    assert_eq!(frame.edges.expect("edges")[3], Edge { vertex1: 3, vertex2: 4, ..Edge::default() });
}

#[test]
fn comments_are_found_by_key() {
    let frame = read(&FRAME).expect("a frame");
    assert_eq!(frame.comment("frame"), Some("16"));
    assert_eq!(frame.comment("frame rate"), Some("480 1/s"));
    assert_eq!(frame.comment("colour"), None);
}

/// The frame with a word of its header replaced.
fn with(old: &str, new: &str) -> Vec<u8> {
    let at = FRAME.windows(old.len()).position(|w| w == old.as_bytes()).expect("the header says so");
    [&FRAME[..at], new.as_bytes(), &FRAME[at + old.len()..]].concat()
}

#[test]
fn a_header_that_lies_is_an_error() {
    let lies = ["element vertex 21", "element vertex 99999999999999999", "element vertex 18446744073709551615"];
    for lie in lies {
        let message = read(&with("element vertex 20", lie)).expect_err(lie).to_string();
        assert!(message.contains("bytes follow its header"), "{message}");
    }
}

#[test]
fn other_files_are_named_for_what_they_are() {
    let cases = [
        (b"".to_vec(), "not a PLY file"),
        (b"\x89PNG\r\n\x1a\n".to_vec(), "not a PLY file"),
        (vec![b'a'; 100_000], "not a PLY header: line 1 cannot be parsed"),
        (with("property float x\n", "property double x\n"), "not a frame of particles"),
        (with("binary_little_endian", "binary_big_endian"), "not a frame of particles"),
        (with("element edge", "element face"), "not a frame of particles"),
    ];
    for (contents, expected) in cases {
        let message = read(&contents).expect_err(expected).to_string();
        assert!(message.contains(expected) && message.len() < 300, "{message}");
    }
}

#[test]
fn a_frame_that_is_not_there_is_an_error() {
    let (folder, _) = file(b"");
    let message = read_frame(&folder.path().join("no.ply")).expect_err("there is none").to_string();
    assert!(message.starts_with("cannot read the frame") && message.contains("no.ply"), "{message}");
}

proptest! {
    #[test]
    fn random_bytes_are_no_frame(contents in prop::collection::vec(any::<u8>(), 0..2000)) {
        let (_folder, path) = file(&contents);
        prop_assert!(read_frame(&path).is_err());
        prop_assert!(RunRecord::read(&path).is_err());
    }

    #[test]
    fn half_a_frame_is_no_frame(length in 0..FRAME.len()) {
        prop_assert!(read(&FRAME[..length]).is_err());
    }

    #[test]
    fn a_damaged_frame_never_panics(at in 0..FRAME.len(), byte: u8) {
        let mut contents = FRAME.clone();
        contents[at] = byte;
        let _ = read(&contents);
    }
}

/// Only frames of charged particles have the property.
#[test]
fn charges_are_read_back() {
    let sample = Sample::new(5);
    let charge: Vec<f32> = (0..5).map(|i| 1e-6 * (i as f32 - 2.0)).collect();
    let frame =
        |charge| read(&bytes(&FrameView { charge, bonds: Some(&sample.bonds), ..sample.view() })).expect("a frame");
    let (charged, other) = (frame(Some(&charge[..])), frame(None));
    assert_eq!([charged.has_charge, other.has_charge], [true, false]);
    assert_eq!(charged.vertices.iter().map(|vertex| vertex.charge).collect::<Vec<_>>(), charge);
    let without = |vertex: &Vertex| Vertex { charge: 0.0, ..*vertex };
    assert_eq!(charged.vertices.iter().map(without).collect::<Vec<_>>(), other.vertices);
    assert_eq!(charged.edges, other.edges);
}
