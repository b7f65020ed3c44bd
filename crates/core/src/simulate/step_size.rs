use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::forms::{self, Forms};

/// Step size: `"auto"`, seconds, `{ periods = 100 }`, `{ periods_2021 = 0.5 }`, or `{ limit = 0.95 }`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[cfg_attr(feature = "schema", schemars(rename = "Step"))]
pub enum StepSize {
    /// Chosen by step control.
    Auto,
    /// Multiples of the scene's period T.
    Periods(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
    /// Multiples of the critical step T of \[BDEM21\] eq 28, 0.234 periods.
    #[serde(rename = "periods_2021")]
    Periods2021(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
    /// Multiples of the longest stable explicit step.
    Limit(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
    /// Seconds.
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(!skip, untagged))]
    Seconds(#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0.0)))] f64),
}

impl Serialize for StepSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Seconds(step) => serializer.serialize_f64(*step),
            named => Self::serialize(named, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StepSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        forms::deserialize(deserializer)
    }
}

impl Forms for StepSize {
    const EXPECTED: &'static str = "\"auto\", a number of seconds, { periods = a number }, { periods_2021 = a number }, \
                                    or { limit = a share of the stability limit }";

    fn of_integer<E: Error>(seconds: i64) -> Result<Self, E> {
        Ok(Self::Seconds(seconds as f64))
    }

    fn of_number<E: Error>(seconds: f64) -> Result<Self, E> {
        Ok(Self::Seconds(seconds))
    }

    fn of_text<E: Error>(name: &str) -> Result<Self, E> {
        Self::deserialize(StrDeserializer::new(name))
    }

    fn of_table<'de, M: MapAccess<'de>>(table: M) -> Result<Self, M::Error> {
        Self::deserialize(MapAccessDeserializer::new(table))
    }
}
