use bdem_core::forms::{self, Forms};
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::{At, Fault};

/// Interval between checkpoints: a number of frames, or minutes such as `"15 min"`.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum CheckpointEvery {
    /// Number of frames.
    Frames(#[schemars(range(min = 1))] u32),
    /// Minutes of wall-clock time.
    Minutes(#[schemars(with = "String", regex(pattern = "^ *[0-9.]+ *min$"))] f64),
}

/// Unit behind the number of minutes.
const UNIT: &str = " min";

impl CheckpointEvery {
    pub(super) fn check(self, at: &At) -> Result<(), Fault> {
        match self {
            Self::Frames(frames) => at.at_least_one(frames),
            Self::Minutes(minutes) => at.positive(minutes, " of minutes"),
        }
    }
}

impl Default for CheckpointEvery {
    fn default() -> Self {
        Self::Frames(10)
    }
}

impl Serialize for CheckpointEvery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Frames(frames) => serializer.serialize_u32(*frames),
            Self::Minutes(minutes) => serializer.collect_str(&format_args!("{minutes}{UNIT}")),
        }
    }
}

impl<'de> Deserialize<'de> for CheckpointEvery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for CheckpointEvery {
    const EXPECTED: &'static str = "a number of frames, or minutes such as \"15 min\"";

    fn of_integer<E: Error>(frames: i64) -> Result<Self, E> {
        let whole = u32::try_from(frames).map_err(|_| E::custom(format!("{frames} is no number of frames")))?;
        Ok(Self::Frames(whole))
    }

    fn of_text<E: Error>(text: &str) -> Result<Self, E> {
        let minutes = text.strip_suffix("min").and_then(|number| number.trim().parse().ok());
        minutes.map(Self::Minutes).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &Self::EXPECTED))
    }
}
