//! A world without a scene: a bonded block hits a floor, and bonds break. Needs `bdem-core` alone:
//! `cargo run --release --example world_in_code`.

use bdem_core::prelude::*;

/// Radius of the particles, m.
const RADIUS: f64 = 0.01;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = World::builder();
    let mut chalk = Material::elastic("chalk", 2600.0, 1e7, 0.25);
    (chalk.tensile_strength, chalk.shear_strength) = (2e5, 2e5);
    let chalk = builder.material(chalk);
    let centres = hexagonal(&Shape::Box { size: [0.2, 0.1, 0.1] }, RADIUS);
    let block = Packed::equal(centres, RADIUS, 1e-6);
    builder.packing(&block, Vec3::new(0.0, 0.0, 0.051), chalk);
    builder.gravity(Vec3::new(0.0, 0.0, -9.81));
    builder.wall(Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
    let (world, mut state) = builder.build()?;
    state.v.iter_mut().for_each(|v| v.z = -5.0);

    let settings = SimulationSettings { integrator: IntegratorKind::ExplicitVerlet, ..SimulationSettings::new(1e-3) };
    let mut simulation = Simulation::new(world, state, &settings);
    let mut progress = Progress::default();
    for _ in 0..100 {
        simulation.advance_frame(&mut progress)?;
    }
    println!("{} bonds broke in {:.5} s", progress.broken.len(), simulation.state.time);
    assert!(!progress.broken.is_empty(), "the block breaks");
    Ok(())
}
