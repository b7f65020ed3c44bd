use bdem::spring::{Rule, Solver};

use super::{distance, random_system, run, settings};

/// All forces are between pairs: of springs, dashpots and charges. Verlet also keeps the angular momentum.
#[test]
fn pair_forces_keep_the_momentum() {
    let (system, state) = random_system(40, 0.05);
    let before = system.momentum(&state);
    for (rule, solver) in [
        (Rule::ImplicitEuler, Solver::LocalGlobal),
        (Rule::ImplicitEuler, Solver::Newton),
        (Rule::ImplicitBdf2, Solver::Newton),
        (Rule::Verlet, Solver::Newton),
    ] {
        let end = run(&system, state.clone(), settings(0.01, rule, solver), 50, |_| ());
        let change = (system.momentum(&end) - before).norm();
        assert!(change < 1e-11, "{rule:?} {solver:?}: {change}");
        if rule == Rule::Verlet {
            let change = (system.angular_momentum(&end) - system.angular_momentum(&state)).norm();
            assert!(change < 1e-11, "{change}");
        }
    }
}

/// A step is a function of the states that it is given: stored ones give the same bits again.
#[test]
fn stored_states_replay_to_the_bit() {
    let (system, state) = random_system(40, 0.05);
    for solver in [Solver::LocalGlobal, Solver::Newton] {
        let settings = settings(0.05, Rule::ImplicitBdf2, solver);
        let mut stored = vec![state.clone()];
        run(&system, state.clone(), settings, 6, |step| stored.push(step.state.clone()));
        let mut stepper = bdem::spring::Stepper::new(&system, &state, settings);
        for k in (1..6).rev() {
            let again = stepper.step(&system, &stored[k], Some(&stored[k - 1])).expect("a field");
            assert!(again.state == stored[k + 1]);
        }
    }
}

/// Both solvers find the same minimum.
#[test]
fn solvers_agree() {
    let (system, state) = random_system(60, 0.2);
    let of = |solver| run(&system, state.clone(), settings(0.02, Rule::ImplicitEuler, solver), 10, |_| ());
    assert!(distance(&of(Solver::LocalGlobal).x, &of(Solver::Newton).x) < 1e-9);
}
