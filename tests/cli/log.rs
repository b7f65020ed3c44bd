//! What stderr has.

use serde_json::Value;

use crate::cli::{Ended, UNBREAKABLE, Workplace};

const JSON: [&str; 5] = ["simulate", "scene.toml", "-o", "run", "--log-format=json"];

/// The lines, each of which must be an object.
fn events(ended: &Ended) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ended.err.lines().map(parse).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn json_has_an_object_a_line_from_start_to_end() {
    let place = Workplace::new();
    let threads = (1 + std::thread::available_parallelism().map_or(1, usize::from)).to_string();
    let ended = place.run(&[&JSON[..], &["--threads", &threads]].concat());
    ended.expect(0);
    let (events, record) = (events(&ended), place.record("run"));
    assert!(of(&events, "warning")[0]["message"].as_str().is_some_and(|text| text.contains("--threads")));

    let [start, end] = ["start", "end"].map(|kind| of(&events, kind)[0]);
    assert_eq!(start["digest"], record.digest);
    assert_eq!(start["version"], record.version);
    assert_eq!(start["command_line"][1], "simulate");
    assert_eq!(start["bonds"], record.bonds + record.bonds_broken);
    assert_eq!((&end["state"], &end["steps"]), (&"done".into(), &record.steps.into()));
    assert_eq!(end["seconds"]["integrate"], record.seconds.integrate);

    let frames = of(&events, "frame");
    assert_eq!(frames.iter().map(|f| f["frame"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    assert!(frames.iter().all(|f| f["of"] == 3 && f["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0)));
    assert_eq!(frames[2]["bonds_broken"], record.bonds_broken);
    let metrics = place.read("run/metrics.csv");
    let cells: Vec<Vec<&str>> = metrics.lines().map(|line| line.split(',').collect()).collect();
    for (frame, row) in frames.iter().zip(&cells[2..]) {
        assert_eq!(
            frame.as_object().expect("an object").len(),
            row.len() + 3,
            "event, of and seconds besides: {frame}"
        );
        for (name, cell) in cells[0].iter().zip(row) {
            assert_eq!(frame[name].as_f64(), cell.parse().ok(), "{name}");
        }
    }
    let sum = |key: &str| frames.iter().filter_map(|f| f[key].as_u64()).sum::<u64>();
    assert_eq!(
        [sum("steps"), sum("step_cuts"), sum("cg_iterations")],
        [record.steps, record.step_cuts, record.cg_iterations]
    );
}

#[test]
fn json_tells_what_went_wrong() {
    let place = Workplace::new();
    let tight =
        ["--set", "solver.newton_iterations=1", "--set", "solver.newton_tolerance=1e-14", "--set", "time.step=1e-3"];
    let implicit = ["--integrator", "implicit-bdf2", "--set", "time.control.halvings=0"];
    let ended = place.run(&[&JSON[..], &tight, &implicit].concat());
    ended.expect(4);
    let events = events(&ended);
    let [end, error] = ["end", "error"].map(|kind| of(&events, kind)[0]);
    assert_eq!((&end["state"], &end["error"]), (&"failed".into(), &error["message"]));
    assert_eq!(error["code"], 4);
}

#[test]
fn quiet_json_has_nothing_but_errors() {
    let place = Workplace::new();
    let ended = place.run(&[&JSON[..], &["-q", "--frames", "1"]].concat());
    ended.expect(0);
    assert_eq!(ended.err, "");
    let again = place.run(&[&JSON[..], &["-q"]].concat());
    again.expect(2);
    assert_eq!(of(&events(&again), "error").len(), 1);
}

#[test]
fn verbose_has_a_line_a_frame() {
    let place = Workplace::new();
    let ended = place.simulate("run", &[&["--verbose"], &UNBREAKABLE[..]].concat());
    for frame in ["frame 1/3  ", "frame 2/3  ", "frame 3/3  "] {
        let lines = ended.err.lines().filter(|line| line.starts_with(frame)).collect::<Vec<_>>();
        assert_eq!(lines.len(), 1, "{}", ended.err);
        assert!(lines[0].contains("; Newton "), "{}", lines[0]);
    }
    place.run(&["simulate", "scene.toml", "-q", "-v"]).expect(2);
}
