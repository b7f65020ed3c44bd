//! Units of lengths and times by powers of two.

use bdem_core::prelude::*;

/// The same bits in the same scene with all lengths and times of another unit, by an odd power of two: no threshold is absolute, and
/// no root is of a number with an odd power of the unit. Velocities, densities and moduli keep their numbers.
#[test]
fn no_bit_depends_on_the_unit_of_lengths_and_times() {
    for kind in [IntegratorKind::Auto, IntegratorKind::ImplicitBdf2] {
        let [one, other] = [1.0, 1.0 / 128.0].map(|unit| slides(kind, unit));
        let scaled = one.p.iter().map(|p| p / 128.0);
        assert!(scaled.eq(other.p.iter().copied()), "{kind}");
        assert_eq!((one.v, one.q), (other.v, other.q), "{kind}");
        assert!(one.w.iter().map(|w| w * 128.0).eq(other.w.iter().copied()), "{kind}");
    }
}

/// A bonded block after two frames on a slope.
fn slides(kind: IntegratorKind, unit: f64) -> State {
    let mut builder = World::builder();
    let soft =
        Material { friction: 0.8, static_friction: 0.8, damping: 0.2, ..Material::elastic("soft", 2400.0, 1e7, 0.2) };
    let soft = builder.material(soft);
    let (size, radius) = ([0.2, 0.2, 0.06].map(|size| size * unit), 0.01 * unit);
    let block = Packed::equal(hexagonal(&Shape::Box { size }, radius), radius, 1e-6);
    builder.packing(&block, Vec3::z() * (0.02633 * unit), soft);
    builder.collider(Collider::new(Shape::HalfSpace(HalfSpace { normal: Vec3::z(), offset: 0.0 })));
    builder.gravity(Vec3::new(4.905, 0.0, -8.49571) / unit);
    let (world, state) = builder.build().expect("a world");
    let settings = SimulationSettings { integrator: kind, ..SimulationSettings::new(0.02 * unit) };
    let mut simulation = Simulation::new(world, state, &settings);
    for _ in 0..2 {
        simulation.advance_frame(&mut Progress::default()).expect("a frame");
    }
    simulation.state
}
