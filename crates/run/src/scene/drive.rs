use bdem_core::geometry::Vec3;
use bdem_core::model::{DriveLaw, Driven, Motion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FactorKey;
use super::check::{At, Fault, Quantity};

/// Load that moves a collider, or the particles of a constraint together, along an axis. Motions across it are prescribed.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Drive")]
pub struct SceneDrive {
    /// Direction in which the load acts, of any length but zero.
    pub axis: [f64; 3],
    /// Force along the axis, N. Give either this, or `pressure` and `area`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// Force over `area`, Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Area on which `pressure` acts, m2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub area: Option<f64>,
    /// Factor on the load over time. Without keys, 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<FactorKey>,
    /// Mass that the load moves, kg. A collider needs this or `speed`; a constraint has the mass of its particles.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub mass: Option<f64>,
    /// Greatest speed of a servo, m/s: it moves to where the particles balance the load, without inertia.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub speed: Option<f64>,
}

impl SceneDrive {
    /// Check of a drive, of a collider where it `needs_law`.
    pub(super) fn check(&self, needs_law: bool, at: &At) -> Result<(), Fault> {
        at.key("axis").direction(&self.axis)?;
        match (self.force, self.pressure, self.area) {
            (Some(force), None, None) => at.key("force").quantity(force, Quantity::FORCE)?,
            (None, Some(pressure), Some(area)) => {
                at.key("area").positive(area, " (m2)")?;
                at.key("pressure").quantity(pressure * area, Quantity::FORCE)?;
            }
            _ => {
                let missing = at.wrong("a drive has either a force, or a pressure and the area that it acts on");
                return Err(missing.help("write force = 1000.0, or pressure = 1e6 and area = 0.001"));
            }
        }
        FactorKey::check_all(&self.keyframes, &at.key("keyframes"))?;
        match (self.mass, self.speed) {
            (Some(_), Some(_)) => {
                let both = at.key("speed").wrong("a drive has either a mass or the speed of a servo");
                return Err(both.help("leave one of them out"));
            }
            (Some(mass), None) => at.key("mass").positive(mass, " (kg)")?,
            (None, Some(speed)) => {
                at.key("speed").positive(speed, " (m/s)")?;
                at.key("speed").quantity(speed, Quantity::SPEED)?;
            }
            (None, None) if needs_law => {
                let missing = at.wrong("the drive of a collider needs a mass, or the speed of a servo");
                return Err(missing.help("add mass = 1.0 (kg), or speed = 0.1 (m/s)"));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Motion of something of this `mass` (kg) unless the drive has its own, or a servo.
    pub(super) fn model(&self, prescribed: Motion, mass: f64) -> Motion {
        let force = self.force.unwrap_or(self.pressure.unwrap_or(0.0) * self.area.unwrap_or(0.0));
        let law = match self.speed {
            Some(speed) => DriveLaw::Servo(speed),
            None => DriveLaw::Mass(self.mass.unwrap_or(mass)),
        };
        let axis = Vec3::from(self.axis).normalize();
        Motion::Driven(Box::new(Driven::new(prescribed, axis, FactorKey::ramp(&self.keyframes, force), law)))
    }
}
