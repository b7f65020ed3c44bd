use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, Visitor};
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
        deserializer.deserialize_any(EveryVisitor)
    }
}

struct EveryVisitor;

impl Visitor<'_> for EveryVisitor {
    type Value = CheckpointEvery;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number of frames, or minutes such as \"15 min\"")
    }

    fn visit_i64<E: Error>(self, frames: i64) -> Result<CheckpointEvery, E> {
        let whole = u32::try_from(frames).map_err(|_| E::custom(format!("{frames} is no number of frames")))?;
        Ok(CheckpointEvery::Frames(whole))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<CheckpointEvery, E> {
        let minutes = text.strip_suffix("min").and_then(|number| number.trim().parse().ok());
        minutes.map(CheckpointEvery::Minutes).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}
