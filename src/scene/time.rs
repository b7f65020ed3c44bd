use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::{At, Fault, Quantity};
use super::{ControlSettings, SceneIntegrator, Until};

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
    #[serde(default)]
    pub integrator: SceneIntegrator,
    /// Step size. Without one, the integrator's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepSize>,
    #[serde(default)]
    pub control: ControlSettings,
}

/// Step size: `"auto"`, seconds, `{ periods = 100 }`, or `{ limit = 0.95 }`.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[schemars(rename = "Step")]
pub enum StepSize {
    /// Chosen by step control.
    Auto,
    /// Multiples of the scene's period T.
    Periods(#[schemars(extend("exclusiveMinimum" = 0.0))] f64),
    /// Multiples of the longest stable explicit step.
    Limit(#[schemars(extend("exclusiveMinimum" = 0.0))] f64),
    /// Seconds.
    #[schemars(untagged)]
    Seconds(#[schemars(extend("exclusiveMinimum" = 0.0))] f64),
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
        self.control.check(&at.key("control"))?;
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
            Some(StepSize::Limit(share)) => at.key("step").key("limit").positive(share, ""),
        }
    }
}

/// Forms of a step that have a name, as of other enums of a scene.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Named {
    Auto,
    Periods(f64),
    Limit(f64),
}

impl Serialize for StepSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Auto => Named::Auto.serialize(serializer),
            Self::Seconds(step) => serializer.serialize_f64(step),
            Self::Periods(periods) => Named::Periods(periods).serialize(serializer),
            Self::Limit(share) => Named::Limit(share).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StepSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StepVisitor)
    }
}

impl From<Named> for StepSize {
    fn from(named: Named) -> Self {
        match named {
            Named::Auto => Self::Auto,
            Named::Periods(periods) => Self::Periods(periods),
            Named::Limit(share) => Self::Limit(share),
        }
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = StepSize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "\"auto\", a number of seconds, { periods = a number }, or { limit = a share of the stability limit }",
        )
    }

    fn visit_f64<E: Error>(self, seconds: f64) -> Result<StepSize, E> {
        Ok(StepSize::Seconds(seconds))
    }

    fn visit_i64<E: Error>(self, seconds: i64) -> Result<StepSize, E> {
        Ok(StepSize::Seconds(seconds as f64))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<StepSize, E> {
        Named::deserialize(StrDeserializer::new(name)).map(StepSize::from)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<StepSize, M::Error> {
        Named::deserialize(MapAccessDeserializer::new(map)).map(StepSize::from)
    }
}
