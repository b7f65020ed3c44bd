use std::ops::Range;

use crate::geometry::Vec3;

use super::Ramp;

/// Field of acceleration that acts on all particles, as of wind or of an explosion.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Direction.
    pub flow: Flow,
    /// Acceleration where it is greatest, m/s2.
    pub acceleration: f64,
    /// Origin of the flow and of its falloff, m.
    pub origin: Vec3,
    /// Length L (m) of the falloff exp(-(d/L)^2) with the distance d from the origin; infinite for none.
    pub falloff: f64,
    /// Factor over time, that of the middle of a step.
    pub factor: Ramp,
    /// Start and end, s. It acts in steps whose middle lies between them.
    pub times: Range<f64>,
}

/// Direction of a wind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flow {
    /// The same everywhere, a unit vector.
    Along(Vec3),
    /// Away from the origin; none at it.
    Outwards,
}

impl Wind {
    /// Acceleration at a point (m) and `time` (s), m/s2.
    pub fn at(&self, p: &Vec3, time: f64) -> Vec3 {
        let off = p - self.origin;
        let direction = match self.flow {
            Flow::Along(direction) => direction,
            Flow::Outwards => off.try_normalize(0.0).unwrap_or_default(),
        };
        let lengths = off.norm() / self.falloff;
        let falloff = libm::exp(-lengths * lengths);
        direction * (self.acceleration * self.factor.at(time) * falloff)
    }
}
