use bdem_core::simulate::{ControlSettings, IntegratorKind, StepSize};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::{Until, control};

/// `[time]`: frames and steps.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Frames per second of simulated time.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub frame_rate: f64,
    /// Number of frames after the initial one.
    #[schemars(range(min = 1, max = MAX_FRAMES))]
    pub frames: u32,
    /// Conditions that end the run before its last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Time integrator. Where every key has a default the name alone will do.
    #[serde(default)]
    pub integrator: IntegratorKind,
    /// Step size. Without one, the integrator's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepSize>,
    /// Cuts of implicit steps, their length with `step = "auto"`, and the bound on the energy account. Every key
    /// has a default.
    #[serde(default)]
    pub control: ControlSettings,
}

const MAX_FRAMES: u32 = 1_000_000;

/// Limit on the steps of a frame, which are counted in 32 bits.
const MAX_STEPS: f64 = 1e9;

impl Time {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let rate = at.key("frame_rate");
        rate.positive(self.frame_rate, " of frames per second")?;
        rate.no_more_than(self.frame_rate, Quantity::RATE)?;
        let longest = 1.0 / Quantity::TIME.max();
        rate.expect(self.frame_rate >= longest, self.frame_rate, &format!("at least {longest:?} frames per second"))?;
        let frames = at.key("frames");
        frames.at_least_one(self.frames)?;
        frames.at_most(self.frames, MAX_FRAMES)?;
        self.until.iter().try_for_each(|until| until.check(&at.key("until")))?;
        control::check(&self.control, &at.key("control"))?;
        match self.step {
            None | Some(StepSize::Auto) => Ok(()),
            Some(StepSize::Seconds(step)) => {
                let at = at.key("step");
                at.positive(step, " of seconds")?;
                let shortest = 1.0 / (self.frame_rate * MAX_STEPS);
                let expected = format!("at least {shortest:.1e} s, for a frame to have at most {MAX_STEPS:e} steps");
                at.expect(step >= shortest, step, &expected)
            }
            Some(StepSize::Periods(periods)) => at.key("step").key("periods").positive(periods, ""),
            Some(StepSize::Periods2021(periods)) => at.key("step").key("periods_2021").positive(periods, ""),
            Some(StepSize::Limit(share)) => at.key("step").key("limit").positive(share, ""),
        }
    }
}
