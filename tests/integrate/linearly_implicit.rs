//! Steps of one Newton iteration: how near they come to the full solve, and what they keep.

use bdem_core::integrate::{Implicit, Integrator, Step, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::State;
use bdem_core::simulate::{CgTolerance, LinearlyImplicit, SolverSettings};

use crate::integrate::accuracy::{beam, error, falling};
use crate::integrate::collision::{collide, two_blocks};

fn linear(cg_tolerance: f64) -> SolverSettings {
    SolverSettings {
        linearly_implicit: LinearlyImplicit::Always,
        linear_cg_tolerance: cg_tolerance,
        cg_tolerance: CgTolerance::Fixed(cg_tolerance),
        ..SolverSettings::default()
    }
}

/// Free flight is the first guess, and what a step adds to it is solved as far as conjugate gradients go, 1e-2.
#[test]
fn a_step_of_one_iteration_ends_within_a_thousandth_of_a_radius() {
    for (name, scene) in [("falling", falling()), ("sagging", beam(false)), ("drawn", beam(true))] {
        for (periods, steps) in [(1.0, 40), (5.0, 40)] {
            for rule in [TimeRule::Euler, TimeRule::Bdf2] {
                let [worst, newton, cg] = error(rule, &linear(0.01), &scene, periods, steps);
                println!("{name} {rule:?} {periods} T: {worst:.1e} r, Newton {newton:.2}, CG {cg:.1} a step");
                assert!(worst < 1e-3, "{name} {rule:?} {periods} T: {worst:e} r");
                assert!(newton < 1.5, "{name} {rule:?} {periods} T: {newton} Newton iterations a step");
            }
        }
    }
}

/// Forces between particles cancel, and what the iterations leave of their sum is taken out: however far they go, rounding is lost.
#[test]
fn momentum_is_kept_in_a_collision() {
    for rule in [TimeRule::Euler, TimeRule::Bdf2] {
        for cg_tolerance in [0.1, 1e-2, 1e-4] {
            let run = collide(|world| Box::new(Implicit::new(rule, world, &linear(cg_tolerance))), 0.0, 5.0);
            println!("{rule:?} CG to {cg_tolerance:e}: {:.1e} lost, kinetic energy {:.3}", run.linear, run.kinetic);
            assert!(run.bounced && run.kinetic < 1.0);
            assert!(run.linear < 1e-10, "{rule:?} {cg_tolerance:e}: {:e}", run.linear);
        }
    }
}

#[test]
fn is_deterministic() {
    let run = || -> State {
        let (world, mut state) = two_blocks(0.0, 0.5);
        let mut contacts = Contacts::new(&world, &state);
        let mut integrator = Implicit::new(TimeRule::Bdf2, &world, &linear(0.1));
        for _ in 0..40 {
            integrator.step(&world, &mut contacts, &mut state, 5.0 * world.period()).expect("a step");
        }
        state
    };
    assert_eq!(run(), run());
}

/// A step that is done again, and one longer than the settings allow, is solved in full.
#[test]
fn a_step_done_again_is_solved_in_full() {
    let (world, state) = falling();
    let step = |settings: &SolverSettings, is_retry: bool, periods: f64| {
        let mut contacts = Contacts::new(&world, &state);
        let mut integrator = Implicit::new(TimeRule::Euler, &world, settings);
        let mut next = state.clone();
        let step = Step { is_retry, ..Step::new(periods * world.period()) };
        integrator.trial(&world, &mut contacts, &state, step).expect("a step");
        integrator.commit(&world, &mut contacts, &mut next);
        next
    };
    let full = SolverSettings::default();
    assert_eq!(step(&linear(full.cg_tolerance.greatest()), true, 5.0), step(&full, true, 5.0));
    assert_eq!(step(&linear(full.cg_tolerance.greatest()), false, 30.0), step(&full, false, 30.0));
    assert_ne!(step(&linear(full.cg_tolerance.greatest()), false, 5.0), step(&full, false, 5.0));
}
