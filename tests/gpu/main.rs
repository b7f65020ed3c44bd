//! Steps on a graphics card against those of the processor: `cargo test --release -p bdem-tests --features device --test gpu`.
//! Without a card Debian's `mesa-vulkan-drivers` has a Vulkan device on the processor.

mod account;
mod bits;
mod bonds;
mod breakage;
mod constraints;
mod contacts;
mod decay;
mod extent;
mod refusals;
mod reports;
mod rolling;
mod scenes;

use bdem_core::model::{Constraint, Motion};
use bdem_core::prelude::*;
use bdem_core::simulate::GaveUp;
use bdem_gpu::block::Card;
use bdem_gpu::device::{Choice, Device};

const RADIUS: f64 = 0.005;

const LENGTH: f64 = 0.2;

/// Beam of equal spheres about the origin, without contacts, and with these constraints of the particles at its ends.
fn beam(material: Material, constraints: [Option<Motion>; 2]) -> (World, State) {
    let mut builder = World::builder();
    let material = builder.material(material);
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [LENGTH, 0.03, 0.03] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, Vec3::zeros(), material);
    for (motion, sign) in constraints.into_iter().zip([-1.0, 1.0]) {
        let held = ends(&packed.centres, sign);
        if let Some(motion) = motion {
            builder.constraint(Constraint::moved(held, motion));
        }
    }
    let (mut world, state) = builder.build().expect("a world");
    (0..state.len()).for_each(|i| world.particles.remove_contacts(i));
    (world, state)
}

/// Particles at the end of a beam on this side.
fn ends(p: &[Vec3], sign: f64) -> Vec<u32> {
    (0..p.len() as u32).filter(|i| p[*i as usize].x * sign > 0.5 * LENGTH - 0.015).collect()
}

/// Beam that swings under its weight.
fn cantilever(material: Material) -> (World, State) {
    let (mut world, state) = beam(material, [Some(Motion::Fixed), None]);
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    (world, state)
}

/// Beam 10 m from the origin with a wave of strain up to 2e-3 (m/s), which flies and spins (rad/s).
fn thrown(material: Material) -> (World, State) {
    let (world, mut start) = beam(material, [None, None]);
    let spin = Vec3::new(0.3, 1.0, 0.2).normalize() * 60.0;
    for i in 0..start.len() {
        let r = start.p[i];
        let phase = std::f64::consts::PI * r.x / LENGTH;
        start.v[i] = Vec3::new(2.0 * libm::sin(phase), 5.0, libm::cos(2.0 * phase)) + spin.cross(&r);
        start.w[i] = spin;
        start.p[i].x += 10.0;
    }
    (world, start)
}

fn stone() -> Material {
    Material { tensile_strength: 1.2e6, shear_strength: 1.2e6, ..Material::elastic("stone", 1000.0, 1e9, 0.25) }
}

/// Stone that softens to three times the elongation at its strength.
fn softening() -> (World, State) {
    let (world, start) = thrown(stone());
    let mut bonds = world.bonds().to_vec();
    bonds.iter_mut().for_each(|bond| bond.soften_by(3.0 / bond.softening_limit(1.0)));
    (World::new(world.materials, world.particles, bonds), start)
}

/// Settings of explicit steps of half the stability limit.
fn settings() -> SimulationSettings {
    let (step, integrator) = (Some(StepSize::Limit(0.5)), IntegratorKind::ExplicitVerlet);
    SimulationSettings { step, integrator, ..SimulationSettings::new(1.0) }
}

fn device() -> Device {
    Device::open(&Choice::Named(String::new())).unwrap_or_else(|error| panic!("{error}"))
}

fn on_processor(world: World, state: State) -> Simulation {
    Simulation::new(world, state, &settings())
}

fn on_card(world: World, state: State) -> Simulation {
    on_card_with(&settings(), world, state)
}

fn on_card_with(settings: &SimulationSettings, world: World, state: State) -> Simulation {
    let card = Card::new(&device(), &world).unwrap_or_else(|refusal| panic!("{refusal}"));
    let extensions = Extensions { integrator: Some(Box::new(card)), ..Extensions::default() };
    Simulation::extended(world, state, settings, extensions)
}

/// Takes `count` steps, on a card in blocks of at most `block`.
fn steps(simulation: &mut Simulation, count: u64, block: u32) -> Result<Progress, GaveUp> {
    let mut progress = Progress::default();
    while progress.steps < count {
        let left = (count - progress.steps) as u32;
        simulation.try_steps(block.min(left), &mut progress)?;
    }
    Ok(progress)
}

/// Takes `count` steps on the processor and on a card, there in blocks of `block`.
fn both(world: World, state: State, count: u64, block: u32) -> ([Simulation; 2], [Progress; 2]) {
    let (mut processor, mut card) = (on_processor(world.clone(), state.clone()), on_card(world, state));
    let progress = [(&mut processor, 1), (&mut card, block)]
        .map(|(simulation, block)| steps(simulation, count, block).unwrap_or_else(|why| panic!("{why}")));
    ([processor, card], progress)
}

fn greatest(of: impl Iterator<Item = Vec3>) -> f64 {
    of.map(|v| v.norm()).fold(0.0, f64::max)
}

/// Greatest difference of positions over the greatest displacement.
fn error(start: &State, [processor, card]: &[Simulation; 2]) -> f64 {
    let [processor, card] = [processor, card].map(|simulation| &simulation.state);
    let moved = greatest(processor.p.iter().zip(&start.p).map(|(a, b)| a - b));
    assert!(moved > 0.0);
    greatest(processor.p.iter().zip(&card.p).map(|(a, b)| a - b)) / moved
}
