//! Worlds built in code: what is built, and errors that name their object.

use bdem::geometry::Vec3;
use bdem::model::{Action, Constraint, Material, Motion, World, WorldBuilder, WorldError, Wrench};

/// Three spheres in a row, the first two bonded.
fn row() -> WorldBuilder {
    let mut builder = World::builder();
    let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
    for k in 0..3 {
        builder.particle(Vec3::x() * (0.02 * f64::from(k)), 0.01, rubber);
    }
    builder.bond(1, 0);
    builder
}

#[test]
fn a_row_is_built() {
    let (world, state) = row().build().unwrap();
    assert_eq!((world.particles.len(), state.len(), world.bonds().len()), (3, 3, 1));
    let bond = &world.bonds()[0];
    assert_eq!(([bond.i, bond.j], bond.l0, bond.d0), ([0, 1], 0.02, Vec3::x()));
    assert_eq!(world.contact_damping, 0.0);
}

/// The error of a row that `spoil` has changed.
fn error(spoil: impl FnOnce(&mut WorldBuilder)) -> WorldError {
    let mut builder = row();
    spoil(&mut builder);
    builder.build().expect_err("it is spoilt")
}

#[test]
fn errors_name_what_is_wrong() {
    let cases: [(WorldError, &str); 9] = [
        (
            error(|b| {
                b.bond(2, 7);
            }),
            "bond 1 joins particle 7, but there are 3",
        ),
        (
            error(|b| {
                b.bond(2, 2);
            }),
            "bond 1 joins particle 2 to itself",
        ),
        (
            error(|b| {
                b.bond(0, 1);
            }),
            "bonds 0 and 1 both join particles 0 and 1",
        ),
        (
            error(|b| {
                b.particle(Vec3::zeros(), -1.0, 0);
            }),
            "the radius of particle 3 is -1 m",
        ),
        (
            error(|b| {
                b.particle(Vec3::zeros(), 1.0, 4);
            }),
            "particle 3 is of material 4, but there are 1",
        ),
        (
            error(|b| {
                b.particle(Vec3::zeros() * f64::NAN, 1.0, 0);
            }),
            "the position of particle 3",
        ),
        (
            error(|b| {
                b.restitution(1.5);
            }),
            "the coefficient of restitution is 1.5",
        ),
        (
            error(|b| {
                b.material(Material { damping: -0.1, ..Material::elastic("foam", 10.0, 1e5, 0.1) });
            }),
            "damping of material \"foam\" is -0.1; it must be 0 or above",
        ),
        (
            error(|b| {
                b.constraint(Constraint::new(vec![9], Action::Load(Wrench::default())));
            }),
            "constraint 0 acts on particle 9",
        ),
    ];
    for (error, text) in cases {
        assert!(error.to_string().starts_with(text), "{error}");
    }
    let held = |b: &mut WorldBuilder| {
        b.constraint(Constraint::moved(vec![0, 1], Motion::Fixed));
        b.constraint(Constraint::moved(vec![1], Motion::Fixed));
    };
    assert_eq!(error(held), WorldError::HeldTwice { first: 0, second: 1, particle: 1 });
    let on_another = |b: &mut WorldBuilder| {
        b.particle(Vec3::zeros(), 0.01, 0);
        b.bond(0, 3);
    };
    assert_eq!(error(on_another), WorldError::Coincident { bond: 1, i: 0, j: 3 });
}
