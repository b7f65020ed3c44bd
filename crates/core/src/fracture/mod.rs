//! Breakage of bonds whose [load](BondLoad) exceeds their strength, random strengths, and the remaining pieces.

mod breakage;
mod pieces;
mod random_field;
pub mod weibull;

pub(crate) use breakage::overloads;
pub use breakage::{OverloadedBond, damage, max_stress, overloaded, softening};
pub use pieces::Pieces;
pub use random_field::RandomField;

pub use crate::energy::strength::BondLoad;
