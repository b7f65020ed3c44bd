//! Walls that are round, and walls that move.

use bdem_core::geometry::shape::Shape;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Implicit, Integrator, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Motion, State, Wall, World};
use bdem_core::simulate::SolverSettings;

use crate::common::system::{at_rest, bonded, floor, kinetic_energy, material};

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// One sphere at `p` (m) beside a wall.
fn ball(p: Vec3, wall: Wall) -> (World, State) {
    let mut world = bonded(material(1e7, 4e6, 2600.0), &[p], &[RADIUS], &[]);
    world.walls = vec![wall];
    (world, at_rest(vec![p]))
}

/// Where a sphere comes to rest that falls from `p` onto `shape`, over its penetration there.
fn rest(p: Vec3, shape: Shape) -> (Vec3, f64) {
    let (mut world, mut state) = ball(p, Wall::new(shape));
    world.gravity = Vec3::z() * -G;
    let sink = world.particles.mass[0] * G / world.contact_stiffness_of(0);
    let mut contacts = Contacts::new(&world, &state);
    let mut euler = Implicit::new(TimeRule::Euler, &world, &SolverSettings::default());
    // long steps take the swing out
    for _ in 0..1000 {
        euler.step(&world, &mut contacts, &mut state, 0.02).expect("a step");
    }
    assert!(kinetic_energy(&world, &state) < 1e-12, "{:?}", state.v);
    (state.p[0], sink)
}

#[test]
fn a_ball_comes_to_rest_at_the_bottom_of_a_bowl() {
    let bowl = Shape::Complement(Box::new(Shape::Sphere { radius: 0.1 }));
    let (p, sink) = rest(Vec3::new(0.02, -0.01, -0.08), bowl);
    assert!(p.xy().norm() < 1e-4 && (p.z + 0.09 + sink).abs() < 0.01 * sink + 1e-7, "{p} {sink}");
}

#[test]
fn a_ball_rests_on_the_top_of_a_box() {
    let lower = Vec3::new(0.3, 0.0, -0.05);
    let turn = rotation::exp(&(Vec3::z() * 0.2));
    let shape =
        Shape::Placed { shape: Box::new(Shape::Box { size: [0.2, 0.2, 0.1] }), position: lower, rotation: turn };
    let (p, sink) = rest(Vec3::new(0.33, 0.02, 0.011), shape);
    assert!((p - Vec3::new(0.33, 0.02, RADIUS - sink)).norm() < 0.01 * sink, "{p} {sink}");
}

/// Seen from the wall the sphere comes at its speed and leaves at its speed: it leaves at twice that, and no energy is lost.
#[test]
fn a_ball_at_rest_leaves_a_moving_wall_at_twice_its_speed() {
    let mut wall = floor(0.0, 0.0);
    wall.motion = Motion::Velocity(Vec3::new(0.3, 0.0, 1.0));
    let (world, mut state) = ball(Vec3::z() * 0.02, wall);
    let mut contacts = Contacts::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let dt = 0.05 * world.period();
    while state.time < 0.03 {
        verlet.step(&world, &mut contacts, &mut state, dt).expect("a stable step");
    }
    assert!((state.v[0] - Vec3::z() * 2.0).norm() < 1e-3, "{}", state.v[0]);
}

/// In an implicit step the wall stands where it is at the step's end: nothing is left behind it.
#[test]
fn a_wall_pushes_in_long_steps() {
    // bounced off without loss it would be twice as fast as the wall; BDF2 overshoots where forces jump
    for (rule, most) in [(TimeRule::Euler, 2.0), (TimeRule::Bdf2, 2.2)] {
        let mut wall = Wall::new(Shape::Box { size: [0.1, 0.1, 0.1] });
        wall.motion = Motion::Velocity(Vec3::x());
        let (world, mut state) = ball(Vec3::x() * (0.05 + 2.0 * RADIUS), wall);
        let mut contacts = Contacts::new(&world, &state);
        let mut implicit = Implicit::new(rule, &world, &SolverSettings::default());
        for _ in 0..100 {
            implicit.step(&world, &mut contacts, &mut state, 2e-3).expect("a step");
            let gap = world.walls[0].at(state.time).distance(&state.p[0]) - RADIUS;
            assert!(gap > -0.3 * RADIUS, "{gap} at {} s", state.time);
        }
        assert!(state.v[0].x > 0.99 && state.v[0].x < most && state.v[0].yz().norm() < 1e-9, "{}", state.v[0]);
    }
}
