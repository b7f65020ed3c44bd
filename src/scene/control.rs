use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::solver::MAX_HALVINGS;

/// `[time.control]`: cuts of implicit steps, their length with `step = "auto"`, and the bound on the energy account.
/// Every key has a default.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlSettings {
    /// Limit on halvings of a step that failed, before the run gives up.
    #[schemars(range(max = 52))]
    pub halvings: u32,
    /// With `step = "auto"`: the shortest step, in periods T.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shortest_step: f64,
    /// With `step = "auto"`: how far a step may move particles off their free flight. Root mean square over the
    /// particles, in radii.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub deviation: f64,
    /// Share of all bonds that a step longer than `shortest_step` may break. With more it is repeated at half its
    /// length.
    #[schemars(range(min = 0.0))]
    pub broken_share: f64,
    /// Share of all bonds that any step may break. With more it is repeated at half its length, down to about a period
    /// T.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub runaway_share: f64,
    /// With `integrator = "auto"`: pieces sleep, as rigid bodies, while loads stay within this share of the spare
    /// strength of their bonds. 0 for never.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rigid_below: f64,
    /// Bound on the imbalance of the energy account, as a share of the energy at play. Beyond it the run stops.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub energy_bound: f64,
}

impl Default for ControlSettings {
    fn default() -> Self {
        Self {
            halvings: 12,
            shortest_step: 5.0,
            deviation: 0.005,
            broken_share: 0.002,
            runaway_share: 0.02,
            rigid_below: 0.25,
            energy_bound: 0.05,
        }
    }
}

impl ControlSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("halvings").at_most(self.halvings, MAX_HALVINGS)?;
        at.key("shortest_step").positive(self.shortest_step, "")?;
        at.key("deviation").positive(self.deviation, "")?;
        at.key("broken_share").not_negative(self.broken_share)?;
        at.key("runaway_share").positive(self.runaway_share, "")?;
        let rigid_below = at.key("rigid_below");
        rigid_below.expect((0.0..=1.0).contains(&self.rigid_below), self.rigid_below, "from 0 to 1")?;
        at.key("energy_bound").positive(self.energy_bound, "")
    }
}
