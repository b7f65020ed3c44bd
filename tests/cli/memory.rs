//! Scenes that do not fit into memory.

use crate::cli::{Ended, Workplace};

/// Makes the plate one of 4.5e7 particles: some 270 GB.
const LARGE: [&str; 4] = [
    "--set",
    "bodies.plate.shape={ cylinder = { radius = 1.2, height = 1.0 } }",
    "--set",
    "bodies.plate.particle_radius=0.0026",
];

fn refused(place: &Workplace, words: &[&str], fragments: &[&str]) -> Ended {
    let ended = place.run(words);
    ended.expect(3);
    ended.expect_error(fragments);
    assert_eq!(place.files(""), ["scene.toml".to_owned()].into(), "nothing is written");
    ended
}

#[test]
fn a_scene_that_does_not_fit_is_told_before_it_is_built() {
    let place = Workplace::new();
    for command in ["check", "simulate", "compare"] {
        let fragments =
            ["particles need ", " GB are free", "--max-memory", ": take larger particles or smaller bodies"];
        refused(&place, &[&[command, "scene.toml"], &LARGE[..]].concat(), &fragments);
    }
}

/// A limit on the address space, far below what the plate would take, and it does not run into it.
#[cfg(target_os = "linux")]
#[test]
fn a_refusal_takes_little_memory() {
    let place = Workplace::new();
    let words = [&["scene.toml", "--threads", "1"], &LARGE[..]].concat();
    let quoted: String = words.iter().map(|word| format!(" '{word}'")).collect();
    let script = format!("ulimit -v 400000; exec {} simulate{quoted}", env!("CARGO_BIN_EXE_bdem"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("")).env("BDEM_CACHE", "off");
    let ended: Ended = shell.output().expect("a shell").into();
    ended.expect(3);
    ended.expect_error(&["particles need "]);
}

/// Memory that the system refuses is an error, as it is of every command.
#[cfg(target_os = "linux")]
#[test]
fn refused_memory_is_an_error_and_no_abort() {
    let place = Workplace::new();
    place.simulate("run", &["--frames", "1"]);
    let script =
        format!("ulimit -v 400000; exec {} render run --size 8000x8000 --threads 1", env!("CARGO_BIN_EXE_bdem"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("")).env("BDEM_CACHE", "off");
    let ended: Ended = shell.output().expect("a shell").into();
    ended.expect(5);
    ended.expect_error(&["error: out of memory: ", " MB were refused; "]);
}

#[test]
fn the_user_says_how_much_there_is() {
    let place = Workplace::new();
    let fragments = [" MB, and --max-memory allows 8.4 MB: take larger"];
    refused(&place, &["simulate", "scene.toml", "--max-memory", "8MiB"], &fragments);
    for size in ["8GB", "512 MB", "8GiB", "1 elephant", "GB", "-1"] {
        let ended =
            place.run(&["simulate", "scene.toml", "--frames", "1", "-o", "run", "--overwrite", "--max-memory", size]);
        ended.expect(if size.ends_with('B') && size != "GB" { 0 } else { 2 });
    }
}

/// Maximum resident memory of a run, MB.
#[cfg(target_os = "linux")]
fn peak_of_run(place: &Workplace, words: &[&str]) -> f64 {
    use std::process::Stdio;

    let mut command = place.command(&[&["simulate"], words, &["-o", "run", "--overwrite"]].concat());
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut peak = 0.0_f64;
    let ended = loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
        peak = peak.max(1.024e-3 * kibibytes.unwrap_or(0.0));
        if let Some(ended) = run.try_wait().expect("it is ours") {
            break ended;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(ended.success(), "{words:?}");
    peak
}

/// Memory that a check tells, MB.
#[cfg(target_os = "linux")]
fn told(place: &Workplace, words: &[&str]) -> f64 {
    let check = place.run(&[&["check"], words].concat());
    check.expect(0);
    let line = check.out.lines().find_map(|line| line.strip_prefix("memory         about "));
    line.and_then(|line| line.strip_suffix(" MB")?.parse().ok()).expect("a number")
}

/// A charge on each particle of the plate.
#[cfg(target_os = "linux")]
const CHARGES: &str = "
[[charges]]
body = \"plate\"
total = 1e-7
";

/// Frames are short, so that the check simulates all of each whatever the machine's speed. Integrators; bodies bonded in a lattice
/// and at random, of unlike spheres, loose, rigid and charged; cloth of springs, yarns.
#[cfg(target_os = "linux")]
#[test]
fn a_check_foretells_the_memory_of_a_run() {
    let scene = |name: &str| format!("{}/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let [tshirt, textile] = ["tshirt", "textile"].map(scene);
    let fine = "bodies.plate.particle_radius=0.00125";
    let random = "bodies.plate.packing={ random = { gap = 0.4 } }";
    let unlike = "bodies.plate.packing={ random = { radius_range = [0.0012, 0.0019], gap = 0.4 } }";
    let short = "time.frame_rate=20000";
    let kinds: [(&str, &str, &[&str]); 13] = [
        ("scene.toml", "auto", &[fine, short]),
        ("scene.toml", "explicit-verlet", &[fine, short, "time.step=auto", "output.bonds=true"]),
        ("scene.toml", "explicit-verlet", &[fine, short]),
        ("scene.toml", "implicit-euler", &[fine, short]),
        ("scene.toml", "implicit-bdf2", &[fine, short]),
        ("scene.toml", "implicit-midpoint", &[fine, short]),
        ("scene.toml", "implicit-euler", &[fine, short, random]),
        ("unlike.toml", "explicit-verlet", &[short, unlike]),
        ("scene.toml", "explicit-verlet", &[fine, short, "bodies.plate.bonded=false"]),
        ("scene.toml", "auto", &[fine, short, "bodies.plate.rigid=true"]),
        ("charged.toml", "explicit-verlet", &[fine, short]),
        (&tshirt, "implicit-euler", &[]),
        (&textile, "explicit-verlet", &[short, "bodies.cloth.particle_radius=0.002"]),
    ];
    let place = Workplace::new();
    std::fs::write(place.path("charged.toml"), format!("{}{CHARGES}", place.read("scene.toml"))).expect("space");
    std::fs::write(place.path("unlike.toml"), place.read("scene.toml").replace("particle_radius = 0.003", ""))
        .expect("space");
    for (scene, integrator, set) in kinds {
        let set: Vec<_> = set.iter().flat_map(|set| ["--set", set]).collect();
        let words = [&[scene, "--frames", "1", "--threads", "2", "--integrator", integrator], &set[..]].concat();
        let (told, peak) = (told(&place, &words), peak_of_run(&place, &words));
        println!("{words:?}: {told} MB of {peak:.1} MB");
        assert!((told / peak - 1.0).abs() < 0.15, "{words:?}: {told} MB of {peak:.1} MB");
    }
}
