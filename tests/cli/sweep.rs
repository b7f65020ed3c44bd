//! `bdem sweep`: its runs, its table, and what ends it.

use std::fs;

use bdem_run::output::RunState;

#[cfg(unix)]
use crate::cli::stop::{start, stop};
#[cfg(unix)]
use crate::cli::wait_for;
use crate::cli::{Workplace, is_result, rows};

const STRENGTHS: &str = "materials.ceramic.tensile_strength=[2e6, 3e6]";

/// `bdem sweep scene.toml -o OUTPUT` of four runs of a frame.
fn four<'a>(output: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    let sweep = ["sweep", "scene.toml", "--frames", "1", "--vary", STRENGTHS, "--seeds", "1-2", "-o", output];
    [&sweep, words].concat()
}

/// Columns of a table by their names.
fn columns(table: &str, names: &[&str]) -> Vec<Vec<String>> {
    let head: Vec<&str> = table.lines().next().unwrap_or("").split(',').collect();
    let at =
        |name: &&str| head.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}: {head:?}"));
    let at: Vec<usize> = names.iter().map(at).collect();
    rows(table).into_iter().map(|row| at.iter().map(|k| row[*k].clone()).collect()).collect()
}

#[test]
fn a_sweep_makes_all_runs_and_a_table_of_them() {
    let place = Workplace::new();
    let ended = place.run(&four("out", &["--jobs", "2"]));
    ended.expect(0);
    assert_eq!(ended.out, "4 runs: 4 finished; the table is out/sweep.csv\n");
    assert_eq!(ended.err.lines().filter(|line| line.starts_with("Progress: ")).count(), 4, "{}", ended.err);
    assert!(ended.err.contains("Progress: 100.0%  run 4/4  tensile_strength="), "{}", ended.err);

    let keys = ["run", "state", "materials.ceramic.tensile_strength", "scene.seed", "frames"];
    let row = |strength: &str, seed: &str| {
        let folder = format!("out/tensile_strength={strength}_seed={seed}");
        [&folder, "finished", strength, seed, "1"].map(str::to_owned).to_vec()
    };
    let table = place.read("out/sweep.csv");
    assert_eq!(columns(&table, &keys), [row("2e6", "1"), row("2e6", "2"), row("3e6", "1"), row("3e6", "2")]);
    let info = place.run(&["info", "out/tensile_strength=3e6_seed=2", "--format", "csv"]);
    assert_eq!(info.out.lines().nth(1), table.lines().last());

    // a run is that of `bdem simulate`, with the same record
    let set = |set| ["--set", set];
    let sets = ["time.frames=1", "materials.ceramic.tensile_strength=3e6", "scene.seed=2"].map(set).concat();
    place.simulate("alone", &sets);
    let [swept, alone] = ["out/tensile_strength=3e6_seed=2", "alone"].map(|run| place.record(run));
    assert_eq!((&swept.set, &swept.physics_digest), (&alone.set, &alone.physics_digest));
    for file in place.files("alone").iter().filter(|file| is_result(file)) {
        let [swept, alone] = ["out/tensile_strength=3e6_seed=2", "alone"]
            .map(|run| fs::read(place.path(run).join(file)).expect("a file"));
        assert!(swept == alone, "{file} differs");
    }
}

#[test]
fn wrong_sweeps_are_refused_before_the_first_run() {
    let cases: [(&[&str], &[&str]); 14] = [
        (&[], &["nothing varies", "--seeds 1-6"]),
        (&["--vary", "materials.ceramic.density"], &["expected KEY=[VALUE, ...]"]),
        (&["--vary", "materials.ceramic.density=2000.0"], &["expected one list of values"]),
        (&["--vary", "materials.ceramic.density=[2000.0"], &["the list is not TOML"]),
        (
            &["--vary", "materials.ceramic.density=[]"],
            &["materials.ceramic.density: the list is empty", "leave the key out"],
        ),
        (&["--vary", "=[1]"], &["a key is empty"]),
        (&["--vary", "materials.ceramic.density=[2e3, 2000]"], &["2e3 and 2000 are the same", "once"]),
        (
            &["--vary", "materials.ceramic.density=[2e3, 3e3]", "--vary", "materials.ceramic.density=[1e3]"],
            &["is in --vary too"],
        ),
        (&["--seeds", "1-2", "--set", "scene.seed=3"], &["--seeds scene.seed", "give it once"]),
        (
            &["--vary", "materials.ceramik.density=[2e3]"],
            &["--vary materials.ceramik.density=2e3", "did you mean \"ceramic\"?"],
        ),
        (&["--vary", "materials.ceramic.densty=[2e3]"], &["unknown key `densty`", "did you mean `density`?"]),
        (&["--vary", "materials.ceramic.density=[2e3, -1.0]"], &["density is -1.0", "= run: density=-1.0"]),
        (&["--vary", "bodies.plate.particle_radius=[0.003, 0.5]"], &["scene.toml:22:", "= run: particle_radius=0.5"]),
        (
            &["--vary", "bodies.plate.bonded=[true, false]", "--vary", "bodies.0.bonded=[true, false]"],
            &["have the same scene", "one replaces another's value"],
        ),
    ];
    let place = Workplace::new();
    for (words, fragments) in cases {
        let ended = place.run(&[&["sweep", "scene.toml"], words].concat());
        ended.expect(2);
        ended.expect_error(fragments);
    }
    for seeds in ["5-1", "1-", "a", "1,1", "1-3,2", "0-99999999999", "9223372036854775808", ""] {
        place.run(&["sweep", "scene.toml", "--seeds", seeds]).expect(2);
    }
    // the scene itself
    place.run(&["sweep", "missing.toml", "--seeds", "1-2"]).expect(3);
    place.run(&["sweep", "scene.toml", "--seeds", "1-2", "--set", "time.frames=0"]).expect(3);
    place.run(&["sweep", "scene.toml", "--seeds", "1-2", "--max-memory", "1MB"]).expect(3);
    place.run(&["sweep", "scene.toml", "--seeds", "1-2", "-o", "scene.toml"]).expect(2);
    place.run(&["sweep", "scene.toml", "--seeds", "1-2", "-o", "nowhere", "--table"]).expect(2);
    assert_eq!(place.files(""), ["scene.toml".to_owned()].into());
}

#[test]
fn a_run_that_fails_does_not_end_the_others() {
    let place = Workplace::new();
    let steps = "time.step=[1e-6, 1e-4, 2e-6]";
    let words =
        ["sweep", "scene.toml", "--frames", "1", "--integrator", "explicit-verlet", "--vary", steps, "-o", "out"];
    let ended = place.run(&words);
    ended.expect(4);
    assert_eq!(ended.out, "3 runs: 2 finished, 1 failed; the table is out/sweep.csv\n");
    ended.expect_error(&["error: 1 of 3 runs failed: step=1e-4: the solver gave up", "run 3/3"]);
    let table = place.read("out/sweep.csv");
    let states = columns(&table, &["state", "time.step", "frames"]);
    assert_eq!(states, [["finished", "1e-6", "1"], ["failed", "1e-4", "0"], ["finished", "2e-6", "1"]]);
    assert!(table.lines().nth(2).is_some_and(|row| row.contains("the solver gave up")), "{table}");
}

#[test]
fn runs_that_are_there_are_kept_replaced_or_resumed() {
    let place = Workplace::new();
    place.run(&four("out", &["--jobs", "1"])).expect(0);
    let table = place.read("out/sweep.csv");
    let kept = place.run(&four("out", &[]));
    kept.expect(2);
    kept.expect_error(&["holds a run already", "--resume goes on", "--overwrite"]);
    assert_eq!(place.read("out/sweep.csv"), table);

    // more seeds: the runs that are complete are left as they are
    let mut more = four("out", &["--resume"]);
    more[7] = "1-3";
    let ended = place.run(&more);
    ended.expect(0);
    assert_eq!(ended.err.matches("complete already").count(), 4, "{}", ended.err);
    let rows = rows(&place.read("out/sweep.csv"));
    let earlier = table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    assert_eq!([&rows[0], &rows[1], &rows[3], &rows[4]].map(Vec::clone).to_vec(), earlier.collect::<Vec<_>>());

    // another scene is not resumed, and its runs are not touched
    let scene = place.read("scene.toml").replace("density = 2600.0", "density = 2500.0");
    fs::write(place.path("scene.toml"), scene).expect("space");
    let other = place.run(&four("out", &["--resume"]));
    other.expect(6);
    other.expect_error(&["4 of 4 runs failed", "it is of another scene"]);
    place.run(&four("out", &["--table"])).expect(0);
    assert_eq!(columns(&place.read("out/sweep.csv"), &["state", "frames"])[0], ["failed", "1"]);
    assert_eq!(place.record("out/tensile_strength=2e6_seed=1").state, RunState::Done);
    place.run(&four("out", &["--overwrite"])).expect(0);
}

#[test]
fn a_sweep_of_a_specimen_has_its_results() {
    let place = Workplace::new();
    place.run(&["new", "tension", "-o", "tension.toml"]).expect(0);
    let coarse = ["--set", "bodies.bar.particle_radius=0.004", "--set", "output.every=1000", "-q"];
    let sweep = ["sweep", "tension.toml", "--seeds", "1-2", "--threads", "2", "-o", "out"];
    place.run(&[&sweep[..], &coarse].concat()).expect(0);
    let results = columns(&place.read("out/sweep.csv"), &["scene.seed", "test", "strength", "modulus"]);
    for (row, seed) in results.iter().zip(["1", "2"]) {
        assert_eq!((row[0].as_str(), row[1].as_str()), (seed, "tension"));
        assert!(row[2..].iter().all(|cell| cell.parse::<f64>().is_ok_and(|value| value > 0.0)), "{row:?}");
    }
    assert_ne!(results[0][2], results[1][2]);
}

/// Columns that are the same however often a sweep was stopped.
const LASTING: [&str; 8] =
    ["run", "state", "scene.seed", "frames", "bonds_broken", "pieces", "largest_piece", "digest"];

#[cfg(unix)]
#[test]
fn a_sweep_that_was_stopped_or_killed_goes_on() {
    let place = Workplace::new();
    let sweep = |output| ["sweep", "scene.toml", "--frames", "60", "--seeds", "1-3", "--jobs", "2", "-o", output];
    place.run(&sweep("whole")).expect(0);
    let whole = place.read("whole/sweep.csv");

    let child = start(&place, &sweep("out"));
    wait_for(&place.path("out/seed=1/ply/plate.0010.ply"));
    let locked = place.run(&[&sweep("out")[..], &["--resume"]].concat());
    locked.expect(2);
    locked.expect_error(&["out is locked by a run"]);
    stop(child, "-INT", 130);
    let states: Vec<String> = columns(&place.read("out/sweep.csv"), &["state"]).concat();
    assert_eq!((states[0].as_str(), states[2].as_str()), ("stopped", "absent"), "{states:?}");

    let mut child = start(&place, &[&sweep("out")[..], &["--resume"]].concat());
    wait_for(&place.path("out/seed=1/ply/plate.0030.ply"));
    child.kill().expect("SIGKILL");
    child.wait().expect("it is dead");
    place.run(&[&sweep("out")[..], &["--table"]].concat()).expect(0);
    assert_eq!(columns(&place.read("out/sweep.csv"), &["state"])[0], ["dead"]);

    place.run(&[&sweep("out")[..], &["--resume"]].concat()).expect(0);
    let resumed = place.read("out/sweep.csv").replace("out/", "whole/");
    assert_eq!(columns(&resumed, &LASTING), columns(&whole, &LASTING));
}

/// A `sbatch` that runs the tasks of an array one after the other, and then prints a number.
#[cfg(unix)]
const SBATCH: &str = r#"#!/bin/bash
array=
while [ "${1#-}" != "$1" ]; do
    case $1 in --array=*) array=${1#--array=} array=${array%%%*} ;; esac
    shift
done
if [ -n "$array" ]; then
    for task in $(seq "${array%-*}" "${array#*-}"); do
        SLURM_JOB_ID=1 SLURM_ARRAY_TASK_ID=$task bash "$@" || exit
    done >&2
else
    SLURM_JOB_ID=2 bash "$@" >&2
fi
echo 1234
"#;

#[cfg(unix)]
#[test]
fn a_script_for_slurm_makes_the_same_runs() {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    let place = Workplace::new();
    // letters that a shell would take for its own
    let output = "it's $HOME %a";
    let words = ["sweep", "scene.toml", "--set", "output.particles=[\"stress\"]", "--frames", "1", "--vary", STRENGTHS];
    let words = [&words[..], &["--seeds", "1-2,7", "--jobs", "3", "-o", output]].concat();
    let script = place.run(&[&words[..], &["--emit", "slurm", "--threads", "2"]].concat());
    script.expect(0);
    assert!(script.out.contains("#SBATCH --cpus-per-task=2\n") && script.out.contains("%3"), "{}", script.out);
    assert!(!place.path(output).exists());

    fs::write(place.path("sweep.slurm"), &script.out).expect("space");
    fs::create_dir(place.path("bin")).expect("space");
    fs::write(place.path("bin/sbatch"), SBATCH).expect("space");
    fs::set_permissions(place.path("bin/sbatch"), PermissionsExt::from_mode(0o755)).expect("ours");
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut submit = Command::new("bash");
    submit.args(["sweep.slurm", "--time=1"]).current_dir(place.path("")).env("PATH", path);
    submit.env("BDEM", env!("CARGO_BIN_EXE_bdem")).env("BDEM_CACHE", "off");
    let submitted = submit.output().expect("bash");
    let err = String::from_utf8_lossy(&submitted.stderr);
    assert!(submitted.status.success(), "{err}");
    assert!(String::from_utf8_lossy(&submitted.stdout).starts_with("job 1234 has 6 runs in 6 tasks"), "{err}");

    let made = place.read(&format!("{output}/sweep.csv"));
    let mut here = words.clone();
    *here.last_mut().expect("an output") = "here";
    place.run(&here).expect(0);
    let made = made.replace(output, "here");
    assert_eq!(columns(&made, &LASTING), columns(&place.read("here/sweep.csv"), &LASTING));
}
