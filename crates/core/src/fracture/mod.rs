//! Breakage of bonds whose [load](BondLoad) exceeds their strength, random strengths, and the remaining pieces.

mod breakage;
mod pieces;

pub mod weibull;

pub use breakage::{BrokenBond, break_bonds, damage, max_stress, overloaded};
pub(crate) use breakage::{is_lightly_loaded, overloaded_among};
pub use pieces::Pieces;

pub use crate::energy::strength::BondLoad;
