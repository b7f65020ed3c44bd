use bdem_core::charge::Method;
use bdem_core::geometry::Vec3;
use bdem_core::spring::{Rule, Solver, Spring, SpringState, SpringSystem, Springs, StepSettings, Stepper};
use serde_json::Value;

use super::{distance, run, settings};
use crate::common::golden::{list, load, number, numbers, vec3s};

fn case() -> (Value, SpringSystem, SpringState) {
    let case = load("charges")["mass_spring_charge"].take();
    let (stiffness, rest) = (numbers(&case["k"]), numbers(&case["rest_length"]));
    let spring = |(k, ends): (usize, &Value)| {
        let ends = numbers(ends);
        Spring { ends: [ends[0] as u32, ends[1] as u32], stiffness: stiffness[k], rest_length: rest[k], damping: 0.0 }
    };
    let springs = list(&case, "springs").iter().enumerate().map(spring).collect();
    let (mass, charge) = (numbers(&case["mass"]), numbers(&case["q"]));
    let springs = Springs::new(mass.len(), springs).expect("springs");
    let mut system = SpringSystem::new(springs, mass, charge).expect("masses");
    (system.force, system.method) = (vec3s(&case["f_ext"]), Method::Exact);
    let state = system.state(vec3s(&case["x0"]), vec3s(&case["v0"])).expect("a field");
    (case, system, state)
}

/// Whether vectors agree to 1e-7 of their largest.
fn expect_near(ours: &[Vec3], reference: &Value, name: &str) {
    let reference = vec3s(reference);
    let largest = distance(&reference, &vec![Vec3::zeros(); reference.len()]);
    assert!(distance(ours, &reference) < 1e-7 * largest, "{name}: {}", distance(ours, &reference) / largest);
}

#[test]
fn golden_local_global_iteration() {
    let (case, system, state) = case();
    expect_near(&state.coulomb, &case["f_coulomb_at_x0"], "Coulomb forces");
    let settings =
        StepSettings { max_iterations: 1, ..settings(number(&case, "h"), Rule::ImplicitEuler, Solver::LocalGlobal) };
    let step = Stepper::new(&system, &state, settings).step(&system, &state, None).expect("a field");
    expect_near(&step.state.x, &case["x1_one_local_global_iteration_from_y"], "one iteration");
}

#[test]
fn golden_steps_of_both_solvers() {
    let (case, system, state) = case();
    for solver in [Solver::LocalGlobal, Solver::Newton] {
        let settings = settings(number(&case, "h"), Rule::ImplicitEuler, solver);
        let first =
            run(&system, state.clone(), settings, 1, |step| assert!(step.residual < 1e-12, "{}", step.residual));
        expect_near(&first.x, &case["x1_converged"], "x after a step");
        expect_near(&first.v, &case["v1"], "v after a step");
        let last = run(&system, state.clone(), settings, number(&case, "steps") as usize, |_| ());
        expect_near(&last.x, &case["x_T"], "x at the end");
        expect_near(&last.v, &case["v_T"], "v at the end");
    }
}
