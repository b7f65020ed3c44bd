use bdem_core::geometry::mesh::DeformingMesh;
use bdem_core::geometry::shape::Shape as Solid;
use bdem_core::geometry::{Pose, Vec3};
use bdem_core::model::{self, Particles, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::files::Files;
use super::material::check_friction;
use super::schema::NAME;
use super::{AxisAngle, SceneDeformation, SceneDrive, SceneMotion, SceneShape};

/// `[[colliders]]`: solids that particles rest on and bounce off.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Collider")]
pub struct SceneCollider {
    /// Name, unlike any other of a collider, constraint or probe. With one, `forces.csv` has its force.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME))]
    pub name: Option<String>,
    /// Shape of the solid. Simple ones are centred at the origin, with z as their axis.
    pub shape: SceneShape,
    /// Position of the origin at time 0, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation about the origin at time 0.
    #[serde(default)]
    pub rotation: AxisAngle,
    /// Free side: with `true` the inside of the shape is free, as of a container.
    #[serde(default)]
    pub inside: bool,
    /// Prescribed motion of the collider, independent of forces.
    #[serde(default)]
    pub motion: SceneMotion,
    /// Deformation of the shape, which is a mesh, in place of a motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deformation: Option<SceneDeformation>,
    /// Load that moves the collider along an axis, as a platen. What `motion` prescribes along it is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive: Option<SceneDrive>,
    /// Direction in which the collider is moved before the run until it touches a particle, of any length but zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<[f64; 3]>,
    /// Coefficient of sliding friction. By default that of the particle's material.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub friction: Option<f64>,
    /// Coefficient of static friction, only together with `friction`. Without it, equal to `friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub static_friction: Option<f64>,
}

impl SceneCollider {
    /// Wall of the collider, with its values checked.
    pub(super) fn load(&self, files: &mut Files, at: &At) -> Result<model::Wall, Fault> {
        self.motion.check(&at.key("motion"))?;
        self.drive.iter().try_for_each(|drive| drive.check(true, &at.key("drive")))?;
        self.seat.iter().try_for_each(|direction| at.key("seat").direction(direction))?;
        self.check_friction(at)?;
        at.key("position").vector_of(&self.position, Quantity::LENGTH)?;
        self.rotation.check(&at.key("rotation"))?;
        let mut collider = match self.deforming_mesh(files, at)? {
            Some(mesh) => model::Wall::deforming(mesh, self.inside),
            None => model::Wall::new(self.placed(self.shape.load(files, &at.key("shape"))?)),
        };
        collider.motion = match &self.drive {
            // a collider has no mass of its own
            Some(drive) => drive.model(self.motion.model(), f64::INFINITY),
            None => self.motion.model(),
        };
        (collider.friction, collider.static_friction) = (self.friction, self.static_friction.or(self.friction));
        Ok(collider)
    }

    /// Mesh of a collider that deforms.
    fn deforming_mesh(&self, files: &mut Files, at: &At) -> Result<Option<DeformingMesh>, Fault> {
        let Some(deformation) = &self.deformation else { return Ok(None) };
        let at_key = at.key("deformation");
        let SceneShape::Mesh(mesh) = &self.shape else {
            return Err(at_key.wrong("only a mesh deforms").help("give shape.mesh, or leave deformation out"));
        };
        let others = [
            ("motion", self.motion != SceneMotion::Fixed),
            ("drive", self.drive.is_some()),
            ("seat", self.seat.is_some()),
        ];
        if let Some((key, _)) = others.iter().find(|(_, is_given)| *is_given) {
            let message = format!("a collider that deforms has no {key}: its files say where it is");
            return Err(at.key(key).wrong(message).help(format!("leave {key} out, or move the poses in the files")));
        }
        let pose = Pose { turn: self.rotation.quaternion(), shift: self.position.into() };
        deformation.load(mesh, &pose, files, &at_key).map(Some)
    }

    /// Moves `wall`, which is this collider's, in the direction of `seat` until it touches a particle.
    pub(super) fn seat(
        &self,
        wall: &mut model::Wall,
        particles: &Particles,
        state: &State,
        at: &At,
    ) -> Result<(), Fault> {
        /// Gap at which it touches, in radii: rounding.
        const TOUCH: f64 = 1e-9;
        /// Most steps along the way, each of the gap to the nearest particle.
        const MOST: usize = 10_000;
        let Some(direction) = self.seat.map(|direction| Vec3::from(direction).normalize()) else { return Ok(()) };
        let placed = wall.at(0.0);
        let touching: Vec<usize> = (0..state.len()).filter(|&i| particles.has_contacts(i)).collect();
        let mut way = 0.0;
        for _ in 0..MOST {
            // the wall moved by this is the particles moved back by it
            let gap = |&i: &usize| placed.distance(&(state.p[i] - direction * way)) - particles.contact_radius[i];
            let radius = |i: usize| particles.contact_radius[i];
            let nearest = touching.iter().map(|i| (gap(i), radius(*i))).min_by(|a, b| a.0.total_cmp(&b.0));
            let Some((gap, radius)) = nearest else { break };
            if gap <= TOUCH * radius {
                *wall = wall.shifted(direction * way);
                return Ok(());
            }
            way += gap;
        }
        let never = at.key("seat").wrong("the collider touches no particle on this way");
        Err(never.help("let it point from the collider to the body"))
    }

    /// Moves the collider, with the points of its motion, by a change of position.
    pub(super) fn shift(&mut self, shift: impl Fn(&mut [f64; 3])) {
        shift(&mut self.position);
        match &mut self.motion {
            SceneMotion::Fixed | SceneMotion::Velocity(_) => {}
            SceneMotion::Rotation { point, .. }
            | SceneMotion::Screw { point, .. }
            | SceneMotion::Keyframes { pivot: point, .. } => shift(point),
        }
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

    /// Solid that particles cannot enter, in its pose at time 0.
    fn placed(&self, shape: Solid) -> Solid {
        let is_at_origin = self.position == [0.0; 3] && self.rotation.degrees == 0.0;
        let (position, rotation) = (self.position.into(), self.rotation.quaternion());
        let placed = if is_at_origin { shape } else { Solid::Placed { shape: Box::new(shape), position, rotation } };
        if self.inside { Solid::Complement(Box::new(placed)) } else { placed }
    }
}
