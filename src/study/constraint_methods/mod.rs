//! Ways to hold quaternions to unit length while an implicit step is minimised, to be compared (\[IBDEM\] sections 4,
//! 6.1, 6.2). Runs go by [`optimize`](crate::optimize) alone, which is the nullspace's way made fast.
//!
//! All start from the same derivatives by quaternions as vectors of R4 ([`Problem`]), solve their linear systems alike
//! and search along their steps alike, on one thread, so that they differ by how they treat the constraint
//! C = (q.q - 1)/2 = 0 alone:
//!
//! ```text
//! descent           first order, along geodesics
//! projection        second order among tangents, 7 unknowns a particle
//! nullspace         second order in coordinates of the tangent space, 6
//! penalty           7, with an energy for C
//! lagrange          8, with a multiplier for C
//! augmented         7, with both
//! rotation_vector   6, without a constraint: Gauss-Newton on the equations of motion
//! ```
//!
//! Unknowns are lengths: displacements, and quaternions times 2r, or what comes to as much. So are entries of matrices
//! stiffnesses (N/m), and of gradients forces (N).

mod augmented;
mod blocks;
mod descent;
mod lagrange;
mod line_search;
mod minres;
mod newton;
mod nullspace;
mod penalty;
mod problem;
mod projection;
mod rotation_vector;
mod series;
mod step;

pub mod euclidean;

pub use augmented::Augmented;
pub use blocks::SymmetricBlocks;
pub use descent::Descent;
pub use lagrange::Lagrange;
pub use minres::{Jacobi, Minres, minres};
pub use nullspace::Nullspace;
pub use penalty::Penalty;
pub use problem::Problem;
pub use projection::TangentProjection;
pub use rotation_vector::{RotationVector, exponential, exponential_curvature};
pub use series::{Iterate, Series, StopReason, Until};
pub use step::EulerStep;

/// A way to minimise a step's objective.
pub trait Method {
    /// What tables and plots call it.
    fn name(&self) -> &'static str;

    /// Iterates from the problem's start.
    fn minimise(&self, problem: &Problem, until: &Until) -> Series;
}

/// Every way, with the penalties' defaults.
pub fn all() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Descent),
        Box::new(TangentProjection),
        Box::new(Nullspace),
        Box::new(Penalty::default()),
        Box::new(Lagrange),
        Box::new(Augmented::default()),
        Box::new(RotationVector),
    ]
}

/// What each of `methods` does with the problem, one after the other.
pub fn compare(problem: &Problem, methods: &[Box<dyn Method>], until: &Until) -> Vec<Series> {
    methods.iter().map(|method| method.minimise(problem, until)).collect()
}
