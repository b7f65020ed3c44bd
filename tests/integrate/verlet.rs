use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Integrator, Verlet};

use crate::common::golden::{self, list, number, numbers, vec3s};
use crate::common::system::{assert_close, from_golden, no_contacts, state};

#[test]
fn golden_verlet_quaternion_bond() {
    let file = golden::load("integrator_verlet");
    let initial = &file["initial"];
    let run = list(&file, "runs").iter().find(|r| r["scheme"] == "bond_quaternion").expect("a quaternion run");
    let world = from_golden(&file["system"], &vec3s(&initial["p"]));
    let mut x = state(initial);
    let mut contacts = no_contacts(&world, &x);
    let mut verlet = Verlet::new(&world);
    let dt = number(run, "h");
    let states = list(run, "states");
    let history = list(run, "history");
    let last = states.last().expect("states")["step"].as_u64().expect("a step");
    for step in 1..=last {
        verlet.step(&world, &mut contacts, &mut x, dt).expect("a stable step");
        if let Some(want) = states.iter().find(|s| s["step"] == step) {
            assert_close(&format!("step {step}"), &x, &state(want), 1e-7);
        }
        if let Some(row) = history.iter().map(numbers).find(|row| row[0] == step as f64) {
            let (linear, spin) = x.kinetic_energy(&world.particles);
            assert!((linear - row[1]).abs() <= 1e-7 * row[1] && (spin - row[2]).abs() <= 1e-7 * row[2]);
        }
    }
}

#[test]
fn momentum_is_conserved_without_walls() {
    let file = golden::load("integrator_verlet");
    let initial = &file["initial"];
    let world = from_golden(&file["system"], &vec3s(&initial["p"]));
    let mut x = state(initial);
    let mut contacts = no_contacts(&world, &x);
    let mut verlet = Verlet::new(&world);
    let (p0, l0) = x.momentum(&world.particles);
    let speed: f64 = x.v.iter().zip(&world.particles.mass).map(|(v, m)| v.norm() * m).sum();
    for _ in 0..2000 {
        verlet.step(&world, &mut contacts, &mut x, number(&file["system"], "dt")).expect("a stable step");
    }
    let (p, l) = x.momentum(&world.particles);
    let arm = x.p.iter().map(Vec3::norm).fold(0.0, f64::max);
    assert!((p - p0).norm() < 1e-13 * speed, "{:e}", (p - p0).norm() / speed);
    assert!((l - l0).norm() < 1e-12 * speed * arm, "{:e}", (l - l0).norm() / speed / arm);
}
