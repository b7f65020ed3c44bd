//! Steps on a graphics card against those of the processor: `cargo test --release -p bdem-tests --features device --test gpu`.
//! Without a card Debian's `mesa-vulkan-drivers` has a Vulkan device on the processor.

mod contacts;

use bdem_core::geometry::packing::{Packed, hexagonal};
use bdem_core::geometry::shape::Shape;
use bdem_core::model::{AxialStress, BondModel, Constraint, Motion};
use bdem_core::prelude::*;
use bdem_gpu::device::{Choice, Device};
use bdem_gpu::steps::{Steps, StepsError};

const RADIUS: f64 = 0.005;

const LENGTH: f64 = 0.2;

/// Beam of equal spheres about `at`, without contacts.
fn beam(material: Material, at: Vec3, clamped: bool) -> (World, State) {
    let mut builder = World::builder();
    let material = builder.material(material);
    let packed = Packed::equal(hexagonal(&Shape::Box { size: [LENGTH, 0.03, 0.03] }, RADIUS), RADIUS, 1.01);
    builder.packing(&packed, at, material);
    if clamped {
        builder.gravity(Vec3::new(0.0, 0.0, -9.81));
        let is_held = |i: &u32| packed.centres[*i as usize].x < 0.015 - 0.5 * LENGTH;
        let held = (0..packed.centres.len() as u32).filter(is_held).collect();
        builder.constraint(Constraint::moved(held, Motion::Fixed));
    }
    let (mut world, state) = builder.build().expect("a world");
    (0..state.len()).for_each(|i| world.particles.remove_contacts(i));
    (world, state)
}

/// States after `count` steps of half the stability limit, on the processor and on the card, and the whole bonds of both.
fn both(world: World, state: State, count: u64) -> ([State; 2], [usize; 2]) {
    let (step, integrator) = (Some(StepSize::Limit(0.5)), IntegratorKind::ExplicitVerlet);
    let settings = SimulationSettings { step, integrator, ..SimulationSettings::new(1.0) };
    let device = Device::open(&Choice::Named(String::new())).unwrap_or_else(|error| panic!("{error}"));
    let mut steps = Steps::new(&device, &world, &state, 16.0).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(world, state, &settings);
    let mut progress = Progress::default();
    while progress.steps < count {
        simulation.try_step(&mut progress).expect("a step");
    }
    steps.advance(&simulation.world, count as usize, simulation.state.time / count as f64);
    let whole = [simulation.world.whole_bonds().count(), steps.whole_bond_count()];
    ([simulation.state.clone(), steps.state()], whole)
}

fn greatest(of: impl Iterator<Item = Vec3>) -> f64 {
    of.map(|v| v.norm()).fold(0.0, f64::max)
}

/// Greatest difference of positions over the greatest displacement.
fn error(start: &State, [processor, card]: &[State; 2]) -> f64 {
    let moved = greatest(processor.p.iter().zip(&start.p).map(|(a, b)| a - b));
    assert!(moved > 0.0);
    greatest(processor.p.iter().zip(&card.p).map(|(a, b)| a - b)) / moved
}

#[test]
fn cantilevers_swing_as_in_double_precision() {
    // the force law normalises a mean direction, whose change is not apart from its base
    for (model, limit) in [(BondModel::QUATERNION, 5e-6), (BondModel::COSSERAT, 5e-6), (BondModel::FORCE_2021, 3e-5)] {
        for damping in [0.0, 0.05] {
            let material = Material { bond: model, damping, ..Material::elastic("rubber", 1000.0, 1e7, 0.25) };
            let (world, start) = beam(material, Vec3::zeros(), true);
            let (ends, _) = both(world, start.clone(), 500);
            let error = error(&start, &ends);
            assert!(error < limit, "{} {damping}: {error}", model.name);
        }
    }
}

/// A wave of strain 2e-3 in a beam that flies and spins 10 m from the origin.
#[test]
fn the_same_bonds_break() {
    for axial in [AxialStress::Tension, AxialStress::Magnitude] {
        let material = Material {
            tensile_strength: 1.2e6,
            shear_strength: 1.2e6,
            ..Material::elastic("stone", 1000.0, 1e9, 0.25)
        };
        let at = Vec3::new(10.0, 0.0, 0.0);
        let (mut world, mut start) = beam(material, at, false);
        world.axial = axial;
        let spin = Vec3::new(0.3, 1.0, 0.2).normalize() * 60.0;
        for i in 0..start.len() {
            let r = start.p[i] - at;
            let phase = std::f64::consts::PI * r.x / LENGTH;
            start.v[i] = Vec3::new(2.0 * libm::sin(phase), 5.0, libm::cos(2.0 * phase)) + spin.cross(&r);
            start.w[i] = spin;
        }
        let bonds = world.bonds().len();
        let (ends, [processor, card]) = both(world, start.clone(), 400);
        assert!(processor < bonds && processor > bonds / 10, "{processor} of {bonds}");
        assert_eq!(processor, card, "{axial:?}: whole bonds of {bonds}");
        let error = error(&start, &ends);
        assert!(error < 1e-3, "{axial:?}: {error}");
    }
}

#[test]
fn worlds_without_a_shader_are_refused() {
    let device = Device::open(&Choice::Named(String::new())).unwrap_or_else(|error| panic!("{error}"));
    let mut builder = World::builder();
    let materials = [BondModel::QUATERNION, BondModel::COSSERAT]
        .map(|bond| builder.material(Material { bond, ..Material::elastic(bond.name, 1000.0, 1e7, 0.25) }));
    for (k, material) in materials.into_iter().enumerate() {
        let [a, b] = [0.0, 0.01].map(|x| builder.particle(Vec3::new(x, k as f64, 0.0), RADIUS, material));
        builder.bond(a, b);
    }
    let (world, state) = builder.build().expect("a world");
    let refusal = Steps::new(&device, &world, &state, 1.0).err().expect("two laws");
    assert!(matches!(refusal, StepsError::Laws { first: "quaternion", other: "cosserat" }), "{refusal}");

    let printed =
        Material { bond: BondModel::PRINTED_PARTICLE_BINDER, ..Material::elastic("binder", 1000.0, 1e7, 0.25) };
    let (world, state) = beam(printed, Vec3::zeros(), false);
    let refusal = Steps::new(&device, &world, &state, 1.0).err().expect("a law that depends on the frame");
    assert!(matches!(refusal, StepsError::Record(_)), "{refusal}");
}
