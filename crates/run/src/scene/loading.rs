//! Part of a scene that loads its specimen: direction and speed.

use bdem_core::geometry::Vec3;

use super::check::{At, Fault};
use super::usual::{short, two_digits_below};
use super::{MaterialTest, Scene, SceneBody, SceneDrive, SceneMaterial, SceneMotion, Specimen};

/// Collider or constraint that loads a specimen.
pub(super) struct Loading<'a> {
    pub specimen: &'a Specimen,
    motion: Option<&'a SceneMotion>,
    drive: Option<&'a SceneDrive>,
    seat: Option<[f64; 3]>,
    body: Option<&'a str>,
    /// Index of the collider; `None` of a constraint.
    pub collider: Option<usize>,
    at: At,
}

impl<'a> Loading<'a> {
    pub(super) fn of(scene: &'a Scene, specimen: &'a Specimen) -> Option<Self> {
        let is_load = |name: &Option<String>| *name == Some(specimen.load.clone());
        let root = At::root();
        if let Some(index) = scene.colliders.iter().position(|collider| is_load(&collider.name)) {
            let collider = &scene.colliders[index];
            let (motion, drive, seat) = (Some(&collider.motion), collider.drive.as_ref(), collider.seat);
            let at = root.key("colliders").key(index);
            return Some(Self { specimen, motion, drive, seat, body: None, collider: Some(index), at });
        }
        let index = scene.constraints.iter().position(|constraint| is_load(&constraint.name))?;
        let constraint = &scene.constraints[index];
        let (motion, drive, body) = (constraint.motion.as_ref(), constraint.drive.as_ref(), constraint.body.as_deref());
        let at = root.key("constraints").key(index);
        Some(Self { specimen, motion, drive, seat: None, body, collider: None, at })
    }

    /// Index of the specimen's body: named, or the scene's only one.
    pub(super) fn body(&self, scene: &Scene) -> Option<usize> {
        match self.specimen.body.as_deref().or(self.body) {
            Some(name) => scene.bodies.iter().position(|body| body.name == name),
            None => (scene.bodies.len() == 1).then_some(0),
        }
    }

    /// Unit vector along the load; in direct shear along the normal of the shear plane.
    pub(super) fn direction(&self) -> Option<Vec3> {
        let drive = self.drive.map(|drive| drive.axis);
        let direction = match self.specimen.test {
            MaterialTest::Shear { .. } => drive,
            _ => self.motion.and_then(SceneMotion::way).or(drive).or(self.seat),
        };
        Vec3::from(direction?).try_normalize(0.0)
    }

    /// Direction of direct shear: of the prescribed motion, which a drive only adds to.
    pub(super) fn shearing(&self) -> Option<Vec3> {
        let way = Vec3::from(self.motion.and_then(SceneMotion::way)?);
        let normal = self.direction().unwrap_or_default();
        (way - normal * way.dot(&normal)).try_normalize(0.0)
    }

    /// Warning of a load too fast for a quasi-static test of the specimen.
    pub(super) fn too_fast(&self, scene: &Scene) -> Option<Fault> {
        /// Share of the speed at which the wave of the load alone breaks the specimen. Above it waves change the measured
        /// strength (table in the book, Material tests).
        const SHARE: f64 = 1.0 / 50.0;
        let SceneBody { material, .. } = &scene.bodies[self.body(scene)?];
        let material = scene.materials.get(material.as_ref()?)?;
        let prescribed = self.motion.map(|motion| (motion.fastest(), "motion")).filter(|(speed, _)| *speed > 0.0);
        let servo = || Some((self.drive?.speed?, "drive"));
        let (speed, key) = prescribed.or_else(servo)?;
        let limit =
            SHARE * strength(material, &self.specimen.test) / (material.density * material.young_modulus).sqrt();
        if speed <= limit {
            return None;
        }
        let message = format!(
            "the load of the {} moves at {} m/s, above a fiftieth of strength/sqrt(density young_modulus), {} m/s: waves \
             change the measured strength",
            self.specimen.test,
            short(speed),
            short(two_digits_below(limit))
        );
        let help = format!("make it {} m/s or slower, and the run longer", short(two_digits_below(limit)));
        Some(self.at.key(key).wrong(message).help(help))
    }
}

/// Stress (Pa) at which a test breaks a material, for the speed of its load.
fn strength(material: &SceneMaterial, test: &MaterialTest) -> f64 {
    match test {
        MaterialTest::Shear { .. } => material.shear_strength,
        MaterialTest::Compression { .. } => {
            // Mohr and Coulomb: 2 c cos(phi)/(1 - sin(phi))
            let (sin, cos) = libm::sincos(material.friction_angle.to_radians());
            2.0 * material.shear_strength * cos / (1.0 - sin)
        }
        _ => material.tensile_strength,
    }
}
