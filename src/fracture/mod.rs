//! What bonds bear, what they can bear, and the pieces that are left.

mod breakage;
mod load;
mod pieces;

pub mod weibull;

pub use breakage::{BrokenBond, break_bonds, damage, greatest_stress, is_slack, overloaded, overloaded_among};
pub use load::BondLoad;
pub use pieces::Pieces;
