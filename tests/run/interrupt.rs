//! Steps that are left because a stop is requested.

use std::thread;
use std::time::{Duration, Instant};

use bdem_core::integrate::StepError;
use bdem_core::simulate::{Cause, Progress, Simulation};
use serde_json::Value;

use super::resume::{bricks, taken_up};

/// The bricks of `resume`, of smaller particles, whose steps take longer.
fn simulation(settings: &[&str]) -> Simulation {
    let small = ["bodies.left.particle_radius=0.006", "bodies.right.particle_radius=0.006", "time.frame_rate=500"];
    bricks(&[&small, settings].concat())
}

/// Snapshot as a tree, to tell what differs.
fn parts(simulation: &Simulation) -> Value {
    serde_json::to_value(simulation.snapshot()).expect("it can be told")
}

/// The first place at which two trees differ. A hierarchy that is for another step may be gone: it would be replaced again.
fn first_difference(a: &Value, b: &Value, at: &str) -> Option<String> {
    match (a, b) {
        (_, Value::Null) if at.ends_with("newton.hierarchy") => None,
        (Value::Object(x), Value::Object(y)) if x.len() == y.len() => {
            x.iter().find_map(|(key, value)| first_difference(value, y.get(key)?, &format!("{at}.{key}")))
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            x.iter().zip(y).enumerate().find_map(|(i, (x, y))| first_difference(x, y, &format!("{at}[{i}]")))
        }
        _ => (a != b).then(|| at.to_owned()),
    }
}

/// Tries a step with a stop requested after this time. Returns whether it was interrupted.
fn try_with_request(simulation: &mut Simulation, progress: &mut Progress, after: Duration) -> bool {
    let interrupt = simulation.world.interrupt.clone();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(after);
            interrupt.request(15);
        });
        simulation.try_step(progress)
    });
    interrupt.clear();
    match outcome {
        Ok(_) => false,
        Err(why) => {
            assert_eq!(why.cause, Cause::Step(StepError::Interrupted));
            true
        }
    }
}

/// Makes steps without a break, and the same by a simulation that is interrupted within many of them. After an interruption
/// it goes on by itself in every other case, and by way of a checkpoint in the others. Returns how many were interrupted.
fn goes_on_alike(settings: &[&str], steps: usize) -> u32 {
    let (mut whole, mut broken) = (simulation(settings), simulation(settings));
    let [mut without, mut with] = [Progress::default(), Progress::default()];
    let mut interrupted = 0;
    for step in 0..steps {
        let start = Instant::now();
        whole.try_step(&mut without).expect("the step converges");
        let share = (0.1 + 0.618 * step as f64).fract();
        let before = parts(&broken);
        if try_with_request(&mut broken, &mut with, start.elapsed().mul_f64(share)) {
            interrupted += 1;
            if let Some(at) = first_difference(&before, &parts(&broken), "snapshot") {
                panic!("{settings:?}, step {step}: {at} is another");
            }
            if interrupted % 2 == 0 {
                broken = taken_up(&broken, simulation(settings));
            }
            broken.try_step(&mut with).expect("the step converges");
        }
        assert_eq!(whole.state, broken.state, "{settings:?}, step {step}");
    }
    assert_eq!(first_difference(&parts(&whole), &parts(&broken), "snapshot"), None, "{settings:?}");
    println!("{settings:?}: {interrupted} of {steps} steps were interrupted");
    interrupted
}

#[test]
fn a_step_that_is_interrupted_changes_nothing() {
    let mut interrupted = goes_on_alike(&["time.integrator=implicit-bdf2", "time.step=0.002"], 16);
    let exact = ["time.integrator=implicit-euler", "solver.hessian=\"exact\"", "time.step=0.001"];
    interrupted += goes_on_alike(&exact, 10);
    interrupted +=
        goes_on_alike(&["time.integrator=implicit-midpoint", "time.step=0.0005", "bodies.bullet.rigid=false"], 10);
    interrupted += goes_on_alike(&["time.integrator=auto"], 40);
    assert!(interrupted > 3, "{interrupted} steps were interrupted");
    // a request before a step: nothing is begun
    let [mut one, mut other] = [simulation(&[]), simulation(&[])];
    one.world.interrupt.request(2);
    assert!(one.try_step(&mut Progress::default()).is_err() && one.world.interrupt.signal() == Some(2));
    assert_eq!(one.state.time, 0.0);
    // another run of this process does not see it
    assert!(other.try_step(&mut Progress::default()).is_ok() && other.world.interrupt.signal().is_none());
}
