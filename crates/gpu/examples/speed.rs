//! Time of a step on a graphics card by the number of particles, and what it moves as a share of the card's copies:
//! `cargo run --release -p bdem-gpu --features device --example speed -- [NAME OF A DEVICE] [PARTICLES...]`.

use std::error::Error;
use std::time::Instant;

use bdem_core::geometry::packing::{Packed, hexagonal};
use bdem_core::geometry::shape::Shape;
use bdem_core::prelude::*;
use bdem_gpu::block::Card;
use bdem_gpu::device::{Choice, Device};

const RADIUS: f64 = 0.001;

/// Steps of a block, and blocks, the median of whose times counts.
const STEPS: u32 = 256;
const BLOCKS: usize = 5;

/// Square plate of about this many equal spheres, 8 layers thick, that a wave runs through.
fn plate(particles: f64) -> Result<(World, State), Box<dyn Error>> {
    let side = RADIUS * (particles * 4.0 * std::f64::consts::SQRT_2 / 8.0).sqrt();
    let mut builder = World::builder();
    let ceramic = builder.material(Material::elastic("ceramic", 2600.0, 1e9, 0.25));
    let thickness = 8.0 * 1.633 * RADIUS;
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [side, side, thickness] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::zeros(), ceramic);
    let (mut world, mut state) = builder.build()?;
    (0..state.len()).for_each(|i| world.particles.remove_contacts(i));
    state.v.iter_mut().zip(&state.p).for_each(|(v, p)| v.z = libm::sin(40.0 * p.x));
    Ok((world, state))
}

/// Bytes that a step reads and writes at least: poses and velocities of particles, and a slot for each bond of the one with the most.
fn bytes_a_step(world: &World) -> f64 {
    const STATE: usize = 2 * (48 + 32);
    const SLOT: usize = 20;
    let mut bonds = vec![0; world.particles.len()];
    world.bonds().iter().flat_map(|bond| [bond.i, bond.j]).for_each(|i| bonds[i as usize] += 1);
    let slots = bonds.iter().copied().max().unwrap_or(0);
    (bonds.len() * (STATE + SLOT * slots)) as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let device = Device::open(&Choice::Named(words.next().unwrap_or_default()))?;
    let mut sizes = words.map(|word| word.parse()).collect::<Result<Vec<f64>, _>>()?;
    if sizes.is_empty() {
        sizes = vec![2e4, 6.5e4, 2.19e5, 1e6];
    }
    let bandwidth = device.copy_bandwidth();
    println!("{}, copies {:.0} GB/s", device.name(), bandwidth * 1e-9);
    println!("particles,bonds,us a step,ns a bond,share of copies");
    for size in sizes {
        let (world, state) = plate(size)?;
        let card = Card::new(&device, &world)?;
        let bytes = bytes_a_step(&world);
        let [particles, bonds] = [state.len(), world.bonds().len()];
        let limit = 0.5 * bdem_core::integrate::stability::limit(&world, &state);
        let (step, integrator) = (Some(StepSize::Seconds(limit)), IntegratorKind::ExplicitVerlet);
        let settings = SimulationSettings { step, integrator, ..SimulationSettings::new(f64::from(STEPS) * limit) };
        let parts = Extensions { integrator: Some(Box::new(card)), ..Extensions::default() };
        let mut simulation = Simulation::extended(world, state, &settings, parts);
        let mut times = Vec::new();
        for _ in 0..=BLOCKS {
            let start = Instant::now();
            simulation.try_steps(STEPS, &mut Progress::default())?;
            times.push(start.elapsed().as_secs_f64() / f64::from(STEPS));
        }
        // the first block has the pipelines' first use
        times.remove(0);
        times.sort_by(f64::total_cmp);
        let step = times[BLOCKS / 2];
        let share = bytes / step / bandwidth;
        println!("{particles},{bonds},{:.1},{:.2},{share:.2}", step * 1e6, step * 1e9 / bonds as f64);
    }
    Ok(())
}
