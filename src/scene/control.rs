use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::solver::MOST_HALVINGS;

/// `[time.control]`: how implicit steps are cut, and with `step = "auto"` chosen; and what energy from nowhere any run may
/// have. Every value has a default.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlSettings {
    /// Times that a step that failed may be halved before the run gives up.
    #[schemars(range(max = 52))]
    pub halvings: u32,
    /// With `step = "auto"`: the shortest step, in periods T.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shortest_step: f64,
    /// With `step = "auto"`: how far, in radii and as root mean square over the particles, a step may push particles off
    /// the path that they would have taken freely.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub deviation: f64,
    /// A longer step than `shortest_step` that breaks more than this share of all bonds is done again at half its length.
    #[schemars(range(min = 0.0))]
    pub broken_share: f64,
    /// Any step that breaks more than this share of all bonds has run away, and is done again at half its length until it is
    /// about a period T long.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub runaway_share: f64,
    /// With `integrator = "auto"`: pieces sleep, as rigid bodies, while nothing loads their bonds by more than this share of what
    /// they can bear besides; 0 for never.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rigid_below: f64,
    /// A run stops where so much energy comes from nowhere, or goes there: a share of the energy that is at play.
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
        at.key("halvings").at_most(self.halvings, MOST_HALVINGS)?;
        at.key("shortest_step").positive(self.shortest_step, "")?;
        at.key("deviation").positive(self.deviation, "")?;
        at.key("broken_share").not_negative(self.broken_share)?;
        at.key("runaway_share").positive(self.runaway_share, "")?;
        let rigid_below = at.key("rigid_below");
        rigid_below.expect((0.0..=1.0).contains(&self.rigid_below), self.rigid_below, "from 0 to 1")?;
        at.key("energy_bound").positive(self.energy_bound, "")
    }
}
