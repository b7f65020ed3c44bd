//! Pairs in contact in an implicit step, several a register.
//!
//! ```text
//! lanes      pairs, their tangential springs, and the motion of their particles in the step
//! forces     energy and gradient, by the friction limits and normals of an earlier state
//! friction   limits and normals at a state, and the springs after the step with their work
//! ```

mod forces;
mod friction;
mod lanes;

pub use forces::PairForce;
pub use lanes::PairStep;
pub(super) use lanes::batches;
