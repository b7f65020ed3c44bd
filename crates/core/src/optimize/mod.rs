//! Newton's method on the manifold of positions and unit quaternions.

mod assembly;
mod bond_terms;
mod linear_system;
mod newton;
mod objective;
mod pairs;
mod preconditioner;
mod rigid;
mod settings;
mod solver;

pub use assembly::Assembly;
pub(crate) use bond_terms::bond_term;
pub(crate) use newton::WorkBound;
pub use newton::{Goal, Newton, NewtonFailure, NewtonReport};
pub use objective::{Objective, Target};
pub use pairs::PairHessian;
pub(crate) use pairs::rotation_scales;
pub(crate) use preconditioner::SavedPreconditioner;
pub use settings::{CgTolerance, LinearlyImplicit, Predictor, SolverSettings};
pub use solver::right_hand_side;
