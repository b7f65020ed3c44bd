//! How near a step's end is to that of the same step solved to 1e-8.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Constraint, Material, Motion, State, World};
use bdem_core::simulate::{CgTolerance, SolverSettings};

use crate::common::system::{block, floor, material};

const RADIUS: f64 = 0.01;

fn tight() -> SolverSettings {
    SolverSettings {
        // 1e-8 in the shortest steps
        newton_tolerance: 5e-10,
        newton_relative_tolerance: 1e-6,
        cg_tolerance: CgTolerance::Fixed(1e-3),
        newton_iterations: 100,
        ..Default::default()
    }
}

fn rubber() -> Material {
    Material { damping: 0.05, ..material(1e7, 4e6, 2600.0) }
}

/// A block that falls on a floor at 1 m/s, slanted.
pub(super) fn falling() -> (World, State) {
    let (mut world, mut state) = block(rubber(), [0.16, 0.12, 0.1], RADIUS);
    world.gravity = Vec3::z() * -9.81;
    state = crate::common::system::moved_rigidly(&state, &Vec3::new(0.3, 0.2, 0.0), &Vec3::zeros());
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    world.walls = vec![floor(low - 1.02 * RADIUS, 0.0)];
    state.v.fill(Vec3::new(0.2, 0.0, -1.0));
    (world, state)
}

/// A beam held at one end, that sags; with `drawn`, its other end is drawn out and down.
pub(super) fn beam(drawn: bool) -> (World, State) {
    let (mut world, state) = block(rubber(), [0.5, 0.1, 0.1], RADIUS);
    world.gravity = Vec3::z() * -9.81;
    let end = |which: &dyn Fn(f64) -> bool| (0..state.len() as u32).filter(|&i| which(state.p[i as usize].x)).collect();
    world.constraints = vec![Constraint::moved(end(&|x| x < -0.23), Motion::Fixed)];
    if drawn {
        let motion = Motion::Velocity(Vec3::new(0.2, 0.0, -0.3));
        world.constraints.push(Constraint::moved(end(&|x| x > 0.23), motion));
    }
    (world, state)
}

/// The greatest error (radii) of any of `steps` steps with `settings`, and Newton and conjugate gradient iterations a step.
pub(super) fn error(
    rule: TimeRule,
    settings: &SolverSettings,
    (world, state): &(World, State),
    periods: f64,
    steps: u32,
) -> [f64; 3] {
    let mut state = state.clone();
    let dt = periods * world.period();
    let mut contacts = Contacts::new(world, &state);
    let mut rough = Implicit::new(rule, world, settings);
    let (mut worst, mut newton, mut cg) = (0.0f64, 0, 0);
    for _ in 0..steps {
        let mut exact = Implicit::new(rule, world, &tight());
        exact.begin(rough.previous().cloned());
        let mut there = state.clone();
        exact.step(world, &mut contacts.clone(), &mut there, dt).expect("a step");
        let report = rough.step(world, &mut contacts, &mut state, dt).expect("a step");
        newton += report.newton_iterations;
        cg += report.cg_iterations;
        let off = state.p.iter().zip(&there.p).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        worst = worst.max(off / RADIUS);
    }
    [worst, f64::from(newton) / f64::from(steps), f64::from(cg) / f64::from(steps)]
}

#[test]
fn steps_end_within_a_thousandth_of_a_radius() {
    for (name, scene) in [("falling", falling()), ("sagging", beam(false)), ("drawn", beam(true))] {
        for (periods, steps) in [(1.0, 40), (5.0, 40), (20.0, 30), (100.0, 20)] {
            for rule in [TimeRule::Euler, TimeRule::Bdf2] {
                let [worst, newton, cg] = error(rule, &SolverSettings::default(), &scene, periods, steps);
                println!("{name} {rule:?} {periods} T: {worst:.1e} r, Newton {newton:.2}, CG {cg:.1} a step");
                assert!(worst < 1e-3, "{name} {rule:?} {periods} T: {worst:e} r");
            }
        }
    }
}
