//! Rigid bodies of finite mass: they keep their form, and move as mechanics says.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Explicit, Implicit, Integrator, Map, TimeRule, Verlet, stability};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Action, Constraint, RigidBody, State, World, Wrench};
use bdem_core::simulate::SolverSettings;

use crate::common::scenes;
use crate::common::system::{block, energy, floor, material, set_spinning};

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// A rigid brick.
fn brick() -> (World, State) {
    let (mut world, state) = block(material(1e7, 4e6, 2600.0), [0.12, 0.08, 0.06], RADIUS);
    let all: Vec<usize> = (0..world.bonds().len()).collect();
    world.remove_bonds(&all);
    world.rigid = vec![RigidBody::new(0..state.len(), &world.particles, true)];
    (world, state)
}

fn integrators(world: &World, settings: &SolverSettings) -> Vec<(Box<dyn Integrator>, f64)> {
    let implicit = |rule| Box::new(Implicit::new(rule, world, settings)) as Box<dyn Integrator>;
    vec![
        (Box::new(Verlet::new(world)), 0.2),
        (implicit(TimeRule::Euler), 5.0),
        (implicit(TimeRule::Bdf2), 5.0),
        (Box::new(Explicit::<Map<23>>::new(world)), 0.2),
        (Box::new(Explicit::<Map<25>>::new(world)), 0.2),
    ]
}

/// How far distances between particles are from what they were, over a radius.
fn deformation(from: &State, to: &State) -> f64 {
    let far = |state: &State, i: usize| (state.p[i] - state.p[0]).norm();
    (0..from.len()).map(|i| (far(to, i) - far(from, i)).abs() / RADIUS).fold(0.0, f64::max)
}

/// A brick that tumbles about no principal axis, in steps of some periods T and of 0.4 rad.
#[test]
fn a_brick_in_flight_keeps_its_form_its_momenta_and_its_energy() {
    let (world, mut start) = brick();
    set_spinning(&mut start, &Vec3::new(3.0, 20.0, -5.0));
    start.v.iter_mut().for_each(|v| *v += Vec3::new(1.0, 2.0, 3.0));
    for (k, (_, periods)) in integrators(&world, &SolverSettings::default()).into_iter().enumerate() {
        for dt in [periods * world.period(), 0.02] {
            let (mut integrator, _) = integrators(&world, &SolverSettings::default()).swap_remove(k);
            let mut state = start.clone();
            let mut contacts = Contacts::new(&world, &state);
            for _ in 0..(0.1 / dt) as usize {
                integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
            }
            let [(p0, l0), (p, l)] = [&start, &state].map(|state| state.momentum(&world.particles));
            let [k0, k1] = [&start, &state].map(|state| energy(&world, &contacts, state));
            let turned = rotation::rotation_between(&start.q[0], &state.q[0]).norm();
            assert!(turned > 1.0 && deformation(&start, &state) < 1e-9);
            assert!((p - p0).norm() < 1e-9 * p0.norm(), "{p} {p0}");
            // that of its flight about the origin is a hundred times as large
            assert!((l - l0).norm() < 1e-9 * l0.norm(), "{dt} s: {l} {l0}");
            assert!((k1 - k0).abs() < 1e-10 * k0, "{dt} s: {k0} {k1}");
        }
    }
}

/// What something else does to its spin between two steps, as friction does, counts once: BDF2 goes on as the brick itself moved
/// before.
#[test]
fn an_impulse_between_steps_turns_a_brick_once() {
    let (world, start) = brick();
    let body = world.rigid[0].clone();
    for (mut integrator, periods) in integrators(&world, &SolverSettings::default()) {
        let mut state = start.clone();
        let mut contacts = Contacts::new(&world, &state);
        let dt = periods * world.period();
        let mut steps = |state: &mut State, count: usize| {
            for _ in 0..count {
                integrator.step(&world, &mut contacts, state, dt).expect("a step");
            }
        };
        steps(&mut state, 3);
        let (spin, centre) = (Vec3::new(2.0, -1.0, 3.0), body.mean(&world.particles, &state.p));
        for i in 0..state.len() {
            state.v[i] += spin.cross(&(state.p[i] - centre));
            state.w[i] += spin;
        }
        let given = state.momentum(&world.particles).1;
        steps(&mut state, 20);
        let kept = state.momentum(&world.particles).1;
        assert!((kept - given).norm() < 0.02 * given.norm(), "{periods} T: {given} {kept}");
    }
}

/// Pushed and turned about its z axis, it gains F t/M and torque t/I.
#[test]
fn loads_move_a_brick_as_a_whole() {
    let (mut world, start) = brick();
    let body = world.rigid[0].clone();
    let (mass, count) = (body.mass, start.len() as f64);
    let moment = body.inertia(&world.particles, &start.p, &body.mean(&world.particles, &start.p));
    let (force, torque) = (Vec3::new(0.3, -0.2, 0.1) * mass, Vec3::z() * (5.0 * moment.m33));
    let load = Wrench { force: force / count, torque: torque / count };
    world.constraints = vec![Constraint::new((0..start.len() as u32).collect(), Action::Load(load))];
    for (mut integrator, periods) in integrators(&world, &SolverSettings::default()) {
        let mut state = start.clone();
        let mut contacts = Contacts::new(&world, &state);
        let dt = periods * world.period();
        for _ in 0..(0.05 / dt) as usize {
            integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
        }
        let (v, w) = (body.mean(&world.particles, &state.v), state.w[0]);
        let want = [force / mass, Vec3::z() * 5.0].map(|rate| rate * state.time);
        assert!((v - want[0]).norm() < 1e-4 * want[0].norm(), "{periods} T: {v}");
        assert!((w - want[1]).norm() < 1e-4 * want[1].norm(), "{periods} T: {w}");
    }
}

/// Dropped on its edge it bounces and gains no energy, and in implicit Euler's steps, which damp, it comes to rest on
/// all of its lowest spheres.
#[test]
fn a_brick_falls_and_comes_to_rest() {
    let (mut world, mut start) = brick();
    world.gravity = Vec3::z() * -G;
    world.walls = vec![floor(-0.06, 0.5)];
    let turn = Vec3::x() * 0.3;
    start.p.iter_mut().for_each(|p| *p = rotation::rotate(&rotation::exp(&(turn * 0.5)), p));
    start.q.iter_mut().for_each(|q| *q = rotation::turn(q, &turn));
    for (rule, (mut integrator, periods)) in integrators(&world, &SolverSettings::default()).into_iter().enumerate() {
        let mut state = start.clone();
        let mut contacts = Contacts::new(&world, &state);
        let first = energy(&world, &contacts, &state);
        let dt = periods * world.period();
        let mut gain = 0.0f64;
        for _ in 0..(0.6 / dt) as usize {
            integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
            gain = gain.max(energy(&world, &contacts, &state) - first);
        }
        let weight = world.particles.mass.iter().sum::<f64>() * G;
        let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        println!("{periods} T: gain {:e} J of {:e}, low {low}", gain, weight * 0.01);
        assert!(deformation(&start, &state) < 1e-8 && gain < 0.01 * weight * 0.01, "{gain}");
        // implicit Euler
        if rule == 1 {
            let flat = state.p.iter().filter(|p| p.z < low + 1e-3 * RADIUS).count();
            let speed = state.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
            println!("flat {flat} speed {speed:e}");
            assert!(flat > 10 && speed < 1e-3, "{flat} {speed}");
        }
    }
}

/// A tilted ring: its modes nearly coincide in pairs, and eigenvalues of an asymmetric matrix take for ever.
#[test]
fn the_stability_limit_of_a_rigid_ring_is_found() {
    let text = r#"
        [scene]
        name = "ring"
        [time]
        frame_rate = 3954.5
        frames = 1
        [contact]
        law = "rodrigues-hertz"
        restitution = 0.7
        stiffness = 3.0
        [materials.clay]
        density = 3810.0
        young_modulus = 1.099e9
        poisson_ratio = 0.0767
        friction = 0.4
        [[bodies]]
        name = "ring"
        material = "clay"
        particle_radius = 1.620e-3
        shape = { torus = { radius = 6.237e-3, tube_radius = 3.564e-3 } }
        rotation = { axis = [-0.154, 0.558, -0.62], degrees = 15.2 }
        position = [0.0, 0.0, 3.054e-2]
        rigid = true
        [[colliders]]
        shape = { half_space = { normal = [0.0, 0.0, 1.0], offset = 0.0 } }
    "#;
    let (mut world, state) = scenes::built(&scenes::scene(text, &[]));
    let rigid = stability::limit(&world, &state);
    world.rigid.clear();
    let loose = stability::limit(&world, &state);
    // the motions of the ring are some of those of its loose particles
    assert!(rigid >= loose && rigid < 10.0 * loose, "{rigid} and {loose} s");
}
