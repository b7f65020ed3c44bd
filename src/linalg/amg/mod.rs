//! Smoothed-aggregation algebraic multigrid whose near-nullspace is the six rigid modes: [VMB96], [VBM01].
//!
//! ```text
//! aggregate     which nodes become one coarse node
//! prolongator   how nodes follow their aggregates: rigidly, then smoothed
//! coarse        the direct solve at the bottom
//! level         a level and those below it: setup and V-cycle
//! ```

mod aggregate;
mod coarse;
mod level;
mod preconditioner;
mod prolongator;
mod settings;
mod summary;

pub use aggregate::{Aggregates, Graph, aggregate, coupling_graph};
pub use preconditioner::{Amg, AmgCycle};
pub use prolongator::{Frame, smoothed, tentative};
pub use settings::AmgSettings;
pub use summary::{AmgSummary, LevelSummary};
