//! Contacts of an explicit step, evaluated once by a vector kernel, beside the potential and its friction, contact by contact.

use bdem_core::energy::Potential;
use bdem_core::geometry::shape::{Profile, Shape};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::internals::contact::{FrictionForce, Neighbours, SurfaceMotion};
use bdem_core::model::{Collider, ContactLaw, Gradient, Material, Motion, State, World};

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
    let (world, state) = heap(law, damping, friction);
    follow_world(&world, state, friction);
}

fn follow_world(world: &World, mut state: State, friction: f64) {
    let damping = world.contact_damping;
    let mut contacts = Neighbours::new(world, &state);
    contacts.invalidate(&state);
    let mut slid = 0;
    for step in 0..6 {
        let after = next(&state, step);
        contacts.update_after(&vec![0.02 * RADIUS; contacts.chunks().len()], DT, world, &after);
        let motion = SurfaceMotion::Since(&state);

        let mut plain = contacts.clone();
        plain.update_friction_limits(world, &after, motion);
        let potential = Potential { motion, ..Potential::new(world, &plain) };
        let mut want = vec![Gradient::default(); after.len()];
        potential.gradient(&after, &mut want);

        let mut got = vec![Gradient::default(); after.len()];
        contacts.evaluate_step(world, &state, &after, &mut Vec::new());
        assert!(contacts.step_gradient(&mut got));
        let scale = want.iter().map(|g| g.p.norm()).fold(0.0, f64::max);
        assert!(scale > 0.0);
        for (got, want) in got.iter().zip(&want) {
            assert_near("force", (got.p - want.p).norm(), 0.0, scale);
            assert_near("torque", (got.theta - want.theta).norm(), 0.0, scale * RADIUS);
        }

        let friction = plain.commit_friction(world, &after, motion, FrictionForce::Mean);
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

/// Solids of a closed form and others, at an edge of the heap.
fn solids() -> Vec<Shape> {
    let (radius, height) = (0.05, 0.12);
    let profile = Profile::new(vec![[0.0, -0.06], [0.05, -0.06], [0.02, 0.06], [0.0, 0.06]]).expect("a solid");
    let single = vec![
        Shape::Box { size: [0.1, 0.08, 0.12] },
        Shape::Sphere { radius },
        Shape::Ellipsoid { radii: [0.05, 0.03, 0.06] },
        Shape::Cylinder { radius, height },
        Shape::Tube { radius, inner_radius: 0.03, height },
        Shape::Cone { radius, top_radius: 0.0, height },
        Shape::Cone { radius: 0.02, top_radius: radius, height },
        Shape::Capsule { radius: 0.03, height },
        Shape::Torus { radius, tube_radius: 0.02 },
        Shape::Revolve(profile),
    ];
    let drum = Shape::Complement(Box::new(Shape::Cylinder { radius: 0.14, height: 0.5 }));
    let cut = Shape::difference(single[0].clone(), [single[1].clone()]);
    let both = Shape::Union(vec![single[3].clone(), single[8].clone()]);
    single.into_iter().chain([drum, cut, both]).collect()
}

#[test]
fn a_step_on_a_wall_of_any_shape_is_evaluated_as_the_potential_says() {
    let screw = Motion::Screw { point: Vec3::x() * 0.1, axis: Vec3::y(), rate: 20.0, velocity: 0.3 };
    for law in [ContactLaw::Linear, ContactLaw::Hertz] {
        let (mut world, state) = heap(law, 0.3, 0.4);
        let rotation = rotation::exp(&Vec3::new(0.3, -0.2, 0.1));
        for shape in solids() {
            // on the edge of the heap, so that the deepest particle is some radii deep
            let is_around = matches!(shape, Shape::Complement(_));
            let position = if is_around { Vec3::zeros() } else { Vec3::new(0.17, 0.01, 0.11) };
            let mut wall = Collider::new(Shape::Moved { shape: Box::new(shape), position, rotation });
            (wall.friction, wall.static_friction) = (Some(0.4), Some(0.4));
            for motion in [Motion::Fixed, screw.clone()] {
                wall.motion = motion;
                world.colliders = vec![wall.clone()];
                let placed = world.colliders[0].at(0.0);
                assert!(state.p.iter().any(|p| placed.touch(p, RADIUS).is_some()), "{wall:?} is not reached");
                follow_world(&world, state.clone(), 0.4);
            }
        }
    }
}

/// Zero for a quadratic energy, the dissipation of a closing contact, and the gain of one that opens.
#[test]
fn the_trapezoidal_rule_errs_where_contacts_open_and_close() {
    let (world, _) = heap(ContactLaw::Linear, 0.0, 0.0);
    let spring = bdem_core::model::ContactSpring { softening: 0.0, ..world.pair_spring([0, 1]) };
    let h = 1e-3 * RADIUS;
    let k = 0.5 * spring.k * h * h;
    assert_near("closed", spring.trapezoid_error([h, 3.0 * h]), 0.0, k);
    assert_near("closing", spring.trapezoid_error([-h, h]), -k, k);
    assert_near("opening", spring.trapezoid_error([h, -h]), k, k);
}
