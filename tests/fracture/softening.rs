//! Bonds that soften beyond their strength, and the criterion of Mohr and Coulomb, by closed forms.

use bdem_core::energy::account::{Flow, Flows};
use bdem_core::fracture::{BondLoad, overloaded, softening};
use bdem_core::geometry::Vec3;
use bdem_core::integrate;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{AxialStress, Bond, Criterion, Material, State, World};

use crate::common::system::{chain, material};

const E: f64 = 1e7;
const RADIUS: f64 = 0.01;
const STRAIN: f64 = 1e-3;
/// Strain without stress over that at the strength.
const LIMIT: f64 = 5.0;

/// Two particles with a bond that softens to five times the strain at its strength.
fn pair() -> (World, State) {
    let strength = E * STRAIN;
    let (world, state) = chain(
        Material { tensile_strength: strength, shear_strength: strength, ..material(E, 0.4 * E, 1000.0) },
        2,
        RADIUS,
    );
    let mut bond = world.bonds()[0].clone();
    bond.soften_by(taken_up(&bond));
    (World::new(world.materials, world.particles, vec![bond]), state)
}

/// Energy under the triangle of stress over strain, J.
fn taken_up(bond: &Bond) -> f64 {
    0.5 * E * STRAIN * bond.area() * LIMIT * STRAIN * bond.l0
}

/// Pulls the pair to a strain, and breaks or softens its bond. Returns the dissipated energy, J.
fn pull(world: &mut World, state: &mut State, strain: f64) -> f64 {
    state.p[1].x = state.p[0].x + 2.0 * RADIUS * (1.0 + strain);
    let (mut contacts, mut flows) = (Contacts::new(world, state), Flows::default());
    let beyond = overloaded(world, state);
    integrate::break_bonds(world, &mut contacts, state, &beyond, &mut flows);
    flows[Flow::Fracture]
}

fn force(world: &World, state: &State) -> f64 {
    world.bonds().first().map_or(0.0, |bond| BondLoad::of(bond, state).f_n)
}

#[test]
fn a_bond_follows_the_triangle_and_takes_up_its_energy() {
    let (mut world, mut state) = pair();
    let (area, wanted) = (world.bonds()[0].area(), taken_up(&world.bonds()[0]));
    let peak = E * STRAIN * area;
    let mut dissipated = 0.0;
    for k in 0..=6000 {
        let x = f64::from(k) * 1e-3;
        dissipated += pull(&mut world, &mut state, x * STRAIN);
        let share = if x <= 1.0 { x } else { ((LIMIT - x) / (LIMIT - 1.0)).max(0.0) };
        assert!((force(&world, &state) - share * peak).abs() < 1e-9 * peak, "{x}: {}", force(&world, &state));
    }
    assert!(world.bonds().iter().all(Bond::is_broken), "it broke");
    assert!((dissipated / wanted - 1.0).abs() < 1e-3, "{dissipated} J of {wanted}");
}

#[test]
fn a_bond_unloads_to_the_origin() {
    let (mut world, mut state) = pair();
    pull(&mut world, &mut state, 3.0 * STRAIN);
    let at_three = force(&world, &state);
    assert!((softening(&world)[0] - (1.0 - 0.5 / 3.0)).abs() < 1e-6, "{:?}", softening(&world));
    for share in [0.9, 0.5, 0.0, -0.5, 0.99] {
        assert_eq!(pull(&mut world, &mut state, 3.0 * share * STRAIN), 0.0, "nothing is dissipated");
        assert!((force(&world, &state) - share * at_three).abs() < 1e-9 * at_three.abs());
    }
    assert!(pull(&mut world, &mut state, 3.01 * STRAIN) > 0.0);
}

/// What a checkpoint keeps of bonds gives the same bits.
#[test]
fn softened_bonds_are_restored_to_the_bit() {
    let (mut world, mut state) = pair();
    let mut other = world.clone();
    for x in [1.3, 1.7, 2.9] {
        pull(&mut world, &mut state, x * STRAIN);
    }
    other.restore(&world.bond_statuses()).expect("the same bonds");
    assert_eq!(other.bonds()[0].k, world.bonds()[0].k);
    assert_eq!(other.bonds()[0].strength, world.bonds()[0].strength);
    assert_eq!(overloaded(&other, &state), overloaded(&world, &state));
    let (brittle, _) = chain(material(E, 0.4 * E, 1000.0), 2, RADIUS);
    assert!(brittle.clone().restore(&world.bond_statuses()).is_none(), "a brittle bond has not softened");
}

/// One that holds more at its strength than it should take up breaks there.
#[test]
fn a_bond_too_long_to_soften_breaks() {
    let mut bond = pair().0.bonds()[0].clone();
    bond.softening = None;
    bond.soften_by(0.9 * taken_up(&bond) / LIMIT);
    assert!(bond.softening.is_none() && bond.softened(1.5).is_none());
}

#[test]
fn pressure_raises_the_strength_against_shear() {
    let criterion = Criterion { friction: 0.5, ..Criterion::default() };
    let rock = Material { tensile_strength: 1e4, shear_strength: 1e4, criterion, ..material(E, 0.4 * E, 1000.0) };
    let bond = Bond::new(0, [0, 1], Vec3::x() * (2.0 * RADIUS), [RADIUS; 2], [1.0; 2], &rock);
    let breaks = |sigma: f64, tau: f64| {
        let load = BondLoad { f_n: sigma * bond.area(), f_s: tau * bond.area(), m_b: 0.0, m_t: 0.0 };
        load.breaks(&bond, AxialStress::Tension)
    };
    for sigma in [-4e4, -1e4, 0.0, 0.5e4] {
        let strength = 1e4 - 0.5 * sigma;
        assert!(!breaks(sigma, 0.999 * strength) && breaks(sigma, 1.001 * strength), "{sigma}");
    }
    assert!(breaks(1.001e4, 0.0) && !breaks(0.999e4, 0.0), "tension is cut off");
}

#[test]
fn a_share_of_the_moments_counts() {
    for share in [0.0, 0.3, 1.0] {
        let criterion = Criterion { moment_share: share, ..Criterion::default() };
        let bent = Material { tensile_strength: 1e4, shear_strength: 1e4, criterion, ..material(E, 0.4 * E, 1000.0) };
        let bond = Bond::new(0, [0, 1], Vec3::x() * (2.0 * RADIUS), [RADIUS; 2], [1.0; 2], &bent);
        let load = BondLoad { f_n: 0.0, f_s: 0.0, m_b: 1e-3, m_t: 2e-3 };
        let stress = share * 1e-3 * RADIUS / bond.second_moment();
        assert!((load.sigma(&bond, AxialStress::Tension) - stress).abs() < 1e-9 * (1.0 + stress));
        assert!((load.tau(&bond) - stress).abs() < 1e-9 * (1.0 + stress));
    }
}
