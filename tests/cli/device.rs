//! Devices that take the steps of a run.

use crate::cli::Workplace;

/// Explicit steps of the plate's first frame.
const EXPLICIT: [&str; 8] = ["simulate", "scene.toml", "--integrator", "explicit-verlet", "--frames", "1", "-o", "run"];

/// Two such runs.
const SWEEP: [&str; 10] =
    ["sweep", "scene.toml", "--integrator", "explicit-verlet", "--frames", "1", "--seeds", "1-2", "-o", "runs"];

/// Such a run beside an implicit one.
const COMPARE: [&str; 8] = [
    "compare",
    "scene.toml",
    "--integrators",
    "implicit-bdf2@5,explicit-verlet@stable",
    "--frames",
    "1",
    "--json",
    "c.json",
];

fn with_device<'a>(words: &[&'a str], device: &'a str) -> Vec<&'a str> {
    [words, &["--device", device]].concat()
}

#[test]
fn the_processors_are_always_listed() {
    let ended = Workplace::new().run(&["devices"]);
    ended.expect(0);
    assert!(ended.out.starts_with("cpu: this machine's processors, "), "{}", ended.out);
    if cfg!(not(feature = "gpu")) {
        assert!(ended.out.contains("--features gpu"), "{}", ended.out);
    }
}

#[test]
fn the_processors_are_the_default() {
    let place = Workplace::new();
    place.run(&with_device(&EXPLICIT, "cpu")).expect(0);
    assert_eq!(place.record("run").device, None);
    assert!(!place.read("run/run.json").contains("\"device\""));
    assert!(place.run(&["info", "run"]).out.contains("the processors"));
}

/// A script is for another machine, and its device is not looked for here.
#[test]
fn a_script_names_the_device() {
    let place = Workplace::new();
    let words = [&SWEEP[..], &["--emit", "slurm"]].concat();
    for (device, word) in [("cpu", ""), ("its card", " --device 'its card'")] {
        let script = place.run(&with_device(&words, device));
        script.expect(0);
        assert!(script.out.contains(&format!("simulate 'scene.toml'{word} --resume")), "{}", script.out);
    }
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_cards_says_so() {
    let place = Workplace::new();
    for name in ["gpu", "llvmpipe"] {
        let ended = place.run(&with_device(&EXPLICIT, name));
        ended.expect(2);
        ended.expect_error(&[&format!("--device {name}: "), "--features gpu"]);
    }
    for words in [&SWEEP[..], &COMPARE] {
        let ended = place.run(&with_device(words, "gpu"));
        ended.expect(2);
        ended.expect_error(&["--device gpu: ", "--features gpu"]);
    }
    assert!(!place.path("runs").exists());
    // nothing else is asked for than what is fastest
    let ended = place.run(&with_device(&EXPLICIT, "auto"));
    ended.expect(0);
    ended.expect_error(&["--device auto: the processors; "]);
}

/// Runs on the first card, or on the processors as one.
#[cfg(feature = "gpu")]
mod with_cards {
    use super::{COMPARE, EXPLICIT, SWEEP, with_device};
    use crate::cli::{Workplace, is_result, rows};

    /// Name of the first device.
    fn device(place: &Workplace) -> String {
        let listed = place.run(&["devices"]).out;
        let line = listed.lines().nth(1).expect("a device");
        line.split_once(" (").expect("its name").0.to_owned()
    }

    /// The plate's first frame, on the processors and on the device: the same pieces, and positions within a hundredth of a radius.
    #[test]
    fn a_plate_breaks_as_on_the_processors() {
        let place = Workplace::new();
        let device = device(&place);
        place.run(&with_device(&EXPLICIT, "cpu")).expect(0);
        let here = place.record("run");
        let words = [&EXPLICIT[..7], &["there"]].concat();
        place.run(&with_device(&words, &device)).expect(0);
        let there = place.record("there");
        assert!(there.device.as_ref().is_some_and(|name| name.starts_with(&device)), "{:?}", there.device);
        assert_eq!(here.steps, there.steps);
        println!("{} and {} bonds broke", here.bonds_broken, there.bonds_broken);
        assert!(here.bonds_broken > 100 && here.bonds_broken.abs_diff(there.bonds_broken) * 50 < here.bonds_broken);
        let fractures = place.read("there/fractures.csv");
        assert_eq!(rows(&fractures).len(), there.bonds_broken);
    }

    /// Runs that go from one device to the other, with a notice, and the same bits of a run on one.
    #[test]
    fn runs_go_on_on_another_device() {
        let place = Workplace::new();
        let device = device(&place);
        let words = |output| -> Vec<&str> {
            vec!["simulate", "scene.toml", "--integrator", "explicit-verlet", "-o", output, "--resume", "--frames"]
        };
        for output in ["there", "again"] {
            place.run(&with_device(&[&words(output)[..], &["2"]].concat(), &device)).expect(0);
        }
        for file in place.files("there").iter().filter(|file| is_result(file)) {
            let bytes = |run: &str| std::fs::read(place.path(run).join(file)).expect("a file");
            assert_eq!(bytes("there"), bytes("again"), "{file}");
        }
        let ended = place.run(&with_device(&[&words("there")[..], &["3"]].concat(), "cpu"));
        ended.expect(0);
        ended.expect_error(&["on the processors, and before on ", &device]);
        assert_eq!(place.record("there").device, None);
        place.run(&with_device(&[&words("here")[..], &["1"]].concat(), "cpu")).expect(0);
        let ended = place.run(&with_device(&[&words("here")[..], &["2"]].concat(), &device));
        ended.expect(0);
        ended.expect_error(&["and before on the processors"]);
    }

    /// Runs of a sweep, two at once and one by one: the same bits.
    #[test]
    fn a_sweep_has_one_device() {
        let place = Workplace::new();
        let device = device(&place);
        let ended = place.run(&with_device(&SWEEP, &device));
        ended.expect(0);
        ended.expect_error(&["2 runs, 1 at once"]);
        place.run(&with_device(&[&SWEEP[..9], &["at_once", "--jobs", "2"]].concat(), &device)).expect(0);
        for seed in ["seed=1", "seed=2"] {
            let runs = ["runs", "at_once"].map(|sweep| format!("{sweep}/{seed}"));
            let record = place.record(&runs[0]);
            assert!(record.device.is_some_and(|name| name.starts_with(&device)) && record.bonds_broken > 100);
            for file in place.files(&runs[0]).iter().filter(|file| is_result(file)) {
                let [one, other] =
                    runs.each_ref().map(|run| std::fs::read(place.path(run).join(file)).expect("a file"));
                assert_eq!(one, other, "{seed} {file}");
            }
        }
        // before any run
        let words = [&SWEEP[..2], &["--vary", "time.integrator=['explicit-verlet', 'auto']", "-o", "mixed"]].concat();
        let ended = place.run(&with_device(&words, &device));
        ended.expect(2);
        ended.expect_error(&["scene's integrator is auto", "--device cpu"]);
        assert!(!place.path("mixed").exists());
    }

    /// Explicit runs of a comparison alone are on the device, and break as on the processors.
    #[test]
    fn a_comparison_has_the_device_beside_the_processors() {
        let place = Workplace::new();
        let device = device(&place);
        let ended = place.run(&with_device(&COMPARE, &device));
        ended.expect(0);
        assert!(ended.out.contains(&format!("explicit-verlet@stable is on {device}")), "{}", ended.out);
        let json: serde_json::Value = serde_json::from_str(&place.read("c.json")).expect("JSON");
        let [implicit, explicit] = [&json["runs"][0], &json["runs"][1]];
        assert!(
            implicit.get("device").is_none() && explicit["device"].as_str().is_some_and(|on| on.starts_with(&device))
        );
        place.run(&COMPARE).expect(0);
        let here: serde_json::Value = serde_json::from_str(&place.read("c.json")).expect("JSON");
        for key in ["steps", "bonds", "bonds_broken"] {
            let [there, here] = [explicit, &here["runs"][1]].map(|run| run[key].as_u64().expect("a number"));
            println!("{key}: {there} and {here}");
            assert!(here > 100 && here.abs_diff(there) * 50 < here, "{key}: {there} and {here}");
        }
        let implicit = ["compare", "scene.toml", "--integrators", "auto,auto"];
        let ended = place.run(&with_device(&implicit, &device));
        ended.expect(2);
        ended.expect_error(&["explicit-verlet", "--integrators", "--device cpu"]);
    }

    #[test]
    fn a_check_foretells_the_device() {
        let place = Workplace::new();
        let device = device(&place);
        let words = ["check", "scene.toml", "--integrator", "explicit-verlet", "--device", &device];
        let report = place.run(&words);
        report.expect(0);
        let line = report.out.lines().find(|line| line.starts_with("device ")).expect("a line");
        assert!(line.contains(&device) && line.contains(" in all, ") && line.ends_with(" MB of its memory"), "{line}");
    }

    #[test]
    fn what_a_card_cannot_do_is_refused() {
        let place = Workplace::new();
        let device = device(&place);
        let ended = place.run(&with_device(&["simulate", "scene.toml"], &device));
        ended.expect(2);
        ended.expect_error(&["scene's integrator is auto", "--integrator explicit-verlet", "--device cpu"]);
        let ended = place.run(&with_device(&EXPLICIT, "no such card"));
        ended.expect(2);
        ended.expect_error(&["no device is called `no such card`", &device]);
        let ended = place.run(&[&with_device(&EXPLICIT, &device)[..], &["--set", "bodies.plate.rigid=true"]].concat());
        ended.expect(2);
        ended.expect_error(&["rigid", "--device cpu"]);
        let cone = "colliders=[{ name = 'lid', shape = { cone = { radius = 0.1, top_radius = 0.05, height = 0.1 } }, \
                    position = [0.0, 0.0, -1.0] }]";
        let ended = place.run(&[&with_device(&EXPLICIT, &device)[..], &["--set", cone]].concat());
        ended.expect(2);
        ended.expect_error(&["collider 0, \"lid\": it is neither", "--device cpu"]);
    }

    #[test]
    fn no_driver_is_said() {
        let place = Workplace::new();
        let ended = |words: &[&str]| {
            let mut command = place.command(words);
            let output = command.env("VK_DRIVER_FILES", "/dev/null").env("VK_ICD_FILENAMES", "/dev/null").output();
            crate::cli::Ended::from(output.expect("the program starts"))
        };
        let run = ended(&with_device(&EXPLICIT, "gpu"));
        run.expect(2);
        run.expect_error(&["no graphics card has a driver here"]);
        let listed = ended(&["devices"]);
        listed.expect(0);
        assert!(listed.out.contains("no graphics card has a driver here"), "{}", listed.out);
        ended(&with_device(&EXPLICIT, "auto")).expect(0);
    }
}
