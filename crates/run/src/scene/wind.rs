use bdem_core::geometry::Vec3;
use bdem_core::model::{Flow, Wind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FactorKey;
use super::check::{At, Fault, Quantity};

/// `[[winds]]`: fields of acceleration that act on all particles, along a direction as of a gust, or outwards from an origin as of an
/// explosion.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Wind")]
pub struct SceneWind {
    /// Acceleration, m/s2: at the origin, where there is a falloff. A negative one acts the other way.
    pub acceleration: f64,
    /// Direction of the wind, of any length but zero. Without it the wind blows away from the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Origin of the wind and of its falloff, m. It may be left out with a direction and without a falloff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f64; 3]>,
    /// Length L of the falloff, m: at the distance d from the origin the acceleration has the factor exp(-(d/L)^2). Without it, 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub falloff: Option<f64>,
    /// Factor on the acceleration over time: linear from key to key, constant before the first and after the last. Without keys, 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<FactorKey>,
    /// Time from which the wind blows, s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// Time at which the wind ends, s. Without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub release: Option<f64>,
}

impl SceneWind {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("acceleration").quantity(self.acceleration, Quantity::ACCELERATION)?;
        self.direction.iter().try_for_each(|direction| at.key("direction").direction(direction))?;
        self.origin.iter().try_for_each(|origin| at.key("origin").vector_of(origin, Quantity::LENGTH))?;
        self.falloff.iter().try_for_each(|falloff| at.key("falloff").positive(*falloff, " of metres"))?;
        if self.origin.is_none() && (self.direction.is_none() || self.falloff.is_some()) {
            let what =
                if self.direction.is_none() { "neither a direction nor an origin" } else { "a falloff and no origin" };
            let wrong = at.wrong(format!("the wind has {what}"));
            return Err(
                wrong.help("add origin = [0.0, 0.0, 0.0] (m), or give direction = [1.0, 0.0, 0.0] and no falloff")
            );
        }
        FactorKey::check_all(&self.keyframes, &at.key("keyframes"))?;
        at.times_of_action(self.start, self.release)
    }

    pub(super) fn model(&self) -> Wind {
        let along = |direction: [f64; 3]| Flow::Along(Vec3::from(direction).normalize());
        Wind {
            flow: self.direction.map_or(Flow::Outwards, along),
            acceleration: self.acceleration,
            origin: self.origin.unwrap_or_default().into(),
            falloff: self.falloff.unwrap_or(f64::INFINITY),
            factor: FactorKey::ramp(&self.keyframes, 1.0),
            times: self.start..self.release.unwrap_or(f64::INFINITY),
        }
    }
}
