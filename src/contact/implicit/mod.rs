//! Pairs in contact in an implicit step, several a register.
//!
//! ```text
//! lanes      pairs, their tangential springs, and the motion of their particles in the step
//! forces     energy and gradient, by the friction limits and normals of an earlier state
//! friction   limits and normals at a state, and the springs after the step with their work
//! stiffness  second derivatives
//! ```

mod forces;
mod friction;
mod lanes;
mod stiffness;

pub use forces::PairForce;
pub use lanes::{PairStep, batches};
pub use stiffness::PairStiffness;
