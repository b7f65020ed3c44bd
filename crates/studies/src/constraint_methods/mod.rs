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
//! penalty           7, with an energy for C, without a multiplier or with one
//! lagrange          8, with a multiplier for C
//! rotation_vector   6, without a constraint: Gauss-Newton on the equations of motion
//! ```
//!
//! Unknowns are lengths: displacements, and quaternions times 2r or an equivalent. Entries of matrices are thus
//! stiffnesses (N/m), and those of gradients forces (N).

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

pub use blocks::SymmetricBlocks;
pub use minres::{Jacobi, Minres, minres};
pub use problem::Problem;
pub use rotation_vector::{exponential, exponential_curvature};
pub use series::{Iterate, Series, StopReason, Until};
pub use step::EulerStep;

use lagrange::Conditions;
use newton::newton;
use nullspace::Reduced;
use penalty::Penalised;
use projection::Projected;
use rotation_vector::Motion;

/// Method to minimise the objective of a step, by its treatment of the constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// First-order manifold optimisation (\[IBDEM\] Algorithm 1): steepest descent along geodesics.
    Descent,
    /// Second-order manifold optimisation with derivatives projected onto the tangent space (\[IBDEM\] Algorithm 2, eqs
    /// 18-27).
    Projection,
    /// Second-order manifold optimisation with the nullspace operator (\[IBDEM\] Algorithm 2, eq 29).
    Nullspace,
    /// Unit length by a penalty energy, 1/2 kappa C^2 (\[IBDEM\] eq 36), of this kappa over k (2r)^2, with k the stiffness of
    /// a particle's contacts. A stiffer penalty has a smaller error of the length, and needs more iterations.
    Penalty(f64),
    /// Unit length by Lagrange multipliers (\[IBDEM\] eq 37), with an indefinite matrix.
    Lagrange,
    /// Unit length by the augmented Lagrangian, lambda^T C + 1/2 kappa C^2 (\[IBDEM\] eq 38), of this kappa over k (2r)^2.
    /// The multipliers take over the constraint forces, so that the penalty may be moderate.
    Augmented(f64),
    /// Rotation vectors, without a constraint. The line search decreases the residual of the equations of motion
    /// (\[IBDEM\] section 6.1).
    RotationVector,
}

impl Method {
    /// All methods, with default penalties.
    pub const ALL: [Self; 7] = [
        Self::Descent,
        Self::Projection,
        Self::Nullspace,
        Self::Penalty(1e4),
        Self::Lagrange,
        Self::Augmented(10.0),
        Self::RotationVector,
    ];

    /// Name in tables and plots.
    pub fn name(self) -> &'static str {
        match self {
            Self::Descent => "first-order",
            Self::Projection => "projection",
            Self::Nullspace => "nullspace",
            Self::Penalty(_) => "penalty",
            Self::Lagrange => "lagrange",
            Self::Augmented(_) => "augmented",
            Self::RotationVector => "rotation-vector",
        }
    }

    /// Iterations from the problem's start.
    pub fn minimise(self, problem: &Problem, until: &Until) -> Series {
        let (name, start) = (self.name(), || problem.start.clone());
        match self {
            Self::Descent => descent::minimise(name, problem, until),
            Self::Projection => newton(name, Projected(problem), start(), problem, until),
            Self::Nullspace => newton(name, Reduced(problem), start(), problem, until),
            Self::Penalty(kappa) => newton(name, Penalised::new(problem, kappa, false), start(), problem, until),
            Self::Lagrange => newton(name, Conditions(problem), Conditions(problem).start(), problem, until),
            Self::Augmented(kappa) => newton(name, Penalised::new(problem, kappa, true), start(), problem, until),
            Self::RotationVector => newton(name, Motion(problem), Motion(problem).start(), problem, until),
        }
    }
}
