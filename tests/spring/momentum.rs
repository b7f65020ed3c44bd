use bdem_core::geometry::{Vec3, triangulate};
use bdem_core::spring::{Rule, Solver, SpringSystem, Springs, StepSettings};

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
        let mut stepper = bdem_core::spring::Stepper::new(&system, &state, settings);
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

/// Loops over springs and vertices are shared by threads in chunks of a fixed size.
#[test]
fn bits_do_not_depend_on_threads() {
    let surface = triangulate::torus([200, 25], 3.0, 0.4);
    let n = surface.x.len();
    let springs = Springs::of_triangles(&surface.x, &surface.faces, 10.0, 0.1).expect("edges");
    let system = SpringSystem::new(springs, vec![0.1; n], vec![1e-7; n]).expect("masses");
    let x: Vec<Vec3> = surface.x.iter().map(|x| x * 1.1).collect();
    let v = x.iter().map(|x| Vec3::new(x.y, x.z, x.x)).collect();
    let state = system.state(x, v).expect("a field");
    for solver in [Solver::LocalGlobal, Solver::Newton] {
        let settings = StepSettings { rule: Rule::ImplicitBdf2, solver, ..StepSettings::new(0.1) };
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| run(&system, state.clone(), settings, 3, |_| ()))
        };
        assert!(of(1) == of(3), "{solver:?}");
    }
}
