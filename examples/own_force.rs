//! A drag of one's own, with its work in the energy account: spheres that fall through oil reach their final speed.
//! Needs `bdem-core` alone: `cargo run --release --example own_force`.

use bdem_core::prelude::*;

/// Radius of the spheres, m, their density and gravity, kg/m3 and m/s2.
const RADIUS: f64 = 1e-3;
const DENSITY: f64 = 2600.0;
const GRAVITY: f64 = 9.81;
/// Viscosity of the oil, Pa s.
const VISCOSITY: f64 = 1.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = World::builder();
    let glass = builder.material(Material::elastic("glass", DENSITY, 1e7, 0.25));
    for k in 0..10 {
        builder.particle(Vec3::new(0.01 * f64::from(k), 0.0, 0.0), RADIUS, glass);
    }
    builder.gravity(Vec3::new(0.0, 0.0, -GRAVITY));
    let (world, state) = builder.build()?;

    // Stokes: F = -6 pi mu r v, which slows v by exp(-dt/tau) in a step, tau = m/(6 pi mu r)
    let drag = |end: StepEnd| {
        let particles = &end.world.particles;
        for (i, v) in end.v.iter_mut().enumerate() {
            let rate = 6.0 * std::f64::consts::PI * VISCOSITY * particles.radius[i] / particles.mass[i];
            *v *= (-rate * end.dt).exp();
        }
    };
    let settings = SimulationSettings { integrator: IntegratorKind::ExplicitVerlet, ..SimulationSettings::new(1e-3) };
    let parts = Extensions { after_step: Some(Box::new(drag)), ..Extensions::default() };
    let mut simulation = Simulation::extended(world, state, &settings, parts);
    let mut progress = Progress::default();
    for _ in 0..20 {
        simulation.advance_frame(&mut progress)?;
    }
    let speed = -simulation.state.v[0].z;
    let stokes = 2.0 / 9.0 * DENSITY * GRAVITY * RADIUS * RADIUS / VISCOSITY;
    println!("{:.4} mm/s, by Stokes {:.4} mm/s", 1e3 * speed, 1e3 * stokes);
    println!(
        "{:.3e} J of work by the drag, {:.1e} J unaccounted",
        simulation.flows()[Flow::Loads],
        simulation.balance.unaccounted
    );
    assert!((speed / stokes - 1.0).abs() < 0.02, "the final speed is that of Stokes");
    assert!(simulation.flows()[Flow::Loads] < 0.0, "the drag takes energy");
    Ok(())
}
