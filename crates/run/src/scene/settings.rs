use bdem_core::model::{AxialStress, ContactLaw, FrictionModel};
use bdem_core::simulate::SimulationSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scene;
use super::check::{At, Fault, Quantity};
use super::checkpoints::CheckpointEvery;
use super::forces_every::ForcesEvery;
use super::frame_columns::{BondOutput, ParticleColumn};
use super::probe::Probe;
use super::schema::NAME;

/// `[scene]`: name, gravity and seed.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "General")]
pub struct GeneralSettings {
    /// Name of the scene, a part of file names: letters, digits, `-` and `_`.
    #[schemars(regex(pattern = NAME))]
    pub name: String,
    /// Acceleration of gravity, m/s2.
    #[serde(default = "earth")]
    pub gravity: [f64; 3],
    /// Seed of the bonds' random strengths and of random packings.
    #[serde(default)]
    pub seed: u64,
}

fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// `[contact]`: repulsion and friction of particles that are not bonded.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Contact")]
pub struct ContactSettings {
    /// Contact stiffness over the default: pi/2 E r, or that of Hertz's law.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub stiffness: f64,
    /// Force as a function of the overlap.
    pub law: ContactLaw,
    /// Model of friction.
    pub friction: FrictionModel,
    /// Ratio of speeds after and before the collision of two spheres.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub restitution: f64,
    /// Overlap, in radii, up to which the linear law is softened. The force begins as its square.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub softening: f64,
}

/// `[fracture]`: rule of breakage.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Fracture")]
pub struct FractureSettings {
    /// Axial force that counts in a bond's normal stress.
    pub axial: AxialStress,
}

/// `[output]`: files that a run writes.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Output")]
pub struct OutputSettings {
    /// Interval of written frames, in frames.
    #[schemars(range(min = 1))]
    pub every: u32,
    /// Whole bonds in the frames, as edges.
    pub bonds: BondOutput,
    /// Properties of particles in the frames, besides those that they always have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticleColumn>,
    /// Origin of the coordinates of frames, m: positions in them are relative to it. Far from their origin their numbers of single
    /// precision round positions. Other files have the scene's coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<[f64; 3]>,
    /// Interval of checkpoints, in frames or as `"15 min"`. There is one more at the end and at a signal.
    pub checkpoint_every: CheckpointEvery,
    /// Interval of rows of `forces.csv` between frames, in steps or as `"1e-4 s"`. Without it there is a row per frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forces_every: Option<ForcesEvery>,
    /// Names of the bodies whose mean stress is measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stress: Vec<String>,
    /// Regions and pairs of points that are measured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            stiffness: 1.0,
            law: ContactLaw::default(),
            friction: FrictionModel::default(),
            restitution: 0.7,
            softening: 0.0,
        }
    }
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self {
            every: 1,
            bonds: BondOutput::default(),
            particles: Vec::new(),
            origin: None,
            checkpoint_every: CheckpointEvery::default(),
            forces_every: None,
            stress: Vec::new(),
            probes: Vec::new(),
        }
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
            "0 with another contact.law than \"linear\": they begin softly",
        )
    }
}

impl OutputSettings {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("every").at_least_one(self.every)?;
        self.origin.iter().try_for_each(|origin| at.key("origin").vector_of(origin, Quantity::LENGTH))?;
        self.checkpoint_every.check(&at.key("checkpoint_every"))?;
        self.forces_every.iter().try_for_each(|every| every.check(&at.key("forces_every")))?;
        self.probes.iter().enumerate().try_for_each(|(i, probe)| probe.check(&at.key("probes").key(i)))
    }
}

impl Scene {
    /// Settings of the scene's simulation.
    pub fn simulation_settings(&self) -> SimulationSettings {
        SimulationSettings {
            frame: 1.0 / self.time.frame_rate,
            integrator: self.time.integrator,
            step: self.time.step,
            control: self.time.control,
            solver: self.solver.clone(),
        }
    }
}
