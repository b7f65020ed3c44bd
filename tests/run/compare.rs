//! Comparisons from within the library.

use bdem_core::simulate::IntegratorKind;
use bdem_run::run::compare::{CompareOptions, Contender, ContenderStep, compare};
use bdem_run::scene::Scene;

use super::load;
use crate::common::scenes::owned;

/// The stretched beam, with few particles, over some frames.
fn beam(set: &[&str]) -> Scene {
    let small = ["bodies.beam.particle_radius=0.03", "time.frames=4", "time.step=0.004"];
    load("beam_stretch", &[&small, set].concat())
}

fn contenders(words: &[&str]) -> Vec<Contender> {
    Contender::parse_all(&owned(words)).expect("they are named well")
}

#[test]
fn an_explicit_name_stands_for_two_steps() {
    let explicit = |step| Contender { integrator: IntegratorKind::ExplicitVerlet, step };
    let both = contenders(&["explicit-verlet", "implicit-euler@20"]);
    let implicit = Contender { integrator: IntegratorKind::ImplicitEuler, step: ContenderStep::Periods(20.0) };
    assert_eq!(both, [explicit(ContenderStep::Stable), explicit(ContenderStep::Periods(0.2)), implicit]);
    let scene = beam(&["time.integrator=explicit-verlet", "time.step=auto"]);
    let usual: Vec<String> = Contender::usual(&scene).iter().map(ToString::to_string).collect();
    assert_eq!(usual, ["implicit-euler", "explicit-verlet@stable", "explicit-verlet@0.2"]);
}

#[test]
fn integrators_agree_on_a_beam_that_is_drawn() {
    let scene = beam(&[]);
    let options = CompareOptions { from_frame: 2, ..CompareOptions::new(Contender::usual(&scene)) };
    let found = compare(&scene, &options).expect("no run fails");
    assert!(found.runs.iter().all(|run| run.error.is_none() && run.frames == 4.0), "{found}");
    for pair in &found.pairs {
        let differences = pair.differences.expect("all end at frame 6");
        assert_eq!(differences.frame, 6);
        assert!(differences.displacement_greatest < 0.2, "{found}");
    }
    // the second takes steps of what is stable, the third of 0.2 T
    assert!(found.runs[2].steps > 3 * found.runs[1].steps, "{found}");
    assert!(found.pairs[2].speedup.is_some(), "{found}");
}

#[test]
fn every_step_of_a_run_counts_once() {
    let scene = beam(&[]);
    let options =
        CompareOptions { warm_up: 3, ..CompareOptions::new(contenders(&["implicit-euler", "explicit-verlet@0.2"])) };
    let found = compare(&scene, &options).expect("no run fails");
    for run in &found.runs {
        let per_frame = (1.0 / (60.0 * run.step)).round();
        assert_eq!(run.steps as f64, 4.0 * per_frame - 3.0, "{found}");
        assert!((run.frames - (4.0 - 3.0 / per_frame)).abs() < 1e-9, "{found}");
    }
}
