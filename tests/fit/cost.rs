//! Cost and memory of gradients, printed: no test bounds a time.

use std::time::Instant;

use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};

use crate::scenes::{KINDS, Places, Still, Theta, block, settings, sheet};

/// Steps that are replayed have the same gradient.
#[test]
fn replayed_steps_have_the_same_gradient() {
    for kind in KINDS {
        let theta = Theta::new(6);
        let loss = Places::new(&theta);
        let other = Theta { young_modulus: theta.young_modulus * 1.001, ..theta.clone() };
        let change = Change::between(&theta.build(), &other.build(), 0.001);
        let run = Run::new(theta.build(), &settings(kind), 5).expect("a run");
        let all = gradient(&run, &loss, &Storage::default(), std::slice::from_ref(&change)).expect("a gradient");
        // room for a quarter of the steps
        let numbers = if kind == IntegratorKind::ExplicitVerlet { 19 } else { 13 };
        let record = numbers * 8 * run.start.len() as u64;
        let bytes = record * (2 * u64::from(run.steps()).isqrt() + 5);
        let few = gradient(&run, &loss, &Storage::Memory { bytes }, &[change]).expect("a gradient");
        println!("{kind}: {:?}", few.report);
        assert!((few.along[0] / all.along[0] - 1.0).abs() < 1e-7, "{kind}: {} {}", few.along[0], all.along[0]);
    }
}

#[test]
fn cost_of_a_gradient_beside_its_run() {
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
            run.loss(&loss).expect("steps");
            let start = Instant::now();
            run.loss(&loss).expect("steps");
            let alone = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let found = gradient(&run, &loss, &Storage::default(), &[]).expect("a gradient");
            let with = start.elapsed().as_secs_f64();
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
