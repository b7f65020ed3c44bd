//! BDF2: its order at constant and changing steps, what it keeps, and that impulses count once.

use bdem_core::energy::account::Flows;
use bdem_core::energy::bond;
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Implicit, Integrator, Step, TimeRule, Verlet, break_bonds};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Constraint, Material, Motion, State, Wall, World};
use bdem_core::simulate::{Predictor, SolverSettings};

use crate::common::system::{at_rest, bonded, chain, energy, material, no_contacts, noise};
use crate::integrate::implicit_euler::to_the_last_digit;

const E: f64 = 1e7;
const RADIUS: f64 = 0.01;

/// As exactly as steps of a fraction of T let rounding have it.
pub(super) fn exactly() -> SolverSettings {
    SolverSettings { newton_tolerance: 1e-9, newton_relative_tolerance: 1e-5, ..to_the_last_digit(Predictor::Geodesic) }
}

/// A short chain, clamped at one end or free, that swings in bending, stretch and twist at once; it also turns as a whole
/// where it is free.
fn swinging_chain(clamped: bool, damping: f64) -> (World, State) {
    let (mut world, mut state) = chain(Material { damping, ..material(E, 0.4 * E, 2600.0) }, 4, RADIUS);
    if clamped {
        world.constraints = vec![Constraint::moved(vec![0], Motion::Fixed)];
    }
    let along = |i: usize| i as f64 / 3.0;
    let turn = if clamped { Vec3::zeros() } else { Vec3::new(60.0, -20.0, 90.0) };
    for i in usize::from(clamped)..4 {
        let s = along(i);
        state.v[i] = Vec3::new(0.4 * s, 1.5 * s * s, -0.8 * s) + turn.cross(&state.p[i]);
        state.w[i] = Vec3::new(40.0 * s, 30.0 * s, 50.0 * s) + turn;
    }
    (world, state)
}

/// The state after `steps` of `dt` times each of `pattern` in turn.
fn run(mut integrator: impl Integrator, world: &World, start: &State, dt: f64, pattern: &[f64], steps: usize) -> State {
    let mut contacts = no_contacts(world, start);
    let mut state = start.clone();
    for step in 0..steps {
        integrator.step(world, &mut contacts, &mut state, dt * pattern[step % pattern.len()]).expect("a step");
    }
    state
}

/// How far apart two states are in positions (radii), orientations (rad), and velocities (of the greatest).
fn apart(a: &State, b: &State) -> [f64; 4] {
    let greatest = |v: &[Vec3]| v.iter().map(Vec3::norm).fold(0.0, f64::max);
    let most = |v: &[Vec3], w: &[Vec3]| v.iter().zip(w).map(|(v, w)| (v - w).norm()).fold(0.0, f64::max);
    let turned = a.q.iter().zip(&b.q).map(|(a, b)| rotation::rotation_between(a, b).norm()).fold(0.0, f64::max);
    [most(&a.p, &b.p) / RADIUS, turned, most(&a.v, &b.v) / greatest(&b.v), most(&a.w, &b.w) / greatest(&b.w)]
}

/// Errors in positions, orientations and velocities over those of half the step, at `dt` = 1/8, 1/16 and 1/32 T.
fn error_ratios(clamped: bool, damping: f64, pattern: &[f64]) -> Vec<[f64; 4]> {
    let (world, start) = swinging_chain(clamped, damping);
    let length: f64 = pattern.iter().sum();
    let span = 24.0 * length;
    let fine = 2048.0;
    let verlet = run(Verlet::new(&world), &world, &start, world.period() / 8.0 / fine, &[1.0], (span * fine) as usize);
    let error = |halvings: i32| {
        let shorter = f64::from(halvings).exp2();
        let steps = (24.0 * shorter) as usize * pattern.len();
        let bdf2 = Implicit::new(TimeRule::Bdf2, &world, &exactly());
        apart(&run(bdf2, &world, &start, world.period() / 8.0 / shorter, pattern, steps), &verlet)
    };
    let errors: Vec<[f64; 4]> = (0..=3).map(error).collect();
    errors.windows(2).map(|e| std::array::from_fn(|k| e[0][k] / e[1][k])).collect()
}

fn assert_second_order(clamped: bool, damping: f64, pattern: &[f64]) {
    let ratios = error_ratios(clamped, damping, pattern);
    println!("{clamped} {damping} {pattern:?}: {ratios:.2?}");
    let finest = ratios.last().expect("three");
    assert!(finest.iter().all(|r| (3.5..4.6).contains(r)), "{ratios:.2?}");
}

#[test]
fn it_is_of_second_order() {
    assert_second_order(true, 0.0, &[1.0]);
    assert_second_order(false, 0.0, &[1.0]);
}

#[test]
fn it_is_of_second_order_with_damping() {
    assert_second_order(true, 0.1, &[1.0]);
}

#[test]
fn it_is_of_second_order_at_changing_steps() {
    assert_second_order(true, 0.0, &[1.0, 2.0, 1.0, 0.5, 0.25, 0.25]);
    assert_second_order(false, 0.05, &[1.0, 2.0, 1.0, 0.5, 0.25, 0.25]);
}

/// A sphere on its own keeps its spin and speed, however steps change.
#[test]
fn a_free_sphere_keeps_its_motion() {
    let world = bonded(material(E, 0.4 * E, 2600.0), &[Vec3::zeros()], &[RADIUS], &[]);
    let mut start = at_rest(vec![Vec3::zeros()]);
    (start.v[0], start.w[0]) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(300.0, -100.0, 200.0));
    let pattern = [1e-3, 2e-3, 0.5e-3, 0.25e-3];
    let end = run(Implicit::new(TimeRule::Bdf2, &world, &exactly()), &world, &start, 1.0, &pattern, 40);
    let seconds = 10.0 * pattern.iter().sum::<f64>();
    assert!((end.v[0] - start.v[0]).norm() < 1e-9 && (end.w[0] - start.w[0]).norm() < 1e-7);
    assert!((end.p[0] - start.v[0] * seconds).norm() < 1e-10);
    let turned = rotation::turn(&start.q[0], &(start.w[0] * seconds));
    assert!(rotation::rotation_between(&turned, &end.q[0]).norm() < 1e-8);
}

/// An impulse between two steps changes velocities by itself and no more, in the middle of another motion too.
#[test]
fn impulses_count_once() {
    for rule in [TimeRule::Euler, TimeRule::Bdf2] {
        let mut world = bonded(material(E, 0.4 * E, 2600.0), &[Vec3::zeros()], &[RADIUS], &[]);
        world.gravity = Vec3::new(0.0, 0.0, -10.0);
        let kick = [Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.0, 50.0, -20.0)];
        let flight = |kicked: bool| {
            let mut state = at_rest(vec![Vec3::zeros()]);
            let mut contacts = no_contacts(&world, &state);
            let mut integrator = Implicit::new(rule, &world, &exactly());
            for step in 0..20 {
                let dt = if step % 3 == 0 { 2e-3 } else { 1e-3 };
                integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
                if kicked && step == 7 {
                    state.v[0] += kick[0];
                    state.w[0] += kick[1];
                }
            }
            state
        };
        let (plain, kicked) = (flight(false), flight(true));
        // steps 8 to 19
        let after = 4.0 * (2.0 * 1e-3 + 2e-3);
        assert!((kicked.v[0] - plain.v[0] - kick[0]).norm() < 1e-9, "{rule:?}");
        assert!((kicked.w[0] - plain.w[0] - kick[1]).norm() < 1e-7, "{rule:?}");
        assert!((kicked.p[0] - plain.p[0] - kick[0] * after).norm() < 1e-10, "{rule:?}");
        let turned = rotation::rotation_between(&plain.q[0], &kicked.q[0]);
        assert!((turned - kick[1] * after).norm() < 1e-8, "{rule:?}: {turned}");
    }
}

/// A step that does not stand leaves no trace.
#[test]
fn a_trial_can_be_dropped() {
    for rule in [TimeRule::Euler, TimeRule::Bdf2] {
        let (world, start) = swinging_chain(true, 0.05);
        let dt = 2.0 * world.period();
        let go = |undone: bool| {
            let mut contacts = no_contacts(&world, &start);
            let mut state = start.clone();
            let mut integrator = Implicit::new(rule, &world, &SolverSettings::default());
            for step in 0..6 {
                if undone && step >= 1 {
                    integrator.trial(&world, &mut contacts, &state, Step::new(4.0 * dt)).expect("a step");
                }
                integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
            }
            state
        };
        assert_eq!(go(false), go(true), "{rule:?}");
    }
}

/// Steps of 100 T over a shaken chain: its energy falls, and it comes to rest in its shape.
#[test]
fn long_steps_come_to_rest() {
    let (world, mut start) = chain(material(E, 0.4 * E, 2600.0), 8, RADIUS);
    for i in 0..start.len() {
        start.v[i] = noise(3, i) * 0.05;
        start.w[i] = noise(4, i) * 2.0;
    }
    // without momentum, so that rest is rest
    let mean = start.v.iter().sum::<Vec3>() / start.len() as f64;
    start.v.iter_mut().for_each(|v| *v -= mean);
    let mut contacts = no_contacts(&world, &start);
    let mut bdf2 = Implicit::new(TimeRule::Bdf2, &world, &exactly());
    let mut state = start.clone();
    let first = energy(&world, &contacts, &start);
    for _ in 0..100 {
        bdf2.step(&world, &mut contacts, &mut state, 100.0 * world.period()).expect("a step");
        let now = energy(&world, &contacts, &state);
        assert!(now < first, "{now} J, {first} J at first");
    }
    let strained: f64 = world.bonds().iter().map(|b| bond::value(b, &bond::pose(b, &state))).sum();
    assert!(strained < 1e-4 * first, "{strained:e} J, {first:e} J at first");
}

/// The contacts that BDF2's memory meets: two spheres that bounce keep their momentum, and part.
#[test]
fn spheres_bounce() {
    let centres = [Vec3::zeros(), Vec3::x() * (2.1 * RADIUS)];
    let world = bonded(material(E, 0.4 * E, 2600.0), &centres, &[RADIUS; 2], &[]);
    let mut state = at_rest(centres.to_vec());
    state.v = vec![Vec3::x(), Vec3::zeros()];
    let mut contacts = Contacts::new(&world, &state);
    let mut bdf2 = Implicit::new(TimeRule::Bdf2, &world, &exactly());
    for _ in 0..150 {
        bdf2.step(&world, &mut contacts, &mut state, 0.2 * world.period()).expect("a step");
    }
    let apart = state.v[1].x - state.v[0].x;
    assert!((0.9..1.02).contains(&apart) && (state.v[0].x + state.v[1].x - 1.0).abs() < 1e-9, "{:?}", state.v);
}

/// The state after `span` (s) of a swinging chain whose middle bond breaks halfway, in steps of `dt`.
fn run_across_a_break(mut integrator: impl Integrator, span: f64, dt: f64) -> State {
    let (mut world, mut state) = swinging_chain(true, 0.0);
    let mut contacts = no_contacts(&world, &state);
    let steps = (span / dt).round() as usize;
    for step in 0..steps {
        if step == steps / 2 {
            let broken = break_bonds(&mut world, &mut contacts, &state, &[1], &mut Flows::default());
            world.compact();
            integrator.after_breakage(&world, &contacts, &state, &broken);
        }
        integrator.step(&world, &mut contacts, &mut state, dt).expect("a step");
    }
    state
}

/// A bond that breaks changes forces and no velocities, and BDF2 stays of second order across it.
#[test]
fn breakage_keeps_the_order() {
    let (world, _) = swinging_chain(true, 0.0);
    let (span, period) = (6.0 * world.period(), world.period());
    let want = run_across_a_break(Verlet::new(&world), span, period / 1024.0);
    let errors = [8.0, 16.0, 32.0].map(|parts| {
        let bdf2 = Implicit::new(TimeRule::Bdf2, &world, &exactly());
        apart(&run_across_a_break(bdf2, span, period / parts), &want)
    });
    for pair in errors.windows(2) {
        let ratios: [f64; 4] = std::array::from_fn(|k| pair[0][k] / pair[1][k]);
        println!("{:?} {ratios:.2?}", pair[1]);
        assert!(ratios.iter().all(|ratio| *ratio > 3.0), "{ratios:?}");
    }
}

/// Newton's residuals are small beside the stiffness of bonds, and beside the energy of a fast flight. They do not speed up a slow
/// spin.
#[test]
fn a_slow_spin_in_a_fast_flight_is_kept() {
    let (mut world, mut start) = chain(material(1e9, 4e8, 2600.0), 5, RADIUS);
    world.walls = vec![Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: -100.0 }))];
    let (v, w) = (Vec3::new(10.0, 0.0, 3.0), Vec3::new(0.0, 0.0, 5.0));
    for i in 0..5 {
        (start.v[i], start.w[i]) = (v + w.cross(&start.p[i]), w);
    }
    let spin = |state: &State| {
        let (momentum, moment) = state.momentum(&world.particles);
        let mass: f64 = world.particles.mass.iter().sum();
        let centre = state.p.iter().zip(&world.particles.mass).map(|(p, m)| p * *m).sum::<Vec3>() / mass;
        moment - centre.cross(&momentum)
    };
    let first = spin(&start);
    let implicit = Implicit::new(TimeRule::Bdf2, &world, &SolverSettings::default());
    let end = run(implicit, &world, &start, 100.0 * world.period(), &[1.0], 300);
    // the first step is implicit Euler's, which loses the square of its rotation
    let turned = w.norm() * 100.0 * world.period();
    assert!((spin(&end) - first).norm() < 2.0 * turned * turned * first.norm(), "{} {first}", spin(&end));
    assert!((end.momentum(&world.particles).0 - start.momentum(&world.particles).0).norm() < 1e-12);
}
