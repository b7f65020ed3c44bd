//! Steps make no energy from nothing, whatever hides it.

use std::path::Path;

use bdem::run::{Simulation, advance_to};
use bdem::scene::Scene;

/// Energy from nothing that no run ends with, as a share of what is at play.
const GAIN: f64 = 0.01;

/// The end of a scene under an integrator that chooses its steps.
fn run(text: &str, integrator: &str) -> Simulation {
    let settings =
        [format!("time.integrator={integrator}"), "time.step=auto".into(), "time.control.energy_bound=1".into()];
    let scene = Scene::parse(Path::new("energy.toml"), text, &settings).expect("a good scene");
    let end = advance_to(&scene, scene.time.frames, true).expect("it goes on");
    println!("{integrator}: {:?} {:?}", end.balance, end.flows());
    end
}

/// What Newton leaves unbalanced is small beside what bonds bear, and does work on what a holder carries past: 8 % of all that is
/// at play in the first frame.
#[test]
fn residual_forces_work_little() {
    let end = run(include_str!("energy/held_and_turned.toml"), "auto");
    let (balance, flows) = (end.balance, end.flows());
    assert!(flows.solver.abs() <= 3e-3 * balance.scale, "{flows:?} {balance:?}");
}

/// Damping took 0.7 of the energy that was at play, and hid 1.5 % that steps of BDF2 made.
#[test]
fn losses_hide_no_gain() {
    let end = run(include_str!("energy/heavy_dashpots.toml"), "implicit-bdf2");
    assert!(end.balance.gain() <= GAIN && end.flows().damping > 0.5 * end.balance.scale, "{:?}", end.balance);
}

/// Pieces that tumble without a strain lose nothing to their damping. The middle of a chord is nearer to the axis than its ends.
#[test]
fn what_tumbles_is_not_damped() {
    let end = run(include_str!("energy/tumbling_damped.toml"), "implicit-midpoint");
    assert!(end.balance.gain() <= GAIN, "{:?}", end.balance);
}

/// A torque's work on a grain that makes more than a half turn in a step has its sign: 18 % came from nothing.
#[test]
fn whole_turns_count() {
    for integrator in ["implicit-bdf2", "implicit-euler"] {
        let end = run(include_str!("energy/spun_grains.toml"), integrator);
        assert!(end.balance.gain() <= GAIN, "{integrator}: {:?}", end.balance);
    }
}
