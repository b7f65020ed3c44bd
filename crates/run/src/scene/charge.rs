use std::sync::Arc;

use bdem_core::model::{ChargeGroup, ExternalCharge, Particles, Ramp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::choice::Choice;
use super::files::Files;
use super::{Region, Scene, SceneBody, SceneMotion, attribute};

/// `[[charges]]`: particles with an electric charge. They are chosen once, when the run starts. With both a region and
/// a body, those of the body that lie in the region.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Charge")]
pub struct SceneCharge {
    /// Region that chooses particles by their centres.
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
    /// Attribute of the file of the body's packing, `particles` or `edges`, that has the charges, C: a property of the
    /// vertices of a PLY file, or a column of a CSV file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
}

/// Charge at a time.
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
#[schemars(rename = "ExternalCharge", extend("oneOf" = [{ "required": ["charge"] }, { "required": ["keyframes"] }]))]
pub struct SceneExternalCharge {
    /// Charge, C. Give either this or `keyframes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charge: Option<f64>,
    /// Charge over time: linear from key to key, constant before the first and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub keyframes: Option<Vec<SceneChargeKey>>,
    /// Position at time 0, m.
    pub position: [f64; 3],
    /// Prescribed motion of the charge, independent of forces.
    #[serde(default)]
    pub motion: SceneMotion,
}

impl SceneCharge {
    pub(super) fn choice(&self) -> Choice<'_> {
        Choice { region: self.region.as_ref(), body: self.body.as_deref() }
    }

    pub(super) fn check(&self, bodies: &[SceneBody], at: &At) -> Result<(), Fault> {
        self.choice().check("charge", bodies, at)?;
        let Self { charge, total, keyframes, attribute, .. } = self;
        let given = [charge.is_some(), total.is_some(), keyframes.is_some(), attribute.is_some()];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return Err(at.wrong("the charge must be given in one way: charge, total, keyframes, or attribute"));
        }
        charge.iter().try_for_each(|charge| at.key("charge").quantity(*charge, Quantity::CHARGE))?;
        total.iter().try_for_each(|total| at.key("total").quantity(*total, Quantity::CHARGE))?;
        keyframes.iter().try_for_each(|keys| check_keys(keys, &at.key("keyframes")))
    }

    /// Charges (C) of all particles of the body, from the attribute of their file; none without one.
    pub(super) fn load(&self, scene: &Scene, files: &mut Files, at: &At) -> Result<Arc<[f64]>, Fault> {
        let Some(attribute) = &self.attribute else { return Ok(Arc::default()) };
        let at = at.key("attribute");
        let Some(name) = &self.body else {
            return Err(at.wrong("missing key `body`: the file is that of its packing"));
        };
        let mut bodies = scene.bodies.iter().zip(&scene.matters);
        let of_body = bodies.find(|(body, _)| body.name == *name);
        let Some((file, matter)) = of_body.and_then(|(body, matter)| Some((body.packing.file()?, matter))) else {
            let fault = at.wrong(format!("the particles of {name:?} have no attributes: no file has their places"));
            return Err(
                fault.help("give charge, total or keyframes; only the packings particles and edges have a file")
            );
        };
        let bytes = files.read(file, &at)?;
        let values = attribute::read(file, &bytes, attribute).map_err(|why| {
            let help = format!("add {attribute:?} to the file as a property of PLY vertices, or as a column of CSV");
            at.wrong(format!("{file}: {why}")).help(help)
        })?;
        let charge = |&row: &u32| match values.get(row as usize) {
            Some(charge) if charge.abs() <= Quantity::CHARGE.max() => Ok(*charge),
            Some(charge) => {
                let most = Quantity::CHARGE.max();
                let range = format!("{attribute} is {charge:?}, but must be a number from {:?} to {most:?} C", -most);
                Err(at.wrong(format!("{file}: vertex or row {row} (the first is 0): {range}")))
            }
            None => Err(at.wrong(format!("{file}: it was changed while it was read"))),
        };
        matter.rows().iter().map(charge).collect()
    }

    /// Model of the charge on `particles`, of which there is at least one. `from_file` has the charges (C) of their body.
    pub(super) fn model(&self, from_file: Option<&Arc<[f64]>>, all: &Particles, particles: Vec<u32>) -> ChargeGroup {
        if let Some(keys) = &self.keyframes {
            return ChargeGroup::keyed(particles, ramp(keys));
        }
        if let (Some(_), Some(from_file)) = (&self.attribute, from_file) {
            let first = all.body.partition_point(|body| *body < all.body[particles[0] as usize]);
            let charges = particles.iter().map(|&i| from_file[i as usize - first]).collect();
            return ChargeGroup { charges, particles, factor: Ramp::default() };
        }
        let share = self.total.map(|total| total / particles.len() as f64);
        ChargeGroup::uniform(particles, self.charge.or(share).unwrap_or_default())
    }
}

impl SceneExternalCharge {
    pub(super) fn check(&self, at: &At) -> Result<(), Fault> {
        match (self.charge, &self.keyframes) {
            (Some(charge), None) => at.key("charge").quantity(charge, Quantity::CHARGE)?,
            (None, Some(keys)) => check_keys(keys, &at.key("keyframes"))?,
            _ => return Err(at.wrong("the charge must be given in one way: charge, or keyframes")),
        }
        at.key("position").vector_of(&self.position, Quantity::LENGTH)?;
        self.motion.check(&at.key("motion"))
    }

    pub(super) fn model(&self) -> ExternalCharge {
        let charge = self.keyframes.as_deref().map_or_else(|| Ramp::constant(self.charge.unwrap_or_default()), ramp);
        ExternalCharge { charge, position: self.position.into(), motion: self.motion.model() }
    }
}

/// Charge (C) as a function of time (s) by keys that are checked.
fn ramp(keys: &[SceneChargeKey]) -> Ramp {
    Ramp::through(keys.iter().map(|key| [key.time, key.charge]).collect()).expect("finite, and in order")
}

fn check_keys(keys: &[SceneChargeKey], at: &At) -> Result<(), Fault> {
    at.times(keys.iter().map(|key| key.time))?;
    for (i, key) in keys.iter().enumerate() {
        let at = at.key(i);
        at.key("charge").quantity(key.charge, Quantity::CHARGE)?;
    }
    Ok(())
}
