//! A block on a tilted plane: it sticks below the angle of friction and slides as Coulomb says above it, whatever the step.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule, Verlet};
use bdem_core::internals::contact::{Contacts, correct_velocities};
use bdem_core::model::{FrictionModel, Material, State, World};
use bdem_core::simulate::SolverSettings;

use crate::common::system::{block, floor, material};

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;
const MU: f64 = 0.5;

/// A block of bonded particles that rests on the plane z = 0 as its weight presses it, where gravity is tilted by `degrees`.
fn block_on_plane(degrees: f64, rule: FrictionModel) -> (World, State) {
    let damped = Material { damping: 0.2, ..material(1e7, 4e6, 2600.0) };
    let (mut world, mut state) = block(damped, [0.1, 0.1, 0.06], RADIUS);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let touching = state.p.iter().filter(|p| p.z < low + 1e-6 * RADIUS).count();
    let (sin, cos) = degrees.to_radians().sin_cos();
    world.gravity = Vec3::new(sin, 0.0, -cos) * G;
    world.walls = vec![floor(0.0, MU)];
    world.friction_model = rule;
    let weight = world.particles.mass.iter().sum::<f64>() * G * cos;
    let sink = weight / (touching as f64 * world.contact_stiffness_of(0));
    state.p.iter_mut().for_each(|p| p.z += RADIUS - low - sink);
    (world, state)
}

/// Steps of `periods` T over `seconds`; velocity along the plane (m/s) after each.
fn slide(mut integrator: impl Integrator, world: &World, state: &mut State, periods: f64, seconds: f64) -> Vec<f64> {
    let dt = periods * world.period();
    let mut contacts = Contacts::new(world, state);
    let held = vec![false; state.len()];
    let mass: f64 = world.particles.mass.iter().sum();
    let after = |_| {
        integrator.step(world, &mut contacts, state, dt).expect("a step");
        correct_velocities(world, &contacts, &held, state, dt);
        state.momentum(&world.particles).0.x / mass
    };
    (0..(seconds / dt) as usize).map(after).collect()
}

/// How a block went.
struct Slide {
    /// Mean acceleration over the last two thirds of the time over that of g (sin a - mu cos a), or over g where that
    /// is not positive.
    acceleration: f64,
    /// How far it moved along the plane, in radii.
    moved: f64,
}

fn measure(rule: FrictionModel, time: Option<TimeRule>, degrees: f64, periods: f64) -> Slide {
    let (world, mut state) = block_on_plane(degrees, rule);
    let start = state.p[0];
    let seconds = 0.3;
    let v = match time {
        Some(time) => {
            let implicit = Implicit::new(time, &world, &SolverSettings::default());
            slide(implicit, &world, &mut state, periods, seconds)
        }
        None => slide(Verlet::new(&world), &world, &mut state, periods, seconds),
    };
    let third = v.len() / 3;
    let acceleration = (v[v.len() - 1] - v[third]) / ((v.len() - 1 - third) as f64 * periods * world.period());
    let (sin, cos) = degrees.to_radians().sin_cos();
    let coulomb = G * (sin - MU * cos);
    let slide = Slide {
        acceleration: acceleration / if coulomb > 0.0 { coulomb } else { G },
        moved: (state.p[0] - start).x / RADIUS,
    };
    println!("{rule:?} {time:?} {degrees} degrees, {periods} T: {:.4}, {:.4} r", slide.acceleration, slide.moved);
    slide
}

/// Rules and steps (T) that friction may not depend on.
fn implicit_steps() -> impl Iterator<Item = (Option<TimeRule>, f64)> {
    let rules = [TimeRule::Euler, TimeRule::Bdf2].map(Some);
    rules.into_iter().flat_map(|rule| [1.0, 5.0, 20.0, 100.0].map(|periods| (rule, periods)))
}

#[test]
fn it_sticks_below_the_angle_of_friction() {
    for (time, periods) in implicit_steps().chain([(None, 0.2)]) {
        let slide = measure(FrictionModel::TangentialSpring, time, 25.0, periods);
        assert!(slide.acceleration.abs() < 2e-3 && slide.moved.abs() < 0.1, "{time:?} {periods}");
    }
}

#[test]
fn it_slides_as_coulomb_says_above_it() {
    for (time, periods) in implicit_steps() {
        let slide = measure(FrictionModel::TangentialSpring, time, 28.0, periods);
        assert!((slide.acceleration - 1.0).abs() < 0.03, "{time:?} {periods}");
    }
    let slide = measure(FrictionModel::TangentialSpring, None, 40.0, 0.2);
    assert!((slide.acceleration - 1.0).abs() < 0.03);
}

/// What the rule of \[IBDEM\] leaves open: what should stick creeps, and further at longer steps.
#[test]
fn the_correction_of_velocities_creeps() {
    let creep = |rule, periods| measure(rule, Some(TimeRule::Euler), 15.0, periods).moved;
    let corrected = [1.0, 5.0, 20.0, 100.0].map(|periods| creep(FrictionModel::VelocityCorrection, periods));
    assert!(corrected.is_sorted() && corrected[3] > 1.0, "{corrected:?}");
    assert!(creep(FrictionModel::TangentialSpring, 100.0) < 1e-3);
}
