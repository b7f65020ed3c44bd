//! Which particles may touch, and how they rub.

mod blocks;
mod friction;
mod neighbours;

pub use friction::apply_friction;
pub use neighbours::{ContactPair, Neighbours};
