//! No run has spurious energy, even where dissipation hides it.

use bdem_core::energy::Flow;
use bdem_core::simulate::Simulation;
use bdem_run::run::advance_to;

use crate::common::scenes::scene;

/// Bound on the spurious energy of a run, as a share of the energy at play.
const GAIN: f64 = 0.01;

/// The end of a scene under an integrator that chooses its steps.
fn run(text: &str, integrator: &str) -> Simulation {
    let integrator_set = format!("time.integrator={integrator}");
    let scene = scene(text, &[&integrator_set, "time.step=auto", "time.control.energy_bound=1"]);
    let end = advance_to(&scene, scene.time.frames, true).expect("it goes on");
    println!("{integrator}: {:?} {:?}", end.balance, end.flows());
    end
}

/// Newton's unbalanced forces are small beside the bonds' loads, and do work on held particles: 8 % of the energy at play in
/// the first frame.
#[test]
fn residual_forces_work_little() {
    let end = run(include_str!("energy/held_and_turned.toml"), "auto");
    let (balance, flows) = (end.balance, end.flows());
    assert!(flows[Flow::Solver].abs() <= 3e-3 * balance.scale, "{flows:?} {balance:?}");
}

/// Damping dissipated 0.7 of the energy at play, and hid 1.5 % of spurious energy of BDF2.
#[test]
fn losses_hide_no_gain() {
    let end = run(include_str!("energy/heavy_dashpots.toml"), "implicit-bdf2");
    assert!(end.balance.gain() <= GAIN && end.flows()[Flow::Damping] > 0.5 * end.balance.scale, "{:?}", end.balance);
}

/// Pieces that tumble without strain dissipate nothing by damping. The middle of a chord is nearer to the axis than its ends.
#[test]
fn what_tumbles_is_not_damped() {
    let end = run(include_str!("energy/tumbling_damped.toml"), "implicit-midpoint");
    assert!(end.balance.gain() <= GAIN, "{:?}", end.balance);
}

/// The work of a torque on a grain that turns by more than half a turn in a step has its sign: 18 % of spurious energy before.
#[test]
fn whole_turns_count() {
    for integrator in ["implicit-bdf2", "implicit-euler"] {
        let end = run(include_str!("energy/spun_grains.toml"), integrator);
        assert!(end.balance.gain() <= GAIN, "{integrator}: {:?}", end.balance);
    }
}
