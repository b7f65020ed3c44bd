//! Cost and memory of gradients, printed: no test bounds a time.

use std::fs;
use std::sync::LazyLock;
use std::time::Instant;

use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};

use crate::scenes::{KINDS, Places, Still, Theta, block, settings, sheet};

/// Steps that are replayed have the same gradient.
#[test]
fn replayed_steps_have_the_same_gradient() {
    let rubs = Theta { has_springs: false, floor: Some([0.7, 0.0]), friction: 0.3, ..Theta::new(8) };
    for (kind, theta) in KINDS.into_iter().flat_map(|kind| [(kind, Theta::new(6)), (kind, rubs.clone())]) {
        let loss = Places::new(&theta);
        let other = Theta { young_modulus: theta.young_modulus * 1.001, ..theta.clone() };
        let change = Change::between(&theta.build(), &other.build(), 0.001);
        let run = Run::new(theta.build(), &settings(kind), 5).expect("a run");
        let all = gradient(&run, &loss, &Storage::default(), std::slice::from_ref(&change)).expect("a gradient");
        // room for a quarter of the steps
        let numbers = if kind == IntegratorKind::ExplicitVerlet { 19 } else { 13 };
        let record = numbers * 8 * run.start.len() as u64;
        let bytes = record * (2 * u64::from(run.steps()).isqrt() + 5);
        for storage in [Storage::Memory { bytes }, Storage::Disk { folder: std::env::temp_dir() }] {
            let few = gradient(&run, &loss, &storage, std::slice::from_ref(&change)).expect("a gradient");
            println!("{kind}: {:?}", few.report);
            assert!((few.along[0] / all.along[0] - 1.0).abs() < 1e-7, "{kind}: {} {}", few.along[0], all.along[0]);
        }
    }
}

/// Processor time of this thread, s; where the system does not tell it, that of the clock.
fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let spent = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    spent.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Median processor time of several calls, s, and the last result.
fn median_cost<T>(call: impl Fn() -> T) -> (f64, T) {
    let mut last = None;
    let mut costs = [0; 5].map(|_| {
        let start = processor_seconds();
        last = Some(call());
        processor_seconds() - start
    });
    costs.sort_unstable_by(f64::total_cmp);
    (costs[2], last.expect("it was called"))
}

#[test]
#[ignore = "prints costs, and asserts nothing"]
fn cost_of_a_gradient_beside_its_run() {
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one_thread.install(print_costs);
}

fn print_costs() {
    for kind in KINDS {
        for (name, (world, start)) in [("springs", sheet(40)), ("bonds", block(20))] {
            let step = if kind.is_explicit() { 2e-4 } else { 2e-3 };
            let settings = SimulationSettings {
                integrator: kind,
                step: Some(StepSize::Seconds(step)),
                ..SimulationSettings::new(step * if kind.is_explicit() { 10.0 } else { 1.0 })
            };
            let run = Run::new((world, start), &settings, 10).expect("a run");
            let loss = Still(run.start.p.clone());
            let (alone, _) = median_cost(|| run.loss(&loss).expect("steps"));
            let (with, found) = median_cost(|| gradient(&run, &loss, &Storage::default(), &[]).expect("a gradient"));
            let (particles, steps, report) = (run.start.len(), run.steps(), found.report);
            println!(
                "{kind}, {particles} particles on {name}, {steps} steps: {:.2} times the run of {alone:.3} s, {report:?}",
                with / alone
            );
        }
    }
}

/// 10 000 steps of 10 000 particles within 1 GB.
#[test]
#[ignore = "takes a minute"]
fn memory_of_a_long_run() {
    let settings = SimulationSettings {
        integrator: IntegratorKind::ExplicitVerlet,
        step: Some(StepSize::Seconds(2e-4)),
        ..SimulationSettings::new(2e-2)
    };
    let run = Run::new(sheet(100), &settings, 100).expect("a run");
    let loss = Still(run.start.p.clone());
    let found = gradient(&run, &loss, &Storage::default(), &[]).expect("a gradient");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("{} particles, {} steps: {peak}, {:?}", run.start.len(), run.steps(), found.report);
}
