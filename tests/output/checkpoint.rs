use std::fs;

use bdem_run::output::{Checkpoint, RunRecord};

type Payload = (Vec<f64>, Option<String>, [u8; 32]);

fn payload() -> Payload {
    ((0..1000).map(|k| f64::from(k).sqrt()).collect(), Some("text".to_owned()), [7; 32])
}

fn sample() -> Checkpoint {
    let record = RunRecord { scene: "plate".to_owned(), frames: 12, ..RunRecord::default() };
    Checkpoint::new(&record, &payload()).expect("plain numbers")
}

fn bytes_of(checkpoint: &Checkpoint) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plate.0012.ckpt");
    Checkpoint::write(&path, &checkpoint.record, &payload()).expect("space");
    assert_eq!(&Checkpoint::read(&path).expect("it is whole"), checkpoint);
    fs::read(&path).expect("a file")
}

#[test]
fn it_reads_back_as_it_was() {
    let read = Checkpoint::parse(bytes_of(&sample())).expect("it is whole");
    assert_eq!(read.record.frames, 12);
    assert_eq!(read.payload::<Payload>(1 << 20).expect("the same type"), payload());
}

#[test]
fn damage_is_found_wherever_it_is() {
    let bytes = bytes_of(&sample());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        Checkpoint::parse(damaged).expect_err("a bit is another");
        Checkpoint::parse(bytes[..at].to_vec()).expect_err("the end is missing");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Checkpoint::parse(longer).expect_err("something is behind it").contains("checksum"));
}

#[test]
fn another_format_is_named() {
    let mut bytes = bytes_of(&sample());
    bytes[8] = 9;
    assert_eq!(Checkpoint::parse(bytes).expect_err("another"), "its format is 9, and this version of bdem reads 8");
}

#[test]
fn a_payload_of_more_bytes_than_it_may_have_is_refused() {
    let checkpoint = sample();
    checkpoint.payload::<Payload>(100).expect_err("8 KB of numbers");
    checkpoint.payload::<(Vec<String>, u8)>(1 << 20).expect_err("something else");
}

/// What claims to be long takes no memory before it is there.
#[test]
fn a_length_that_is_a_lie_takes_no_memory() {
    let checkpoint = Checkpoint::new(&RunRecord::default(), &(1u64 << 40)).expect("a number");
    checkpoint.payload::<Vec<f64>>(u64::MAX).expect_err("its numbers are missing");
}
