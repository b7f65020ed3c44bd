//! Blocks that turn freely.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_core::simulate::{Predictor, SolverSettings};

use crate::common::system::{block, floor, material, set_spinning};
use crate::integrate::implicit_euler::to_the_last_digit;

/// Stiff, so that centrifugal forces hardly stretch what turns.
const E: f64 = 1e9;
const DENSITY: f64 = 2600.0;
const RADIUS: f64 = 0.01;

/// About 500 spheres that turn about z, a principal axis, at `spin` rad/s.
fn spinning_block(spin: f64) -> (World, State) {
    let (world, mut state) = block(material(E, 0.4 * E, DENSITY), [0.16, 0.14, 0.16], RADIUS);
    assert!((400..600).contains(&state.len()), "{}", state.len());
    let middle = state.p.iter().sum::<Vec3>() / state.len() as f64;
    state.p.iter_mut().for_each(|p| *p -= middle);
    set_spinning(&mut state, &(Vec3::z() * spin));
    (world, state)
}

/// The angles by which implicit Euler turns a rigid body about a principal axis, step by step: with orbital and own
/// moments of inertia I_o = sum m |p|^2 and I_s = sum J, the step to the angle b after one of a minimises
///
/// ```text
/// I_o |e^(ib) - 2 + e^(-ia)|^2/2 + 4 I_s (1 - cos((b-a)/2)),    whose slope is
/// I_o (2 sin b - sin(a+b)) + 2 I_s sin((b-a)/2) = 0,  so  b = a (1 - a^2 I_o/(I_o + I_s) + O(a^4)).
/// ```
///
/// The first step follows velocities along the tangent instead of a chord: I_o (sin b - a cos b) + 2 I_s sin((b-a)/2) = 0.
/// So particles' own spins are kept by the geodesic predictor, and their orbits lose (w dt)^2 a step, as implicit Euler
/// damps any oscillation.
fn rigid_angles(orbital: f64, own: f64, first: f64, steps: usize) -> Vec<f64> {
    let mut angles = Vec::new();
    let mut a = first;
    for step in 0..steps {
        let toward = |b: f64| if step == 0 { b.sin() - a * b.cos() } else { 2.0 * b.sin() - (a + b).sin() };
        let slope = |b: f64| orbital * toward(b) + 2.0 * own * (0.5 * (b - a)).sin();
        a = bisect(slope, 0.5 * a, 1.5 * a);
        angles.push(a);
    }
    angles
}

/// Where `f`, which rises, is zero.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if f(middle) < 0.0 { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// Angular momentum over the first after each of `steps` steps in which the block turns by `turn` (rad) at first, and what
/// it would be for a rigid body.
fn implicit_spin(rule: TimeRule, settings: &SolverSettings, turn: f64, steps: usize) -> Vec<[f64; 2]> {
    let dt = 1e-3;
    let (world, mut state) = spinning_block(turn / dt);
    let own: f64 = world.particles.inertia.iter().sum();
    let orbital: f64 = state.p.iter().zip(&world.particles.mass).map(|(p, m)| m * p.xy().norm_squared()).sum();
    let before = state.momentum(&world.particles).1.z;
    let mut contacts = Contacts::new(&world, &state);
    let mut euler = Implicit::new(rule, &world, settings);
    let angles = rigid_angles(orbital, own, turn, steps);
    let after = |angle: f64| {
        euler.step(&world, &mut contacts, &mut state, dt).expect("a step");
        let rigid = (orbital * angle.sin() + own * angle) / dt;
        [state.momentum(&world.particles).1.z / before, rigid / before]
    };
    angles.into_iter().map(after).collect()
}

#[test]
fn implicit_euler_loses_the_angular_momentum_that_theory_says() {
    let turn = 0.05;
    let history = implicit_spin(TimeRule::Euler, &to_the_last_digit(Predictor::Geodesic), turn, 20);
    let mut before = 1.0;
    for (step, [got, rigid]) in history.into_iter().enumerate() {
        let lost = 1.0 - rigid;
        assert!((got - rigid).abs() < 0.01 * lost, "step {step}: {got}, a rigid body {rigid}");
        assert!(got <= before && got > before * (1.0 - turn * turn), "step {step}: {got} after {before}");
        before = got;
    }
}

/// What BDF2 loses it loses in its first steps, of which one is implicit Euler's (turn^2 I_o/(I_o + I_s)); later ones lose turn^4.
#[test]
fn bdf2_keeps_angular_momentum() {
    let turn = 0.05;
    let left = |rule| {
        let history = implicit_spin(rule, &to_the_last_digit(Predictor::Geodesic), turn, 40);
        [0, 19, 39].map(|step| history[step][0])
    };
    let ([first, middle, last], [_, _, euler]) = (left(TimeRule::Bdf2), left(TimeRule::Euler));
    assert!(first > 1.0 - turn * turn && last > middle - 20.0 * turn.powi(4), "{first} {middle} {last}");
    assert!(last > 0.996 && euler < 0.92, "{last}, implicit Euler {euler}");
}

/// Where there is something to touch, guesses are compared: pieces that fly and spin, each about its own axis, begin a step as rigid
/// bodies, which is where they end: 23 iterations here. Straight flight stretches them, and takes 68.
#[test]
fn pieces_that_spin_take_few_iterations() {
    let (mut world, mut state) = spinning_block(100.0);
    let across: Vec<usize> = world
        .bonds()
        .iter()
        .enumerate()
        .filter(|(_, b)| is_left(&state, b.i) != is_left(&state, b.j))
        .map(|(k, _)| k)
        .collect();
    world.remove_bonds(&across);
    for i in 0..state.len() {
        let side = if is_left(&state, i as u32) { -1.0 } else { 1.0 };
        state.p[i].x += side * 0.1;
        let arm = state.p[i] - Vec3::x() * (side * 0.14);
        let spin = Vec3::new(30.0, -60.0, 100.0 * side);
        (state.v[i], state.w[i]) = (spin.cross(&arm), spin);
    }
    world.walls = vec![floor(-1.0, 0.0)];
    let mut contacts = Contacts::new(&world, &state);
    let mut bdf2 = Implicit::new(TimeRule::Bdf2, &world, &SolverSettings::default());
    let before = state.momentum(&world.particles).1;
    let mut iterations = 0;
    for _ in 0..20 {
        iterations += bdf2.step(&world, &mut contacts, &mut state, 1e-3).expect("a step").newton_iterations;
    }
    let after = state.momentum(&world.particles).1;
    assert!(iterations <= 30, "{iterations}");
    assert!((after - before).norm() < 0.025 * before.norm(), "{before} {after}");
}

fn is_left(state: &State, i: u32) -> bool {
    state.p[i as usize].x < 0.0
}
