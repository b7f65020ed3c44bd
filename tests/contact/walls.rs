//! Contacts with the faces of walls: corners, seams, grooves, and what may not come through.

use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::integrate::{Implicit, ImplicitMidpoint, Integrator, Midpoint, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, Wall, World};
use bdem_core::simulate::SolverSettings;

use crate::common::system::{at_rest, bonded, kinetic_energy, material};

const RADIUS: f64 = 0.01;

/// Spheres without bonds beside walls.
fn spheres(p: &[Vec3], walls: Vec<Wall>) -> (World, State) {
    let mut world = bonded(material(1e7, 4e6, 2600.0), p, &vec![RADIUS; p.len()], &[]);
    world.walls = walls;
    (world, at_rest(p.to_vec()))
}

fn cuboid(low: Vec3, high: Vec3) -> Shape {
    let shape = Box::new(Shape::Box { size: (high - low).into() });
    Shape::Placed { shape, position: 0.5 * (low + high), rotation: Quat::identity() }
}

fn half_space(normal: Vec3, offset: f64) -> Shape {
    Shape::HalfSpace(HalfSpace { normal, offset })
}

/// Steps until a time (s).
fn go(by: &mut dyn Integrator, world: &World, state: &mut State, dt: f64, end: f64) {
    let mut contacts = Contacts::new(world, state);
    while state.time < end {
        by.step(world, &mut contacts, state, dt).expect("a step");
    }
}

#[test]
fn an_inside_box_is_six_planes() {
    let room = Wall::new(Shape::Complement(Box::new(Shape::Box { size: [0.1; 3] })));
    let side = |axis: usize, sign: f64| Wall::new(half_space(Vec3::ith(axis, sign), -0.05));
    let planes = (0..3).flat_map(|axis| [side(axis, 1.0), side(axis, -1.0)]).collect();
    let fly = |walls| {
        let (mut world, mut state) = spheres(&[Vec3::new(0.03, 0.031, 0.02)], walls);
        world.contact_damping = 0.2;
        state.v[0] = Vec3::new(3.0, 3.0, 1.0);
        let dt = 0.02 * world.period();
        go(&mut Verlet::new(&world), &world, &mut state, dt, 0.05);
        state
    };
    let [got, want] = [fly(vec![room]), fly(planes)];
    assert!((got.v[0] - want.v[0]).norm() < 1e-9 && (got.p[0] - want.p[0]).norm() < 1e-12, "{got:?} {want:?}");
    assert!(want.v[0].norm() > 0.1 && want.v[0].norm() < 3.0);
}

#[test]
fn a_ball_rests_in_a_groove_under_every_integrator() {
    let side = |x: f64| half_space(Vec3::new(x, 0.0, 1.0).normalize(), 0.0);
    let groove = || Wall::new(Shape::Union(vec![side(1.0), side(-1.0)]));
    let start = [Vec3::new(0.0, 0.0, RADIUS * 2f64.sqrt())];
    let run = |by: &dyn Fn(&World) -> Box<dyn Integrator>, dt: f64| {
        let (mut world, mut state) = spheres(&start, vec![groove()]);
        world.gravity = Vec3::z() * -9.81;
        world.contact_damping = 0.3;
        let dt = dt * world.period();
        go(&mut *by(&world), &world, &mut state, dt, 0.2);
        assert!(state.p[0].x.abs() < 1e-9 && (state.p[0].z - start[0].z).abs() < 1e-4, "{:?}", state.p);
        assert!(kinetic_energy(&world, &state) < 1e-12, "{:?}", state.v);
    };
    let settings = SolverSettings::default();
    run(&|world| Box::new(Verlet::new(world)), 0.05);
    run(&|world| Box::new(Implicit::new(TimeRule::Euler, world, &settings)), 3.0);
    run(&|world| Box::new(Implicit::new(TimeRule::Bdf2, world, &settings)), 3.0);
    let (mut world, mut state) = spheres(&start, vec![groove()]);
    world.gravity = Vec3::z() * -9.81;
    let dt = 3.0 * world.period();
    go(&mut ImplicitMidpoint::new(Midpoint::default(), &world, &settings), &world, &mut state, dt, 0.2);
    assert!(state.p[0].x.abs() < 1e-6 && (state.p[0].z - start[0].z).abs() < 1e-4, "{:?}", state.p);
}

#[test]
fn a_ball_slides_over_the_seam_of_two_boxes() {
    let low = |x: f64| Vec3::new(x, -0.1, -0.1);
    let left = cuboid(low(-0.2), Vec3::new(0.0, 0.1, 0.0));
    let right = cuboid(low(0.0), Vec3::new(0.2, 0.1, 0.0));
    let (mut world, mut state) =
        spheres(&[Vec3::new(-0.05, 0.0, RADIUS)], vec![Wall::new(Shape::Union(vec![left, right]))]);
    world.gravity = Vec3::z() * -9.81;
    state.p[0].z -= world.particles.mass[0] * 9.81 / world.contact_stiffness_of(0);
    state.v[0].x = 1.0;
    let (z, dt) = (state.p[0].z, 0.05 * world.period());
    go(&mut Verlet::new(&world), &world, &mut state, dt, 0.1);
    assert!(state.p[0].x > 0.04 && (state.v[0] - Vec3::x()).norm() < 1e-6, "{:?}", state.v);
    assert!((state.p[0].z - z).abs() < 1e-9);
}

/// The spring of friction follows a particle over the seam: it stays stretched, and holds.
#[test]
fn friction_goes_on_over_a_seam() {
    let low = |x: f64| Vec3::new(x, -0.1, -0.1);
    let both = || vec![cuboid(low(-0.2), Vec3::new(0.0, 0.1, 0.0)), cuboid(low(0.0), Vec3::new(0.2, 0.1, 0.0))];
    let one = || vec![cuboid(low(-0.2), Vec3::new(0.2, 0.1, 0.0))];
    let slide = |shape: Shape| {
        let mut wall = Wall::new(shape);
        (wall.friction, wall.static_friction) = (Some(0.3), Some(0.3));
        let (mut world, mut state) = spheres(&[Vec3::new(-0.01, 0.0, 0.999 * RADIUS)], vec![wall]);
        world.gravity = Vec3::z() * -9.81;
        world.contact_damping = 0.3;
        state.v[0].x = 0.5;
        let dt = 0.02 * world.period();
        go(&mut Verlet::new(&world), &world, &mut state, dt, 0.05);
        state
    };
    let [got, want] = [slide(Shape::Union(both())), slide(Shape::Union(one()))];
    assert!(want.p[0].x > 0.0);
    assert!((got.p[0] - want.p[0]).norm() < 1e-9 && (got.v[0] - want.v[0]).norm() < 1e-6, "{got:?} {want:?}");
}

/// A sphere so soft that its centre goes through the middle of a thin plate comes back, and the energy too.
#[test]
fn a_soft_sphere_comes_back_from_a_thin_plate() {
    for (by, dt) in [("explicit", 0.01), ("implicit", 0.05)] {
        let plate = Wall::new(Shape::Box { size: [0.1 * RADIUS, 1.0, 1.0] });
        let (world, mut state) = spheres(&[Vec3::x() * -1.5 * RADIUS], vec![plate]);
        let omega = (world.wall_normal_spring(0).k / world.particles.mass[0]).sqrt();
        // as deep as two radii, to the sphere's own far side
        let speed = 2.0 * RADIUS * omega;
        state.v[0].x = speed;
        let dt = dt / omega;
        let mut integrator: Box<dyn Integrator> = match by {
            "explicit" => Box::new(Verlet::new(&world)),
            _ => Box::new(Implicit::new(TimeRule::Bdf2, &world, &SolverSettings::default())),
        };
        go(&mut *integrator, &world, &mut state, dt, 6.0 / omega);
        assert!(state.p[0].x < -RADIUS, "{by} {:?}", state.p);
        assert!((state.v[0].x + speed).abs() < 0.02 * speed, "{by} {:?} {speed}", state.v);
    }
}

#[test]
fn a_particle_that_would_be_behind_a_plate_in_one_step_is_refused() {
    let plate = Wall::new(Shape::Box { size: [0.1 * RADIUS, 1.0, 1.0] });
    let (world, mut state) = spheres(&[Vec3::x() * -1.6 * RADIUS, Vec3::x()], vec![plate]);
    state.v[0].x = 3.2 * RADIUS / 1e-4;
    let mut contacts = Contacts::new(&world, &state);
    let error = Verlet::new(&world).step(&world, &mut contacts, &mut state, 1e-4).expect_err("a step too far");
    assert!(error.to_string().contains("particle 0"), "{error}");
}
