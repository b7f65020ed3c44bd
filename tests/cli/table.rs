//! `bdem info` over runs in every state.

use std::fs;
use std::process::{Child, Stdio};

use bdem_run::output::{RunRecord, RunState};
use serde_json::Value;

#[cfg(unix)]
use crate::cli::stop::{PACKING, start};
use crate::cli::{Workplace, rows, wait_for};

/// A run that takes hours, past its first frame.
fn long_run(place: &Workplace, output: &str, seed: &str) -> Child {
    let words = ["simulate", "scene.toml", "-o", output, "--frames", "1000000", "--set", seed, "--threads", "1", "-q"];
    let child = place.command(&words).stderr(Stdio::null()).spawn().expect("the program starts");
    wait_for(&place.path(output).join("ply/plate.0000001.ply"));
    child
}

/// Rows of the table, as JSON.
fn table(place: &Workplace, words: &[&str]) -> Vec<Value> {
    let ended = place.run(&[&["info", "--format", "json"], words].concat());
    ended.expect(0);
    serde_json::from_str(&ended.out).expect("a list")
}

#[test]
fn a_sweep_is_a_table() {
    let place = Workplace::new();
    for seed in ["1", "2"] {
        let set = format!("scene.seed={seed}");
        place.simulate(&format!("run_{seed}"), &["--frames", "1", "--set", &set]);
    }
    let ended = place.run(&["info", "run_1", "run_2", "run_3"]);
    ended.expect(0);
    let head = "run,state,scene.seed,time.frames,frames,frames_wanted,bonds_broken,pieces,largest_piece,seconds,resumed,\
                host,digest,error";
    assert_eq!(ended.out.lines().next(), Some(head));
    let rows = rows(&ended.out);
    let record = place.record("run_2");
    let expected = ["run_2", "finished", "2", "1", "1", "1"].map(str::to_owned).into_iter();
    let figures = [record.bonds_broken, record.pieces, record.largest_piece].map(|figure| figure.to_string());
    assert_eq!(rows[1][..9], expected.chain(figures).collect::<Vec<_>>());
    assert_eq!(rows[1][12], record.digest);
    assert_eq!(rows[2][..3], ["run_3", "absent", ""], "{rows:?}");
    assert_eq!(record.set["scene.seed"], "2");

    let json = table(&place, &["run_1", "run_2"]);
    assert_eq!(json[1]["set"]["scene.seed"], "2");
    assert_eq!(json[1]["digest"], record.digest.as_str());
    place.run(&["info", "run_1", "--format", "csv", "-o", "t.csv"]).expect(0);
    assert!(place.read("t.csv").contains("run_1,finished,1,1,1,1"));
}

#[test]
fn a_killed_run_reads_as_dead() {
    let place = Workplace::new();
    let mut killed = long_run(&place, "killed", "scene.seed=1");
    let mut living = long_run(&place, "living", "scene.seed=2");
    killed.kill().expect("SIGKILL");
    killed.wait().expect("it is dead");
    place.simulate("done", &["--frames", "1"]);
    let states = |words: &[&str]| {
        table(&place, words).iter().map(|row| row["state"].as_str().expect("a word").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(&["killed", "living", "done"]), ["dead", "running", "finished"]);
    let info = place.run(&["info", "killed"]);
    assert!(info.out.contains("running, but its process is dead"), "{}", info.out);
    living.kill().expect("SIGKILL");
    // nobody waits for it, as in a container: it stays a zombie
    while states(&["living"]) != ["dead"] {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    living.wait().expect("it is dead");
}

/// A run has a row before its bodies are packed, and loses nothing if it is killed then.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_while_it_is_packed_reads_as_dead() {
    let place = Workplace::with(PACKING);
    let mut child = start(&place, &["simulate", "scene.toml", "-o", "run", "--set", "scene.seed=3"]);
    wait_for(&place.path("run/run.json"));
    let row = &table(&place, &["run"])[0];
    assert_eq!((&row["state"], &row["set"]["scene.seed"]), (&"packing".into(), &"3".into()), "{row}");
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    assert_eq!(table(&place, &["run"])[0]["state"], "dead");
    assert!(place.run(&["info", "run"]).out.contains("packing, but its process is dead"));

    let small = ["--set", "bodies.egg.particle_radius=0.05", "--frames", "1"];
    for resume in [&["--resume"][..], &[]] {
        place.run(&[&["simulate", "scene.toml", "-o", "run"], &small[..], resume].concat()).expect(0);
        assert_eq!(table(&place, &["run"])[0]["state"], "finished");
        // as a process leaves it that is killed while it packs
        fs::remove_dir_all(place.path("run")).expect("a folder");
        fs::create_dir(place.path("run")).expect("space");
        let killed = RunRecord { state: RunState::Packing, ..RunRecord::default() };
        killed.write(&place.path("run/run.json")).expect("space");
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_run_reads_as_stopped() {
    let place = Workplace::new();
    let mut child = long_run(&place, "run", "scene.seed=1");
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill is there").success());
    child.wait().expect("it ends");
    assert_eq!(table(&place, &["run"])[0]["state"], "stopped");
}

#[test]
fn a_record_that_is_none_is_told() {
    let place = Workplace::new();
    fs::create_dir(place.path("run")).expect("space");
    fs::write(place.path("run/run.json"), "{").expect("space");
    let ended = place.run(&["info", "run", "--format", "csv"]);
    ended.expect(5);
    ended.expect_error(&["run/run.json", "record of a run"]);
    place.run(&["info"]).expect(2);
}

/// A value that was set may come from elsewhere.
#[test]
fn no_cell_is_a_formula() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let record = place.read("run/run.json");
    let set = r#""set": {"=key": "=1+1", "a": "-5e-1", "b": "@x", "c": "-x", "d": "[0,1]"}"#;
    let frames = record.split_once("\"set\": {").and_then(|(_, rest)| rest.split_once('}')).expect("what was set").0;
    fs::write(place.path("run/run.json"), record.replace(&format!("\"set\": {{{frames}}}"), set)).expect("space");
    fs::rename(place.path("run"), place.path("+run")).expect("it is there");
    let out = place.run(&["info", "+run", "--format", "csv"]).out;
    assert!(out.starts_with("run,state,'=key,a,b,c,d,frames"), "{out}");
    assert!(out.contains("\n'+run,finished,'=1+1,-5e-1,'@x,'-x,\"[0,1]\",1,"), "{out}");
    assert!(place.run(&["info", "+run", "--format", "json"]).out.contains("\"=1+1\""));
}
