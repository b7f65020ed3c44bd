//! Particles that are held go where their motion takes them, whatever the steps.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Explicit, Implicit, ImplicitMidpoint, Integrator, Map, Midpoint, Step, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Constraint, Motion, State, World};
use bdem_core::simulate::SolverSettings;

use crate::common::system::{chain, material};

const RADIUS: f64 = 0.01;

pub(super) fn integrators(world: &World, settings: &SolverSettings) -> Vec<Box<dyn Integrator>> {
    let implicit = |rule| Box::new(Implicit::new(rule, world, settings)) as Box<dyn Integrator>;
    let rodrigues = Box::new(Explicit::<Map<27>>::new(world));
    let midpoint = Box::new(ImplicitMidpoint::new(Midpoint::default(), world, settings));
    vec![implicit(TimeRule::Euler), implicit(TimeRule::Bdf2), midpoint, Box::new(Verlet::new(world)), rodrigues]
}

/// A chain whose first particle turns about a line beside it while it advances.
fn turning_chain() -> (World, State) {
    let (mut world, state) = chain(material(1e7, 4e6, 2600.0), 3, RADIUS);
    let motion = Motion::Screw { point: Vec3::new(0.0, -0.01, 0.02), axis: Vec3::x(), rate: 3.0, velocity: 0.1 };
    world.constraints = vec![Constraint::moved(vec![0], motion)];
    (world, state)
}

#[test]
fn held_particles_are_where_their_motion_says_at_the_time_of_the_state() {
    let (world, start) = turning_chain();
    let motion = world.constraints[0].motion().expect("a motion");
    for mut integrator in integrators(&world, &SolverSettings::default()) {
        let mut state = State { time: 0.7, ..start.clone() };
        let mut contacts = Contacts::new(&world, &state);
        let steps = [0.2, 0.1, 0.15].repeat(40).into_iter().map(|periods| periods * world.period());
        for dt in steps.clone() {
            integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
        }
        assert!((state.time - 0.7 - steps.sum::<f64>()).abs() < 1e-14);
        let (p, q, v, w) = motion.between(0.7, state.time).apply(&start.p[0], &start.q[0]);
        assert!((state.p[0] - p).norm() < 1e-15 && rotation::rotation_between(&state.q[0], &q).norm() < 1e-13);
        assert!((state.v[0] - v).norm() < 1e-14 && state.w[0] == w);
    }
}

/// A step that does not stand leaves no trace.
#[test]
fn a_step_that_is_done_again_in_two_ends_at_the_same_place() {
    let (world, start) = turning_chain();
    let dt = 20.0 * world.period();
    let [mut whole, mut cut] = [0, 0].map(|_| Implicit::new(TimeRule::Bdf2, &world, &SolverSettings::default()));
    let step = |implicit: &mut Implicit, state: &mut State, dt: f64| {
        let mut contacts = Contacts::new(&world, state);
        implicit.step(&world, &mut contacts, state, dt).expect("a step");
    };
    let (mut at_once, mut in_two) = (start.clone(), start.clone());
    step(&mut whole, &mut at_once, dt);
    let mut contacts = Contacts::new(&world, &start);
    cut.trial(&world, &mut contacts, &start, Step::new(dt)).expect("a step");
    step(&mut cut, &mut in_two, 0.5 * dt);
    step(&mut cut, &mut in_two, 0.5 * dt);
    assert_eq!(at_once.time, in_two.time);
    assert!((at_once.p[0] - in_two.p[0]).norm() < 1e-16 && (at_once.v[0] - in_two.v[0]).norm() < 1e-15);
}
