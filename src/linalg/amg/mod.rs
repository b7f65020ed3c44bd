//! Smoothed-aggregation algebraic multigrid whose near-nullspace is the six rigid modes.
//!
//! P. Vanek, J. Mandel, M. Brezina, "Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems",
//! Computing 56 (1996) 179-196, here "Vanek et al.".
//!
//! ```text
//! aggregate     which nodes become one coarse node
//! frame         where nodes are, and how they move rigidly
//! prolongator   how nodes follow their aggregates: rigidly, then smoothed
//! transfer      ... in few bytes
//! galerkin      the coarse matrix
//! sparse_row    a row of blocks while it is summed up
//! coarse        the direct solve at the bottom
//! saved         a hierarchy on a disk
//! level         a level and those below it: setup and V-cycle
//! ```

mod aggregate;
mod coarse;
mod frame;
mod galerkin;
mod level;
mod preconditioner;
mod prolongator;
mod saved;
mod settings;
mod sparse_row;
mod summary;
mod transfer;

pub use aggregate::{Aggregates, Graph, aggregate, coupling_graph};
pub use frame::Frame;
pub use galerkin::coarse_matrix;
pub use preconditioner::{Amg, AmgCycle};
pub use prolongator::{Tentative, smoothed};
pub use saved::SavedAmg;
pub use settings::AmgSettings;
pub use summary::{AmgSummary, LevelSummary};
pub use transfer::Transfer;
