use std::collections::BTreeSet;
use std::fs;

use bdem_run::output::RunState;
use bdem_run::output::ply::{Frame, read_frame};
use serde_json::Value;

use crate::cli::{PLATE, Workplace, rows};

const TABLES: [&str; 5] = ["run.json", "scene.resolved.toml", "metrics.csv", "timings.csv", "fractures.csv"];

fn frame_names(frames: impl IntoIterator<Item = u32>) -> BTreeSet<String> {
    frames.into_iter().map(|frame| format!("ply/plate.{frame:04}.ply")).collect()
}

fn frame(place: &Workplace, path: &str) -> Frame {
    read_frame(&place.path(path)).expect("a frame")
}

#[test]
fn a_run_leaves_its_files_and_no_other() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    let mut expected = frame_names(0..=3);
    expected.extend(TABLES.map(str::to_owned));
    expected.insert("checkpoints/plate.0003.ckpt".to_owned());
    assert_eq!(place.files("run"), expected);
}

#[test]
fn the_record_says_what_ran() {
    let place = Workplace::new();
    place.simulate("run", &["--threads", "2", "--set", "time.control.sleep_below=0.5"]);
    let record = place.record("run");
    assert_eq!((record.scene.as_str(), record.state, record.error), ("plate", RunState::Done, None));
    assert_eq!((record.integrator.as_str(), record.threads, record.frames), ("auto", 2, 3));
    assert_eq!(record.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(
        record.command_line[1..],
        ["simulate", "scene.toml", "-o", "run", "--threads", "2", "--set", "time.control.sleep_below=0.5"]
    );
    assert!(record.bonds_broken > 0 && record.pieces > 1 && record.largest_piece < record.particles);
    assert!(record.asleep_steps > 0 && record.explicit_steps > 0);
    assert!(record.asleep_steps + record.explicit_steps <= record.steps);
    assert_eq!(record.newton_iterations > 0, record.cg_iterations > 0);
    assert!((record.time - 3.0 / 960.0).abs() < 1e-15);
    assert!((record.step_in_periods * record.period / record.step - 1.0).abs() < 1e-12);
    let phases = &record.seconds;
    let sum = phases.setup + phases.integrate + phases.fracture + phases.contact + phases.output;
    assert!(phases.integrate > 0.0 && sum <= phases.total, "{phases:?}");
}

#[test]
fn every_field_of_the_record_is_in_the_file() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let json: Value = serde_json::from_str(&place.read("run/run.json")).expect("JSON");
    let fields: BTreeSet<&str> = json.as_object().expect("a table").keys().map(String::as_str).collect();
    let expected = "version build host command_line scene digest physics_digest world_digest set state heartbeat resumed \
                    integrator threads particles bonds bonds_broken pieces largest_piece force_rows frames frames_wanted steps \
                    explicit_steps asleep_steps step_cuts newton_iterations cg_iterations step step_in_periods period \
                    time seconds";
    assert_eq!(fields, expected.split_whitespace().collect());
    let phases: BTreeSet<&str> = json["seconds"].as_object().expect("a table").keys().map(String::as_str).collect();
    assert_eq!(phases, ["total", "setup", "integrate", "fracture", "contact", "output"].into());
}

#[test]
fn tables_and_record_agree() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    let record = place.record("run");
    let [metrics, timings, fractures] =
        ["metrics", "timings", "fractures"].map(|name| rows(&place.read(&format!("run/{name}.csv"))));
    assert_eq!((metrics.len(), timings.len(), fractures.len()), (4, 4, record.bonds_broken));

    let header = place.read("run/metrics.csv");
    let column = |name: &str| header.lines().next().unwrap_or("").split(',').position(|c| c == name).expect(name);
    let last = |name: &str| metrics[3][column(name)].parse::<usize>().expect("a count");
    assert_eq!(
        [last("bonds"), last("bonds_broken"), last("pieces"), last("largest_piece")],
        [record.bonds, record.bonds_broken, record.pieces, record.largest_piece]
    );
    let sum = |name: &str| metrics.iter().map(|row| row[column(name)].parse::<u64>().expect("a count")).sum::<u64>();
    assert_eq!(
        [sum("steps"), sum("newton_iterations"), sum("cg_iterations"), sum("step_cuts")],
        [record.steps, record.newton_iterations, record.cg_iterations, record.step_cuts]
    );
    let bonds: BTreeSet<&str> = fractures.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(bonds.len(), fractures.len(), "a bond breaks once");
}

#[test]
fn frames_show_what_the_record_counts() {
    let place = Workplace::new();
    place.simulate("run", &["--set", "output.bonds=true"]);
    let record = place.record("run");
    let [first, last] = [0, 3].map(|n| frame(&place, &format!("run/ply/plate.{n:04}.ply")));
    assert_eq!([first.vertices.len(), last.vertices.len()], [record.particles; 2]);
    assert!(first.vertices.iter().enumerate().all(|(i, v)| v.id == i as i32 && v.piece == 0 && v.damage == 0.0));
    let pieces: BTreeSet<i32> = last.vertices.iter().map(|v| v.piece).collect();
    assert_eq!(pieces.len(), record.pieces);
    assert_eq!(last.edges.as_ref().map(Vec::len), Some(record.bonds));
    assert_eq!(last.comment("scene digest"), Some(record.digest.as_str()));
    assert_eq!(last.comment("frame"), Some("3"));
}

/// The digest, a comment in every frame, is of the text: what follows the header must be the same.
#[test]
fn the_resolved_scene_is_a_scene_and_runs_to_the_same_bits() {
    let place = Workplace::new();
    place.simulate("first", &["--set", "bodies.plate.velocity=[0,0,-6]"]);
    place.run(&["simulate", "first/scene.resolved.toml", "-o", "second"]).expect(0);
    for file in ["metrics.csv", "fractures.csv", "scene.resolved.toml"] {
        assert_eq!(place.read(&format!("first/{file}")), place.read(&format!("second/{file}")), "{file}");
    }
    for name in frame_names(0..=3) {
        let [first, second] = ["first", "second"].map(|run| frame(&place, &format!("{run}/{name}")));
        assert_eq!(first.vertices, second.vertices, "{name}");
    }
}

#[test]
fn options_stand_above_the_scene() {
    let place = Workplace::new();
    let options =
        ["--frames", "2", "--integrator", "explicit-verlet", "--set", "time.step=auto", "--set", "output.every=5"];
    place.simulate("run", &options);
    let record = place.record("run");
    assert_eq!((record.integrator.as_str(), record.frames, record.newton_iterations), ("explicit-verlet", 2, 0));
    // the default is 0.2
    assert!(record.step_in_periods > 0.3, "{}", record.step_in_periods);
    let frames = place.files("run").into_iter().filter(|name| name.ends_with(".ply")).collect::<BTreeSet<_>>();
    assert_eq!(frames, frame_names([0, 2]), "the first and the last frame are always written");
}

#[test]
fn frames_go_to_a_folder_of_the_scenes_name() {
    let place = Workplace::new();
    place.run(&["simulate", "scene.toml", "--frames", "1"]).expect(0);
    assert_eq!(place.record("out/plate").frames, 1);
}

#[test]
fn a_run_is_replaced_only_when_told_so() {
    let place = Workplace::new();
    place.simulate("run", &[]);
    fs::write(place.path("run/ply/notes.txt"), "mine").expect("space");
    let record = place.read("run/run.json");

    let refused = place.run(&["simulate", "scene.toml", "-o", "run"]);
    refused.expect(2);
    refused.expect_error(&["run holds a run already", "--overwrite"]);
    assert_eq!(place.read("run/run.json"), record);

    place.simulate("run", &["--overwrite", "--frames", "1"]);
    let mut expected = frame_names(0..=1);
    expected
        .extend(TABLES.iter().chain(&["ply/notes.txt", "checkpoints/plate.0001.ckpt"]).map(|&name| name.to_owned()));
    assert_eq!(place.files("run"), expected, "what the earlier run wrote is gone, and nothing else");
}

#[test]
fn progress_comes_as_lines_where_there_is_no_terminal() {
    let place = Workplace::new();
    let ended = place.simulate("run", &[]);
    let last = ended.err.lines().rfind(|line| line.starts_with("Progress: ")).expect("a line of progress");
    assert!(last.starts_with("Progress: 100.0%  frame 3/3  "), "{last}");
    assert!(ended.err.contains("Progress: 33.3%  frame 1/3  "), "{}", ended.err);
    ended.expect_error(&["3 frames of ", "bonds broken; ", "seconds  ", "  integrate ", "%\n"]);
    assert_eq!(ended.out, "");
}

#[test]
fn quiet_says_nothing() {
    let place = Workplace::new();
    let ended = place.simulate("run", &["--quiet", "--frames", "1"]);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
}

#[test]
fn more_threads_than_the_machine_has_are_warned_of_and_obeyed() {
    let place = Workplace::new();
    let threads = 1 + std::thread::available_parallelism().map_or(1, usize::from);
    let ended = place.simulate("run", &["--threads", &threads.to_string(), "--frames", "1"]);
    ended.expect_error(&[&format!("warning: --threads {threads} is more than this machine's")]);
    assert_eq!(place.record("run").threads, threads);
}

#[test]
fn nothing_is_written_beside_the_output_folder() {
    let long = "a".repeat(100);
    let place = Workplace::with(&PLATE.replacen("\"plate\"", &format!("{long:?}"), 1));
    place.run(&["simulate", "scene.toml", "--frames", "1"]).expect(0);
    let beside: BTreeSet<String> = place.files(".").into_iter().filter(|file| !file.starts_with("out/")).collect();
    assert_eq!(beside, ["scene.toml".to_owned()].into());
    assert!(place.path(&format!("out/{long}/ply/{long}.0001.ply")).is_file());
}
