//! Results do not depend on units by powers of two.

use bdem_core::geometry::packing::{Packed, hexagonal};
use bdem_core::geometry::shape::{HalfSpace, Shape};
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{Material, Wall, World};
use bdem_core::simulate::{IntegratorKind, Progress, Simulation, SimulationSettings, StepSize};

/// Positions (units) and orientations of a bonded block that settles on a slope, after two frames. Lengths and times count in
/// `unit` metres and seconds, so that stresses and velocities are the same in all units.
fn block_on_slope(integrator: IntegratorKind, unit: f64) -> (Vec<Vec3>, Vec<Quat>) {
    let radius = 0.01 * unit;
    let stone =
        Material { friction: 0.8, static_friction: 0.8, damping: 0.2, ..Material::elastic("c", 2400.0, 1e7, 0.2) };
    let mut builder = World::builder();
    let material = builder.material(stone);
    let centres = hexagonal(&Shape::Box { size: [0.2, 0.2, 0.06].map(|size| size * unit) }, radius);
    builder.packing(&Packed::equal(centres, radius, 1e-6), Vec3::z() * (0.02633 * unit), material);
    builder.gravity(Vec3::new(4.905, 0.0, -8.49571) / unit);
    builder.wall(Wall::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
    let (world, state) = builder.build().expect("a world");
    let settings =
        SimulationSettings { integrator, step: Some(StepSize::Auto), ..SimulationSettings::new(0.02 * unit) };
    let mut simulation = Simulation::new(world, state, &settings);
    let mut progress = Progress::default();
    for _ in 0..2 {
        simulation.advance_frame(&mut progress).expect("a frame");
    }
    (simulation.state.p.iter().map(|p| p / unit).collect(), simulation.state.q)
}

#[test]
fn units_by_powers_of_two_give_the_same_bits() {
    for integrator in [
        IntegratorKind::Auto,
        IntegratorKind::ExplicitVerlet,
        IntegratorKind::ImplicitEuler,
        IntegratorKind::ImplicitBdf2,
    ] {
        let in_metres = block_on_slope(integrator, 1.0);
        for power in [-7, 5] {
            assert!(
                block_on_slope(integrator, f64::powi(2.0, power)) == in_metres,
                "{integrator}, units of 2^{power} m"
            );
        }
    }
}
