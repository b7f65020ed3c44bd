use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::material::check_friction;
use crate::geometry::{Vec3, shape::HalfSpace};
use crate::model;

/// `[[constraints]]`: particles whose motion is prescribed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Holds the particles whose centres lie in it when the run starts.
    pub region: Region,
    pub motion: Motion,
}

/// A part of space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Region {
    Box {
        /// Smallest coordinates, m.
        min: [f64; 3],
        /// Largest coordinates, m.
        max: [f64; 3],
    },
}

/// How held particles move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Motion {
    Fixed,
    /// Constant, m/s.
    Velocity([f64; 3]),
    Rotation {
        /// A point of the axis, m.
        point: [f64; 3],
        /// Of any length but zero.
        axis: [f64; 3],
        /// rad/s.
        rate: f64,
    },
}

/// `[[colliders]]`: what particles rest on and bounce off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    pub shape: ColliderShape,
    /// Its own coefficient of sliding friction; without one the particle's counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Its own coefficient of static friction, beside `friction`; without one, the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
}

/// What a collider looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ColliderShape {
    /// Free where `normal . x > offset`, with the normal made a unit vector.
    HalfSpace {
        /// Into the free side, of any length but zero.
        normal: [f64; 3],
        /// m.
        offset: f64,
    },
}

impl Region {
    /// Whether `p` (m) lies in it, its boundary included.
    pub fn contains(&self, p: &Vec3) -> bool {
        let Self::Box { min, max } = self;
        (0..3).all(|axis| min[axis] <= p[axis] && p[axis] <= max[axis])
    }
}

impl Constraint {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let Region::Box { min, max } = &self.region;
        let region = at.key("region").key("box");
        region.key("min").vector(min)?;
        region.key("max").vector(max)?;
        let expected = format!("at least min, {min:?}, in each of its coordinates");
        let ordered = (0..3).all(|axis| min[axis] <= max[axis]);
        region.key("max").expect(ordered, max, &expected)?;
        self.motion.check(&at.key("motion"))
    }
}

impl Motion {
    fn check(&self, at: &At) -> Result<(), Fault> {
        match self {
            Self::Fixed => Ok(()),
            Self::Velocity(velocity) => at.key("velocity").vector(velocity),
            Self::Rotation { point, axis, rate } => {
                let at = at.key("rotation");
                at.key("point").vector(point)?;
                at.key("axis").direction(axis)?;
                let turns = rate.is_finite() && *rate != 0.0;
                at.key("rate").expect(turns, rate, "a finite number other than 0 (for no motion, write \"fixed\")")
            }
        }
    }

    pub(super) fn model(&self) -> model::Motion {
        match *self {
            Self::Fixed => model::Motion::Fixed,
            Self::Velocity(velocity) => model::Motion::Velocity(velocity.into()),
            Self::Rotation { point, axis, rate } => {
                model::Motion::Rotation { point: point.into(), axis: Vec3::from(axis).normalize(), rate }
            }
        }
    }
}

impl Collider {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        let ColliderShape::HalfSpace { normal, offset } = &self.shape;
        let shape = at.key("shape").key("half_space");
        shape.key("normal").direction(normal)?;
        shape.key("offset").finite(*offset)?;
        self.check_friction(at)
    }

    fn check_friction(&self, at: &At) -> Result<(), Fault> {
        match (self.friction, self.static_friction) {
            (Some(sliding), sticking) => check_friction(sliding, sticking, at),
            (None, Some(_)) => {
                let alone = "static_friction is given without friction";
                Err(at.key("static_friction").wrong(alone).help("add friction, the coefficient of sliding"))
            }
            (None, None) => Ok(()),
        }
    }

    pub(super) fn model(&self) -> model::Collider {
        let ColliderShape::HalfSpace { normal, offset } = self.shape;
        let shape = HalfSpace { normal: Vec3::from(normal).normalize(), offset };
        model::Collider { shape, friction: self.friction, static_friction: self.static_friction.or(self.friction) }
    }
}
