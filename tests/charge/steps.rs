//! Lengths of steps of charges, and what pair forces keep.

use bdem_core::charge::{Charges, DdefSettings, Method, field};
use bdem_core::geometry::Vec3;
use bdem_core::integrate::stability::FieldLimit;
use bdem_core::model::{AxialSpring, ChargeGroup, Electrostatics, Particles, Ramp, State, World};
use bdem_core::simulate::{IntegratorKind, Progress, Simulation, SimulationSettings, StepSize};

use super::cloud;
use super::world::kinds;
use crate::common::system::at_rest;

const RADIUS: f64 = 0.01;

/// Masses (kg) without contacts at `x` (m) with charges `q` (C), on springs between pairs.
pub(super) fn charged(mass: f64, x: &[Vec3], q: &[f64], (spring, pairs): (AxialSpring, &[[u32; 2]])) -> (World, State) {
    let mut particles = Particles::default();
    for i in 0..x.len() {
        particles.push_mass(RADIUS, mass, 0, 0);
        particles.remove_contacts(i);
    }
    let bond = |(id, &[i, j]): (u32, &[u32; 2])| spring.bond(id, [i, j], x[j as usize] - x[i as usize], RADIUS);
    let bonds = (0..).zip(pairs).map(bond).collect();
    let mut world = World::new(vec![spring.material("springs", RADIUS, mass)], particles, bonds);
    let group = ChargeGroup { particles: (0..).take(q.len()).collect(), charges: q.to_vec(), factor: Ramp::default() };
    world.electrostatics = Electrostatics::new(vec![group]);
    (world, at_rest(x.to_vec()))
}

/// Opposite charges of 10 uC at 1 m, 0.9 J, on masses of 5 g: they fall onto each other within 0.05 s, and through each
/// other, where the softening of 1 cm leaves 90 J.
fn falling(kind: IntegratorKind, step: Option<StepSize>) -> Simulation {
    let x = [Vec3::zeros(), Vec3::x()];
    let (mut world, state) = charged(5e-3, &x, &[1e-5, -1e-5], (AxialSpring::elastic(1e3), &[]));
    (world.electrostatics.softening, world.electrostatics.method) = (0.01, Method::Exact);
    let settings = SimulationSettings { integrator: kind, step, ..SimulationSettings::new(0.01) };
    Simulation::new(world, state, &settings)
}

/// `auto` takes no implicit steps where they are too long for the charges' forces, and halves explicit ones in which
/// they would fly too far.
#[test]
fn heavy_charges_fall_through_each_other_under_auto() {
    let mut simulation = falling(IntegratorKind::Auto, None);
    let (start, mut progress, mut worst) = (simulation.energy(), Progress::default(), 0.0_f64);
    while simulation.state.time < 0.3 {
        simulation.try_step(&mut progress).expect("the account is closed");
        worst = worst.max((simulation.energy() - start).abs());
    }
    println!("{} steps, {} explicit, off by {worst:.3} J", progress.steps, progress.explicit_steps);
    assert!(progress.explicit_steps > 0);
    assert!(worst < 0.9);
}

/// Explicit steps know the field's time scale, and find it anew as the charges approach each other: their energy is kept at the
/// default step. Steps that are set are halved for stability alone.
#[test]
fn heavy_charges_fall_through_each_other_at_the_default_step() {
    for kind in kinds().into_iter().filter(|kind| kind.is_explicit()) {
        for (step, share) in [(None, 0.05), (Some(StepSize::Auto), 0.05), (Some(StepSize::Seconds(5e-3)), 0.5)] {
            let mut simulation = falling(kind, step);
            let start = simulation.energy();
            let (mut progress, mut worst, mut passes, mut ahead) = (Progress::default(), 0.0_f64, 0, true);
            let mut lengths = [f64::INFINITY, 0.0_f64];
            while simulation.state.time < 0.5 && passes < 4 {
                let (before, scale) =
                    (simulation.state.time, FieldLimit::time_scale(&simulation.world, &simulation.state));
                simulation.try_step(&mut progress).unwrap_or_else(|why| panic!("{kind}: {why}"));
                let dt = simulation.state.time - before;
                assert!(dt <= 2.0 * share * scale * (1.0 + 1e-9), "{kind} {step:?}: {dt} s, {scale} s");
                if dt > 0.0 {
                    lengths = [lengths[0].min(dt), lengths[1].max(dt)];
                }
                worst = worst.max((simulation.energy() - start).abs());
                let is_ahead = simulation.state.p[1].x > simulation.state.p[0].x;
                passes += u32::from(is_ahead != std::mem::replace(&mut ahead, is_ahead));
                if share < 0.1 {
                    simulation.audit().unwrap_or_else(|why| panic!("{kind}: {why}"));
                }
            }
            let (steps, open) = (progress.steps, simulation.balance.open());
            println!(
                "{kind} {step:?}: {passes} passes, {steps} steps of {lengths:?} s, off by {worst:.2} J, open {open:.1e}"
            );
            assert!(lengths[1] > 4.0 * lengths[0], "{kind} {step:?}: {lengths:?}");
            // of the 90 J that each pass turns over
            assert!(
                share > 0.1 || passes == 4 && worst < 0.9 && open < 1e-9,
                "{kind} {step:?}: {passes} {worst} {open}"
            );
        }
    }
}

/// 1/omega, with omega^2 the greatest eigenvalue of M^-1 K by differences of the forces.
#[test]
fn the_time_scale_of_a_pair_is_that_of_its_forces() {
    let (mass, q, r) = (0.2, [3e-6, -2e-6], 0.5);
    let (world, state) = charged(mass, &[Vec3::zeros(), Vec3::y() * r], &q, (AxialSpring::elastic(1.0), &[]));
    let force = |r: f64| {
        let x = [Vec3::zeros(), Vec3::y() * r];
        field(&Charges::new(&x, &q, 0.0).expect("charges"), &Method::Exact).expect("a field").forces(&q)[1].y
    };
    // the relative motion has half of the mass
    let stiffness = (force(r + 1e-5) - force(r - 1e-5)).abs() / 2e-5;
    let expected = (mass / 2.0 / stiffness).sqrt();
    let found = FieldLimit::time_scale(&world, &state);
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
}

/// `k (r - l) = k_c q^2/r^2` by Cardano's formula.
#[test]
fn a_charged_pair_on_a_spring_rests_where_the_forces_balance() {
    let (stiffness, q) = (10.0, 2e-5);
    let charge = bdem_core::charge::COULOMB_CONSTANT * q * q / stiffness;
    let (half, third): (f64, f64) = (f64::powi(1.0 / 3.0, 3) + charge / 2.0, 1.0 / 3.0);
    let root = (half * half - third.powi(6)).sqrt();
    let expected = third + (half + root).cbrt() + (half - root).cbrt();
    for kind in kinds() {
        let spring = AxialSpring { damping: 2.0, ..AxialSpring::elastic(stiffness) };
        let (world, state) = charged(0.1, &[Vec3::zeros(), Vec3::x()], &[q; 2], (spring, &[[0, 1]]));
        let step = Some(if kind == IntegratorKind::Auto { StepSize::Auto } else { StepSize::Seconds(0.01) });
        let settings = SimulationSettings { integrator: kind, step, ..SimulationSettings::new(0.1) };
        let mut simulation = Simulation::new(world, state, &settings);
        while simulation.state.time < 20.0 {
            simulation.advance(&mut Progress::default()).unwrap_or_else(|why| panic!("{kind}: {why}"));
        }
        let distance = (simulation.state.p[1] - simulation.state.p[0]).norm();
        println!("{kind}: {:.1e}", distance - expected);
        assert!(expected > 1.2 && (distance - expected).abs() < 1e-6, "{kind}: {distance} {expected}");
    }
}

/// Net force over |q| |e|, Euclidean norms over all charges: rounding under exact pairs, and at most the global relative error
/// of the field by the others, since the exact forces have no sum.
#[test]
fn momentum_drifts_by_the_error_of_the_field_at_most() {
    let (x, q) = cloud(3000, 5, true);
    let of = |method| field(&Charges::new(&x, &q, 1e-3).expect("charges"), &method).expect("a field");
    let exact = of(Method::Exact);
    let norm = |e: &[Vec3]| e.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
    let charge = q.iter().map(|q| q * q).sum::<f64>().sqrt();
    let tolerance = 1e-3;
    for method in [Method::Exact, Method::Tree { tolerance }, Method::Ddef(DdefSettings::default())] {
        let field = of(method);
        let off: Vec<Vec3> = field.e.iter().zip(&exact.e).map(|(e, exact)| e - exact).collect();
        let error = norm(&off) / norm(&exact.e);
        let net = field.forces(&q).iter().sum::<Vec3>().norm() / (charge * norm(&field.e));
        let momentum = drift(&x, &q, method);
        println!(
            "{method:?}: error {error:.1e}, net force {net:.1e}, momentum after 20 steps {momentum:.1e} of the exchanged"
        );
        let most = if method == Method::Exact { 1e-13 } else { error * (1.0 + 1e-9) };
        assert!(net <= most, "{method:?}: {net} {error}");
        assert!(momentum < if method == Method::Exact { 1e-13 } else { 0.1 }, "{method:?}: {momentum}");
    }
}

/// Momentum of released charges, over the sum of its parts, after 20 steps.
fn drift(x: &[Vec3], q: &[f64], method: Method) -> f64 {
    let (mut world, state) = charged(0.1, x, q, (AxialSpring::elastic(1e3), &[]));
    (world.electrostatics.softening, world.electrostatics.method) = (1e-3, method);
    let (integrator, step) = (IntegratorKind::ExplicitVerlet, Some(StepSize::Seconds(1e-5)));
    let settings = SimulationSettings { integrator, step, ..SimulationSettings::new(2e-4) };
    let mut simulation = Simulation::new(world, state, &settings);
    while simulation.state.time < 2e-4 * (1.0 - 1e-9) {
        simulation.advance(&mut Progress::default()).expect("a step");
    }
    let particles = &simulation.world.particles;
    let exchanged: f64 = simulation.state.v.iter().zip(&particles.mass).map(|(v, m)| v.norm() * m).sum();
    simulation.state.momentum(particles).0.norm() / exchanged
}
