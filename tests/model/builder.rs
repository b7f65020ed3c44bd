//! Worlds built in code: what is built, and errors that name their object.

use bdem_core::geometry::Vec3;
use bdem_core::model::{
    Action, AxialSpring, BondModel, Constraint, Material, Motion, World, WorldBuilder, WorldError, Wrench,
};

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

#[test]
fn springs_and_particles_without_contacts_are_built() {
    let mut builder = row();
    let spring = AxialSpring { damping: 0.5, breaking_strain: 0.2, ..AxialSpring::elastic(10.0) };
    builder.spring(2, 1, spring).without_contacts(2);
    let (world, _) = builder.build().expect("a row");
    let bond = &world.bonds()[1];
    assert_eq!(
        ([bond.i, bond.j], bond.model, bond.l0, bond.k.n, bond.c.n),
        ([1, 2], BondModel::AXIAL, 0.02, 10.0, 0.5)
    );
    assert!((bond.strength[0] * bond.area() - 10.0 * 0.2 * 0.02).abs() < 1e-15);
    assert_eq!([0, 1, 2].map(|i| world.particles.has_contacts(i)), [true, true, false]);
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
    let slack = |b: &mut WorldBuilder| {
        b.spring(1, 2, AxialSpring { stiffness: -1.0, ..AxialSpring::elastic(1.0) });
    };
    let text = "stiffness of the spring that is bond 1 is -1; it must be finite and above 0";
    assert_eq!(error(slack).to_string(), text);
    let absent = |b: &mut WorldBuilder| {
        b.without_contacts(7);
    };
    assert_eq!(error(absent), WorldError::UnknownWithoutContacts { particle: 7, particles: 3 });
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
