//! The variational midpoint rule against reference numbers and conservation laws.

use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{ImplicitMidpoint, Integrator, Midpoint, Projection, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Material, State, World};
use bdem_core::simulate::{Predictor, SolverSettings};
use serde_json::Value;

use crate::common::golden::{self, list, number, numbers, vec3s};
use crate::common::system::{assert_close, chain, energy, from_golden, material, no_contacts, state};
use crate::integrate::implicit_euler::to_the_last_digit;

fn midpoint(projected_at: Projection, world: &World) -> ImplicitMidpoint {
    ImplicitMidpoint::new(Midpoint { projected_at }, world, &to_the_last_digit(Predictor::Geodesic))
}

fn reference() -> (Value, World, State) {
    let file = golden::load("integrator_midpoint_variational");
    let world = from_golden(&file["system"], &vec3s(&file["system"]["rest_p"]));
    let start = state(&file["x0"]);
    (file, world, start)
}

/// Kinetic energy by the chords of a step, J.
fn kinetic_of_chords(world: &World, from: &State, to: &State, dt: f64) -> f64 {
    let of = |i: usize| {
        let (moved, turned) = ((to.p[i] - from.p[i]) / dt, (to.q[i] - from.q[i]) / dt);
        let (m, j) = (world.particles.mass[i], world.particles.inertia[i]);
        0.5 * m * moved.norm_squared() + 2.0 * j * turned.norm_squared()
    };
    (0..from.len()).map(of).sum()
}

/// Compares a state's places and orientations with a state of the reference.
fn assert_there(what: &str, got: &State, want: &Value) {
    let want = State { p: vec3s(&want["p"]), q: golden::quats(&want["q"]), ..got.clone() };
    assert_close(what, got, &want, 1e-7);
}

#[test]
fn golden_midpoint_variational() {
    let (file, world, start) = reference();
    let dt = number(&file["system"], "dt");
    let runs = list(&file, "runs");
    for run in runs {
        let projection = if run["scheme"] == "discrete_euler_lagrange" { Projection::Start } else { Projection::End };
        let mut integrator = midpoint(projection, &world);
        let (mut x, mut contacts) = (start.clone(), no_contacts(&world, &start));
        let rows: Vec<Vec<f64>> = list(run, "history").iter().map(numbers).collect();
        let last = rows.last().expect("rows")[0] as u64;
        for step in 1..=last {
            let before = x.clone();
            integrator.step(&world, &mut contacts, &mut x, dt).expect("a step");
            let what = format!("{} {step}", run["scheme"]);
            if step == 1 {
                assert_there(&what, &x, &file["x1"]);
            }
            if let Some(want) = list(run, "states").iter().find(|s| s["step"] == step) {
                assert_there(&what, &x, want);
            }
            if let Some(row) = rows.iter().find(|row| row[0] == step as f64) {
                let kinetic = kinetic_of_chords(&world, &before, &x, dt);
                assert!((kinetic - row[1]).abs() < 1e-7 * row[1], "{what}: {kinetic} J, reference {}", row[1]);
                let (_, l) = x.momentum(&world.particles);
                let want = Vec3::from_row_slice(&row[6..9]);
                assert!((l - want).norm() < 1e-7 * want.norm(), "{what}: {l}, reference {want}");
            }
        }
    }
    assert_eq!(runs.len(), 2);
}

fn run(integrator: &mut dyn Integrator, world: &World, start: &State, dt: f64, steps: usize) -> State {
    let (mut state, mut contacts) = (start.clone(), no_contacts(world, start));
    for _ in 0..steps {
        integrator.step(world, &mut contacts, &mut state, dt).expect("a step");
    }
    state
}

#[test]
fn projected_at_the_start_it_is_of_second_order() {
    let (file, world, start) = reference();
    let dt = number(&file["system"], "dt");
    let exact = run(&mut Verlet::new(&world), &world, &start, dt / 512.0, 512 * 8);
    let error = |parts: usize| {
        let end = run(&mut midpoint(Projection::Start, &world), &world, &start, dt / parts as f64, 8 * parts);
        let places = end.p.iter().zip(&exact.p).zip(&world.particles.radius).map(|((a, b), r)| (a - b).norm() / r);
        let turns = end.q.iter().zip(&exact.q).map(|(a, b)| rotation::rotation_between(a, b).norm());
        places.chain(turns).fold(0.0, f64::max)
    };
    let [a, b, c] = [8, 16, 32].map(error);
    let orders = [(a / b).log2(), (b / c).log2()];
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.1), "{orders:?}");
}

#[test]
fn momenta_stay_as_they_are_and_energy_stays_near() {
    let (file, world, start) = reference();
    let (mut x, mut contacts) = (start.clone(), no_contacts(&world, &start));
    let mut integrator = midpoint(Projection::Start, &world);
    let (p0, l0) = start.momentum(&world.particles);
    let speed: f64 = start.v.iter().zip(&world.particles.mass).map(|(v, m)| v.norm() * m).sum();
    let before = energy(&world, &contacts, &x);
    let mut off = [0.0f64; 2];
    for step in 0..2000 {
        integrator.step(&world, &mut contacts, &mut x, number(&file["system"], "dt")).expect("a step");
        let half = &mut off[step / 1000];
        *half = half.max((energy(&world, &contacts, &x) / before - 1.0).abs());
    }
    let (p, l) = x.momentum(&world.particles);
    assert!((p - p0).norm() < 1e-13 * speed, "{:e}", (p - p0).norm() / speed);
    assert!((l - l0).norm() < 1e-12 * l0.norm(), "{:e}", (l - l0).norm() / l0.norm());
    assert!(off[1] < 0.05 && off[1] < 1.5 * off[0], "energy is off by {off:?}");
}

/// What damping takes out of a stretched pair in ten of its periods: as much as in Verlet's short steps.
#[test]
fn damping_takes_as_much_as_under_verlet() {
    let damped = Material { damping: 0.02, ..material(1e7, 4e6, 2600.0) };
    let (world, mut start) = chain(damped, 2, 0.01);
    start.p[1].x += 1e-5;
    let k = world.bonds()[0].k.n;
    let period = std::f64::consts::TAU / (2.0 * k / world.particles.mass[0]).sqrt();
    let contacts = Contacts::none(&world, &start);
    let left = |integrator: &mut dyn Integrator, steps: usize| {
        let end = run(integrator, &world, &start, period / steps as f64, 10 * steps);
        energy(&world, &contacts, &end) / energy(&world, &contacts, &start)
    };
    let settings = SolverSettings { newton_tolerance: 1e-12, ..to_the_last_digit(Predictor::Geodesic) };
    let mut integrator = ImplicitMidpoint::new(Midpoint::default(), &world, &settings);
    let (got, want) = (left(&mut integrator, 40), left(&mut Verlet::new(&world), 4000));
    assert!(want < 0.2 && (got / want - 1.0).abs() < 0.05, "{got} is left, under Verlet {want}");
}
