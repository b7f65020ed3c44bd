//! A cantilever that swings under its weight, on a graphics card and on the processor:
//! `cargo run --release -p bdem-gpu --features device --example cantilever`.

use std::time::Instant;

use bdem_core::geometry::packing::{Packed, hexagonal};
use bdem_core::geometry::shape::Shape;
use bdem_core::model::{Constraint, Motion};
use bdem_core::prelude::*;
use bdem_gpu::device::{Choice, Device};
use bdem_gpu::steps::Steps;

/// m.
const LENGTH: f64 = 0.88;
const RADIUS: f64 = 0.005;

const STEPS: usize = 2000;

fn cantilever() -> Result<(World, State), Box<dyn std::error::Error>> {
    let mut builder = World::builder();
    let material = builder.material(Material::elastic("rubber", 1000.0, 1e7, 0.25));
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [LENGTH, 0.045, 0.045] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::zeros(), material);
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    let is_held = |i: &u32| packed.centres[*i as usize].x < 0.015 - 0.5 * LENGTH;
    let held = (0..packed.centres.len() as u32).filter(is_held).collect();
    builder.constraint(Constraint::moved(held, Motion::Fixed));
    Ok(builder.build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (world, state) = cantilever()?;
    let (step, integrator) = (Some(StepSize::Limit(0.5)), IntegratorKind::ExplicitVerlet);
    let settings = SimulationSettings { step, integrator, ..SimulationSettings::new(1.0) };
    let mut simulation = Simulation::new(world, state.clone(), &settings);
    let start = Instant::now();
    let mut progress = Progress::default();
    while progress.steps < STEPS as u64 {
        simulation.try_step(&mut progress)?;
    }
    let processor = start.elapsed();
    // a frame has a whole number of steps
    let dt = simulation.state.time / progress.steps as f64;

    let device = Device::open(&Choice::Named(String::new()))?;
    let mut steps = Steps::new(&device, &simulation.world, &state, 1.0)?;
    let start = Instant::now();
    steps.advance(&simulation.world, STEPS, dt);
    let card = start.elapsed();

    let end = steps.state();
    let greatest = |of: &dyn Fn(usize) -> Vec3| (0..end.len()).map(|i| of(i).norm()).fold(0.0, f64::max);
    let displacement = greatest(&|i| simulation.state.p[i] - state.p[i]);
    let error = greatest(&|i| simulation.state.p[i] - end.p[i]) / displacement;
    println!("{}", device.name());
    println!("{} particles, {} bonds, {STEPS} steps of {dt:.2e} s", end.len(), simulation.world.bonds().len());
    println!("{:.2} s on the processor, {:.2} s on the card", processor.as_secs_f64(), card.as_secs_f64());
    println!("displacement {displacement:.3e} m, off by {error:.1e} of it");
    assert!(error < 1e-6, "positions agree with double precision");
    Ok(())
}
