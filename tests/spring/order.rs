use bdem_core::spring::{Rule, Solver, SpringState};

use super::{distance, random_system, run, settings};

/// With charges, whose forces implicit steps take from their beginning, or extrapolated.
#[test]
fn rules_are_of_their_orders() {
    let (system, state) = random_system(20, 0.1);
    let end = |rule, steps: usize| -> SpringState {
        run(&system, state.clone(), settings(0.1 / steps as f64, rule, Solver::Newton), steps, |_| ())
    };
    let reference = end(Rule::Verlet, 3200);
    for (rule, order) in [(Rule::ImplicitEuler, 1.0), (Rule::ImplicitBdf2, 2.0), (Rule::Verlet, 2.0)] {
        let [coarse, fine] = [50, 100].map(|steps| distance(&end(rule, steps).x, &reference.x));
        let measured = (coarse / fine).log2();
        assert!((measured - order).abs() < 0.25, "{rule:?}: {measured}");
    }
}
