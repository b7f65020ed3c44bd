//! Settings of the multigrid preconditioner.

use serde::{Deserialize, Serialize};

/// Settings of the multigrid preconditioner: `[solver.amg]` in a scene.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AmgSettings {
    /// A level of at most this many unknowns is solved directly.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub dense_size: u32,
    /// Smoothing sweeps before and after the coarse correction.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub sweeps: u32,
    /// Maximum number of levels, the dense one included.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub levels: u32,
}

impl Default for AmgSettings {
    fn default() -> Self {
        Self { dense_size: 600, sweeps: 1, levels: 10 }
    }
}
