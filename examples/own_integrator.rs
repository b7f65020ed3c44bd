//! An explicit integrator of one's own: symplectic Euler, a whole kick and then a drift, on a bonded bar that vibrates.
//! Needs `bdem-core` alone: `cargo run --release --example own_integrator`.

use bdem_core::integrate::{Explicit, Rule};
use bdem_core::prelude::*;

/// Symplectic Euler: first order, and its energy does not drift.
#[derive(Debug)]
struct SymplecticEuler;

impl Rule for SymplecticEuler {
    const KICKS: [f64; 2] = [1.0, 0.0];

    fn turn(theta: &Vec3) -> Quat {
        let (half, angle) = (0.5 * theta, theta.norm());
        let imag = if angle > 0.0 { half * ((0.5 * angle).sin() / (0.5 * angle)) } else { half };
        Quat::new((0.5 * angle).cos(), imag.x, imag.y, imag.z)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = World::builder();
    let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
    let bar = Packed::equal(hexagonal(&Shape::Box { size: [0.2, 0.05, 0.05] }, 0.01), 0.01, 1e-6);
    builder.packing(&bar, Vec3::zeros(), rubber);
    let (world, mut state) = builder.build()?;
    for (v, p) in state.v.iter_mut().zip(&state.p) {
        v.x = p.x; // m/s: it is stretched
    }

    let settings = SimulationSettings { integrator: IntegratorKind::ExplicitVerlet, ..SimulationSettings::new(1e-3) };
    let integrator = Box::new(Explicit::<SymplecticEuler>::new(&world));
    let parts = Extensions { integrator: Some(integrator), ..Extensions::default() };
    let mut simulation = Simulation::extended(world, state, &settings, parts);
    let start = simulation.energy();
    let mut progress = Progress::default();
    for _ in 0..50 {
        simulation.advance_frame(&mut progress)?;
    }
    let end = simulation.energy();
    println!("{start:.6} J at the start, {end:.6} J after {} steps", progress.steps);
    assert!((end / start - 1.0).abs() < 0.05, "energy stays near");
    Ok(())
}
