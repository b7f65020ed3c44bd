//! Elastic constants of a solid of hexagonally packed, bonded spheres.

use std::f64::consts::{PI, SQRT_2};

/// Elastic constants (Pa, per gross volume) of an infinite hexagonal close packing of equal spheres, each bonded to its
/// twelve neighbours. z is the axis of the stacking, about which it is transversely isotropic.
///
/// Sums over the bonds' directions n, with normal stiffness k_n = E S/l0 and lateral stiffness k_s/l0^2 = g k_n, g =
/// G/E: `C_ijkl = l0^2/V sum k_n [(1 - g) n_i n_j n_k n_l + g (n_i n_l delta_jk, symmetrised)]`. The two spheres of the
/// lattice's cell shift against each other under strains across z, which softens C66 (its last term). Bending and
/// twisting of bonds do not contribute, since spheres rotate alike under uniform strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// C_1111, Pa.
    pub c11: f64,
    /// C_1122, Pa.
    pub c12: f64,
    /// C_1133, Pa.
    pub c13: f64,
    /// C_3333, Pa.
    pub c33: f64,
    /// C_2323, Pa.
    pub c44: f64,
}

/// Young's modulus of bars 16 particles wide over that of the infinite lattice, mean of the three axes. Spheres at the
/// surface fill less of the section and have fewer bonds: `1 - 1.4/w` for bars w particles wide, for any g. Measured by
/// `tests/scene/macroscopic.rs` (w = 8: 0.83, 12: 0.89, 16: 0.91).
const FINITE: f64 = 0.91;

/// Maximum Poisson's ratio of a packing of bonded spheres: see [`bond_moduli`].
pub const MAX_POISSON_RATIO: f64 = 0.25;

impl Elasticity {
    /// The lattice whose bonds have Young's modulus `e` and shear modulus `g` (Pa).
    pub fn of_lattice(e: f64, g: f64) -> Self {
        let unit = PI * e / (4.0 * SQRT_2);
        let g = g / e;
        let both = 10.0 / 3.0 + 2.0 / 3.0 * g;
        let c66 = 5.0 / 6.0 + 7.0 / 6.0 * g - (1.0 - g).powi(2) / (12.0 * (1.0 + 5.0 * g));
        Self {
            c11: unit * (0.5 * both + c66),
            c12: unit * (0.5 * both - c66),
            c13: unit * 2.0 / 3.0 * (1.0 - g),
            c33: unit * 4.0 / 3.0 * (2.0 + g),
            c44: unit * 2.0 / 3.0 * (1.0 + 2.0 * g),
        }
    }

    /// Young's moduli (Pa) along x, y and z.
    pub fn young_moduli(&self) -> [f64; 3] {
        let &Self { c11, c12, c13, c33, .. } = self;
        let across = (c11 - c12) * ((c11 + c12) * c33 - 2.0 * c13 * c13) / (c11 * c33 - c13 * c13);
        [across, across, c33 - 2.0 * c13 * c13 / (c11 + c12)]
    }
}

/// Young's modulus (Pa) and Poisson's ratio of a solid whose bonds have Young's modulus `e` and shear modulus `g` (Pa).
///
/// E is the mean over the lattice's axes in bars 16 particles wide. nu is that of the average over all directions
/// (Voigt), `(1 - g)/(4 + g)` with g = G/E, since it varies widely with direction.
pub fn solid_moduli(e: f64, g: f64) -> (f64, f64) {
    let mean = Elasticity::of_lattice(e, g).young_moduli().iter().sum::<f64>() / 3.0;
    let ratio = g / e;
    (FINITE * mean, (1.0 - ratio) / (4.0 + ratio))
}

/// Young's modulus and shear modulus (Pa) of the bonds of a solid with Young's modulus `e` (Pa) and Poisson's ratio
/// `nu`: the inverse of [`solid_moduli`]. A ratio above [`MAX_POISSON_RATIO`] would need G < 0.
pub fn bond_moduli(e: f64, nu: f64) -> [f64; 2] {
    let ratio = (1.0 - 4.0 * nu) / (1.0 + nu);
    let bond = e / solid_moduli(1.0, ratio).0;
    [bond, ratio * bond]
}
