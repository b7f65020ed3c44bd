//! Forces and torques on single particles, and what is let go.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Implicit, Integrator, StepError, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Action, Constraint, Key, Keyframes, Material, Motion, State, World, Wrench};

use crate::common::system::{chain, material};
use crate::integrate::bdf2::exactly;
use crate::integrate::motion::integrators;

const RADIUS: f64 = 0.01;
const FORCE: Vec3 = Vec3::new(3.0, -2.0, 1.0);
const TORQUE: Vec3 = Vec3::new(2e-3, 1e-3, -3e-3);

fn load(particle: u32) -> Constraint {
    Constraint::new(vec![particle], Action::Load(Wrench { force: FORCE, torque: TORQUE }))
}

fn advance(integrator: &mut dyn Integrator, world: &World, state: &mut State, dt: f64, steps: u32) {
    let mut contacts = Contacts::new(world, state);
    for _ in 0..steps {
        integrator.step(world, &mut contacts, state, dt).expect("a step");
    }
}

/// Two particles, not bonded, far enough apart; one is pushed for 20 steps of 40.
#[test]
fn a_free_particle_gains_the_impulse_and_no_other_does() {
    let (mut world, mut start) = chain(material(1e7, 4e6, 2600.0), 2, RADIUS);
    world.remove_bonds(&[0]);
    start.p[1].x += 10.0 * RADIUS;
    let dt = 0.2 * world.period();
    world.constraints = vec![Constraint { times: 0.0..20.0 * dt, ..load(0) }];
    let (m, j) = (world.particles.mass[0], world.particles.inertia[0]);
    for mut integrator in integrators(&world, &exactly()) {
        let mut state = start.clone();
        advance(&mut *integrator, &world, &mut state, dt, 40);
        let (v, w) = (FORCE * (20.0 * dt / m), TORQUE * (20.0 * dt / j));
        assert!((state.v[0] - v).norm() < 1e-7 * v.norm(), "{} {v}", state.v[0]);
        assert!((state.w[0] - w).norm() < 1e-7 * w.norm(), "{} {w}", state.w[0]);
        // within half a step of what it ends with
        let way = v * (30.0 * dt);
        assert!((state.p[0] - start.p[0] - way).norm() < 0.51 * v.norm() * dt, "{}", state.p[0]);
        assert_eq!((state.p[1], state.v[1]), (start.p[1], Vec3::zeros()));
    }
}

/// A damped chain, clamped at one end, comes to rest where its bonds bear the load of the other.
#[test]
fn a_bond_bears_the_load_at_rest() {
    let damped = Material { damping: 0.5, ..material(1e7, 4e6, 2600.0) };
    let (mut world, start) = chain(damped, 2, RADIUS);
    let along = Wrench { force: Vec3::x() * 2.0, torque: Vec3::x() * 1e-3 };
    let clamp = Constraint::moved(vec![0], Motion::Fixed);
    world.constraints = vec![clamp, Constraint::new(vec![1], Action::Load(along))];
    let k = world.bonds()[0].k;
    for rule in [TimeRule::Euler, TimeRule::Bdf2] {
        let mut state = start.clone();
        let mut implicit = Implicit::new(rule, &world, &exactly());
        advance(&mut implicit, &world, &mut state, 20.0 * world.period(), 100);
        let (drawn, turned) = (state.p[1] - start.p[1], rotation::rotation_between(&start.q[1], &state.q[1]));
        assert!((drawn - Vec3::x() * (2.0 / k.n)).norm() < 1e-4 * 2.0 / k.n, "{drawn} {}", 2.0 / k.n);
        let want = (1e-3 / k.t).asin();
        assert!((turned - Vec3::x() * want).norm() < 1e-4 * want, "{turned} {want}");
    }
}

/// A step that is too long for a torque on a bonded particle is refused: it would be held by the sine of several turns.
#[test]
fn a_torque_that_is_too_strong_for_a_step_is_refused() {
    let (mut world, start) = chain(material(1e7, 4e6, 2600.0), 2, RADIUS);
    let torque = Wrench { force: Vec3::zeros(), torque: Vec3::x() * 1e-2 };
    let clamp = Constraint::moved(vec![0], Motion::Fixed);
    world.constraints = vec![clamp, Constraint::new(vec![1], Action::Load(torque))];
    let longest = (0.5 * world.particles.inertia[1] / 1e-2).sqrt();
    let outcome = |dt: f64| {
        let mut contacts = Contacts::new(&world, &start);
        let mut implicit = Implicit::new(TimeRule::Euler, &world, &exactly());
        implicit.step(&world, &mut contacts, &mut start.clone(), dt).map(|_| ())
    };
    assert_eq!(outcome(0.99 * longest), Ok(()));
    assert_eq!(outcome(1.01 * longest), Err(StepError::TorqueTooStrong { particle: 1 }));
}

/// Forces within a body and on it: only those on it change its momentum.
#[test]
fn a_body_gains_the_impulse_of_what_loads_it() {
    let (mut world, start) = chain(material(1e7, 4e6, 2600.0), 5, RADIUS);
    world.constraints = vec![load(1), load(4)];
    let dt = 0.2 * world.period();
    for mut integrator in integrators(&world, &exactly()) {
        let mut state = start.clone();
        advance(&mut *integrator, &world, &mut state, dt, 50);
        let (gained, want) = (state.momentum(&world.particles).0, FORCE * (2.0 * 50.0 * dt));
        assert!((gained - want).norm() < 1e-4 * want.norm(), "{gained} {want}");
    }
}

/// Drawn along until it is released, in the middle of a run: it flies on, and what was held before is free. The last key of a
/// motion is no rest when it is released there.
#[test]
fn a_released_body_flies_on() {
    let (mut world, start) = chain(material(1e7, 4e6, 2600.0), 4, RADIUS);
    let dt = 0.2 * world.period();
    let v = Vec3::new(0.0, 2.0, 0.0);
    let key = |time: f64| Key { time, position: v * time, turn: Vec3::zeros(), ease: None };
    let keyed = Motion::Keyframes(Keyframes { pivot: Vec3::zeros(), keys: vec![key(0.0), key(10.0 * dt)] });
    for motion in [Motion::Velocity(v), keyed] {
        let held = Constraint::moved((0..4).collect(), motion);
        world.constraints = vec![Constraint { times: 0.0..10.0 * dt, ..held }];
        flies_on(&mut world, &start, v, dt);
    }
}

fn flies_on(world: &mut World, start: &State, v: Vec3, dt: f64) {
    for mut integrator in integrators(world, &exactly()) {
        let mut state = State { v: vec![v; 4], ..start.clone() };
        advance(&mut *integrator, world, &mut state, dt, 10);
        assert_eq!(integrator.held(), [true; 4]);
        world.gravity = Vec3::z() * -9.81;
        advance(&mut *integrator, world, &mut state, dt, 10);
        assert_eq!(integrator.held(), [false; 4]);
        world.gravity = Vec3::zeros();
        for (p, from) in state.p.iter().zip(&start.p) {
            let moved = p - from - v * (20.0 * dt);
            assert!(moved.xy().norm() < 1e-9 * v.norm() * dt && moved.z < -0.4 * 9.81 * (10.0 * dt).powi(2), "{moved}");
        }
    }
}
