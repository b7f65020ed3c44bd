//! Tests of `src/study`: every study at its small size.

mod bending;

use bdem::study::{Cell, Report, STUDIES, Setup, Study, write};

fn study(name: &str) -> &'static Study {
    STUDIES.iter().find(|study| study.name == name).expect("a study")
}

/// What the study of this name finds at its small size.
fn quick(name: &str) -> Report {
    let setup = Setup { quick: true, ..Setup::default() };
    let report = (study(name).run)(&setup).expect("no run fails");
    assert!(!report.claims.is_empty() && report.claims.iter().all(|claim| claim.ours.is_finite()), "{report:?}");
    assert!(report.table.rows.iter().all(|row| row.len() == report.table.columns.len()));
    assert!(report.charts.iter().all(|chart| chart.name.starts_with(name)));
    report
}

/// The numbers of a column.
fn column(report: &Report, name: &str) -> Vec<f64> {
    let column = report.table.columns.iter().position(|column| column.name == name).expect("a column");
    let number = |row: &Vec<Cell>| match row[column] {
        Cell::Number(Some(number)) => number,
        ref other => panic!("{name}: {other:?} is no number"),
    };
    report.table.rows.iter().map(number).collect()
}

#[test]
fn shorter_implicit_steps_agree_better_with_explicit_ones() {
    let report = quick("agreement");
    let mean = column(&report, "mean distance at the end");
    assert_eq!(mean.len(), 12);
    for euler in [0, 6] {
        assert!(mean[euler + 2] < 0.5 * mean[euler + 1], "{mean:?}");
    }
    assert!(mean.iter().all(|mean| *mean < 0.2), "{mean:?}");
}

#[test]
fn files_have_what_the_report_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = quick("agreement");
    write(folder.path(), study("agreement"), &Setup::default(), &report).expect("space");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    assert_eq!(read("agreement.csv").lines().count(), 1 + report.table.rows.len());
    let json: serde_json::Value = serde_json::from_str(&read("agreement.json")).expect("JSON");
    assert_eq!(json["claims"][1]["ours"].as_f64(), Some(report.claims[1].ours));
    assert_eq!(json["charts"][0]["panels"][0]["lines"][2]["points"][0][0].as_f64(), Some(1.0 / 60.0));
    assert!(read("agreement.svg").contains("beam_twist"));
    let page = read("agreement.md");
    assert!(page.contains("| identical |") && page.contains("](agreement.svg)"), "{page}");
    assert_eq!(&std::fs::read(folder.path().join("agreement.png")).expect("a picture")[1..4], b"PNG");
}

#[test]
fn races_tell_what_a_frame_costs() {
    for (name, rows) in [("stiffness", 2), ("scale", 2), ("table1", 7)] {
        let report = quick(name);
        assert_eq!(report.table.rows.len(), rows, "{name}");
        let explicit = column(&report, "explicit at 0.2 T");
        let (implicit, gain) = (column(&report, "implicit"), column(&report, "over 0.2 T"));
        for row in 0..rows {
            assert!((gain[row] - explicit[row] / implicit[row]).abs() <= 1e-12 * gain[row], "{name}");
            assert_eq!(report.claims[row].ours, gain[row], "{name}");
        }
    }
}
