//! Contacts in an implicit step.
//!
//! ```text
//! pair_lanes pairs, their tangential springs and their motion, several a register
//! kernels    energy and forces, friction limits, springs after the step, stiffness
//! pairs      sums over near pairs
//! walls      friction of particles on walls, contact by contact
//! ```

mod kernels;
mod pair_lanes;
mod pairs;
mod walls;

pub(crate) use kernels::PairStiffness;
pub use pairs::PairStep;
pub(crate) use pairs::batches;
pub(super) use walls::{settle_on_wall, update_walls};
