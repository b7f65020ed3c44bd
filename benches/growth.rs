//! How time and memory grow with the number of particles, and time with the length of the step:
//! `cargo bench --bench growth`. The body is the beam of the scenes, held at one end, under its own weight.

use std::process::{Command, Stdio};

use bdem_run::run::compare::{CompareOptions, Contender, RunRow, compare};
use bdem_studies::{load, markdown, short};
use clap::Parser;
use serde::{Deserialize, Serialize};

use support::start_threads;

mod support;

/// Growth with size and with the step
#[derive(Debug, Parser)]
struct Arguments {
    /// Thousands of particles
    #[arg(long, value_delimiter = ',', default_value = "19,64,219,1000")]
    sizes: Vec<f64>,
    /// What runs at each size, as in `bdem compare --integrators`
    #[arg(long, value_delimiter = ',', default_value = "explicit-verlet@0.2,implicit-euler@20,implicit-euler@100")]
    runs: Vec<String>,
    /// Steps in periods T, of the beam of --particles
    #[arg(long, value_delimiter = ',', default_value = "11,20,50,100,300,941")]
    steps: Vec<String>,
    /// The integrator that takes these steps
    #[arg(long, default_value = "implicit-euler")]
    integrator: String,
    /// Thousands of particles for --steps
    #[arg(long, default_value_t = 64.0)]
    particles: f64,
    /// Seconds on the wall for each run
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Steps of each run before its clock starts
    #[arg(long, default_value_t = 2)]
    warm_up: u32,
    #[arg(long)]
    threads: Option<usize>,
    /// One run at one size: what a child process does
    #[arg(long, hide = true, value_name = "RUN")]
    child: Option<String>,
    /// Cargo says this to benches
    #[arg(long, hide = true)]
    bench: bool,
}

/// What a child process tells.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    particles: usize,
    bonds: usize,
    run: RunRow,
    /// Most memory that the process had at a time, bytes.
    peak: f64,
}

/// Radius (m) at which the beam has so many thousand particles.
fn radius(thousands: f64) -> f64 {
    0.0066 * (64.766 / thousands).cbrt()
}

fn options(arguments: &Arguments, contenders: Vec<Contender>) -> CompareOptions {
    CompareOptions {
        most_seconds: Some(arguments.seconds),
        warm_up: arguments.warm_up,
        ..CompareOptions::new(contenders)
    }
}

/// The beam of about so many thousand particles, for as long as it takes. Frames of a second, so that steps of any length fit.
fn beam(thousands: f64) -> bdem_run::scene::Scene {
    let set = ["time.frame_rate=1", "time.frames=100000"].map(str::to_owned).into_iter();
    let set: Vec<String> = set.chain([format!("bodies.beam.particle_radius={}", radius(thousands))]).collect();
    load("beam_drape", &set).expect("the beam is a good scene")
}

/// Runs one contender and prints what it took, for the parent.
fn child(arguments: &Arguments, name: &str) {
    start_threads(arguments.threads);
    let contender = name.parse().unwrap_or_else(|error| panic!("{error}"));
    let found = compare(&beam(arguments.particles), &options(arguments, vec![contender])).expect("the beam runs");
    let run = found.runs.into_iter().next().expect("one contender, one run");
    let told = Told { particles: found.particles, bonds: found.bonds, run, peak: peak_memory() };
    println!("{}", serde_json::to_string(&told).expect("it is JSON"));
}

/// Most bytes that this process had in memory at a time, where the system tells.
fn peak_memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| 1024.0 * kilobytes)
}

/// A run in a process of its own, whose memory is its alone.
fn apart(arguments: &Arguments, run: &str, thousands: f64) -> Told {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--child", run, "--particles", &thousands.to_string()]);
    command.args(["--seconds", &arguments.seconds.to_string(), "--warm-up", &arguments.warm_up.to_string()]);
    if let Some(threads) = arguments.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    let output = command.stderr(Stdio::inherit()).output().expect("the child starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{run} at {thousands}K particles: {error}"))
}

fn with_size(arguments: &Arguments) {
    let mut lines = Vec::new();
    for run in &arguments.runs {
        for &thousands in &arguments.sizes {
            let Told { particles, bonds, run: row, peak } = apart(arguments, run, thousands);
            let wall = row.seconds.total - row.seconds.setup;
            let steps = row.steps as f64;
            lines.push(vec![
                run.clone(),
                particles.to_string(),
                bonds.to_string(),
                row.steps.to_string(),
                short(Some(1e3 * wall / steps)),
                short(Some(1e9 * wall / steps / particles as f64)),
                short(Some(peak / particles as f64)),
                short(Some(row.seconds.setup)),
                short(Some(row.newton_iterations as f64 / steps)),
                short(Some(row.cg_iterations as f64 / steps)),
            ]);
        }
    }
    let headings = [
        "run",
        "particles",
        "bonds",
        "steps timed",
        "ms/step",
        "ns/particle/step",
        "bytes/particle",
        "set-up s",
        "Newton/step",
        "CG/step",
    ];
    println!("{}", markdown(&headings.map(str::to_owned), &lines));
}

fn with_step(arguments: &Arguments) {
    start_threads(arguments.threads);
    let implicit = arguments.steps.iter().map(|step| format!("{}@{step}", arguments.integrator));
    let words: Vec<String> = implicit.chain(["explicit-verlet".to_owned()]).collect();
    let contenders = Contender::parse_all(&words).unwrap_or_else(|error| panic!("{error}"));
    let found = compare(&beam(arguments.particles), &options(arguments, contenders)).expect("the beam runs");
    println!("\n{found}");
}

fn main() {
    let arguments = Arguments::parse();
    match &arguments.child {
        Some(run) => child(&arguments, run),
        None => {
            with_size(&arguments);
            with_step(&arguments);
        }
    }
}
