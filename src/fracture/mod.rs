//! Loads and strengths of bonds, breakage, and the remaining pieces.

mod breakage;
mod load;
mod pieces;

pub mod weibull;

pub use breakage::{BrokenBond, break_bonds, damage, is_lightly_loaded, max_stress, overloaded, overloaded_among};
pub use load::BondLoad;
pub use pieces::Pieces;
