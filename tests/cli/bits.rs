//! The same scene gives the same bits on any number of threads.

use std::fs;

use crate::cli::{Workplace, is_result};

/// More particles than a thread takes at once, so that threads do share the work.
const LARGE: [&str; 6] = [
    "--set",
    "bodies.plate.particle_radius=0.0012",
    "--set",
    "bodies.plate.position=[0,0,0.0185]",
    "--set",
    "time.frame_rate=4000",
];

fn assert_same_bits(options: &[&str]) {
    let place = Workplace::new();
    let options = [&LARGE, options].concat();
    let runs = ["1", "2", "5"].into_iter().enumerate();
    let runs: Vec<String> = runs
        .map(|(k, threads)| {
            let run = format!("run{k}");
            place.simulate(&run, &[&["--threads", threads], &options[..]].concat());
            run
        })
        .collect();
    let record = place.record(&runs[0]);
    assert!(record.particles > 4096 && record.bonds_broken > 0, "{record:?}");
    let files = place.files(&runs[0]);
    for file in files.iter().filter(|name| is_result(name)) {
        let [first, others @ ..] = &runs[..] else { unreachable!("three runs") };
        let read = |run: &String| fs::read(place.path(run).join(file)).expect("every run has the file");
        let first = read(first);
        assert!(others.iter().all(|run| read(run) == first), "{file} differs");
    }
}

#[test]
fn implicit_runs_do_not_depend_on_threads() {
    for integrator in ["implicit-bdf2", "implicit-midpoint"] {
        assert_same_bits(&["--frames", "2", "--integrator", integrator]);
    }
}

#[test]
fn runs_by_turns_do_not_depend_on_threads() {
    assert_same_bits(&["--frames", "3", "--integrator", "auto"]);
}

#[test]
fn explicit_runs_do_not_depend_on_threads() {
    for integrator in ["explicit-verlet", "explicit-rodrigues"] {
        assert_same_bits(&["--frames", "2", "--integrator", integrator, "--set", "time.step=auto"]);
    }
}
