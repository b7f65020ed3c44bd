//! Cases after reports of other programs' users: what sticks stays, what turns with a wall turns on, and a drum's shaft bears what
//! the drum does.

use std::f64::consts::TAU;
use std::sync::Arc;

use bdem_core::energy::{Flow, Reactions, StepWalls};
use bdem_core::geometry::Vec3;
use bdem_core::geometry::mesh::Mesh;
use bdem_core::geometry::packing::{Packed, hexagonal};
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::model::{Constraint, Material, Motion, State, Wall, World};
use bdem_core::simulate::{IntegratorKind, Progress, Simulation, SimulationSettings, StepSize};

use crate::common::system::{at_rest, bonded, material};

const G: f64 = 9.81;

/// Bonded block of spheres (radius m) on a slope (rad), a little above it.
fn on_slope(size: [f64; 3], radius: f64, slope: f64, friction: f64) -> (World, State) {
    let elastic = Material::elastic("block", 2400.0, 1e7, 0.2);
    let rough = Material { friction, static_friction: friction, damping: 0.2, ..elastic };
    let mut builder = World::builder();
    let material = builder.material(rough);
    let centres = hexagonal(&Shape::Box { size }, radius);
    let low = centres.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let position = Vec3::z() * (1.02 * radius - low);
    builder.packing(&Packed::equal(centres, radius, 1e-6), position, material);
    builder.gravity(Vec3::new(slope.sin(), 0.0, -slope.cos()) * G);
    builder.wall(Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
    builder.restitution(0.7);
    builder.build().expect("a world")
}

/// Mean speed (m/s) of a world's particles over the last of so many seconds.
fn creep((world, state): (World, State), integrator: IntegratorKind, step: Option<StepSize>, seconds: usize) -> f64 {
    const RATE: usize = 24;
    let settings = SimulationSettings { integrator, step, ..SimulationSettings::new(1.0 / RATE as f64) };
    let mut simulation = Simulation::new(world, state, &settings);
    let mut progress = Progress::default();
    let mean = |state: &State| state.p.iter().sum::<Vec3>() / state.len() as f64;
    let mut start = Vec3::zeros();
    for frame in 0..seconds * RATE {
        if frame == (seconds - 1) * RATE {
            start = mean(&simulation.state);
        }
        for _ in 0..simulation.plan.per_frame {
            simulation.advance(&mut progress).expect("a step");
        }
    }
    (mean(&simulation.state) - start).norm()
}

/// Rigid ones are tested in `study::contacts`.
#[test]
fn a_block_below_the_angle_of_friction_stays() {
    for (integrator, step) in [(IntegratorKind::Auto, None), (IntegratorKind::ExplicitVerlet, Some(StepSize::Auto))] {
        let block = on_slope([0.08, 0.08, 0.04], 0.01, 25.0_f64.to_radians(), 0.6);
        let creep = creep(block, integrator, step, 3);
        assert!(creep < 1e-3 * 0.01, "{integrator}: {creep:e} m/s");
    }
}

/// A grain on a turntable's axis turns with it, whether it turned from the start or not.
#[test]
fn a_grain_turns_with_a_turntable() {
    const SPIN: f64 = 7.0;
    for (integrator, start) in [IntegratorKind::Auto, IntegratorKind::ExplicitVerlet, IntegratorKind::ImplicitBdf2]
        .into_iter()
        .flat_map(|integrator| [SPIN, 0.0].map(|start| (integrator, start)))
    {
        let rolling =
            Material { rolling_friction: 0.3, friction: 0.5, static_friction: 0.5, ..material(1e7, 4e6, 2500.0) };
        let (radius, p) = (0.02, vec![Vec3::z() * 0.02]);
        let mut world = bonded(rolling, &p, &[radius], &[]);
        world.gravity = Vec3::z() * -G;
        let mut table = Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 }));
        table.motion = Motion::Screw { point: Vec3::zeros(), axis: Vec3::z(), rate: SPIN, velocity: 0.0 };
        world.walls = vec![table];
        let mut state = at_rest(p);
        state.w[0].z = start;
        let settings = SimulationSettings { integrator, ..SimulationSettings::new(1.0 / 48.0) };
        let mut simulation = Simulation::new(world, state, &settings);
        let mut progress = Progress::default();
        for _ in 0..24 * simulation.plan.per_frame {
            simulation.advance(&mut progress).expect("a step");
        }
        let w = simulation.state.w[0].z;
        assert!((w - SPIN).abs() < 1e-2 * SPIN, "{integrator} from {start}: {w}");
        // its spin is the wall's work, less what rubbed
        let (flows, had) =
            (simulation.flows(), 0.5 * simulation.world.particles.inertia[0] * (SPIN.powi(2) - start.powi(2)));
        assert!(
            (flows[Flow::Walls] - flows[Flow::Friction] - had).abs() < 2e-2 * (had + 1e-9),
            "{integrator} from {start}: {flows:?}"
        );
    }
}

/// A drum of this inner radius (m) about y with radial blades of a thickness and a height (m), as a mesh that things are inside of.
fn drum(radius: f64, blades: usize, [thickness, height]: [f64; 2]) -> Mesh {
    const ARC: usize = 12;
    let at = |r: f64, angle: f64| [r * angle.cos(), r * angle.sin()];
    let outline: Vec<[f64; 2]> = (0..blades)
        .flat_map(|k| {
            let (angle, next) = (TAU * k as f64 / blades as f64, TAU * (k + 1) as f64 / blades as f64);
            let [outer, inner] = [radius, radius - height].map(|r| (r, 0.5 * thickness / r));
            let blade = [(outer, -1.0), (inner, -1.0), (inner, 1.0), (outer, 1.0)];
            let blade = blade.map(|((r, half), side)| at(r, angle + side * half));
            let arc = (1..ARC).map(move |k| at(radius, angle + (next - angle) * k as f64 / ARC as f64));
            blade.into_iter().chain(arc)
        })
        .collect();
    let n = outline.len() as u32;
    let ring = |y: f64| outline.iter().map(move |&[x, z]| Vec3::new(x, y, z)).chain([Vec3::y() * y]);
    let corners: Vec<Vec3> = ring(-0.05).chain(ring(0.05)).collect();
    let faces = (0..n).flat_map(|k| {
        let (next, up) = ((k + 1) % n, n + 1);
        [[k, up + next, next], [k, up + k, up + next], [n, k, next], [up + n, up + next, up + k]]
    });
    Mesh::new(&corners, &faces.collect::<Vec<_>>()).expect("a solid")
}

/// Blades thinner than a hundredth of the drum lift its grains, and its shaft's torque times its rotation is the walls' work.
#[test]
fn a_drums_shaft_bears_the_work_of_its_blades() {
    const SPIN: f64 = 8.0;
    let (radius, grain) = (0.1, 0.006);
    let blades = drum(radius, 8, [0.0015, 0.02]);
    let p: Vec<Vec3> =
        (0..12).map(|k| Vec3::new(0.02 * (k % 4) as f64 - 0.03, 0.013 * (k / 4) as f64 - 0.013, -0.06)).collect();
    let rough = Material { friction: 0.4, static_friction: 0.4, ..material(1e6, 4e5, 2500.0) };
    let mut world = bonded(rough, &p, &vec![grain; p.len()], &[]);
    world.gravity = Vec3::z() * -G;
    world.contact_damping = 0.1;
    let mut wall = Wall::new(Shape::Complement(Box::new(Shape::Mesh(Arc::new(blades)))));
    wall.motion = Motion::Screw { point: Vec3::zeros(), axis: Vec3::y(), rate: SPIN, velocity: 0.0 };
    world.walls = vec![wall];
    let settings = SimulationSettings {
        integrator: IntegratorKind::ExplicitVerlet,
        step: Some(StepSize::Limit(0.1)),
        ..SimulationSettings::new(0.01)
    };
    let mut simulation = Simulation::new(world, at_rest(p), &settings);
    let (mut progress, mut work) = (Progress::default(), 0.0);
    for _ in 0..60 * simulation.plan.per_frame {
        let before = simulation.state.time;
        simulation.advance(&mut progress).expect("a step");
        let Simulation { world, contacts, state, .. } = &simulation;
        let torque = Reactions::new(world, contacts, state, simulation.forces()).on_wall(0, &Vec3::zeros()).torque.y;
        work -= torque * SPIN * (state.time - before);
    }
    let walls = simulation.flows()[Flow::Walls];
    assert!(walls > 0.0 && (work - walls).abs() < 1e-2 * walls, "{work:e} of {walls:e} J");
    let out = |p: &Vec3| p.x.hypot(p.z) > radius || p.y.abs() > 0.05;
    assert!(!simulation.state.p.iter().any(out), "all are inside");
}

/// A grain bounces off a rough wall that comes up, another one off a held grain: the impulse of the forces told of each step is the
/// change of momentum, and their work that of the account. Explicit steps share them with the next step.
#[test]
fn forces_told_are_the_applied_ones() {
    const RADIUS: f64 = 0.01;
    let high = Vec3::new(1.0, 0.0, 1.0);
    let p = [Vec3::z() * (1.05 * RADIUS), high, high + Vec3::z() * (2.05 * RADIUS)];
    let rough = Material { friction: 0.4, static_friction: 0.4, ..material(1e7, 4e6, 2500.0) };
    let mut world = bonded(rough, &p, &[RADIUS; 3], &[]);
    world.contact_damping = 0.4;
    world.walls = vec![Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 }))];
    world.walls[0].motion = Motion::Velocity(Vec3::z() * 0.5);
    world.constraints = vec![Constraint::moved(vec![1], Motion::Fixed)];
    let mut state = at_rest(p.to_vec());
    (state.v[0], state.v[2]) = (Vec3::new(0.6, 0.0, -0.5), Vec3::z() * -1.0);
    let mut wrong = Vec::new();
    for integrator in IntegratorKind::all() {
        // implicit steps are solved up to Newton's tolerance, and where BDF2 drops its history in a bounce it drops a share of an impulse
        let bound = match integrator {
            IntegratorKind::ImplicitBdf2 => 1e-2,
            _ if integrator.is_only_implicit() => 1e-3,
            _ => 1e-9,
        };
        let step = Some(StepSize::Limit(0.2));
        let settings = SimulationSettings { integrator, step, ..SimulationSettings::new(1e-3) };
        let mut simulation = Simulation::new(world.clone(), state.clone(), &settings);
        let (mut progress, mut former) = (Progress::default(), [Vec3::zeros(); 2]);
        let (mut impulses, mut work) = ([Vec3::zeros(); 2], 0.0);
        while simulation.state.time < 5e-3 {
            let before = simulation.state.time;
            simulation.try_step(&mut progress).expect("a step");
            let Simulation { world, contacts, state, .. } = &simulation;
            let (step, dt) = (simulation.forces(), state.time - before);
            let is_explicit = step.as_ref().is_some_and(|step| matches!(step.walls, StepWalls::Explicit));
            let told = Reactions::new(world, contacts, state, step);
            let now = [
                told.on_wall(0, &Vec3::zeros()).force,
                told.on_constraint(&world.constraints[0], &told.gradient(), &Vec3::zeros()).force,
            ];
            for (k, now) in now.iter().enumerate() {
                let mean = if is_explicit { (former[k] + now) * 0.5 } else { *now };
                impulses[k] -= mean * dt;
                work -= if k == 0 { 0.5 * mean.z * dt } else { 0.0 };
            }
            former = now;
        }
        let mass = &world.particles.mass;
        for (impulse, i) in impulses.iter().zip([0, 2]) {
            let gained = (simulation.state.v[i] - state.v[i]) * mass[i];
            let error = (impulse - gained).norm() / gained.norm();
            assert!(gained.z > 0.5 * mass[i], "{integrator}: {i} does not bounce");
            if error > bound {
                wrong.push(format!("{integrator}: {error:e} of the impulse on {i}"));
            }
        }
        let walls = simulation.flows()[Flow::Walls];
        if (work / walls - 1.0).abs() > bound {
            wrong.push(format!("{integrator}: work {work:e} of {walls:e} J"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
