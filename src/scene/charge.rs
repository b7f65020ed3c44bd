use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Matter;
use super::check::{At, Fault, Quantity};
use super::choice::Choice;
use super::{Region, Scene, SceneBody, SceneMotion};
use crate::model::{ChargeGroup, ExternalCharge, Particles, Ramp};

/// `[[charges]]`: particles with an electric charge. They are chosen once, when the run starts. With both a region and
/// a body, those of the body that lie in the region.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Charge")]
pub struct SceneCharge {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Name of a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Charge of each particle, C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charge: Option<f64>,
    /// Charge of all of them together, shared evenly, C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// Charge of each particle over time: linear from key to key, constant before the first and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub keyframes: Option<Vec<SceneChargeKey>>,
    /// Charges from the column `charge` (C) of the body's particle file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_file: bool,
}

/// Charge of a particle at a time.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChargeKey")]
pub struct SceneChargeKey {
    /// Time, s.
    pub time: f64,
    /// Charge, C.
    pub charge: f64,
}

/// `[[external_charges]]`: point charges that act on the charged particles, and that no force moves.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ExternalCharge")]
pub struct SceneExternalCharge {
    /// Charge, C.
    pub charge: f64,
    /// Position at time 0, m.
    pub position: [f64; 3],
    #[serde(default)]
    pub motion: SceneMotion,
}

impl SceneCharge {
    pub(super) fn choice(&self) -> Choice<'_> {
        Choice { region: self.region.as_ref(), body: self.body.as_deref() }
    }

    pub(super) fn check(&self, bodies: &[SceneBody], matters: &[Matter], at: &At) -> Result<(), Fault> {
        self.choice().check("charge", bodies, at)?;
        let Self { charge, total, keyframes, from_file, .. } = self;
        let given = usize::from(charge.is_some()) + usize::from(total.is_some()) + usize::from(keyframes.is_some());
        if given + usize::from(*from_file) != 1 {
            let message = "the charge must be given in one way: charge, total, keyframes, or from_file = true";
            return Err(at.wrong(message));
        }
        charge.iter().try_for_each(|charge| at.key("charge").quantity(*charge, Quantity::CHARGE))?;
        total.iter().try_for_each(|total| at.key("total").quantity(*total, Quantity::CHARGE))?;
        keyframes.iter().try_for_each(|keys| check_keys(keys, &at.key("keyframes")))?;
        if *from_file { self.check_file(bodies, matters, at) } else { Ok(()) }
    }

    /// Check that the chosen body's particles are from a file with charges.
    fn check_file(&self, bodies: &[SceneBody], matters: &[Matter], at: &At) -> Result<(), Fault> {
        let Some(name) = &self.body else {
            return Err(at.key("from_file").wrong("missing key `body`: the file is that of its packing"));
        };
        let matter = bodies.iter().zip(matters).find(|(body, _)| body.name == *name).map(|(_, matter)| matter);
        match matter {
            Some(Matter::Spheres(spheres)) if spheres.charges.is_some() => Ok(()),
            Some(Matter::Spheres(_)) => {
                let fault = at.key("from_file").wrong(format!("the particle file of {name:?} has no charges"));
                Err(fault.help("add a column or property `charge`, with a number in each row"))
            }
            _ => {
                let fault = at.key("from_file").wrong(format!("the particles of {name:?} are from no file"));
                Err(fault.help("give charge, total or keyframes"))
            }
        }
    }

    /// Model of the charge on `particles`, of which there is at least one.
    pub(super) fn model(&self, scene: &Scene, all: &Particles, particles: Vec<u32>) -> ChargeGroup {
        if let Some(keys) = &self.keyframes {
            let keys = keys.iter().map(|key| [key.time, key.charge]).collect();
            return ChargeGroup::keyed(particles, Ramp::through(keys).expect("checked: finite, and in order"));
        }
        if self.from_file {
            let charges = from_file(scene, all, &particles);
            return ChargeGroup { charges, particles, factor: Ramp::default() };
        }
        let share = self.total.map(|total| total / particles.len() as f64);
        ChargeGroup::uniform(particles, self.charge.or(share).unwrap_or_default())
    }
}

/// Charges (C) of particles of one body, from its file.
fn from_file(scene: &Scene, all: &Particles, particles: &[u32]) -> Vec<f64> {
    let body = all.body[particles[0] as usize];
    let first = all.body.partition_point(|other| *other < body);
    let Matter::Spheres(spheres) = &scene.matters[usize::from(body)] else { return vec![0.0; particles.len()] };
    let charge = |i: &u32| spheres.charges.as_ref().map_or(0.0, |charges| charges[*i as usize - first]);
    particles.iter().map(charge).collect()
}

impl SceneExternalCharge {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        at.key("charge").quantity(self.charge, Quantity::CHARGE)?;
        at.key("position").vector_of(&self.position, Quantity::LENGTH)?;
        self.motion.check(&at.key("motion"))
    }

    pub(super) fn model(&self) -> ExternalCharge {
        ExternalCharge { charge: self.charge, position: self.position.into(), motion: self.motion.model() }
    }
}

fn check_keys(keys: &[SceneChargeKey], at: &At) -> Result<(), Fault> {
    at.times(keys.iter().map(|key| key.time))?;
    for (i, key) in keys.iter().enumerate() {
        let at = at.key(i);
        at.key("charge").quantity(key.charge, Quantity::CHARGE)?;
    }
    Ok(())
}
