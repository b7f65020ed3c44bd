//! Methods for the unit-length constraint of quaternions in an implicit step, for comparison (\[IBDEM\] sections 4,
//! 6.1, 6.2). Runs use the room `optimize` of the core only, a fast form of the nullspace method.
//!
//! All methods share the derivatives ([`Problem`]), the linear solver and the line search, on one thread. They differ
//! only in their treatment of the constraint C = (q.q - 1)/2 = 0:
//!
//! ```text
//! descent           first order, along geodesics
//! projection        second order with projected derivatives, 7 unknowns for each particle
//! nullspace         second order in coordinates of the tangent space, 6
//! penalty           7, with an energy for C
//! lagrange          8, with a multiplier for C
//! augmented         7, with both
//! rotation_vector   6, without a constraint: Gauss-Newton on the equations of motion
//! ```
//!
//! Unknowns are lengths: displacements, and quaternions times 2r or an equivalent. Entries of matrices are thus
//! stiffnesses (N/m), and those of gradients forces (N).

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

/// Method to minimise the objective of a step.
pub trait Method {
    /// Name in tables and plots.
    fn name(&self) -> &'static str;

    /// Iterations from the problem's start.
    fn minimise(&self, problem: &Problem, until: &Until) -> Series;
}

/// All methods, with default penalties.
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

/// Series of each of `methods` on the problem, one after the other.
pub fn compare(problem: &Problem, methods: &[Box<dyn Method>], until: &Until) -> Vec<Series> {
    methods.iter().map(|method| method.minimise(problem, until)).collect()
}
