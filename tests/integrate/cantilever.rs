//! The cantilever of 1984 particles that other simulators have bent too.

use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, StepError, TimeRule, Verlet, stability};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Constraint, Motion, State, World};
use bdem_core::simulate::SolverSettings;
use serde_json::Value;

use crate::common::golden::{list, load, number, numbers, vec3s};
use crate::common::system::{at_rest, bonded, energy, material};

/// Centres further out along x than this (m) are the tip.
const TIP: f64 = 1.2;

/// What the file's `about` says of its material and gravity.
fn cantilever(file: &Value) -> (World, State) {
    let centres = vec3s(&file["p"]);
    let index = |x: f64| x as u32;
    let pairs: Vec<[u32; 2]> = numbers(&file["bonds"]).chunks_exact(2).map(|b| [index(b[0]), index(b[1])]).collect();
    let mut world = bonded(material(1e7, 4e6, 2600.0), &centres, &vec![number(file, "r"); centres.len()], &pairs);
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    let particles = numbers(&file["fixed"]).into_iter().map(index).collect();
    world.constraints = vec![Constraint::moved(particles, Motion::Fixed)];
    (world, at_rest(centres))
}

/// How far the tip hangs at each of the file's times, with steps of `periods` T, over what the file says.
fn sags(integrator: impl Fn(&World) -> Box<dyn Integrator>, periods: f64) -> Vec<f64> {
    let file = load("beam_cantilever");
    let (world, start) = cantilever(&file);
    let tip: Vec<usize> = (0..start.len()).filter(|&i| start.p[i].x > TIP).collect();
    let mut integrator = integrator(&world);
    let mut contacts = Contacts::new(&world, &start);
    let mut state = start.clone();
    let (mut now, mut ratios) = (0.0, Vec::new());
    for row in list(&file, "tip") {
        let span = number(row, "t") - now;
        let steps = (span / (periods * world.period())).ceil();
        for _ in 0..steps as usize {
            integrator.step(&world, &mut contacts, &mut state, span / steps).expect("a step");
        }
        now += span;
        let sag = tip.iter().map(|&i| state.p[i].z - start.p[i].z).sum::<f64>() / tip.len() as f64;
        let peers = 0.5 * (number(row, "lammps") + number(row, "yade"));
        ratios.push(sag / peers);
    }
    ratios
}

fn assert_within_a_percent(ratios: &[f64]) {
    assert!(!ratios.is_empty() && ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.01), "{ratios:?}");
}

#[test]
fn golden_beam_cantilever_verlet() {
    assert_within_a_percent(&sags(|world| Box::new(Verlet::new(world)), 0.2));
}

/// Longer steps than these damp the first swing by more: 4 T by 1.4 %.
#[test]
fn golden_beam_cantilever_implicit_euler() {
    let euler = |world: &World| -> Box<dyn Integrator> {
        Box::new(Implicit::new(TimeRule::Euler, world, &SolverSettings::default()))
    };
    assert_within_a_percent(&sags(euler, 2.0));
}

/// Energy (J) after each of `steps` Verlet steps of `share` of the longest stable one, until it is no longer finite.
fn energies(share: f64, steps: usize) -> Vec<f64> {
    let (world, mut state) = cantilever(&load("beam_cantilever"));
    let dt = share * stability::limit(&world, &state);
    let mut contacts = Contacts::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let mut energies = vec![energy(&world, &contacts, &state)];
    for _ in 0..steps {
        match verlet.step(&world, &mut contacts, &mut state, dt) {
            Ok(_) => energies.push(energy(&world, &contacts, &state)),
            Err(StepError::NotFinite { .. }) => break,
            Err(other) => panic!("{other}"),
        }
    }
    energies
}

/// The largest departure from the first of `energies` over the energy that gravity has to give, m g r.
fn drift(energies: &[f64]) -> f64 {
    let (world, _) = cantilever(&load("beam_cantilever"));
    let scale: f64 = world.particles.mass.iter().zip(&world.particles.radius).map(|(m, r)| m * 9.81 * r).sum();
    energies.iter().map(|e| (e - energies[0]).abs() / scale).fold(0.0, f64::max)
}

#[test]
fn golden_beam_cantilever_is_stable_below_the_limit() {
    let energies = energies(0.95, 3000);
    assert_eq!(energies.len(), 3001);
    assert!(drift(&energies) < 0.01, "{}", drift(&energies));
}

#[test]
fn golden_beam_cantilever_blows_up_beyond_the_limit() {
    let energies = energies(1.05, 300);
    assert!(energies.len() < 301 || drift(&energies) > 1e3);
}
