//! Breakage of bonds whose [load](BondLoad) exceeds their strength, random strengths, and the remaining pieces.

mod breakage;
mod pieces;

pub mod weibull;

pub(crate) use breakage::overloaded_among;
pub use breakage::{BrokenBond, damage, max_stress, overloaded};
pub use pieces::Pieces;

pub use crate::energy::strength::BondLoad;
