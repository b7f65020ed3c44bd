use bdem_core::geometry::Vec3;
use bdem_core::model::lattice::{Elasticity, MAX_POISSON_RATIO, bond_moduli, solid_moduli};
use bdem_core::model::{Bond, youngs_by_direction};

use crate::common::golden::{list, load, number, numbers};
use crate::common::system::material;

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

/// Bonds along the face diagonals of a cube, without shear: C11 = 2, C12 = C44 = 1, so that E is 4/3 along the edges and
/// 12/5 along the diagonals of space.
#[test]
fn youngs_modulus_by_direction_is_that_of_a_cubic_lattice() {
    let ends = [(1.0, 1.0), (1.0, -1.0)]
        .into_iter()
        .flat_map(|(a, b)| [Vec3::new(a, b, 0.0), Vec3::new(0.0, a, b), Vec3::new(b, 0.0, a)]);
    let bonds: Vec<Bond> =
        ends.map(|d| Bond::new(0, [0, 1], d, [0.7; 2], [1.0; 2], &material(1e7, 0.0, 1.0))).collect();
    let [least, greatest] = youngs_by_direction(&bonds).expect("a solid");
    assert!((least - 1.0).abs() < 1e-12 && (greatest / 1.8 - 1.0).abs() < 0.005, "{least} {greatest}");
    assert_eq!(youngs_by_direction(&bonds[..1]), None);
}
