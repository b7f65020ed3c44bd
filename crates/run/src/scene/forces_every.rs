use bdem_core::forms::{self, Forms};
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::{At, Fault};

/// Interval between rows of `forces.csv`: a number of steps, or seconds of simulated time such as `"1e-4 s"`.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum ForcesEvery {
    /// Number of steps.
    Steps(#[schemars(range(min = 1))] u32),
    /// Seconds of simulated time. A row is at the end of the first step that reaches the next multiple.
    Seconds(#[schemars(with = "String", regex(pattern = "^ *[0-9.eE+-]+ *s$"))] f64),
}

/// Unit behind the number of seconds.
const UNIT: &str = " s";

impl ForcesEvery {
    pub(super) fn check(self, at: &At) -> Result<(), Fault> {
        match self {
            Self::Steps(steps) => at.at_least_one(steps),
            Self::Seconds(seconds) => at.positive(seconds, " of seconds"),
        }
    }

    /// Whether a row is due at `time` (s), after `steps` steps of a frame, where the last one was at `last` (s).
    pub fn is_due(self, steps: u64, [last, time]: [f64; 2]) -> bool {
        match self {
            Self::Steps(every) => steps > 0 && steps.is_multiple_of(every.into()) && time > last,
            Self::Seconds(every) => (time / every).floor() > (last / every).floor(),
        }
    }

    /// Number of steps of `dt` (s) until the next row is due: at least one.
    pub fn steps_to_next(self, steps: u64, [last, time]: [f64; 2], dt: f64) -> u32 {
        match self {
            Self::Steps(every) => every - (steps % u64::from(every)) as u32,
            Self::Seconds(every) => {
                let steps = (((last / every).floor() + 1.0) * every - time) / dt;
                // a step that ends there by rounding is not passed over
                (steps - 1e-6).ceil().max(1.0) as u32
            }
        }
    }
}

impl Serialize for ForcesEvery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Steps(steps) => serializer.serialize_u32(*steps),
            Self::Seconds(seconds) => serializer.collect_str(&format_args!("{seconds:?}{UNIT}")),
        }
    }
}

impl<'de> Deserialize<'de> for ForcesEvery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for ForcesEvery {
    const EXPECTED: &'static str = "a number of steps, or seconds such as \"1e-4 s\"";

    fn of_integer<E: Error>(steps: i64) -> Result<Self, E> {
        let whole = u32::try_from(steps).map_err(|_| E::custom(format!("{steps} is no number of steps")))?;
        Ok(Self::Steps(whole))
    }

    fn of_text<E: Error>(text: &str) -> Result<Self, E> {
        let seconds = text.strip_suffix('s').and_then(|number| number.trim().parse().ok());
        seconds.map(Self::Seconds).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &Self::EXPECTED))
    }
}
