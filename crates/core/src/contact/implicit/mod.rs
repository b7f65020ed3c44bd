//! Pairs in contact in an implicit step, several a register.
//!
//! ```text
//! pair_lanes pairs and their tangential springs
//! lanes      motion of their particles in the step
//! forces     energy and gradient, by the friction limits and normals of an earlier state
//! friction   limits and normals at a state, and the springs after the step with their work
//! stiffness  second derivatives
//! ```

mod forces;
mod friction;
mod lanes;
mod pair_lanes;
mod stiffness;

pub use lanes::PairStep;
pub(crate) use lanes::batches;
pub(super) use pair_lanes::MOST;
pub(crate) use stiffness::PairStiffness;
