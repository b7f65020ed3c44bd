use serde::{Deserialize, Serialize};

use super::{IntegratorKind, StepSize};
use crate::optimize::SolverSettings;

/// Settings of a simulation besides its world: the integrator, its steps and its solver.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationSettings {
    /// Time between frames, s. Steps divide it.
    pub frame: f64,
    /// Time integrator.
    pub integrator: IntegratorKind,
    /// Step size. Without one, the integrator's default.
    pub step: Option<StepSize>,
    /// Control of the steps' lengths.
    pub control: ControlSettings,
    /// Newton's method and its linear solver.
    pub solver: SolverSettings,
}

impl SimulationSettings {
    /// Default settings for a `frame` (s).
    pub fn new(frame: f64) -> Self {
        Self {
            frame,
            integrator: IntegratorKind::default(),
            step: None,
            control: ControlSettings::default(),
            solver: SolverSettings::default(),
        }
    }
}

/// `[time.control]`: cuts of implicit steps, their length with `step = "auto"`, and the bound on the energy account.
/// Every key has a default.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ControlSettings {
    /// Limit on halvings of a step that failed, before the run gives up.
    #[cfg_attr(feature = "schema", schemars(range(max = 52)))]
    pub halvings: u32,
    /// With `step = "auto"`: the shortest step, in periods T.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub shortest_step: f64,
    /// With `step = "auto"`: how far a step may move particles off their free flight. Root mean square over the
    /// particles, in radii.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub deviation: f64,
    /// Share of all bonds that a step longer than `shortest_step` may break. With more it is repeated at half its
    /// length.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub broken_share: f64,
    /// Share of all bonds that any step may break. With more it is repeated at half its length, down to about a period
    /// T.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
    pub runaway_share: f64,
    /// With `integrator = "auto"`: pieces sleep, as rigid bodies, while loads stay within this share of the spare
    /// strength of their bonds. 0 for never.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    #[serde(alias = "rigid_below")]
    pub sleep_below: f64,
    /// Bound on the imbalance of the energy account, as a share of the energy at play. Beyond it the run stops.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))]
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
            sleep_below: 0.25,
            energy_bound: 0.05,
        }
    }
}
