//! Contacts of an explicit step, evaluated once by a vector kernel, beside the potential and its friction, contact by contact.

use bdem::contact::{FrictionForce, Neighbours, SurfaceMotion};
use bdem::energy::Potential;
use bdem::geometry::Vec3;
use bdem::model::{ContactLaw, Gradient, Material, Motion, State, World};

use crate::common::system::{block, floor, material, noise, shaken};

const RADIUS: f64 = 0.01;

/// Length of a step, s.
const DT: f64 = 1e-5;

/// Loose spheres that overlap each other, a floor, and a wall that moves.
fn heap(law: ContactLaw, damping: f64, friction: f64) -> (World, State) {
    let rough = Material { friction: 0.6 * friction, static_friction: friction, ..material(1e7, 4e6, 2600.0) };
    let (mut world, mut state) = block(rough, [0.3, 0.2, 0.2], RADIUS);
    let all: Vec<usize> = (0..world.bonds().len()).collect();
    world.remove_bonds(&all);
    (world.contact_law, world.contact_damping) = (law, damping);
    world.gravity = Vec3::zeros();
    state.p.iter_mut().for_each(|p| *p *= 0.99);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.colliders = vec![floor(low - 0.97 * RADIUS, friction), floor(low - 0.95 * RADIUS, friction)];
    world.colliders[1].motion = Motion::Velocity(Vec3::new(0.7, 0.2, 0.3));
    (world, state)
}

/// The state after one more step, `seed` says which.
fn next(state: &State, seed: u64) -> State {
    let mut next = shaken(state, seed, 0.01 * RADIUS, 0.01);
    next.time += DT;
    for i in 0..next.len() {
        next.v[i] = noise(seed + 50, i);
    }
    next
}

fn assert_near(what: &str, got: f64, want: f64, scale: f64) {
    assert!((got - want).abs() <= 1e-12 * scale, "{what}: {got} for {want}, scale {scale}");
}

/// Follows steps of a heap. Forces, springs and dissipated energies are those of the potential.
fn follow(law: ContactLaw, damping: f64, friction: f64) {
    let (world, mut state) = heap(law, damping, friction);
    let mut contacts = Neighbours::new(&world, &state);
    contacts.invalidate(&state);
    let mut slid = 0;
    for step in 0..6 {
        let after = next(&state, step);
        contacts.update_after(&vec![0.02 * RADIUS; contacts.chunks().len()], DT, &world, &after);
        let motion = SurfaceMotion::Since(&state);

        let mut plain = contacts.clone();
        plain.update_friction_limits(&world, &after, motion);
        let potential = Potential { motion, ..Potential::new(&world, &plain) };
        let mut want = vec![Gradient::default(); after.len()];
        potential.gradient(&after, &mut want);

        let mut got = vec![Gradient::default(); after.len()];
        contacts.evaluate_step(&world, &state, &after, &mut Vec::new());
        assert!(contacts.step_gradient(&mut got));
        let scale = want.iter().map(|g| g.p.norm()).fold(0.0, f64::max);
        assert!(scale > 0.0);
        for (got, want) in got.iter().zip(&want) {
            assert_near("force", (got.p - want.p).norm(), 0.0, scale);
            assert_near("torque", (got.theta - want.theta).norm(), 0.0, scale * RADIUS);
        }

        let friction = plain.commit_friction(&world, &after, motion, FrictionForce::Mean);
        let flows = contacts.commit_step(&after);
        let work = scale * 0.01 * RADIUS * after.len() as f64;
        assert_near("dissipation", flows.friction.lost, friction.lost, work);
        assert_near("work of walls", flows.friction.walls, friction.walls, work);
        assert!((damping > 0.0) == (flows.dashpot_power != 0.0));
        let springs = [&contacts, &plain].map(Neighbours::tangential_springs);
        assert_eq!(springs[0].pairs.len(), springs[1].pairs.len());
        for (got, want) in springs[0].pairs.iter().zip(&springs[1].pairs) {
            assert_near("spring", (got.stretch - want.stretch).norm(), 0.0, RADIUS);
            assert_near("limit", got.limit, want.limit, scale);
            assert_eq!(got.slides, want.slides);
            slid += usize::from(got.slides);
        }
        assert!(
            springs[0]
                .on_walls()
                .map(|on| (on.particle, on.wall))
                .eq(springs[1].on_walls().map(|on| (on.particle, on.wall)))
        );
        for (got, want) in springs[0].on_walls().zip(springs[1].on_walls()) {
            assert_near("spring on a wall", (got.tangential.stretch - want.tangential.stretch).norm(), 0.0, RADIUS);
        }
        state = after;
    }
    assert!((friction > 0.0) == (slid > 0));
}

#[test]
fn a_step_is_evaluated_as_the_potential_says() {
    for law in [ContactLaw::Linear, ContactLaw::Hertz] {
        for damping in [0.0, 0.3] {
            for friction in [0.0, 0.4] {
                follow(law, damping, friction);
            }
        }
    }
}

/// Zero for a quadratic energy, the dissipation of a closing contact, and the gain of one that opens.
#[test]
fn the_trapezoidal_rule_errs_where_contacts_open_and_close() {
    let (world, _) = heap(ContactLaw::Linear, 0.0, 0.0);
    let spring = bdem::model::ContactSpring { softening: 0.0, ..world.pair_spring([0, 1]) };
    let h = 1e-3 * RADIUS;
    let k = 0.5 * spring.k * h * h;
    assert_near("closed", spring.trapezoid_error([h, 3.0 * h]), 0.0, k);
    assert_near("closing", spring.trapezoid_error([-h, h]), -k, k);
    assert_near("opening", spring.trapezoid_error([h, -h]), k, k);
}
