//! Functions of shaders that are recorded, and parts, inputs and results of a recorded bond. Inputs and results are numbers with an
//! index and a name in the shader.

use bdem_core::energy::GradientLanes;
use bdem_core::energy::law::Strength;
use bdem_core::model::{AxialStress, Softening, Stiffness};
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

/// Function of a shader whose body is a recording.
pub struct Signature {
    /// Parameters. Structures that are no results of another one are of the shader.
    pub parameters: &'static str,
    /// Inputs of the recording in their order: expressions such as `a.xy b`, for a.x, a.y and b.
    pub inputs: &'static str,
    /// Type of the result.
    pub result: &'static str,
    /// Its members, which are the results of the recording in their order, in the same way.
    pub members: &'static str,
}

/// Recorded bond: see [`BondInputs`] and [`BondResults`].
pub const BOND: Signature = Signature {
    parameters: "d0: vec3<f32>, l0: f32, apart: vec3<f32>, q: vec4<f32>, e: vec4<f32>, s: Stiffness, reached: f32, \
                 v: vec3<f32>, w_i: vec3<f32>, w_j: vec3<f32>",
    inputs: "d0.xyz l0 apart.xyz q.xyzw e.xyzw s.r0 s.k.xyzw s.c.xyzw s.sigma s.tau s.moment_share s.friction v.xyz \
             w_i.xyz w_j.xyz reached s.limit",
    result: "Bond",
    members: "force.xyz torque_i.xyz torque_j.xyz energy kept reached drag.xyz drag_i.xyz drag_j.xyz",
};

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

    /// Numbers in the order of [`BOND`]. Those of a criterion are `one` and `zero` without it.
    pub fn numbers(&self, [one, zero]: [L; 2]) -> Vec<L> {
        let Self { d0, apart, q, e, stiffness: Stiffness { l0, r0, k, c }, strength, v, w: [i, j], softening } = *self;
        let [share, friction] = strength.criterion.unwrap_or([one, zero]);
        let three = |v: Vec3x<L>| [v.x, v.y, v.z];
        let strengths = [strength.sigma, strength.tau, share, friction];
        let pose = [&three(d0)[..], &[l0], &three(apart), &q, &e].concat();
        let motion = [three(v), three(i), three(j)].concat();
        [&pose[..], &[r0], &k, &c, &strengths, &motion, &softening].concat()
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
    /// Numbers in the order of [`BOND`].
    pub fn numbers(&self) -> Vec<L> {
        let Self { elastic, energy, kept, reached, drag } = *self;
        let nine = |of: GradientLanes<L>| [of.p_j, of.theta_i, of.theta_j].map(|v| [v.x, v.y, v.z]).concat();
        [&nine(elastic)[..], &[energy, kept, reached], &nine(drag)].concat()
    }
}
