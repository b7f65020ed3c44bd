//! Parts, inputs and results of a recorded bond. Inputs and results are numbers with an index and a name in the shader.

use bdem_core::energy::GradientLanes;
use bdem_core::energy::law::Strength;
use bdem_core::model::{AxialStress, BondModel, Softening, Stiffness};
use bdem_core::simd::{Lanes, Vec3x};

/// Parts of a recorded bond.
#[derive(Clone, Copy, Debug, Default)]
pub struct BondOptions {
    /// Whether it has damping.
    pub is_damped: bool,
    /// Whether it may break.
    pub is_breakable: bool,
    /// Whether bonds have a criterion of breakage of their own.
    pub has_criterion: bool,
    /// Whether it softens beyond its strength.
    pub softens: bool,
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
pub const BOND_INPUTS: [&str; 39] = [
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
    "reached",
    "s.limit",
];

/// Names of the results, in their order: see [`BondResults`].
pub const BOND_RESULTS: [&str; 21] = [
    "p_x", "p_y", "p_z", "i_x", "i_y", "i_z", "j_x", "j_y", "j_z", "energy", "kept", "reached", "drag_p_x", "drag_p_y",
    "drag_p_z", "drag_i_x", "drag_i_y", "drag_i_z", "drag_j_x", "drag_j_y", "drag_j_z",
];

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
    /// Greatest strain before, and its limit: see [`Softening`]. Stiffness and strength are the first ones.
    pub softening: [L; 2],
}

impl<L: Lanes> BondInputs<L> {
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
            softening: [at(37), at(38)],
        }
    }

    /// The same with the stiffness and strength that the greatest strain has left.
    pub fn softened(self) -> Self {
        let Self { stiffness, strength, softening: [reached, limit], .. } = self;
        let [left, _] = Softening::shares(reached, limit);
        let of = |modes: [L; 4]| modes.map(|mode| mode * left);
        Self {
            stiffness: Stiffness { k: of(stiffness.k), c: of(stiffness.c), ..stiffness },
            // strengths are strains, and the strength is reached at the greatest one
            strength: Strength { sigma: strength.sigma * reached, tau: strength.tau * reached, ..strength },
            ..self
        }
    }

    /// Numbers in the order of [`BOND_INPUTS`]. Those of a criterion are `one` and `zero` without it.
    pub fn numbers(&self, [one, zero]: [L; 2]) -> [L; 39] {
        let Self { d0, apart, q, e, stiffness: Stiffness { l0, r0, k, c }, strength, v, w: [i, j], softening } = *self;
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
            softening[0],
            softening[1],
        ]
    }
}

/// Results of a recorded bond.
#[derive(Clone, Copy)]
pub struct BondResults<L> {
    /// Derivatives of V, N and N m.
    pub elastic: GradientLanes<L>,
    /// V, J.
    pub energy: L,
    /// Share of the stiffness that is left after this load: 1, or less if the bond softens, or 0 if it breaks.
    pub kept: L,
    /// Greatest strain after it.
    pub reached: L,
    /// Negative forces and torques of damping, N and N m.
    pub drag: GradientLanes<L>,
}

impl<L: Copy> BondResults<L> {
    /// Numbers in the order of [`BOND_RESULTS`].
    pub fn numbers(&self) -> [L; 21] {
        let Self { elastic, energy, kept, reached, drag } = *self;
        let nine = |GradientLanes { p_j: p, theta_i: i, theta_j: j }| [p.x, p.y, p.z, i.x, i.y, i.z, j.x, j.y, j.z];
        let ([p, q, r, s, t, u, v, w, x], [a, b, c, d, e, f, g, h, i]) = (nine(elastic), nine(drag));
        [p, q, r, s, t, u, v, w, x, energy, kept, reached, a, b, c, d, e, f, g, h, i]
    }
}
