use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Step size: `"auto"`, seconds, `{ periods = 100 }`, or `{ limit = 0.95 }`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "schema", schemars(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
pub enum StepSize {
    /// Chosen by step control.
    Auto,
    /// Multiples of the scene's period T.
    Periods(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
    /// Multiples of the longest stable explicit step.
    Limit(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
    /// Seconds.
    #[cfg_attr(feature = "schema", schemars(untagged))]
    Seconds(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
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
