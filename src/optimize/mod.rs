//! Newton on the manifold of positions and unit quaternions.

mod settings;

pub use settings::{HessianKind, Predictor, SolverSettings};
