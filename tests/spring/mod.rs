//! Tests of `crates/core/src/spring`.

mod account;
mod equilibrium;
mod errors;
mod golden;
mod momentum;
mod objective;
mod order;
mod surroundings;
mod torus;

use bdem_core::charge::Method;
use bdem_core::geometry::{Vec3, keyed};
use bdem_core::spring::{
    EnergyAccount, Rule, Solver, Spring, SpringState, SpringSystem, Springs, StepOutcome, StepSettings, Stepper,
};

/// Charged vertices in a unit cube, each on springs to the next three, slightly out of rest.
fn random_system(vertices: u32, damping: f64) -> (SpringSystem, SpringState) {
    let u = |k: u32| keyed::uniform(11, u64::from(k));
    let x: Vec<Vec3> = (0..vertices).map(|i| Vec3::new(u(8 * i), u(8 * i + 1), u(8 * i + 2))).collect();
    let v = (0..vertices).map(|i| Vec3::new(u(8 * i + 3), u(8 * i + 4), u(8 * i + 5)) - Vec3::repeat(0.5)).collect();
    let spring = |i: u32, j: u32| {
        let rest_length = (x[i as usize] - x[j as usize]).norm() * (0.7 + 0.6 * u(8 * (i + j) + 6));
        Spring { ends: [i, j], stiffness: 10.0 + 5.0 * u(8 * i + 7), rest_length, damping }
    };
    let springs = (0..vertices).flat_map(|i| (1..4).map(move |k| (i, (i + k) % vertices)));
    let list = springs.map(|(i, j)| spring(i, j)).collect();
    let mass = (0..vertices).map(|i| 0.05 + 0.1 * u(8 * i)).collect();
    let charge = (0..vertices).map(|i| 1e-6 * (u(8 * i + 5) - 0.3)).collect();
    let mut system =
        SpringSystem::new(Springs::new(vertices as usize, list).expect("springs"), mass, charge).expect("masses");
    (system.softening, system.method) = (0.1, Method::Exact);
    let state = system.state(x, v).expect("a field");
    (system, state)
}

/// Settings whose steps end at rounding.
fn settings(step: f64, rule: Rule, solver: Solver) -> StepSettings {
    StepSettings { rule, solver, tolerance: 1e-13, max_iterations: 5000, ..StepSettings::new(step) }
}

/// Runs `steps` steps; calls `each` after every one.
fn run(
    system: &SpringSystem,
    mut state: SpringState,
    settings: StepSettings,
    steps: usize,
    mut each: impl FnMut(&StepOutcome),
) -> SpringState {
    let mut stepper = Stepper::new(system, &state, settings);
    let mut previous = None;
    for _ in 0..steps {
        let outcome = stepper.step(system, &state, previous.as_ref()).expect("a field");
        each(&outcome);
        previous = Some(std::mem::replace(&mut state, outcome.state));
    }
    state
}

/// Largest distance between vectors.
fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}
