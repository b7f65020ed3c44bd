//! Smoothed-aggregation algebraic multigrid whose near-nullspace is the six rigid modes.
//!
//! P. Vanek, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems",
//! Computing 56 (1996) 179-196, here "Vanek et al.".
//!
//! ```text
//! aggregate     partition of a level's nodes
//! geometry      positions, lengths and rigid motions of a level's nodes
//! prolongator   rigid motion of aggregates, smoothed
//! transfer      the compressed prolongator and restrictor
//! galerkin      the coarse matrix
//! sparse_row    accumulator of a row of blocks
//! coarse        direct solver of the coarsest level
//! saved         the serialized hierarchy
//! level         setup and V-cycle of a level and all coarser ones
//! ```

mod aggregate;
mod coarse;
mod galerkin;
mod geometry;
mod level;
mod preconditioner;
mod prolongator;
mod saved;
mod settings;
mod sparse_row;
mod summary;
mod transfer;

pub use aggregate::{Aggregates, Graph, aggregate, coupling_graph};
pub use galerkin::coarse_matrix;
pub use geometry::NodeGeometry;
pub use preconditioner::{Amg, AmgCycle};
pub use prolongator::{Tentative, smoothed};
pub use saved::SavedAmg;
pub use settings::AmgSettings;
pub use summary::{AmgSummary, LevelSummary};
pub use transfer::Transfer;
