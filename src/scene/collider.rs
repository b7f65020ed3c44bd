use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use super::material::check_friction;
use crate::geometry::{Vec3, shape::HalfSpace};
use crate::model;

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
