//! Parts, inputs and results of a recorded bond. Inputs and results are numbers with an index and a name in the shader.

use bdem_core::energy::GradientLanes;
use bdem_core::energy::law::Strength;
use bdem_core::model::{AxialStress, BondModel, Stiffness};
use bdem_core::simd::Vec3x;

/// Parts of a recorded bond.
#[derive(Clone, Copy, Debug, Default)]
pub struct BondOptions {
    /// Whether it has damping.
    pub is_damped: bool,
    /// Whether it may break.
    pub is_breakable: bool,
    /// Whether bonds have a criterion of breakage of their own.
    pub has_criterion: bool,
    /// Axial force in sigma.
    pub axial: AxialStress,
    /// Whether the rest direction is given as rotated with the first particle: the orientation of i is the identity then. Wrong
    /// for laws that are not invariant under rotation.
    pub in_frame: bool,
}

impl BondOptions {
    /// Whether tension alone counts in sigma.
    pub fn tension(&self, model: &BondModel) -> bool {
        model.axial(self.axial) == AxialStress::Tension
    }
}

/// Names of the inputs in the shader, in their order.
pub const BOND_INPUTS: [&str; 37] = [
    "d0.x",
    "d0.y",
    "d0.z",
    "l0",
    "apart.x",
    "apart.y",
    "apart.z",
    "q.x",
    "q.y",
    "q.z",
    "q.w",
    "e.x",
    "e.y",
    "e.z",
    "e.w",
    "s.r0",
    "s.k.x",
    "s.k.y",
    "s.k.z",
    "s.k.w",
    "s.c.x",
    "s.c.y",
    "s.c.z",
    "s.c.w",
    "s.sigma",
    "s.tau",
    "s.moment_share",
    "s.friction",
    "v.x",
    "v.y",
    "v.z",
    "w_i.x",
    "w_i.y",
    "w_i.z",
    "w_j.x",
    "w_j.y",
    "w_j.z",
];

/// Names of the results, in their order.
pub const BOND_RESULTS: [&str; 11] =
    ["p_x", "p_y", "p_z", "i_x", "i_y", "i_z", "j_x", "j_y", "j_z", "energy", "overloaded"];

/// Numbers that forces, energy and overload of a bond are functions of.
#[derive(Clone, Copy, Debug)]
pub struct BondInputs<L> {
    /// Rest direction.
    pub d0: Vec3x<L>,
    /// Branch less the rest branch, m.
    pub apart: Vec3x<L>,
    /// Orientation of i (x, y, z, w).
    pub q: [L; 4],
    /// Orientation of j less that of i.
    pub e: [L; 4],
    /// Rest length, stiffnesses and viscous coefficients.
    pub stiffness: Stiffness<L>,
    /// Strength.
    pub strength: Strength<L>,
    /// Velocity of j less that of i, m/s.
    pub v: Vec3x<L>,
    /// Angular velocities, rad/s.
    pub w: [Vec3x<L>; 2],
}

impl<L: Copy> BondInputs<L> {
    /// Inputs by their indices. The strength has a criterion of its own if `has_criterion`, and counts tension alone if `tension`.
    pub fn new(at: impl Fn(u32) -> L, has_criterion: bool, tension: bool) -> Self {
        let vector = |k: u32| Vec3x { x: at(k), y: at(k + 1), z: at(k + 2) };
        let four = |k: u32| [at(k), at(k + 1), at(k + 2), at(k + 3)];
        Self {
            d0: vector(0),
            apart: vector(4),
            q: four(7),
            e: four(11),
            stiffness: Stiffness { l0: at(3), r0: at(15), k: four(16), c: four(20) },
            strength: Strength {
                sigma: at(24),
                tau: at(25),
                criterion: has_criterion.then(|| [at(26), at(27)]),
                tension,
            },
            v: vector(28),
            w: [vector(31), vector(34)],
        }
    }

    /// Numbers in the order of [`BOND_INPUTS`]. Those of a criterion are `one` and `zero` without it.
    pub fn numbers(&self, [one, zero]: [L; 2]) -> [L; 37] {
        let Self { d0, apart, q, e, stiffness: Stiffness { l0, r0, k, c }, strength, v, w: [i, j] } = *self;
        let [share, friction] = strength.criterion.unwrap_or([one, zero]);
        [
            d0.x,
            d0.y,
            d0.z,
            l0,
            apart.x,
            apart.y,
            apart.z,
            q[0],
            q[1],
            q[2],
            q[3],
            e[0],
            e[1],
            e[2],
            e[3],
            r0,
            k[0],
            k[1],
            k[2],
            k[3],
            c[0],
            c[1],
            c[2],
            c[3],
            strength.sigma,
            strength.tau,
            share,
            friction,
            v.x,
            v.y,
            v.z,
            i.x,
            i.y,
            i.z,
            j.x,
            j.y,
            j.z,
        ]
    }
}

/// Derivatives (N, N m), energy (J) and overload (1 or 0) in the order of [`BOND_RESULTS`].
pub fn bond_results<L: Copy>(gradient: &GradientLanes<L>, energy: L, overload: L) -> [L; 11] {
    let GradientLanes { p_j: p, theta_i: i, theta_j: j } = *gradient;
    [p.x, p.y, p.z, i.x, i.y, i.z, j.x, j.y, j.z, energy, overload]
}
