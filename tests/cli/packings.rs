//! Packings that are kept from one run to the next.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use bdem_run::run::remove_oldest;
use sha2::{Digest, Sha256};

use crate::cli::stop::{PACKING, start};
use crate::cli::{Ended, Workplace};

/// A ball that is packed in less than a second.
fn ball() -> Workplace {
    Workplace::with(&PACKING.replace("radius = 0.004", "radius = 0.008").replace("[0.6, 0.5, 0.4]", "[0.13, 0.1, 0.1]"))
}

/// The program with these words, and packings in the folder `cache`.
fn run_any(place: &Workplace, words: &[&str]) -> Ended {
    place.command(words).env("BDEM_CACHE", place.path("cache")).output().expect("the program starts").into()
}

/// The same, which succeeds.
fn run(place: &Workplace, words: &[&str]) -> Ended {
    let ended = run_any(place, words);
    ended.expect(0);
    ended
}

fn kept(place: &Workplace, folder: &str) -> Vec<PathBuf> {
    place.files(folder).into_iter().map(|file| place.path(folder).join(file)).collect()
}

#[test]
fn a_packing_is_kept_by_check_and_used_by_the_run_and_by_its_resumption() {
    let place = ball();
    run(&place, &["check", "scene.toml"]);
    let [kept] = &kept(&place, "cache")[..] else { panic!("{:?}", kept(&place, "cache")) };
    let packing = fs::read(kept).expect("a packing");
    run(&place, &["simulate", "scene.toml", "-o", "run", "--frames", "1"]);
    let name = format!("packings/{}", kept.file_name().expect("a name").to_string_lossy());
    assert_eq!(fs::read(place.path("run").join(&name)).expect("the run's own"), packing);

    // the run's own packing is all that a resumption needs
    fs::remove_file(kept).expect("it is there");
    run(&place, &["simulate", "scene.toml", "-o", "run", "--resume"]);
    assert!(!kept.exists(), "it is packed again");

    place.simulate("anew", &[]);
    let [kept, anew] = ["run", "anew"].map(|run| fs::read(place.path(run).join("metrics.csv")).expect("a table"));
    assert!(kept == anew, "it goes on otherwise than a run without kept packings");
}

#[test]
fn a_damaged_packing_is_made_again() {
    let place = ball();
    run(&place, &["check", "scene.toml"]);
    let kept = kept(&place, "cache").remove(0);
    let whole = fs::read(&kept).expect("a packing");
    let mut flipped = whole.clone();
    flipped[200] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &flipped, b""] {
        fs::write(&kept, damaged).expect("space");
        run(&place, &["check", "scene.toml"]);
        assert_eq!(fs::read(&kept).expect("a packing"), whole);
    }
}

/// A file of `spheres` as the program would write it.
fn encode(key: &str, spheres: &[[f64; 4]]) -> Vec<u8> {
    let numbers = spheres.iter().flatten().flat_map(|x| x.to_le_bytes());
    let content: Vec<u8> = (spheres.len() as u64).to_le_bytes().into_iter().chain(numbers).collect();
    let sum = Sha256::new_with_prefix(key).chain_update(&content).finalize();
    [&b"bdem packing 2\n"[..], &sum[..], &content].concat()
}

fn decode(bytes: &[u8]) -> Vec<[f64; 4]> {
    let (numbers, _) = bytes[15 + 32 + 8..].as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    numbers.as_chunks::<4>().0.to_vec()
}

/// Files whose sum is right, in the run's own folder and in the shared one.
#[test]
fn a_packing_that_is_not_the_scenes_is_made_again() {
    let place = ball();
    run(&place, &["check", "scene.toml", "--set", "scene.seed=2"]);
    let other = kept(&place, "cache").remove(0);
    let of_another_seed = fs::read(&other).expect("a packing");
    fs::remove_file(other).expect("it is there");
    run(&place, &["check", "scene.toml"]);
    let path = kept(&place, "cache").remove(0);
    let key = path.file_stem().and_then(|key| key.to_str()).expect("a key").to_owned();
    let whole = fs::read(&path).expect("a packing");
    let spheres = decode(&whole);
    assert!(encode(&key, &spheres) == whole, "the test writes another format");

    let with = |change: &dyn Fn(&mut Vec<[f64; 4]>)| {
        let mut spheres = spheres.clone();
        change(&mut spheres);
        encode(&key, &spheres)
    };
    let wrong = [
        of_another_seed,
        with(&|spheres| spheres.truncate(spheres.len() / 2)),
        with(&|spheres| spheres.truncate(0)),
        with(&|spheres| spheres[7] = spheres[8]),
        with(&|spheres| spheres[7][0] = f64::NAN),
        with(&|spheres| spheres[7][2] = f64::INFINITY),
        with(&|spheres| spheres[7][1] = 10.0),
        with(&|spheres| spheres[7][3] *= 1.5),
        with(&|spheres| spheres[7][3] = -spheres[7][3]),
    ];
    for (k, wrong) in wrong.iter().enumerate() {
        fs::write(&path, wrong).expect("space");
        run(&place, &["check", "scene.toml"]);
        assert!(fs::read(&path).expect("a packing") == whole, "packing {k} is taken");
    }
}

/// The disk of a farm is everyone's.
#[cfg(unix)]
#[test]
fn a_packing_that_others_may_write_is_made_again() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let place = ball();
    run(&place, &["check", "scene.toml"]);
    let path = kept(&place, "cache").remove(0);
    let mode = || fs::metadata(&path).expect("a packing").permissions().mode() & 0o777;
    fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).expect("it is ours");
    run(&place, &["check", "scene.toml"]);
    assert_eq!(mode() & 0o002, 0, "it is used");
    if chown(&path, Some(12_345), None).is_err() {
        eprintln!("skipped: only root can give a file away");
        return;
    }
    run(&place, &["check", "scene.toml"]);
    assert_ne!(std::os::unix::fs::MetadataExt::uid(&fs::metadata(&path).expect("a packing")), 12_345);
}

#[test]
fn incomplete_packings_count_and_those_of_killed_processes_are_removed() {
    let place = ball();
    let folder = place.path("cache");
    fs::create_dir(&folder).expect("space");
    let now = SystemTime::now();
    for (name, age) in
        [("a.packing", 30), (".b.packing.x7Gk2a.part", 20), (".c.packing.Zk2a7x.part", 3600), ("d.part", 3600)]
    {
        fs::write(folder.join(name), [0; 100]).expect("space");
        let file = fs::File::options().append(true).open(folder.join(name)).expect("it is there");
        file.set_modified(now - Duration::from_secs(age)).expect("a time");
    }
    remove_oldest(&folder, 200);
    assert_eq!(place.files("cache").into_iter().collect::<Vec<_>>(), [".b.packing.x7Gk2a.part", "a.packing", "d.part"]);
    remove_oldest(&folder, 199);
    assert_eq!(place.files("cache").into_iter().collect::<Vec<_>>(), [".b.packing.x7Gk2a.part", "d.part"]);
}

#[test]
fn other_shapes_radii_and_seeds_have_packings_of_their_own() {
    let place = ball();
    let sets =
        ["scene.seed=2", "bodies.egg.particle_radius=0.0081", "bodies.egg.shape.ellipsoid.radii=[0.13, 0.1, 0.11]"];
    run(&place, &["check", "scene.toml"]);
    for (known, set) in (1..).zip(sets) {
        assert_eq!(kept(&place, "cache").len(), known);
        run(&place, &["check", "scene.toml", "--set", set]);
    }
    // the gap chooses bonds, not spheres
    run(&place, &["check", "scene.toml", "--set", "bodies.egg.packing={ random = { gap = 0.2 } }"]);
    assert_eq!(kept(&place, "cache").len(), 1 + sets.len());
}

#[test]
fn a_folder_that_holds_a_run_is_refused_before_anything_is_packed() {
    let place = ball();
    fs::create_dir(place.path("run")).expect("a folder");
    fs::write(place.path("run/run.json"), "{}").expect("a record");
    let ended = run_any(&place, &["simulate", "scene.toml", "-o", "run"]);
    ended.expect(2);
    ended.expect_error(&["holds a run already"]);
    assert!(!place.path("cache").exists(), "it packed the scene first");
}

#[cfg(unix)]
#[test]
fn a_long_packing_tells_how_far_it_is() {
    // of a tenth of a minute: the first words come after two seconds
    let place = Workplace::with(&PACKING.replace("radius = 0.004", "radius = 0.008"));
    let mut child = start(&place, &["check", "scene.toml"]);
    let err = child.stderr.as_mut().expect("it is piped");
    let mut lines = BufReader::new(err).lines().map(|line| line.expect("the program writes text"));
    // on a busy machine one may come before that says that the check still runs
    let line = lines.find(|line| !line.contains("still running")).expect("a line");
    assert!(line.starts_with("packing egg: ") && line.contains(" %, ") && line.ends_with(" left"), "{line}");
    child.kill().expect("it still packs");
    child.wait().expect("it ends");
}

#[test]
fn a_quiet_packing_tells_nothing() {
    assert_eq!(ball().run(&["check", "scene.toml", "--quiet"]).err, "");
}

#[test]
fn compare_and_convert_use_what_is_kept() {
    let place = ball();
    run(&place, &["simulate", "scene.toml", "-o", "run", "--frames", "1"]);
    fs::remove_dir_all(place.path("run/packings")).expect("the run's own");
    let kept = kept(&place, "cache").remove(0);
    let before = fs::metadata(&kept).and_then(|about| about.modified()).expect("a time");
    for words in [
        &["compare", "scene.toml", "--frames", "1", "--integrators", "implicit-euler,implicit-bdf2"][..],
        &["convert", "run", "--to", "ply", "--frames", "0"],
    ] {
        // packed anew it would be another file
        let old = before - Duration::from_secs(3600);
        fs::File::options().append(true).open(&kept).and_then(|file| file.set_modified(old)).expect("it is there");
        let whole = fs::read(&kept).expect("a packing");
        run(&place, words);
        let used = fs::metadata(&kept).and_then(|about| about.modified()).expect("a time");
        assert!(used > old && fs::read(&kept).expect("a packing") == whole, "{words:?}");
    }
}

#[test]
fn the_packings_that_were_used_least_recently_go_first() {
    let place = ball();
    let folder = place.path("cache");
    fs::create_dir(&folder).expect("space");
    let now = SystemTime::now();
    for (name, age) in [("a.packing", 30), ("b.packing", 10), ("c.packing", 20), ("mine.txt", 40)] {
        fs::write(folder.join(name), [0; 100]).expect("space");
        let file = fs::File::options().append(true).open(folder.join(name)).expect("it is there");
        file.set_modified(now - Duration::from_secs(age)).expect("a time");
    }
    let names =
        || kept(&place, "cache").iter().map(|path| path.file_name().expect("a name").to_owned()).collect::<Vec<_>>();
    remove_oldest(&folder, 300);
    assert_eq!(names(), ["a.packing", "b.packing", "c.packing", "mine.txt"]);
    remove_oldest(&folder, 200);
    assert_eq!(names(), ["b.packing", "c.packing", "mine.txt"]);
    remove_oldest(&folder, 199);
    assert_eq!(names(), ["b.packing", "mine.txt"]);
}
