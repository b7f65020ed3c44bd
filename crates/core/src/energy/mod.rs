//! Potentials: one file each, with value, gradient, and exact and semidefinite Hessians; their sum over a world; and
//! the [`account`] of a run's energy.
//!
//! Derivatives are with respect to positions (m) and world rotation vectors (rad); see
//! [`geometry::rotation`](crate::geometry::rotation).

mod bond_lanes;
mod bond_pose;
mod bond_sum;
mod damping_lanes;
mod derivatives;
mod electric;
mod potential;
mod reaction;
mod workspace;

pub mod account;
pub(crate) mod bend_twist;
pub mod bond;
pub mod contact;
pub(crate) mod extension;
pub(crate) mod friction;
pub mod gravity;
pub mod law;
pub mod shear;
pub(crate) mod strength;
pub(crate) mod stretch;
pub mod wall;

use serde::{Deserialize, Serialize};

pub use account::{Energies, Energy, Flow, Flows};
pub use bond_lanes::{GradientLanes, PoseLanes};
pub use bond_pose::BondPose;
pub use bond_sum::{BondSum, Strains, pack_pose, pack_velocity};
pub use derivatives::{BondGradient, BondHessian, Matrix12};
pub use electric::ElectricState;
pub use potential::{Damping, Potential, Sums, gap_between};
pub use reaction::{Reactions, StepForces, StepWalls, WallForce};
pub use workspace::Workspace;

/// Second derivatives of the potentials in Newton's matrix.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "HessianKind"))]
pub enum Curvature {
    /// Gauss-Newton's matrix plus the geometric term of bonds in tension: positive semidefinite by construction.
    #[default]
    #[serde(alias = "gauss-newton")]
    Semidefinite,
    /// The Riemannian Hessian (\[IBDEM\] eq 29), projected when the solver meets negative curvature.
    Exact,
    /// The Riemannian Hessian with every bond's negative eigenvalues set to zero.
    Projected,
    /// None: steepest descent along geodesics (\[IBDEM\] Algorithm 1). Steps of many periods T need `newton_iterations` of some
    /// thousand.
    FirstOrder,
}
