//! The explicit integrators of [RODR]: their maps, and what they keep.

use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::integrate::{Explicit, Integrator, Map, Rodrigues, RodriguesMap, Rule, StepError, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{State, World};
use bdem_studies::rodrigues::pendulum::{Pendulum, energy_error};
use serde_json::Value;

use crate::common::golden::{self, list, number, numbers, quat_from, vec3s};
use crate::common::system::{at_rest, bonded, energy, from_golden, material, no_contacts, state};

const MAPS: [RodriguesMap; 3] = [RodriguesMap::Lagrangian, RodriguesMap::Newmark, RodriguesMap::SymplecticEuler];

fn integrator(map: RodriguesMap, world: &World) -> Box<dyn Integrator> {
    Rodrigues { map }.build(world)
}

/// Compares a pendulum with a trajectory's rows `[t, q, spin, energy]`.
fn follow<R: Rule>(trajectory: &Value) {
    let h = number(trajectory, "h");
    let rows: Vec<Vec<f64>> = list(trajectory, "rows").iter().map(numbers).collect();
    let mut at = Pendulum { q: quat_from(&rows[0][1..5]), spin: Vec3::from_row_slice(&rows[0][5..8]) };
    let mut steps = 0;
    for row in &rows {
        while (f64::from(steps) + 0.5) * h < row[0] {
            at.swing::<R>(h);
            steps += 1;
        }
        let off = rotation::rotation_between(&quat_from(&row[1..5]), &at.q).norm();
        let slower = (at.spin - Vec3::from_row_slice(&row[5..8])).norm();
        let energy = at.energy();
        assert!(off < 1e-7 && slower < 1e-7, "{} at {}: {off:e} rad, {slower:e} rad/s", trajectory["map"], row[0]);
        assert!((energy - row[8]).abs() < 1e-7, "{} at {}: {energy}", trajectory["map"], row[0]);
    }
    assert!(steps >= 100, "{steps}");
}

#[test]
fn golden_rodrigues_pendulum() {
    let file = golden::load("integrator_rodrigues_pendulum");
    let trajectories = list(&file, "trajectories");
    for trajectory in trajectories {
        match trajectory["map"].as_u64() {
            Some(23) => follow::<Map<23>>(trajectory),
            Some(25) => follow::<Map<25>>(trajectory),
            Some(27) => follow::<Map<27>>(trajectory),
            other => panic!("map {other:?}"),
        }
    }
    assert_eq!(trajectories.len(), MAPS.len());
}

#[test]
fn golden_pendulum_energies() {
    let file = golden::load("integrator_rodrigues_pendulum");
    for row in list(&file, "convergence") {
        let h = number(row, "h");
        let runs = [
            ("map23", energy_error::<Map<23>>(h)),
            ("map25", energy_error::<Map<25>>(h)),
            ("map27", energy_error::<Map<27>>(h)),
        ];
        for (map, off) in runs {
            let wanted = number(&row[map], "max_abs_dE");
            assert!((off - wanted).abs() < 1e-7, "{map}, h = {h}: {off:e}, reference {wanted:e}");
        }
    }
}

/// The ring of eight that the reference of Verlet has, and its step (s).
fn ring() -> (World, State, f64) {
    let file = golden::load("integrator_verlet");
    let initial = &file["initial"];
    let world = from_golden(&file["system"], &vec3s(&initial["p"]));
    (world, state(initial), number(&file["system"], "dt"))
}

fn run(integrator: &mut dyn Integrator, world: &World, start: &State, dt: f64, steps: usize) -> State {
    let mut state = start.clone();
    let mut contacts = no_contacts(world, &state);
    for _ in 0..steps {
        integrator.step(world, &mut contacts, &mut state, dt).expect("a stable step");
    }
    state
}

/// How far two states are apart, in radii and radians.
fn apart(world: &World, a: &State, b: &State) -> f64 {
    let places = a.p.iter().zip(&b.p).zip(&world.particles.radius).map(|((a, b), r)| (a - b).norm() / r);
    let turns = a.q.iter().zip(&b.q).map(|(a, b)| rotation::rotation_between(a, b).norm());
    places.chain(turns).fold(0.0, f64::max)
}

#[test]
fn maps_23_and_25_are_of_second_order_and_map_27_of_first() {
    let (world, rest, dt) = ring();
    // without forces at the start the first kick would not matter
    let start = run(&mut Verlet::new(&world), &world, &rest, dt, 10);
    let exact = run(&mut Verlet::new(&world), &world, &start, dt / 32.0, 32 * 40);
    for (map, order) in MAPS.into_iter().zip([2.0, 2.0, 1.0]) {
        let error = |parts: usize| {
            let end = run(&mut *integrator(map, &world), &world, &start, dt / parts as f64, 40 * parts);
            apart(&world, &end, &exact)
        };
        let measured = (error(1) / error(2)).log2();
        assert!((measured - order).abs() < 0.1, "{map:?}: of order {measured}");
    }
}

#[test]
fn momenta_stay_as_they_are_and_energy_stays_near() {
    let (world, start, dt) = ring();
    let (p0, l0) = start.momentum(&world.particles);
    let speed: f64 = start.v.iter().zip(&world.particles.mass).map(|(v, m)| v.norm() * m).sum();
    let arm = start.p.iter().map(Vec3::norm).fold(0.0, f64::max);
    for map in MAPS {
        let mut integrator = integrator(map, &world);
        let mut contacts = no_contacts(&world, &start);
        let mut state = start.clone();
        let before = energy(&world, &contacts, &state);
        let mut off = [0.0f64; 2];
        for step in 0..8000 {
            integrator.step(&world, &mut contacts, &mut state, dt).expect("a stable step");
            let half = &mut off[step / 4000];
            *half = half.max((energy(&world, &contacts, &state) / before - 1.0).abs());
        }
        let (p, l) = state.momentum(&world.particles);
        assert!((p - p0).norm() < 1e-12 * speed, "{map:?}: {:e}", (p - p0).norm() / speed);
        assert!((l - l0).norm() < 1e-12 * speed * arm, "{map:?}: {:e}", (l - l0).norm() / speed / arm);
        assert!(off[1] < 0.2 && off[1] < 1.5 * off[0], "{map:?}: energy is off by {off:?}");
    }
}

#[test]
fn map_23_turns_nothing_by_more_than_a_right_angle() {
    let world = bonded(material(1e7, 4e6, 1000.0), &[Vec3::zeros()], &[0.01], &[]);
    let turned = |spin: f64| {
        let mut state = at_rest(vec![Vec3::zeros()]);
        state.w[0] = Vec3::z() * spin;
        let mut contacts = Contacts::new(&world, &state);
        let outcome = Explicit::<Map<23>>::new(&world).step(&world, &mut contacts, &mut state, 1e-3);
        outcome.map(|_| rotation::rotation_between(&Quat::identity(), &state.q[0]).z)
    };
    let right_angle = turned(1000.0).expect("the longest");
    assert!((right_angle - std::f64::consts::FRAC_PI_2).abs() < 1e-7, "{right_angle}");
    assert_eq!(turned(1001.0), Err(StepError::SpinsTooFast { particle: 0 }));
}
