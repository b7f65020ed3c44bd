use std::fs;

use bdem_core::simulate::Seconds;
use bdem_run::output::{RunRecord, RunState, TestResults};
use bdem_run::scene::Until;

fn record() -> RunRecord {
    RunRecord {
        version: "0.1.0".to_owned(),
        build: "commit unknown, features none, vectors plain".to_owned(),
        host: "node7".to_owned(),
        command_line: ["bdem", "simulate", "my plate.toml"].map(str::to_owned).to_vec(),
        scene: "plate".to_owned(),
        digest: "0123abcd".to_owned(),
        physics_digest: "4567cdef".to_owned(),
        world_digest: "89ab0123".to_owned(),
        set: [("scene.seed".to_owned(), "3".to_owned())].into(),
        state: RunState::Done,
        heartbeat: 1_790_000_000,
        error: None,
        until: Some(Until { pieces: Some(2), ..Until::default() }),
        ended: Some("there are 78 pieces, and the limit is 2".to_owned()),
        specimen: Some(TestResults {
            test: "brazilian".to_owned(),
            peak_load: Some(123.4),
            strength: Some(0.1 + 0.2),
            ..TestResults::default()
        }),
        resumed: 2,
        integrator: "implicit-euler".to_owned(),
        device: None,
        threads: 2,
        particles: 219_000,
        packings: vec![],
        bonds: 1_200_000,
        bonds_broken: 3456,
        pieces: 78,
        largest_piece: 9876,
        force_rows: 1200,
        frames: 120,
        frames_wanted: 120,
        steps: 480,
        explicit_steps: 12,
        asleep_steps: 3,
        step_cuts: 3,
        newton_iterations: 1500,
        cg_iterations: 90_000,
        step: 1e-4,
        step_in_periods: 50.0,
        period: 2e-6,
        time: 0.25,
        seconds: Seconds { total: 100.5, setup: 1.5, integrate: 80.25, fracture: 4.0, contact: 10.0, output: 4.75 },
    }
}

#[test]
fn a_record_reads_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let failed = RunRecord { state: RunState::Failed, error: Some("no step is short enough".to_owned()), ..record() };
    for record in [record(), failed] {
        record.write(&path).expect("space");
        assert_eq!(RunRecord::read(&path).expect("a record"), record);
    }
}

#[test]
fn names_are_those_that_scripts_look_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    record().write(&path).expect("space");
    let text = fs::read_to_string(&path).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["state"], "done");
    assert_eq!(json["set"]["scene.seed"], "3");
    assert_eq!(json["seconds"]["integrate"], 80.25);
    assert_eq!(json["step_in_periods"], 50.0);
    assert!(json.get("error").is_none());
    assert_eq!(json["until"]["pieces"], 2);
    assert_eq!(json["specimen"]["peak_load"], 123.4);
    assert!(json["specimen"].get("modulus").is_none());
    assert!(text.ends_with("}\n"));
}

#[test]
fn every_state_has_its_word() {
    let states = [RunState::Packing, RunState::Running, RunState::Done, RunState::Failed, RunState::Interrupted];
    for (state, word) in states.into_iter().zip(["packing", "running", "done", "failed", "interrupted"]) {
        assert_eq!(state.to_string(), word);
        assert_eq!(serde_json::to_value(state).expect("a word"), word);
    }
}

/// A run that a condition ended is done for as long as the scene has that condition.
#[test]
fn a_run_that_ended_early_is_done() {
    let record = record();
    let [same, other] = [2, 3].map(|pieces| Until { pieces: Some(pieces), ..Until::default() });
    assert!(record.is_done(120, None) && record.is_done(121, Some(&same)));
    assert!(!record.is_done(121, None) && !record.is_done(121, Some(&other)));
    assert!(!RunRecord { ended: None, ..record }.is_done(121, Some(&same)));
}
