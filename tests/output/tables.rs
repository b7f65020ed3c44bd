use std::fs;

use bdem_core::simulate::FractureEvent;
use bdem_run::output::{Metrics, Table, Timings};

const METRICS: &str = "frame,time,kinetic_linear,kinetic_spin,stretch,shear,twist,bend,contact,collider,gravity,electric,total,\
    work_walls,work_loads,work_held,work_electric,lost_damping,lost_friction,lost_fracture,numerical,solver,unaccounted,\
    momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,\
    bonds,bonds_broken,pieces,largest_piece,steps,newton_iterations,cg_iterations,step_cuts,explicit_steps,asleep_steps\n";

#[test]
fn a_table_without_rows_has_its_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("table.csv");
    let text = || fs::read_to_string(&path).expect("a table");
    Table::<Metrics>::create(&path).expect("space");
    assert_eq!(text(), METRICS);
    Table::<Timings>::create(&path).expect("space");
    assert_eq!(text(), "frame,integrate,fracture,contact,output\n");
    Table::<FractureEvent>::create(&path).expect("space");
    assert_eq!(
        text(),
        "time,bond,i,j,x,y,z,sigma,tau,normal_x,normal_y,normal_z,velocity_x,velocity_y,velocity_z,area,energy\n"
    );
}

#[test]
fn rows_are_in_the_file_as_soon_as_they_are_pushed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("timings.csv");
    let mut table = Table::create(&path).expect("space");
    let row = |frame| Timings { frame, integrate: 0.1, fracture: 1e-30, contact: 2.0, output: 1.0 / 3.0 };
    for frame in 0..3 {
        table.push(&[row(frame)]).expect("space");
        let text = fs::read_to_string(&path).expect("a table");
        let last = text.lines().last().expect("a row");
        assert_eq!(last, format!("{frame},0.1,1e-30,2.0,0.3333333333333333"));
        assert_eq!(text.lines().count(), frame as usize + 2);
    }
}

/// Numbers that are hard to print: neighbours, the smallest, the largest.
fn hard(k: u32) -> FractureEvent {
    let x = f64::from_bits(0x3fb9_9999_9999_999a + u64::from(k));
    let (area, energy) = (x * x, 1.0 / x);
    FractureEvent {
        time: x,
        bond: k,
        i: 2 * k,
        j: u32::MAX,
        x: -x,
        y: 5e-324,
        z: f64::MAX,
        sigma: 1e6 / x,
        tau: -0.0,
        area,
        energy,
        ..FractureEvent::default()
    }
}

#[test]
fn numbers_read_back_as_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fractures.csv");
    let rows: Vec<FractureEvent> = (0..100).map(hard).collect();
    Table::create(&path).expect("space").push(&rows).expect("space");
    let mut reader = csv::Reader::from_path(&path).expect("a table");
    let read: Vec<FractureEvent> = reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(read, rows);
    assert!(read[0].tau.is_sign_negative());
}

#[test]
fn a_resumed_table_is_the_one_that_was_never_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, resumed] = ["whole", "resumed"].map(|name| folder.path().join(name));
    let rows: Vec<Metrics> =
        (0..6).map(|frame| Metrics { frame, total: 0.1 * f64::from(frame), ..Metrics::default() }).collect();
    Table::create(&whole).expect("space").push(&rows).expect("space");

    Table::create(&resumed).expect("space").push(&rows[..5]).expect("space");
    let text = fs::read_to_string(&resumed).expect("a table");
    fs::write(&resumed, &text[..text.len() - 9]).expect("killed in the middle of a row");
    let mut table = Table::resume(&resumed, 3).expect("a table");
    table.push(&rows[3..]).expect("space");
    assert_eq!(fs::read(&resumed).expect("a table"), fs::read(&whole).expect("a table"));
}

#[test]
fn a_table_that_lost_rows_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("metrics.csv");
    let error = |rows| Table::<Metrics>::resume(&path, rows).expect_err("rows are missing").to_string();
    assert!(error(1).contains("metrics.csv"));
    Table::create(&path).expect("space").push(&[Metrics::default(); 2]).expect("space");
    assert!(error(3).contains("it has 2 valid rows, and the checkpoint counts 3"), "{}", error(3));
    let text = fs::read_to_string(&path).expect("a table");
    assert_eq!(text.lines().count(), 3, "what was there stays");
}

#[test]
fn no_folder_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("no/metrics.csv");
    let error = Table::<Metrics>::create(&path).expect_err("no folder").to_string();
    assert!(error.contains("no/metrics.csv"), "{error}");
}
