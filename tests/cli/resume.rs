//! Runs that are killed at any moment and taken up again.

use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use bdem_run::output::RunState;

use crate::cli::{Workplace, is_result};

fn assert_same_results(place: &Workplace, runs: [&str; 2]) {
    let files = runs.map(|run| place.files(run).into_iter().filter(|file| is_result(file)).collect::<Vec<_>>());
    assert_eq!(files[0], files[1]);
    for file in &files[0] {
        let [one, other] = runs.map(|run| fs::read(place.path(run).join(file)).expect("a file"));
        assert!(one == other, "{file} differs");
    }
}

fn start(place: &Workplace, words: &[&str]) -> Child {
    let mut command = place.command(&[&["simulate", "scene.toml", "-o", "killed", "--resume"], words].concat());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Waits until the run has left one more checkpoint, or has ended.
fn wait_for_a_checkpoint(place: &Workplace, child: &mut Child) {
    let checkpoints = || place.files("killed").into_iter().filter(|file| file.ends_with(".ckpt")).max();
    let before = checkpoints();
    while checkpoints() == before && child.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(2));
    }
}

/// Kills a run at 20 moments, and lets it go on each time, on one thread and on two in turns: soon after its start, or some
/// time after its next checkpoint, so that it comes on however slow the machine is.
fn survives_kills(settings: &[&str]) {
    let place = Workplace::new();
    let forces = ["--set", "colliders.0.name=floor", "--set", "output.forces_every=3"];
    let settings = [&["--frames", "30", "--set", "output.checkpoint_every=1"], &forces[..], settings].concat();
    place.simulate("whole", &[&["--threads", "2"], &settings[..]].concat());
    fs::create_dir(place.path("killed")).expect("space");
    let whole = place.record("whole").seconds.total;
    let mut killed = 0;
    for k in 0..20u32 {
        let mut child = start(&place, &[&["--threads", ["1", "2"][k as usize / 2 % 2]], &settings[..]].concat());
        if k % 2 == 1 {
            wait_for_a_checkpoint(&place, &mut child);
        }
        // the fractions of multiples of the golden ratio lie everywhere
        let share = (f64::from(k) * 0.618_033_988_749_895).fract();
        sleep(Duration::from_secs_f64(0.06 * whole * share));
        killed += u32::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    }
    place.run(&[&["simulate", "scene.toml", "-o", "killed", "--resume"], &settings[..]].concat()).expect(0);
    let record = place.record("killed");
    println!("{killed} of 20 kills in a run of {whole:.2} s; at its end it had been resumed {} times", record.resumed);
    assert!(killed >= 10 && record.resumed >= 5 && record.bonds_broken > 100, "{record:?}");
    assert_eq!((record.state, record.frames), (RunState::Done, 30));
    assert_same_results(&place, ["whole", "killed"]);
}

#[test]
fn a_breaking_plate_survives_kills_under_bdf2() {
    survives_kills(&[]);
}

#[test]
fn a_breaking_plate_survives_kills_under_verlet() {
    survives_kills(&["--integrator", "explicit-verlet", "--set", "time.step=auto"]);
}

/// The newest checkpoint is taken that is whole, and it is said which were not.
#[test]
fn damaged_checkpoints_are_left_out() {
    let place = Workplace::new();
    let frames = ["--frames", "6", "--set", "output.checkpoint_every=2"];
    place.simulate("whole", &frames);
    place.simulate("killed", &frames);
    let names = ["killed/checkpoints/plate.0004.ckpt", "killed/checkpoints/plate.0006.ckpt"];
    let newest = fs::read(place.path(names[1])).expect("a checkpoint");
    fs::write(place.path(names[1]), &newest[..newest.len() / 2]).expect("space");
    fs::write(place.path("killed/run.json"), "{").expect("space");
    let resumed = place.simulate("killed", &[&frames[..], &["--resume"]].concat());
    resumed.expect_error(&[
        "plate.0006.ckpt",
        "checksum",
        "it is left out",
        "resuming from killed/checkpoints/plate.0004",
    ]);
    assert_same_results(&place, ["whole", "killed"]);

    for name in names {
        fs::write(place.path(name), "BDEMCKPT").expect("space");
    }
    fs::write(place.path("killed/run.json"), "{").expect("space");
    let anew = place.simulate("killed", &[&frames[..], &["--resume"]].concat());
    anew.expect_error(&["plate.0004.ckpt", "cut short"]);
    assert_eq!(place.record("killed").resumed, 0);
    assert_same_results(&place, ["whole", "killed"]);
}

#[test]
fn a_finished_run_says_so_and_can_be_made_longer() {
    let place = Workplace::new();
    place.simulate("run", &["--resume", "--frames", "2"]);
    place.simulate("run", &["--resume", "--frames", "2"]).expect_error(&["the run is complete"]);
    place.simulate("run", &["--resume", "--frames", "4", "--set", "output.checkpoint_every=\"1 min\""]);
    place.simulate("whole", &["--frames", "4", "--set", "output.checkpoint_every=\"1 min\""]);
    let resolved = "scene.resolved.toml";
    assert_eq!(place.read(&format!("run/{resolved}")), place.read(&format!("whole/{resolved}")));
    let tables = ["metrics.csv", "fractures.csv"];
    assert!(tables.iter().all(|table| place.read(&format!("run/{table}")) == place.read(&format!("whole/{table}"))));
}

#[test]
fn a_checkpoint_of_another_format_is_refused_and_kept() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "2"]);
    fs::write(place.path("run/run.json"), "{").expect("space");
    let name = "run/checkpoints/plate.0002.ckpt";
    let mut bytes = fs::read(place.path(name)).expect("a checkpoint");
    bytes[8] = 1;
    fs::write(place.path(name), &bytes).expect("space");
    let refused = place.run(&["simulate", "scene.toml", "-o", "run", "--resume"]);
    refused.expect(6);
    refused.expect_error(&["plate.0002.ckpt", "its format is 1, and this version of bdem reads 8", "--overwrite"]);
    assert_eq!(fs::read(place.path(name)).expect("it is kept"), bytes);
}

#[test]
fn a_run_of_another_scene_is_not_taken_up() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let other = ["simulate", "scene.toml", "-o", "run", "--resume", "--set", "materials.ceramic.friction=0.4"];
    let refused = place.run(&other);
    refused.expect(6);
    refused.expect_error(&["cannot resume from run", "another scene", "--overwrite"]);
    let both = place.run(&["simulate", "scene.toml", "-o", "run", "--resume", "--overwrite"]);
    both.expect(2);
}

/// Checkpoints have the record too.
#[test]
fn a_run_without_its_record_goes_on_from_its_newest_checkpoint() {
    let place = Workplace::new();
    let settings = ["--set", "output.checkpoint_every=1"];
    place.simulate("whole", &settings);
    place.simulate("run", &settings);
    for lost in ["run.json", "checkpoints/plate.0003.ckpt"] {
        fs::remove_file(place.path("run").join(lost)).expect("it is there");
    }
    let refused = place.run(&["simulate", "scene.toml", "-o", "run"]);
    refused.expect(2);
    refused.expect_error(&["holds a run already", "--overwrite"]);

    let resumed = place.simulate("run", &[&settings[..], &["--resume"]].concat());
    resumed.expect_error(&["resuming from run/checkpoints/plate.0002.ckpt"]);
    assert_eq!((place.record("run").resumed, place.record("run").frames), (1, 3));
    assert_same_results(&place, ["whole", "run"]);
}

/// Without a record and a checkpoint nothing tells whose the frames are, but their names.
#[test]
fn frames_of_another_scene_are_not_mixed_with_new_ones() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    fs::remove_file(place.path("run/run.json")).expect("it is there");
    fs::remove_dir_all(place.path("run/checkpoints")).expect("they are there");
    let before = place.files("run");
    let other = place.read("scene.toml").replace("name = \"plate\"\n\n[time]", "name = \"dish\"\n\n[time]");
    fs::write(place.path("other.toml"), other).expect("space");
    for words in [&["--resume"][..], &[]] {
        let refused = place.run(&[&["simulate", "other.toml", "-o", "run"], words].concat());
        refused.expect(2);
        refused.expect_error(&["holds a run already"]);
    }
    assert_eq!(place.files("run"), before);
    // of the same scene they are replaced
    place.simulate("run", &["--frames", "1", "--resume"]);
    assert_eq!(place.record("run").resumed, 0);
}

/// Names of frames are as long as that of the last, also of one that was not foreseen.
#[test]
fn a_run_that_goes_on_beyond_9999_frames_has_names_that_sort() {
    let place = Workplace::new();
    let few = ["--set", "time.frame_rate=96000", "--set", "output.checkpoint_every=1", "--frames", "2"];
    place.simulate("run", &few);
    let short = place.record("run").digest;
    fs::write(place.path("run/ply/cup.0001.ply"), "another's").expect("space");
    // it is stopped soon: only its first frames count
    let mut long = few;
    long[5] = "10000";
    let mut child = place.command(&[&["simulate", "scene.toml", "-o", "run", "--resume"], &long[..]].concat());
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    crate::cli::wait_for(&place.path("run/ply/plate.00003.ply"));
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    let names: Vec<String> = place.files("run").into_iter().filter(|file| file.ends_with(".ply")).collect();
    assert!(names.iter().filter(|name| name.contains("plate")).all(|name| name.len() == "ply/plate.00000.ply".len()));
    assert_eq!(names[..3], ["ply/cup.0001.ply", "ply/plate.00000.ply", "ply/plate.00001.ply"]);
    // and a shorter one keeps them
    let fewer = ["simulate", "scene.toml", "-o", "run", "--resume", "--set", "time.frame_rate=96000", "--frames", "3"];
    place.run(&fewer).expect(0);
    assert_ne!(place.record("run").digest, short, "it is that of the shorter scene");
    assert!(place.files("run").iter().all(|name| !name.contains("plate.0000.ply")));
}
