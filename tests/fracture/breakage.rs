use bdem_core::energy::account::Flows;
use bdem_core::fracture::{BondLoad, OverloadedBond, damage, max_stress, overloaded};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{AxialStress, Material, State, World};

use crate::common::system::{chain, material};

const E: f64 = 1e7;
const RADIUS: f64 = 0.01;
/// Of a bond's tensile strength over E.
const BREAKING_STRAIN: f64 = 1e-3;

/// Breaks the bonds at these indices.
fn break_bonds(world: &mut World, state: &State, indices: &[usize]) -> Vec<OverloadedBond> {
    let mut contacts = Contacts::new(world, state);
    integrate::break_bonds(world, &mut contacts, state, indices, &mut Flows::default())
}

/// A chain along x whose bonds break at a strain of 1e-3, or where they are sheared as much.
fn brittle_chain(count: u32) -> (World, State) {
    let strength = E * BREAKING_STRAIN;
    let brittle = Material { tensile_strength: strength, shear_strength: strength, ..material(E, 0.4 * E, 1000.0) };
    chain(brittle, count, RADIUS)
}

/// Moves all particles from `first` on, so that the bond before it is stretched by `strain`.
fn stretch(state: &mut State, first: usize, strain: f64) {
    state.p[first..].iter_mut().for_each(|p| p.x += strain * 2.0 * RADIUS);
}

#[test]
fn a_bond_breaks_where_it_is_pulled_too_far() {
    let (mut world, mut state) = brittle_chain(5);
    stretch(&mut state, 1, 0.9 * BREAKING_STRAIN);
    stretch(&mut state, 3, 1.1 * BREAKING_STRAIN);
    assert_eq!(overloaded(&world, &state), [2]);

    let strains = [0.9e-3, 0.9e-3, 1.1e-3, 1.1e-3, 0.0];
    for (stress, strain) in max_stress(&world, &state).into_iter().zip(strains) {
        assert!((f64::from(stress) - E * strain).abs() < 1e-6 * E * BREAKING_STRAIN, "{stress}");
    }

    let broken = break_bonds(&mut world, &state, &[2]);
    assert_eq!(broken.len(), 1);
    assert_eq!([broken[0].bond.i, broken[0].bond.j, broken[0].bond.id], [2, 3, 2]);
    assert!((broken[0].place - (state.p[2] + state.p[3]) * 0.5).norm() < 1e-15);
    assert!((broken[0].sigma / (1.1e-3 * E) - 1.0).abs() < 1e-9 && broken[0].tau < 1e-9 * E);

    assert_eq!(world.bonds().iter().map(|b| b.id).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(damage(&world), [0.0, 0.0, 0.5, 0.5, 0.0]);
    assert!(overloaded(&world, &state).is_empty());
    assert_eq!(max_stress(&world, &state)[4], 0.0);
}

#[test]
fn the_rule_for_tension_spares_bonds_that_are_pushed() {
    let (mut world, mut state) = brittle_chain(3);
    stretch(&mut state, 1, -5.0 * BREAKING_STRAIN);
    world.axial = AxialStress::Magnitude;
    assert_eq!(overloaded(&world, &state), [0]);
    world.axial = AxialStress::Tension;
    assert!(overloaded(&world, &state).is_empty());
    assert_eq!(max_stress(&world, &state), [0.0; 3], "no particle bears less than nothing");
    stretch(&mut state, 2, 5.0 * BREAKING_STRAIN);
    assert_eq!(overloaded(&world, &state), [1]);
}

/// sigma = M_b r0/I = E t/2 at the bending strain t (rad) of a bond with l0 = 2 r0, and tau = G t/2 when it is twisted.
#[test]
fn bending_and_twisting_break_by_their_outermost_fibres() {
    let (world, rest) = brittle_chain(2);
    let bond = &world.bonds()[0];
    for (axis, [sigma, tau]) in [(Vec3::z(), [0.5 * E, 0.0]), (Vec3::x(), [0.0, 0.2 * E])] {
        let angle = 1e-3;
        let mut state = rest.clone();
        for (i, half) in [(0, -0.5), (1, 0.5)] {
            state.q[i] = rotation::turn(&state.q[i], &(axis * (half * angle)));
        }
        let load = BondLoad::of(bond, &state);
        let off = |got: f64, want: f64| (got - want * angle).abs();
        assert!(off(load.sigma(bond, AxialStress::Magnitude), sigma) < 1e-6 * E * angle);
        assert!(off(load.tau(bond), tau) < 1e-6 * E * angle);
    }
}

/// tau = F_s/S = G theta l0/l when the neighbour slides sideways by theta.
#[test]
fn shear_breaks_by_its_mean_over_the_section() {
    let (world, mut state) = brittle_chain(2);
    let angle = 1e-3;
    state.p[1] = rotation::rotate(&rotation::exp(&(Vec3::z() * (0.5 * angle))), &state.p[1]);
    let load = BondLoad::of(&world.bonds()[0], &state);
    assert!((load.tau(&world.bonds()[0]) / (0.4 * E * angle) - 1.0).abs() < 1e-9);
    assert!(load.sigma(&world.bonds()[0], AxialStress::Magnitude) < 1e-9 * E);
}

#[test]
fn overloaded_bonds_come_in_order_however_many() {
    let (mut world, mut state) = brittle_chain(10_000);
    let want: Vec<usize> = (0..9_999).filter(|k| k % 7 == 3 || (2_040..2_060).contains(k)).collect();
    let mut shift = 0.0;
    for k in 0..9_999 {
        shift += if want.binary_search(&k).is_ok() { 2.0 } else { 0.5 } * BREAKING_STRAIN * 2.0 * RADIUS;
        state.p[k + 1].x += shift;
    }
    assert_eq!(overloaded(&world, &state), want);
    let broken = break_bonds(&mut world, &state, &want);
    assert_eq!(broken.iter().map(|b| b.bond.id as usize).collect::<Vec<_>>(), want);
    assert_eq!(world.bonds().len(), 9_999 - want.len());
}
