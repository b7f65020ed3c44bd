//! Contacts in an implicit step.
//!
//! ```text
//! lagged     friction by limits and contact points of an earlier state; springs after the step
//! pairs      sums over near pairs
//! kernels    energy and forces, friction limits, springs after the step, stiffness
//! pair_lanes pairs, their tangential springs and their motion, several per register
//! walls      friction of particles on walls, contact by contact
//! ```

mod kernels;
mod lagged;
mod pair_lanes;
mod pairs;
mod walls;

pub(crate) use kernels::PairStiffness;
pub(super) use lagged::{LaggedFriction, LaggedPoint};
pub use pairs::PairStep;
pub(crate) use pairs::batches;
pub(crate) use walls::WallFriction;
