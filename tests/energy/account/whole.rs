//! Whole accounts close, and their columns are what they are known to be.

use bdem_core::energy::Flow;
use bdem_core::geometry::{Vec3, shape::HalfSpace, shape::Shape};
use bdem_core::integrate::TimeRule;
use bdem_core::model::{Action, Constraint, Material, Motion, State, Wall, World, Wrench, damping_ratio};

use crate::common::system::{at_rest, block, chain, floor, material, shaken};

use super::ledger::{Ledger, METHODS, Method};

const RADIUS: f64 = 0.01;
const E: f64 = 1e7;

fn run(method: Method, (world, state): &(World, State), periods: f64, seconds: f64) -> Ledger {
    let dt = periods * world.period();
    let mut ledger = Ledger::new(method, world.clone(), state.clone());
    (0..(seconds / dt).ceil() as usize).for_each(|_| ledger.advance(dt));
    let scale = ledger.balance().scale;
    println!("{method:?} {periods} T: open {:.1e} of {scale:.3e} J, {:?}", ledger.most_open(), ledger.account);
    ledger
}

/// Steps (T) that suit a method.
fn steps(method: Method) -> Vec<f64> {
    match method {
        Method::Verlet | Method::Rodrigues(_) => vec![0.1],
        Method::Implicit(_) => vec![1.0, 5.0],
        Method::Midpoint => vec![0.5],
    }
}

/// Strained by some percent and set free, in all modes at once.
#[test]
fn a_shaken_block_closes() {
    let (world, state) = block(Material { damping: 0.05, ..material(E, 0.4 * E, 2600.0) }, [0.08; 3], RADIUS);
    let shaken = (world, shaken(&state, 3, 0.02 * RADIUS, 0.02));
    for method in METHODS {
        for periods in steps(method) {
            let ledger = run(method, &shaken, periods, 40.0 * shaken.0.period() * periods.max(1.0));
            assert!(ledger.most_open() < 5e-3, "{method:?} {periods}");
        }
    }
}

/// A block on a floor, drawn along by loads on all its particles: they do what becomes motion and heat.
#[test]
fn a_dragged_block_closes() {
    let rubbing = Material { damping: 0.2, ..material(E, 0.4 * E, 2600.0) };
    let (mut world, mut state) = block(rubbing, [0.1, 0.1, 0.06], RADIUS);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let touching = state.p.iter().filter(|p| p.z < low + 1e-6 * RADIUS).count() as f64;
    world.gravity = Vec3::z() * -9.81;
    world.walls = vec![floor(0.0, 0.5)];
    let mass: f64 = world.particles.mass.iter().sum();
    let sink = mass * 9.81 / (touching * world.contact_stiffness_of(0));
    state.p.iter_mut().for_each(|p| p.z += RADIUS - low - sink);
    let force = Vec3::x() * (0.8 * 9.81 * world.particles.mass[0]);
    let all = (0..state.len() as u32).collect();
    world.constraints = vec![Constraint::new(all, Action::Load(Wrench { force, torque: Vec3::zeros() }))];
    for method in METHODS {
        for periods in steps(method) {
            let ledger = run(method, &(world.clone(), state.clone()), periods, 0.05);
            let (way, flows) = (ledger.state.p[0].x - state.p[0].x, ledger.account.flows);
            let heat = 0.5 * 9.81 * mass * way;
            println!(
                "  friction {:.4}, loads {:.4}",
                flows[Flow::Friction] / heat,
                flows[Flow::Loads] / (0.8 * 9.81 * mass * way)
            );
            assert!(ledger.most_open() < 1e-2, "{method:?} {periods}");
            assert!(
                (flows[Flow::Friction] / heat - 1.0).abs() < 0.04
                    && (flows[Flow::Loads] / (0.8 * 9.81 * mass * way) - 1.0).abs() < 0.01
            );
        }
    }
}

/// A ball that a wall runs into flies off at twice its speed; and one on a belt is carried along and spun.
#[test]
fn moving_walls_close() {
    let (mut world, _) = chain(material(E, 0.4 * E, 2600.0), 2, RADIUS);
    world.remove_bonds(&[0]);
    let state = at_rest(vec![Vec3::z() * (1.5 * RADIUS), Vec3::new(0.3, 0.0, 0.185)]);
    let mut rising = floor(0.0, 0.4);
    rising.motion = Motion::Velocity(Vec3::new(0.5, 0.0, 2.0));
    let mut turning = Wall::new(Shape::HalfSpace(HalfSpace { normal: -Vec3::z(), offset: -0.2 }));
    (turning.friction, turning.static_friction) = (Some(0.4), Some(0.4));
    turning.motion = Motion::Screw { point: Vec3::zeros(), axis: Vec3::z(), rate: 20.0, velocity: -1.0 };
    world.walls = vec![rising, turning];
    for (method, restitution) in METHODS.into_iter().flat_map(|method| [1.0, 0.5].map(|e| (method, e))) {
        world.contact_damping = damping_ratio(restitution);
        let ledger = run(method, &(world.clone(), state.clone()), 0.02, 0.02);
        let flows = ledger.account.flows;
        assert!(
            flows[Flow::Walls] > 0.0
                && flows[Flow::Friction] > 0.0
                && (flows[Flow::Damping] > 0.0) == (restitution < 1.0)
        );
        assert!(ledger.most_open() < 1e-2, "{method:?} {restitution}");
        let [v, m] = [ledger.state.v[0].z, ledger.world.particles.mass[0]];
        println!("  {v:.4} m/s, walls {:.6} J, {:.6} J along", ledger.account.flows[Flow::Walls], 0.5 * m * 16.0);
    }
}

/// A chain jerked along by one end, with loads on the held one too: whoever holds it answers for them.
#[test]
fn a_pulled_chain_closes() {
    for damping in [0.0, 0.1] {
        let (mut world, state) = chain(Material { damping, ..material(E, 0.4 * E, 2600.0) }, 6, RADIUS);
        let dt = world.period();
        let turning = Motion::Screw { point: Vec3::new(0.0, -0.1, 0.0), axis: Vec3::z(), rate: 10.0, velocity: 0.5 };
        let load = Action::Load(Wrench { force: Vec3::y() * 0.5, torque: Vec3::zeros() });
        world.constraints = vec![Constraint::moved(vec![0], turning), Constraint::new(vec![0, 3], load)];
        for method in METHODS {
            for periods in steps(method) {
                let ledger = run(method, &(world.clone(), state.clone()), periods, 100.0 * dt * periods.max(1.0));
                let bound = if method == Method::Midpoint { 0.05 } else { 1e-2 };
                assert!(
                    ledger.account.flows[Flow::Held] > 0.0 && ledger.most_open() < bound,
                    "{method:?} {periods} {damping}"
                );
            }
        }
    }
}

/// What becomes open when a column is forgotten.
#[test]
fn a_missing_column_shows() {
    let (world, mut state) = chain(Material { damping: 0.1, ..material(E, 0.4 * E, 2600.0) }, 3, RADIUS);
    state.p[1].x += 1e-2 * RADIUS;
    for method in [Method::Verlet, Method::Implicit(TimeRule::Euler), Method::Implicit(TimeRule::Bdf2)] {
        let mut ledger = run(method, &(world.clone(), state.clone()), 0.1, 20.0 * world.period());
        ledger.account.flows[Flow::Damping] *= 0.5;
        assert!(ledger.balance().open() > 0.1);
    }
}
