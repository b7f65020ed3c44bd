use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::checkpoints::CheckpointEvery;
use super::schema::NAME;
use crate::model::{AxialRule, ContactLaw, FrictionRule};

/// `[scene]`: what holds for all of it.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneralSettings {
    /// Letters, digits, `-` and `_`: it becomes part of file names.
    #[schemars(regex(pattern = NAME))]
    pub name: String,
    /// m/s2.
    #[serde(default = "earth")]
    pub gravity: [f64; 3],
    /// Chooses the random strengths of bonds, and random packings.
    #[serde(default)]
    pub seed: u64,
}

fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// `[contact]`: how particles that are not bonded push and rub.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Over the usual stiffness of contacts, pi/2 E r.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub stiffness: f64,
    /// How the push grows with the overlap.
    pub law: ContactLaw,
    /// How friction acts.
    pub friction: FrictionRule,
    /// At what share of the speed with which two spheres meet they part.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub restitution: f64,
    /// Overlap, in radii, up to which the linear law is soft: the force begins as its square.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub softening: f64,
}

/// `[fracture]`: when bonds break.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FractureSettings {
    /// Which axial force counts.
    pub axial: AxialRule,
}

/// `[output]`: what is written.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputSettings {
    /// Frames between written frames.
    #[schemars(range(min = 1))]
    pub every: u32,
    /// Whether the unbroken bonds are written, as edges.
    pub bonds: bool,
    /// Frames, or minutes as `"15 min"`, between checkpoints; there is one at the end and at a signal besides.
    pub checkpoint_every: CheckpointEvery,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            stiffness: 1.0,
            law: ContactLaw::default(),
            friction: FrictionRule::default(),
            restitution: 0.7,
            softening: 0.0,
        }
    }
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { every: 1, bonds: false, checkpoint_every: CheckpointEvery::default() }
    }
}

impl GeneralSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("name").name(&self.name)?;
        at.key("gravity").vector_of(&self.gravity, Quantity::ACCELERATION)
    }
}

impl ContactSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("stiffness").positive(self.stiffness, "")?;
        let (e, at_e) = (self.restitution, at.key("restitution"));
        at_e.expect(
            (0.01..=1.0).contains(&e),
            e,
            "from 0.01 to 1: the share of its speed that a bouncing sphere keeps",
        )?;
        let (s, at_s) = (self.softening, at.key("softening"));
        at_s.expect((0.0..=0.1).contains(&s), s, "a share of the radius from 0 to 0.1")?;
        at_s.expect(
            s == 0.0 || self.law == ContactLaw::Linear,
            s,
            "0 with contact.law = \"hertz\", which begins softly",
        )
    }
}

impl OutputSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("every").at_least_one(self.every)?;
        self.checkpoint_every.check(&at.key("checkpoint_every"))
    }
}
