use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{self, Action, Motion, Particles, Wrench};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::choice::Choice;
use super::outer_faces::OuterFaces;
use super::schema::NAME;
use super::{FactorKey, Region, SceneBody, SceneDrive, SceneMotion};

/// `[[constraints]]`: particles with a prescribed motion, or with a force, torque or pressure. They are chosen once, when the
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
    /// Prescribed motion of the particles. Give either this, `drive` or both, or else `force`, `torque` or `pressure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<SceneMotion>,
    /// Load that moves the particles together along an axis, as a grip. What `motion` prescribes along it is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<SceneDrive>,
    /// Total force, shared evenly among the particles, N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<[f64; 3]>,
    /// Total torque, shared evenly among the particles, each about its own centre, N m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torque: Option<[f64; 3]>,
    /// Pressure on the outer faces that the body has at the start, against their outward normals, which turn with the body,
    /// Pa. It needs `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Axis along which the pressure does not act, such as that of a cylinder whose ends platens press.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_across: Option<[f64; 3]>,
    /// Factor on force, torque and pressure over time. Without keys, 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<FactorKey>,
    /// Time from which the constraint acts, s.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub start: f64,
    /// Time at which the constraint ends, s. Without it, never. Particles that were fixed since the start then move with the
    /// velocities of their body, others go on as they were moved.
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
        let is_load = self.force.is_some() || self.torque.is_some() || self.pressure.is_some();
        let is_moved = self.motion.is_some() || self.drive.is_some();
        if is_moved && (is_load || !self.keyframes.is_empty()) {
            let key = if self.motion.is_some() { "motion" } else { "drive" };
            let both = at.key(key).wrong("particles whose motion is prescribed cannot be pushed too");
            let help =
                "make two constraints of it, one after the other, with release and start; or add a drive to the motion";
            return Err(both.help(help));
        }
        if !is_moved && !is_load {
            return Err(at.wrong("missing motion or drive, or in their place force, torque or pressure"));
        }
        self.motion.iter().try_for_each(|motion| motion.check(&at.key("motion")))?;
        self.drive.iter().try_for_each(|drive| drive.check(false, &at.key("drive")))?;
        self.force.iter().try_for_each(|force| at.key("force").vector_of(force, Quantity::FORCE))?;
        self.torque.iter().try_for_each(|torque| at.key("torque").vector_of(torque, Quantity::TORQUE))?;
        FactorKey::check_all(&self.keyframes, &at.key("keyframes"))?;
        self.check_pressure(at)
    }

    fn check_pressure(&self, at: &At) -> Result<(), Fault> {
        let Some(pressure) = self.pressure else {
            let alone = self.pressure_across.map(|_| at.key("pressure_across").wrong("there is no pressure"));
            return alone.map_or(Ok(()), |alone| Err(alone.help("add pressure = 1e6 (Pa), or leave it out")));
        };
        at.key("pressure").quantity(pressure, Quantity::MODULUS)?;
        self.pressure_across.iter().try_for_each(|axis| at.key("pressure_across").direction(axis))?;
        let wrong = if self.body.is_none() {
            "a pressure needs the name of a body: it acts on its outer faces"
        } else if self.force.is_some() || self.torque.is_some() {
            "a constraint with a pressure has no other force or torque"
        } else {
            return Ok(());
        };
        Err(at.key("pressure").wrong(wrong).help("make a constraint of its own for it, with body"))
    }

    pub(super) fn choice(&self) -> Choice<'_> {
        Choice { region: self.region.as_ref(), body: self.body.as_deref() }
    }

    /// Model of the constraint on the particles `chosen`, at least one of `all`, whose orientations are `q`. A pressure needs the
    /// outer `faces` of each.
    pub(super) fn model(
        &self,
        chosen: Vec<u32>,
        (all, q): (&Particles, &[Quat]),
        faces: Option<Vec<OuterFaces>>,
    ) -> model::Constraint {
        let share = |total: Option<[f64; 3]>| total.map_or(Vec3::zeros(), Vec3::from) / chosen.len() as f64;
        let mass = || chosen.iter().map(|&i| all.mass[i as usize]).sum();
        let motion = || self.motion.as_ref().map_or(Motion::Fixed, SceneMotion::model);
        let action = match (&self.drive, &self.motion, self.pressure.zip(faces)) {
            (Some(drive), ..) => Action::Motion(drive.model(motion(), mass())),
            (None, Some(_), _) => Action::Motion(motion()),
            (None, None, Some((pressure, faces))) => {
                let across = self.pressure_across.map(|axis| Vec3::from(axis).normalize());
                let own = |(faces, &i): (&OuterFaces, &u32)| {
                    faces.load(pressure, across).turned_by(&q[i as usize].conjugate())
                };
                Action::Loads(faces.iter().zip(&chosen).map(own).collect())
            }
            (None, None, None) => Action::Load(Wrench { force: share(self.force), torque: share(self.torque) }),
        };
        let times = self.start..self.release.unwrap_or(f64::INFINITY);
        let factor = FactorKey::ramp(&self.keyframes, 1.0);
        model::Constraint { times, factor, ..model::Constraint::new(chosen, action) }
    }
}
