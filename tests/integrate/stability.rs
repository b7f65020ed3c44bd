use bdem::integrate::stability;
use bdem::model::Material;

use crate::common::golden::{list, load, number};
use crate::common::system::{at_rest, block, bonded, chain, material};

const E: f64 = 1e7;
const DENSITY: f64 = 2600.0;
const RADIUS: f64 = 0.01;

/// lambda_max rho r^2/E of a block about `side` spheres wide, from the longest stable step, 2/sqrt(lambda_max).
fn of_block(g: f64, side: f64) -> f64 {
    let (world, state) = block(material(E, g * E, DENSITY), [2.0 * RADIUS * side; 3], RADIUS);
    let limit = stability::limit(&world, &state);
    4.0 / (limit * limit) * DENSITY * RADIUS * RADIUS / E
}

/// A block is a part of the infinite lattice: it has no higher eigenvalue, and nearly as high a one if it is large.
#[test]
fn golden_hcp_moduli_greatest_eigenvalue() {
    for case in list(&load("hcp_moduli"), "cases") {
        let (g, lattice) = (number(case, "G_over_E"), number(case, "lambda_max_rho_r2_over_E"));
        let shares = [6.0, 12.0].map(|side| of_block(g, side) / lattice);
        assert!(shares[0] < shares[1] && shares[1] <= 1.0, "G/E = {g}: {shares:?}");
        assert!(shares[1] > 0.98, "G/E = {g}: {shares:?}");
    }
}

/// Two spheres: against each other they move at omega^2 = 2 k/m, turn in opposite senses at 2 k/J, and roll in the same
/// sense while they shear, with k_s/l0^2 (2/m + l0^2/(2J)).
#[test]
fn two_spheres_have_the_limit_of_their_fastest_mode() {
    let (world, state) = chain(material(E, 0.4 * E, DENSITY), 2, RADIUS);
    let (bond, m, j) = (&world.bonds()[0], world.particles.mass[0], world.particles.inertia[0]);
    let shear = bond.k.s * (2.0 / (m * bond.l0 * bond.l0) + 1.0 / (2.0 * j));
    let modes = [2.0 * bond.k.n / m, 2.0 * bond.k.t / j, 2.0 * bond.k.b / j, shear];
    let fastest = modes.into_iter().fold(0.0, f64::max);
    let limit = stability::limit(&world, &state);
    assert!((limit * fastest.sqrt() / 2.0 - 1.0).abs() < 1e-4, "{limit} {}", 2.0 / fastest.sqrt());
}

#[test]
fn damping_shortens_the_limit_and_no_bonds_lift_it() {
    let side = [0.08; 3];
    let (world, state) = block(material(E, 0.4 * E, DENSITY), side, RADIUS);
    let (damped, _) = block(Material { damping: 0.1, ..material(E, 0.4 * E, DENSITY) }, side, RADIUS);
    assert!(stability::limit(&damped, &state) < 0.99 * stability::limit(&world, &state));

    let loose = bonded(material(E, 0.4 * E, DENSITY), &state.p, &vec![RADIUS; state.len()], &[]);
    assert_eq!(stability::limit(&loose, &at_rest(state.p)), f64::INFINITY);
}
