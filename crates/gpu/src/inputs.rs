//! Functions of shaders that are recorded, and parts and results of a recorded bond. Inputs and results are numbers with an index and
//! a name in the shader.

use bdem_core::energy::GradientLanes;
use bdem_core::model::AxialStress;

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

/// Recorded bond. Its inputs are
///
/// ```text
/// 0   rest direction (3), rest length, branch less the rest branch (3), m
/// 7   orientation of i, and that of j less that of i (x, y, z, w)
/// 15  mean radius, m; stiffnesses (4) and viscous coefficients (4): see `Stiffness`
/// 24  strength: see `Strength`; share of moments and friction, 1 and 0 without a criterion
/// 28  velocity of j less that of i (3), m/s; angular velocities of both (3 each), rad/s
/// 37  greatest strain before, and its limit: see `Softening`. Stiffness and strength are the first ones
/// ```
///
/// and its results the derivatives of V, N and N m (9), V, J, share of the stiffness that is left after this load, which is 1, or less if
/// the bond softens, or 0 if it breaks, greatest strain after it, and negative forces and torques of damping, N and N m (9).
pub const BOND: Signature = Signature {
    parameters: "d0: vec3<f32>, l0: f32, apart: vec3<f32>, q: vec4<f32>, e: vec4<f32>, s: Stiffness, reached: f32, \
                 v: vec3<f32>, w_i: vec3<f32>, w_j: vec3<f32>",
    inputs: "d0.xyz l0 apart.xyz q.xyzw e.xyzw s.r0 s.k.xyzw s.c.xyzw s.sigma s.tau s.moment_share s.friction v.xyz \
             w_i.xyz w_j.xyz reached s.limit",
    result: "Bond",
    members: "force.xyz torque_i.xyz torque_j.xyz energy kept reached drag.xyz drag_i.xyz drag_j.xyz",
};

/// Results of a recorded bond in the order of [`BOND`].
pub fn bond_results<L: Copy>(
    elastic: GradientLanes<L>,
    [energy, kept, reached]: [L; 3],
    drag: GradientLanes<L>,
) -> Vec<L> {
    let nine = |of: GradientLanes<L>| [of.p_j, of.theta_i, of.theta_j].map(|v| [v.x, v.y, v.z]).concat();
    [&nine(elastic)[..], &[energy, kept, reached], &nine(drag)].concat()
}
