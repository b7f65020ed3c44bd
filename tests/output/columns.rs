use std::fs;

use bdem_core::simulate::ForceRow;
use bdem_run::output::{Columns, Table};

fn row(frame: u32) -> ForceRow {
    let x = f64::from_bits(0x3fb9_9999_9999_999a + u64::from(frame));
    ForceRow { frame, time: 0.1 * f64::from(frame), values: vec![x, -1e-300 / x] }
}

fn names() -> Vec<String> {
    ["floor.force_x", "floor.force_y"].map(str::to_owned).to_vec()
}

#[test]
fn columns_are_those_of_the_scene_and_numbers_keep_their_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("forces.csv");
    let rows: Vec<ForceRow> = (0..5).map(row).collect();
    Table::create_forces(&path, &names()).expect("space").push(&rows).expect("space");
    let text = fs::read_to_string(&path).expect("a table");
    assert!(text.starts_with("frame,time,floor.force_x,floor.force_y\n0,0.0,0.1"), "{text}");
    let columns = Columns::read(&path).expect("a table");
    for (row, read) in rows.iter().zip(&columns.rows) {
        assert_eq!(read[2..], row.values);
    }
    assert_eq!(columns.column("time").expect("a column").nth(3), Some(rows[3].time));
    assert!(columns.column("roof.force_x").is_none() && columns.vectors("floor.force").is_none());
}

#[test]
fn a_resumed_table_is_the_one_that_was_never_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, resumed] = ["whole", "resumed"].map(|name| folder.path().join(name));
    let rows: Vec<ForceRow> = (0..6).map(row).collect();
    Table::create_forces(&whole, &names()).expect("space").push(&rows).expect("space");
    Table::create_forces(&resumed, &names()).expect("space").push(&rows[..5]).expect("space");
    let text = fs::read_to_string(&resumed).expect("a table");
    fs::write(&resumed, &text[..text.len() - 9]).expect("killed in the middle of a row");
    let mut table = Table::resume_forces(&resumed, &names(), 3).expect("a table");
    table.push(&rows[3..]).expect("space");
    assert_eq!(fs::read(&resumed).expect("a table"), fs::read(&whole).expect("a table"));
    let few = Table::resume_forces(&resumed, &names(), 7).expect_err("rows are missing").to_string();
    assert!(few.contains("it has 6 valid rows, and the checkpoint counts 7"), "{few}");
    let other = Table::resume_forces(&resumed, &names()[..1], 3).expect_err("another scene").to_string();
    assert!(other.contains("other columns"), "{other}");
}

#[test]
fn what_is_no_table_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("forces.csv");
    for bytes in [&b""[..], b"time,frame\n", b"frame\n1\n", &[0xff, 0xfe, 0x0a]] {
        fs::write(&path, bytes).expect("space");
        let error = Columns::read(&path).expect_err("no table").to_string();
        assert!(error.contains("forces.csv"), "{error}");
    }
    fs::write(&path, "frame,time,a\n1,2,3\n1,2\n1,2,3\n").expect("space");
    assert_eq!(Columns::read(&path).expect("a table").rows, [[1.0, 2.0, 3.0]]);
}
