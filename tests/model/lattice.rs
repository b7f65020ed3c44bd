use bdem_core::model::lattice::{Elasticity, MAX_POISSON_RATIO, bond_moduli, solid_moduli};

use crate::common::golden::{list, load, number, numbers};

#[test]
fn golden_hcp_moduli_in_closed_form() {
    for case in list(&load("hcp_moduli"), "cases") {
        let lattice = Elasticity::of_lattice(1.0, number(case, "G_over_E"));
        let c = numbers(&case["C_over_E_voigt"]);
        let wanted = [c[0], c[1], c[2], c[14], c[21]];
        let Elasticity { c11, c12, c13, c33, c44 } = lattice;
        for (got, want) in [c11, c12, c13, c33, c44].into_iter().zip(wanted) {
            assert!((got / want - 1.0).abs() < 1e-12, "{got}, reference {want}");
        }
        for (got, key) in lattice.young_moduli().into_iter().zip(["E_x", "E_y", "E_z"]) {
            assert!((got / number(case, key) - 1.0).abs() < 1e-12, "{key}: {got}");
        }
    }
}

#[test]
fn bonds_and_solid_are_each_others_inverse() {
    for nu in [-0.9, -0.3, 0.0, 0.1, 0.2, MAX_POISSON_RATIO] {
        let [e, g] = bond_moduli(3e7, nu);
        let (solid, ratio) = solid_moduli(e, g);
        assert!((solid / 3e7 - 1.0).abs() < 1e-14 && (ratio - nu).abs() < 1e-14, "nu = {nu}: {solid}, {ratio}");
        assert!(e > 0.0 && g >= 0.0, "nu = {nu}: {e}, {g}");
    }
}
