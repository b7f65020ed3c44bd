//! A cantilever that swings under its weight, on a graphics card and on the processor:
//! `cargo run --release -p bdem-gpu --features device --example cantilever`.

use std::time::{Duration, Instant};

use bdem_core::integrate::Integrator;
use bdem_core::model::{Constraint, Motion};
use bdem_core::prelude::*;
use bdem_core::simulate::GaveUp;
use bdem_gpu::block::Card;
use bdem_gpu::device::{Choice, Device};

/// m.
const LENGTH: f64 = 0.88;
const RADIUS: f64 = 0.005;

const STEPS: u64 = 2000;

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

/// Takes [`STEPS`] steps. Returns their wall-clock time.
fn run(simulation: &mut Simulation) -> Result<Duration, GaveUp> {
    let (start, mut progress) = (Instant::now(), Progress::default());
    while progress.steps < STEPS {
        simulation.try_steps((STEPS - progress.steps) as u32, &mut progress)?;
    }
    Ok(start.elapsed())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, start) = cantilever()?;
    (0..start.len()).for_each(|i| world.particles.remove_contacts(i));
    let (step, integrator) = (Some(StepSize::Limit(0.5)), IntegratorKind::ExplicitVerlet);
    let settings = SimulationSettings { step, integrator, ..SimulationSettings::new(1.0) };
    let mut processor = Simulation::new(world.clone(), start.clone(), &settings);
    let device = Device::open(&Choice::Named(String::new()))?;
    let integrator: Box<dyn Integrator> = Box::new(Card::new(&device, &world)?);
    let extensions = Extensions { integrator: Some(integrator), ..Extensions::default() };
    let mut card = Simulation::extended(world, start.clone(), &settings, extensions);
    let [on_processor, on_card] = [run(&mut processor)?, run(&mut card)?];

    let greatest = |of: &dyn Fn(usize) -> Vec3| (0..start.len()).map(|i| of(i).norm()).fold(0.0, f64::max);
    let displacement = greatest(&|i| processor.state.p[i] - start.p[i]);
    let error = greatest(&|i| processor.state.p[i] - card.state.p[i]) / displacement;
    println!("{}", device.name());
    println!("{} particles, {} bonds, {STEPS} steps", start.len(), card.world.bonds().len());
    println!("{:.2} s on the processor, {:.2} s on the card", on_processor.as_secs_f64(), on_card.as_secs_f64());
    println!("displacement {displacement:.3e} m, off by {error:.1e} of it");
    assert!(error < 1e-6, "positions agree with double precision");
    Ok(())
}
