use bdem_core::geometry::Vec3;
use bdem_core::model::{self, Action, Wrench};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::choice::Choice;
use super::schema::NAME;
use super::{Region, SceneBody, SceneMotion};

/// `[[constraints]]`: particles with a prescribed motion, or with a force or torque. They are chosen once, when the
/// run starts. With both a region and a body, those of the body that lie in the region.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Constraint")]
pub struct SceneConstraint {
    /// Name, unlike any other of a collider, constraint or probe. With one, `forces.csv` has its force.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME))]
    pub name: Option<String>,
    /// Region that chooses particles by their centres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Name of a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Prescribed motion of the particles. Give either this, or `force`, `torque` or both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<SceneMotion>,
    /// Total force, shared evenly among the particles, N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<[f64; 3]>,
    /// Total torque, shared evenly among the particles, each about its own centre, N m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torque: Option<[f64; 3]>,
    /// Time from which the constraint acts, s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// Time at which the constraint ends, s. Without it, never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub release: Option<f64>,
}

impl SceneConstraint {
    pub(super) fn check(&self, bodies: &[SceneBody], at: &At) -> Result<(), Fault> {
        self.choice().check("constraint", bodies, at)?;
        self.check_action(at)?;
        at.times_of_action(self.start, self.release)
    }

    fn check_action(&self, at: &At) -> Result<(), Fault> {
        if self.motion.is_some() && (self.force.is_some() || self.torque.is_some()) {
            let both = at.key("motion").wrong("particles whose motion is prescribed cannot be pushed too");
            return Err(both.help("make two constraints of it, one after the other, with release and start"));
        }
        match (&self.motion, &self.force, &self.torque) {
            (Some(motion), ..) => motion.check(&at.key("motion")),
            (None, None, None) => Err(at.wrong("missing motion, or in its place force or torque")),
            (None, force, torque) => {
                force.iter().try_for_each(|force| at.key("force").vector_of(force, Quantity::FORCE))?;
                torque.iter().try_for_each(|torque| at.key("torque").vector_of(torque, Quantity::TORQUE))
            }
        }
    }

    pub(super) fn choice(&self) -> Choice<'_> {
        Choice { region: self.region.as_ref(), body: self.body.as_deref() }
    }

    /// Model of the constraint on `particles`, of which there is at least one.
    pub(super) fn model(&self, particles: Vec<u32>) -> model::Constraint {
        let share = |total: Option<[f64; 3]>| total.map_or(Vec3::zeros(), Vec3::from) / particles.len() as f64;
        let action = match &self.motion {
            Some(motion) => Action::Motion(motion.model()),
            None => Action::Load(Wrench { force: share(self.force), torque: share(self.torque) }),
        };
        model::Constraint { times: self.start..self.release.unwrap_or(f64::INFINITY), particles, action }
    }
}
