//! Vibrations of pieces that decay about their rigid motion.

use bdem_core::geometry::Mat3;
use bdem_core::prelude::*;
use bdem_core::simulate::Snapshot;
use bdem_run::output::{Checkpoint, RunRecord};

/// Time of the decay, s.
const TAU: f64 = 0.02;

/// A bar of rubber in flight, kg/m3 and Pa, that spins and rings along its axis. A bond at its end breaks at once.
fn ringing_bar(vibration_decay: f64) -> (World, State) {
    let mut builder = World::builder();
    let rubber = Material { vibration_decay, ..Material::elastic("rubber", 1100.0, 1e7, 0.25) };
    let rubber = builder.material(rubber);
    let bar = Packed::equal(hexagonal(&Shape::Box { size: [0.2, 0.04, 0.04] }, 0.01), 0.01, 1e-6);
    builder.packing(&bar, Vec3::zeros(), rubber);
    let (whole, mut state) = builder.build().expect("a world");
    let mut bonds = whole.bonds().to_vec();
    bonds[0].strength = [1.0; 2];
    let world = World::new(whole.materials.clone(), whole.particles.clone(), bonds);
    let spin = Vec3::new(2.0, -1.0, 5.0); // rad/s
    for i in 0..state.len() {
        let ringing = Vec3::x() * (0.5 * (std::f64::consts::PI * state.p[i].x / 0.2).sin()); // m/s
        state.v[i] = Vec3::new(3.0, 1.0, -2.0) + spin.cross(&state.p[i]) + ringing;
        state.w[i] = spin;
    }
    (world, state)
}

/// Simulation of the bar in frames of 1 ms.
fn simulation(kind: IntegratorKind, vibration_decay: f64) -> Simulation {
    let (world, state) = ringing_bar(vibration_decay);
    let settings = SimulationSettings { integrator: kind, ..SimulationSettings::new(1e-3) };
    Simulation::new(world, state, &settings)
}

fn advance(simulation: &mut Simulation, frames: u32) -> Progress {
    let mut progress = Progress::default();
    (0..frames).for_each(|_| simulation.advance_frame(&mut progress).expect("a frame"));
    progress
}

/// Momentum, angular momentum about the origin, and centre, of bodies that have mass.
fn motion(Simulation { world, state, .. }: &Simulation) -> [Vec3; 3] {
    let (mass, inertia) = (&world.particles.mass, &world.particles.inertia);
    let sum = |of: &dyn Fn(usize) -> Vec3| (0..state.len()).map(of).sum::<Vec3>();
    let total: f64 = mass.iter().sum();
    [
        sum(&|i| state.v[i] * mass[i]),
        sum(&|i| state.p[i].cross(&state.v[i]) * mass[i] + state.w[i] * inertia[i]),
        sum(&|i| state.p[i] * mass[i]) / total,
    ]
}

/// Kinetic energy (J) of the bar as a rigid body.
fn rigid_energy(simulation: &Simulation) -> f64 {
    let [momentum, about_origin, centre] = motion(simulation);
    let particles = &simulation.world.particles;
    let mass: f64 = particles.mass.iter().sum();
    let angular = about_origin - centre.cross(&momentum);
    let about_centre = |i: usize| {
        let arm = simulation.state.p[i] - centre;
        let of_point = Mat3::identity() * arm.norm_squared() - arm * arm.transpose();
        Mat3::identity() * particles.inertia[i] + of_point * particles.mass[i]
    };
    let inertia: Mat3 = (0..simulation.state.len()).map(about_centre).sum();
    let spin = inertia.try_inverse().expect("an extended body") * angular;
    0.5 * (momentum.norm_squared() / mass + spin.dot(&angular))
}

#[test]
fn the_rigid_motion_stays_and_the_rest_decays_at_its_rate() {
    let mut simulation = simulation(IntegratorKind::ExplicitVerlet, TAU);
    let [momentum, angular, centre] = motion(&simulation);
    let broken = advance(&mut simulation, 1).broken;
    assert_eq!(broken.len(), 1, "the bond that is weak");
    advance(&mut simulation, 24);
    let onset = simulation.energy() - rigid_energy(&simulation);
    advance(&mut simulation, 60);
    let rest = simulation.energy() - rigid_energy(&simulation);
    println!("{onset} J to {rest} J: e^-{} of e^-3", (onset / rest).ln());
    assert!(((onset / rest).ln() - 3.0).abs() < 0.05);
    let [momentum_end, angular_end, centre_end] = motion(&simulation);
    let to = centre + momentum * (simulation.state.time / simulation.world.particles.mass.iter().sum::<f64>());
    assert!((momentum_end - momentum).norm() < 1e-11 * momentum.norm());
    assert!((angular_end - angular).norm() < 1e-11 * angular.norm(), "{angular_end} of {angular}");
    assert!((centre_end - to).norm() < 1e-11 * to.norm());
    let balance = &simulation.balance;
    assert!(balance.open() < 1e-4, "{} of {}", balance.unaccounted, balance.scale);
    assert!(
        (simulation.flows()[Flow::Damping] / (onset - rest) - 1.0).abs() < 0.3,
        "{} J",
        simulation.flows()[Flow::Damping]
    );
}

/// What is not broken, and what is held, rings on: a wave that comes first is as without.
#[test]
fn nothing_decays_before_a_bond_broke_and_as_long_after() {
    let mut simulations = [TAU, f64::INFINITY].map(|tau| simulation(IntegratorKind::ExplicitVerlet, tau));
    simulations.iter_mut().for_each(|simulation| drop(advance(simulation, 19)));
    let [with, without] = &simulations;
    assert_eq!(with.state, without.state);
    simulations.iter_mut().for_each(|simulation| drop(advance(simulation, 3)));
    let [with, without] = &simulations;
    assert_ne!(with.state, without.state);
}

#[test]
fn every_integrator_has_it_in_its_account_and_resumes_with_the_same_bits() {
    use IntegratorKind::{Auto, ExplicitVerlet, ImplicitBdf2, ImplicitEuler};
    for kind in [Auto, ExplicitVerlet, ImplicitBdf2, ImplicitEuler] {
        let mut whole = simulation(kind, 0.1 * TAU);
        advance(&mut whole, 4);
        let checkpoint = Checkpoint::new(&RunRecord::default(), &whole.snapshot()).expect("it can be written");
        let snapshot: Snapshot = checkpoint.payload(1 << 30).expect("it can be read");
        let mut resumed = simulation(kind, 0.1 * TAU);
        resumed.restore(snapshot).expect("of the same scene");
        [&mut whole, &mut resumed].into_iter().for_each(|simulation| drop(advance(simulation, 12)));
        assert_eq!(whole.state, resumed.state, "{kind}");
        println!("{kind}: {:?}", whole.flows());
        assert!(whole.flows()[Flow::Damping] > 0.0, "{kind}");
        assert!(whole.balance.imbalance() < 1e-2, "{kind}: {:?}", whole.balance);
    }
}
