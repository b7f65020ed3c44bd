//! Tests of the command line in `src`, which run the program itself.

#[cfg(unix)]
mod attacks;
mod bits;
mod calibrate;
mod check;
mod compare;
mod completions;
mod convert;
mod device;
mod disk;
mod errors;
mod fit;
mod info;
mod lock;
mod log;
mod man;
mod memory;
mod new;
mod old_names;
#[cfg(unix)]
mod output;
mod packings;
mod pieces;
mod plot;
mod render;
mod resume;
mod schema;
mod simulate;
mod stop;
mod study;
mod surface;
mod sweep;
mod table;
mod view;
mod walls;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bdem_run::output::RunRecord;
use tempfile::TempDir;

/// A thin plate that hits the floor in its first frame, and breaks.
const PLATE: &str = r#"[scene]
name = "plate"

[time]
frame_rate = 960.0
frames = 3

[materials.ceramic]
density = 2600.0
young_modulus = 1e9
poisson_ratio = 0.25
tensile_strength = 3e6
shear_strength = 3e6
weibull_modulus = 8.0
friction = 0.3
damping = 0.02

[[bodies]]
name = "plate"
material = "ceramic"
particle_radius = 0.003
shape = { cylinder = { radius = 0.04, height = 0.016 } }
position = [0.0, 0.0, 0.02]
rotation = { axis = [1.0, 0.0, 0.0], degrees = 15.0 }
velocity = [0.0, 0.0, -5.0]

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
"#;

/// All that there are.
const COMMANDS: [&str; 17] = [
    "devices",
    "sweep",
    "calibrate",
    "view",
    "plot",
    "simulate",
    "compare",
    "study",
    "check",
    "fit",
    "info",
    "convert",
    "render",
    "new",
    "schema",
    "completions",
    "man",
];

/// What unbreakable plates are made of.
const UNBREAKABLE: [&str; 4] =
    ["--set", "materials.ceramic.tensile_strength=inf", "--set", "materials.ceramic.shear_strength=inf"];

/// A folder that the program runs in, with a scene in it.
pub(crate) struct Workplace(TempDir);

/// How the program ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Workplace {
    /// With [`PLATE`] as `scene.toml`.
    pub(crate) fn new() -> Self {
        Self::with(PLATE)
    }

    /// With this `scene.toml`.
    fn with(scene: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::write(place.path("scene.toml"), scene).expect("space for a scene");
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program with these words, to be run here.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bdem"));
        // no test reads or writes what the user has kept
        command.args(words).current_dir(self.0.path()).env("BDEM_CACHE", "off");
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        self.command(words).output().expect("the program starts").into()
    }

    /// `bdem simulate scene.toml -o OUTPUT` and more words, which must go well.
    fn simulate(&self, output: &str, words: &[&str]) -> Ended {
        let ended = self.run(&[&["simulate", "scene.toml", "-o", output], words].concat());
        ended.expect(0);
        ended
    }

    fn record(&self, run: &str) -> RunRecord {
        RunRecord::read(&self.path(run).join("run.json")).expect("a record")
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// The files of a run, by their paths within its folder.
    fn files(&self, run: &str) -> BTreeSet<String> {
        let root = self.path(run);
        let mut files = BTreeSet::new();
        collect(&root, &root, &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a folder's entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            files.insert(path.strip_prefix(root).expect("a path within").to_string_lossy().into_owned());
        }
    }
}

/// Whether a run's file is the same bits in every run of a scene: others tell of the run itself.
fn is_result(file: &str) -> bool {
    !file.ends_with(".ckpt") && !["run.json", "timings.csv"].contains(&file)
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Ended {
    pub(crate) fn expect(&self, code: i32) {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
    }

    /// Fails unless stderr has all of these.
    fn expect_error(&self, fragments: &[&str]) {
        for fragment in fragments {
            assert!(self.err.contains(fragment), "no {fragment:?} in:\n{}", self.err);
        }
    }
}

/// Waits until `path` is there.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "{} does not come", path.display());
        sleep(Duration::from_millis(5));
    }
}

/// The rows of a table, its header left out.
fn rows(table: &str) -> Vec<Vec<String>> {
    table.lines().skip(1).map(|row| row.split(',').map(str::to_owned).collect()).collect()
}
