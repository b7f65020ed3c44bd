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
pub mod collider;
pub mod contact;
pub(crate) mod extension;
pub(crate) mod friction;
pub mod gravity;
pub mod law;
pub mod shear;
pub(crate) mod strength;
pub(crate) mod stretch;

pub use account::{Energies, Energy, Flow, Flows};
pub use bond_lanes::{GradientLanes, PoseLanes};
pub use bond_pose::BondPose;
pub use bond_sum::{BondSum, Strains, pack_pose, pack_velocity};
pub use derivatives::{BondGradient, BondHessian, Matrix12};
pub use electric::ElectricState;
pub use potential::{Damping, Potential, Sums, gap_between};
pub use reaction::Reactions;
pub use workspace::Workspace;

/// Choice of the second derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// Positive semidefinite by construction: Gauss-Newton's matrix J^T J of the potentials' residuals, plus the geometric
    /// term of bonds in tension.
    Semidefinite,
    /// The Riemannian Hessian (\[IBDEM\] eq 29), indefinite at every strained bond.
    Exact,
    /// The Riemannian Hessian with the negative eigenvalues of each bond set to zero.
    Projected,
}
