//! A small slab breaks alike under both integrators, and with bonds of every model.

use bdem_core::simulate::Progress;
use bdem_run::scene::Scene;

use super::load;
use crate::common::scenes::simulated;

const FRAMES: u32 = 5;
const FRAME_RATE: f64 = 960.0;

/// Verlet at the default share of its limit.
const EXPLICIT: &[&str] = &["time.integrator=explicit-verlet", "time.step=auto"];

/// BDF2 in steps that resolve breaking.
const IMPLICIT: &[&str] = &["time.integrator=implicit-bdf2", "time.step.periods=0.5"];

/// The slab with larger particles.
fn slab(seed: u64, how: &[&str]) -> Scene {
    load("slab", &[&[&format!("scene.seed={seed}"), "bodies.slab.particle_radius=0.0055"], how].concat())
}

/// When the first bond broke, s, and how many had by the first rebound.
fn broken(scene: &Scene) -> (f64, usize) {
    let mut simulation = simulated(scene);
    let mut progress = Progress::default();
    for _ in 0..FRAMES * simulation.plan.per_frame {
        simulation.advance(&mut progress).expect("no step fails");
    }
    (progress.broken.first().expect("the slab breaks").time, progress.broken.len())
}

/// Greatest less smallest.
fn spread(counts: &[f64]) -> f64 {
    counts.iter().copied().fold(f64::MIN, f64::max) - counts.iter().copied().fold(f64::MAX, f64::min)
}

fn mean(counts: &[f64]) -> f64 {
    counts.iter().sum::<f64>() / counts.len() as f64
}

#[test]
fn implicit_breaks_when_and_as_much_as_explicit_does() {
    let (mut explicit, mut implicit) = (Vec::new(), Vec::new());
    for seed in 1..=5 {
        let (first_explicit, count) = broken(&slab(seed, EXPLICIT));
        explicit.push(count as f64);
        let (first_implicit, count) = broken(&slab(seed, IMPLICIT));
        implicit.push(count as f64);
        assert!((first_explicit - first_implicit).abs() < 1.0 / FRAME_RATE, "{first_explicit} {first_implicit}");
    }
    let apart = (mean(&explicit) - mean(&implicit)).abs();
    println!("broken: explicit {explicit:?}, implicit {implicit:?}");
    assert!(apart <= spread(&explicit), "explicit {explicit:?}, implicit {implicit:?}");
}

#[test]
fn bonds_of_every_model_break_alike() {
    let breaks = |bond: &str, how: &[&str]| {
        let bond = format!("materials.ceramic.bond={bond}");
        broken(&slab(1, &[how, &[&bond]].concat()))
    };
    let (first, count) = breaks("quaternion", EXPLICIT);
    for (bond, how) in [("cosserat", EXPLICIT), ("force-2021", EXPLICIT), ("cosserat", IMPLICIT)] {
        let (other_first, other) = breaks(bond, how);
        println!("{bond} {how:?}: {other} of {count}");
        assert!((other_first - first).abs() < 1.0 / FRAME_RATE, "{bond} {how:?}: {other_first} {first}");
        // five seeds of one model differ by as much
        assert!((other as f64 / count as f64 - 1.0).abs() < 0.2, "{bond} {how:?}: {other} {count}");
    }
}
