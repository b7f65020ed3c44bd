//! Steps make no energy from nothing, whatever hides it.

use std::path::Path;

use bdem::run::{Interrupt, Simulation, advance_to};
use bdem::scene::Scene;

/// Energy from nothing that no run ends with, as a share of what is at play.
const GAIN: f64 = 0.01;

/// The end of a scene under an integrator that chooses its steps.
fn run(text: &str, integrator: &str) -> Simulation {
    let settings =
        [format!("time.integrator={integrator}"), "time.step=auto".into(), "time.control.energy_bound=1".into()];
    let scene = Scene::parse(Path::new("energy.toml"), text, &settings).expect("a good scene");
    let end = advance_to(&scene, scene.time.frames, true, &Interrupt::default()).expect("it goes on");
    println!("{integrator}: {:?} {:?}", end.balance, end.flows());
    end
}

/// A torque's work on a grain that makes more than a half turn in a step has its sign: 18 % came from nothing.
#[test]
fn whole_turns_count() {
    for integrator in ["implicit-bdf2", "implicit-euler"] {
        let end = run(include_str!("energy/spun_grains.toml"), integrator);
        assert!(end.balance.gain() <= GAIN, "{integrator}: {:?}", end.balance);
    }
}
