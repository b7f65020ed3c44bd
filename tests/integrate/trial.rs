//! A step is a transaction: a trial that is not committed changes nothing.

use bdem_core::integrate::{Auto, History, Integrator, Step, StepError, StepKind};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_core::simulate::{IntegratorKind, SimulationSettings};
use bdem_run::scene::Scene;
use serde_json::Value;

use crate::common::scenes;

/// A brick that turns as it slides on a floor into another, which is pushed; damped, and with friction.
const BRICKS: &str = r#"
[scene]
name = "bricks"

[time]
frame_rate = 1000.0
frames = 1

[materials.stone]
density = 2000.0
density_of = "grains"
young_modulus = 1e7
poisson_ratio = 0.2
friction = 0.4
damping = 0.1

[[bodies]]
name = "left"
material = "stone"
particle_radius = 0.01
packing = { hexagonal = { fit = false } }
shape = { box = { size = [0.07, 0.06, 0.06] } }
position = [-0.036, 0.0, 0.03]
velocity = [2.0, 0.0, -2.0]
angular_velocity = [0.0, 3.0, 0.0]

[[bodies]]
name = "right"
material = "stone"
particle_radius = 0.01
packing = { hexagonal = { fit = false } }
shape = { box = { size = [0.07, 0.06, 0.06] } }
position = [0.036, 0.01, 0.03]

[[constraints]]
body = "right"
region = { box = { min = [0.06, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
force = [-0.5, 0.0, 0.0]
release = 0.002

[[colliders]]
shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.003 } }
"#;

fn bricks() -> (Scene, World, State) {
    let scene = scenes::scene(BRICKS, &[]);
    let (world, state) = scenes::built(&scene);
    (scene, world, state)
}

/// The state after some steps, before each of which `tries` longer ones are tried and dropped.
fn run(integrator: IntegratorKind, tries: usize) -> (State, usize) {
    let (scene, world, mut state) = bricks();
    let mut contacts = Contacts::new(&world, &state);
    let mut integrator = integrator.build(&world, &scene.simulation_settings().solver);
    let dt = 0.3 * world.period();
    for _ in 0..60 {
        for k in 0..tries {
            let (before, springs) = (state.clone(), contacts.tangential_springs().on_walls().count());
            let step = Step::new(dt * (1.5 + k as f64));
            integrator.trial(&world, &mut contacts, &state, step).expect("it could be taken");
            assert!(before == state && contacts.tangential_springs().on_walls().count() >= springs);
        }
        integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
    }
    (state, contacts.tangential_springs().on_walls().count())
}

#[test]
fn trials_that_are_dropped_change_nothing() {
    for integrator in IntegratorKind::all() {
        let ((once, touching), (often, _)) = (run(integrator, 0), run(integrator, 2));
        assert!(touching > 0, "the bricks tangential on the floor");
        let apart = once.p.iter().zip(&often.p).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        // preconditioners may have been made elsewhere
        let most = if integrator.is_explicit() { 0.0 } else { 1e-9 };
        assert!(apart <= most, "{integrator}: {apart}");
        assert!(!integrator.is_explicit() || once == often, "{integrator}");
    }
}

/// A failed trial leaves the state unchanged for a shorter one.
#[test]
fn trials_that_fail_change_nothing() {
    let (scene, world, state) = bricks();
    for kind in IntegratorKind::all().into_iter().filter(|integrator| integrator.is_explicit()) {
        let mut contacts = Contacts::new(&world, &state);
        let mut integrator = kind.build(&world, &scene.simulation_settings().solver);
        let failure = integrator.trial(&world, &mut contacts, &state, Step::new(1e9)).expect_err("no such step");
        assert!(matches!(
            failure,
            StepError::Unstable { .. } | StepError::NotFinite { .. } | StepError::SpinsTooFast { .. }
        ));
        let (mut after, mut fresh) = (state.clone(), state.clone());
        integrator.step(&world, &mut contacts, &mut after, 1e-6).expect("a step");
        let mut contacts = Contacts::new(&world, &state);
        let mut other = kind.build(&world, &scene.simulation_settings().solver);
        other.step(&world, &mut contacts, &mut fresh, 1e-6).expect("a step");
        assert!(after == fresh, "{kind}");
    }
}

/// Saved steps without their caches: the preconditioner, and the energy at the current state.
fn essence(saved: &History) -> Value {
    let mut value = serde_json::to_value(saved).expect("saved steps have names");
    ["newton", "potential"].iter().for_each(|cache| drop(value["Auto"]["implicit"]["Implicit"][cache].take()));
    value
}

/// Steps of every kind of `integrator = "auto"`, each after dropped trials of every kind.
#[test]
fn dropped_trials_leave_the_history_of_every_kind_of_step() {
    let (scene, world, start) = bricks();
    let explicit = |first: bool, last: bool| StepKind::Explicit { first, last };
    let taken = [
        StepKind::Implicit,
        explicit(true, false),
        explicit(false, false),
        explicit(false, true),
        explicit(true, true),
        StepKind::Implicit,
        StepKind::Implicit,
        explicit(true, true),
    ];
    let dropped = [StepKind::Implicit, explicit(true, false), explicit(true, true), StepKind::Asleep];
    let next = |kind: StepKind, periods: f64| {
        let length = if let StepKind::Explicit { .. } = kind { 0.5 } else { periods };
        Step { kind, explicit_dt: 0.1 * world.period(), ..Step::new(length * 0.3 * world.period()) }
    };
    let run = |tries: &[StepKind]| {
        let mut state = start.clone();
        let mut contacts = Contacts::new(&world, &state);
        let SimulationSettings { solver, control, frame, .. } = scene.simulation_settings();
        let mut steps = Auto::new(&world, &solver, control.sleep_below, control.deviation / frame);
        for kind in taken.iter().cycle().take(6 * taken.len()) {
            for tried in tries {
                let before = essence(&steps.history());
                // one that fails is dropped as well
                let _ = steps.trial(&world, &mut contacts, &state, next(*tried, 1.7));
                assert!(before == essence(&steps.history()), "{tried:?} before {kind:?}");
            }
            steps.trial(&world, &mut contacts, &state, next(*kind, 1.0)).expect("a step");
            steps.commit(&world, &mut contacts, &mut state);
        }
        state
    };
    let (once, often) = (run(&[]), run(&dropped));
    let apart = once.p.iter().zip(&often.p).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    // 1e-3 radii: Newton's tolerance is looser here, and where in it a step ends depends on its preconditioner
    assert!(apart <= 1e-5, "{apart}");
}
